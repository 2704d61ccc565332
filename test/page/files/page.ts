import { IndexedDBFileSystem, type IndexedDBFileSystemOptions, RAMFileSystem, Workspace } from '../../../platforms/browser/index.ts'
import type { NameRecord } from '../../../src/fs/records.ts'
import type { StoredRecords } from '../../contract/stored-records.ts'
import { faultsOf } from '../../contract/stored-records.ts'
import { everything, generator, outcome, randomOperations } from '../../unit/fs/random-operations.ts'

export type Options = Required<IndexedDBFileSystemOptions>

let transactions = 0
const { transaction } = IDBDatabase.prototype
IDBDatabase.prototype.transaction = function (...given) {
  transactions += 1
  return transaction.apply(this, given)
}

const page = {
  /** Does random operations without end; tells how many are on the disk, after some of them each time. */
  async write(options: Options, seed: number): Promise<void> {
    const fs = new IndexedDBFileSystem(options)
    const next = randomOperations(seed)
    for (let done = 1; ; done++) {
      await outcome(fs, next())
      if (done % 20 !== 0) continue
      await fs.sync()
      await window.acknowledged(done)
    }
  },

  /** How many operations of `write` the files hold, `acknowledged` at least; a text where it is no number of whole ones. */
  async written(options: Options, seed: number, acknowledged: number): Promise<number | string> {
    const found = JSON.stringify(await sorted(new IndexedDBFileSystem(options)))
    const model = new RAMFileSystem()
    const next = randomOperations(seed)
    for (let done = 1; done < acknowledged + 5000; done++) {
      await outcome(model, next())
      if (done >= acknowledged && JSON.stringify(await sorted(model)) === found) return done
    }
    return `no number of operations from ${acknowledged} on leads to ${found.slice(0, 2000)}`
  },

  /** Does random operations by turns in two instances of this page; the first that differs from the same in memory, or null. */
  async alternate(options: Options, seed: number, count: number): Promise<unknown> {
    const instances = [new IndexedDBFileSystem(options), new IndexedDBFileSystem(options)] as const
    const model = new RAMFileSystem()
    const next = randomOperations(seed)
    const random = generator(seed + 1)
    for (let i = 0; i < count; i++) {
      const operation = next()
      const which = random(2) === 0 ? 0 : 1
      const found = JSON.stringify(await outcome(instances[which], operation))
      const expected = JSON.stringify(await outcome(model, operation))
      if (found !== expected) return { i, which, operation: operation.name, found, expected }
    }
    for (const fs of instances) {
      if (JSON.stringify(await sorted(fs)) !== JSON.stringify(await sorted(model))) return 'the trees differ'
      await fs.close()
    }
    return null
  },

  /** What is wrong with the records in the database. */
  async faults({ root }: Options): Promise<readonly string[]> {
    return faultsOf(await storedRecords(root))
  },

  /** A few files as they are stored. */
  async layout(options: Options): Promise<unknown> {
    const fs = new IndexedDBFileSystem(options)
    await fs.mkdir('/d', 0o755)
    await fs.write('/d/\udcff', Uint8Array.of(1, 2, 3), { mode: 0o644 })
    await fs.symlink('d', '/l')
    await fs.link('/l', '/m')
    await fs.close()
    const database = await asked(indexedDB.open(options.root))
    const { names } = await storedRecords(options.root)
    const transaction = database.transaction(['chunks', 'state'])
    const { id, ...state } = await asked<{ id: unknown; lastIno: number }>(transaction.objectStore('state').get('state'))
    const chunks = transaction.objectStore('chunks')
    const [keys, contents] = await Promise.all([asked(chunks.getAllKeys()), asked<Uint8Array[]>(chunks.getAll())])
    database.close()
    return {
      version: database.version,
      state: [typeof id, Object.keys(state), state.lastIno],
      names: names.map(([directory, name, { ...record }]) => {
        if (record.type === 'linked') return [directory, name, record]
        const { mtimeMs, atimeMs, ctimeMs, birthtimeMs, ...rest } = record
        return [directory, encodeURIComponent(name.replace('\udcff', '<ff>')), rest]
      }),
      chunks: [keys, contents.map((bytes) => [...bytes])],
    }
  },

  /** Transactions that the page has begun. */
  async transactions(): Promise<number> {
    return transactions
  },

  /** Appends lines and claims names, as another page does meanwhile; the numbers of the names that were claimed first. */
  async share(options: Options, name: string, count: number): Promise<number[]> {
    const fs = new IndexedDBFileSystem(options)
    const claimed: number[] = []
    for (let i = 0; i < count; i++) {
      await fs.append('/log', new TextEncoder().encode(`${name} ${i}\n`))
      try {
        await fs.write(`/claim ${i}`, new TextEncoder().encode(name), { exclusive: true })
        claimed.push(i)
      } catch (error) {
        if ((error as { code?: string }).code !== 'EEXIST') throw error
      }
      await fs.mkdir(`/${name} ${i}`)
      await fs.rename(`/${name} ${i}`, `/${name}`)
      await fs.rmdir(`/${name}`)
    }
    await fs.close()
    return claimed
  },

  async open(options: Options): Promise<void> {
    window.fs = new IndexedDBFileSystem(options)
  },

  async text(path: string): Promise<string> {
    return new TextDecoder().decode(await window.fs.read(path))
  },

  async put(path: string, text: string): Promise<void> {
    await window.fs.write(path, new TextEncoder().encode(text))
    await window.fs.sync()
  },

  /** Runs lines in a workspace of their own; `[exit status, stdout, stderr]` of each. */
  async shell(options: Options, lines: readonly string[]): Promise<(readonly [number, string, string])[]> {
    const fs = new IndexedDBFileSystem(options)
    const workspace = new Workspace({ '/data': fs })
    const results: (readonly [number, string, string])[] = []
    for (const line of lines) {
      const { exitCode, stdoutText, stderrText } = await workspace.shell(line)
      results.push([exitCode, stdoutText, stderrText])
    }
    await workspace.close()
    await fs.close()
    return results
  },
}

declare global {
  interface Window {
    files: typeof page
    fs: InstanceType<typeof IndexedDBFileSystem>
    acknowledged(done: number): Promise<void>
  }
}
window.files = page

async function sorted(fs: Parameters<typeof everything>[0]): Promise<[string, unknown][]> {
  return Object.entries(await everything(fs)).sort(([a], [b]) => (a < b ? -1 : 1))
}

async function storedRecords(root: string): Promise<StoredRecords> {
  const database = await asked(indexedDB.open(root))
  const transaction = database.transaction(['names', 'chunks'])
  const [names, chunks] = [transaction.objectStore('names'), transaction.objectStore('chunks')]
  const [nameKeys, records, chunkKeys, contents] = await Promise.all([
    asked(names.getAllKeys()),
    asked<NameRecord[]>(names.getAll()),
    asked(chunks.getAllKeys()),
    asked<Uint8Array[]>(chunks.getAll()),
  ])
  database.close()
  return {
    names: (nameKeys as [number, string][]).map(([directory, name], i) => [directory, name, records[i] as NameRecord]),
    chunks: (chunkKeys as [number, number][]).map(([ino, index], i) => [ino, index, contents[i]?.length ?? 0]),
  }
}

function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
