import type { DurableObjectStorage } from 'mirage-runtime'
import { DurableObjectFileSystem, RAMFileSystem } from 'mirage-runtime'
import { decode } from '../../src/bytes.ts'
import type { NameRecord } from '../../src/fs/records.ts'
import { faultsOf } from '../contract/stored-records.ts'
import { everything, outcome, randomOperations } from '../unit/fs/random-operations.ts'

interface Bindings {
  readonly AGENTS: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

/** Does what a test asks for, in the storage of an object. */
export class Files {
  readonly #storage: DurableObjectStorage

  constructor(state: { readonly storage: DurableObjectStorage }) {
    this.#storage = state.storage
  }

  async fetch(request: Request): Promise<Response> {
    const { call, seed = 1, count = 0 } = (await request.json()) as { call: keyof typeof calls; seed?: number; count?: number }
    try {
      return Response.json({ value: await calls[call](this.#storage, seed, count) })
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      return Response.json({ code, message })
    }
  }
}

const calls = {
  /** Does random operations from where the ones before ended, and waits for nothing. */
  async write(storage: DurableObjectStorage, seed: number, count: number): Promise<unknown> {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS own (done INTEGER)')
    const before = [...storage.sql.exec('SELECT count(*) AS done FROM own')][0]?.done as number
    const fs = new DurableObjectFileSystem(storage)
    const next = randomOperations(seed)
    for (let i = 0; i < before; i++) next()
    for (let i = 0; i < count; i++) {
      await outcome(fs, next())
      storage.sql.exec('INSERT INTO own VALUES (1)')
    }
    return before + count
  },

  /** Whether the files are what so many operations lead to, and the table of the object's own is untouched. */
  async compare(storage: DurableObjectStorage, seed: number, count: number): Promise<unknown> {
    const model = new RAMFileSystem()
    const next = randomOperations(seed)
    for (let i = 0; i < count; i++) await outcome(model, next())
    const fs = new DurableObjectFileSystem(storage)
    return {
      done: [...storage.sql.exec('SELECT count(*) AS done FROM own')][0]?.done,
      isSame: JSON.stringify(await sorted(fs)) === JSON.stringify(await sorted(model)),
      faults: faultsOf({ names: storedNames(storage), chunks: storedChunks(storage) }),
      tables: [...storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf%' ORDER BY name")].map(
        ({ name }) => name,
      ),
    }
  },

  /** A few files as they are stored. */
  async layout(storage: DurableObjectStorage): Promise<unknown> {
    const fs = new DurableObjectFileSystem(storage)
    await fs.mkdir('/d', 0o755)
    await fs.write('/d/\udcff', Uint8Array.of(1, 2, 3), { mode: 0o644 })
    await fs.symlink('d', '/l')
    await fs.link('/l', '/m')
    const hex = (value: unknown): string => Array.from(new Uint8Array(value as ArrayBuffer), (byte) => byte.toString(16)).join(' ')
    return {
      state: [...storage.sql.exec('SELECT * FROM mirage_file_state')],
      names: [...storage.sql.exec('SELECT * FROM mirage_file_names')].map(({ directory, name, record }) => {
        const { mtimeMs, atimeMs, ctimeMs, birthtimeMs, ...rest } = JSON.parse(record as string) as Record<string, unknown>
        return [directory, hex(name), rest]
      }),
      chunks: [...storage.sql.exec('SELECT * FROM mirage_file_chunks')].map(({ ino, number, bytes }) => [ino, number, hex(bytes)]),
    }
  },

  /** A layout of the future. */
  async newer(storage: DurableObjectStorage): Promise<unknown> {
    new DurableObjectFileSystem(storage).close()
    storage.sql.exec('UPDATE mirage_file_state SET layout = 2')
    return new DurableObjectFileSystem(storage).capabilities
  },
}

export default {
  fetch(request: Request, { AGENTS }: Bindings): Promise<Response> {
    return AGENTS.get(AGENTS.idFromName(new URL(request.url).pathname)).fetch(request)
  },
}

async function sorted(fs: Parameters<typeof everything>[0]): Promise<[string, unknown][]> {
  return Object.entries(await everything(fs)).sort(([a], [b]) => (a < b ? -1 : 1))
}

function storedNames(storage: DurableObjectStorage): (readonly [number, string, NameRecord])[] {
  return [...storage.sql.exec('SELECT * FROM mirage_file_names')].map(({ directory, name, record }) => [
    directory as number,
    decode(new Uint8Array(name as ArrayBuffer)),
    JSON.parse(record as string) as NameRecord,
  ])
}

function storedChunks(storage: DurableObjectStorage): (readonly [number, number, number])[] {
  return [...storage.sql.exec('SELECT ino, number, length(bytes) AS length FROM mirage_file_chunks')].map(({ ino, number, length }) => [
    ino as number,
    number as number,
    length as number,
  ])
}
