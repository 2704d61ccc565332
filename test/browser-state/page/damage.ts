import { IndexedDatabase, promisifyRequest } from '../../../platforms/browser/indexed-database.ts'
import type { Place } from './work.ts'
import { open } from './work.ts'

interface Told {
  readonly code: unknown
  readonly message: string
}

/** What browsers and people do to a store, and what the library says to it. */
export const damage = {
  /** The first line where nothing may be stored. */
  async firstLine(place: Place): Promise<Told | null> {
    const ws = open(place)
    const told = await failure(ws.shell('true'))
    await ws.close().catch(() => undefined)
    return told
  },
  /** A line that needs more room than there is, and what becomes of it when there is room. */
  async fill({ bytes, ...place }: Place & { readonly bytes: number }): Promise<{ full: Told | null; later: string | undefined }> {
    const ws = open(place)
    await ws.shell('before=1')
    // Nothing that can be compressed on the way to the disk.
    const { exitCode } = await ws.shell(`set -o pipefail; big=$(head -c ${bytes} /dev/urandom | base64 -w0)`)
    if (exitCode !== 0) throw new Error('nothing was filled')
    const { cause } = await ws.shell('after=1')
    const full = cause === undefined ? null : { code: cause.code, message: cause.message }
    const { durability } = await ws.shell('unset big')
    await ws.close()
    return { full, later: durability }
  },
  /** Another page with a newer build upgrades the database while this one uses it. */
  async upgraded(place: Place): Promise<{ told: Told | null; fresh: Told | null }> {
    const ws = open(place)
    await ws.shell('x=1')
    const newer = indexedDB.open(place.root, 2)
    await promisifyRequest(newer)
    const told = await failure(ws.shell('x=2').then((result) => result.cause && Promise.reject(result.cause)))
    const fresh = await failure(open(place).shell('x=3'))
    newer.result.close()
    return { told, fresh }
  },
  /** Somebody deletes the database while it is used: one error, then all goes on anew. */
  async deleted(place: Place): Promise<{ told: Told | null; next: string }> {
    const ws = open(place)
    await ws.shell('x=1')
    await promisifyRequest(indexedDB.deleteDatabase(place.root))
    const told = await failure(ws.shell('x=2'))
    const { stdoutText, durability } = await ws.shell('echo ${x-unset}')
    await ws.close()
    return { told, next: `${durability} ${stdoutText.trim()}` }
  },
  /** A page with an older build that ignores the wish to upgrade. */
  async blocked(place: Place): Promise<{ told: Told | null; later: string | null }> {
    const older = indexedDB.open(place.root, 1)
    older.onupgradeneeded = () => older.result.createObjectStore('old')
    await promisifyRequest(older)
    const layout = { name: place.root, version: 2, stores: ['old', 'new'] }
    const database = new IndexedDatabase(layout, { limitMs: 300 })
    const work = () => database.use('new', 'read a')('readonly', (store) => promisifyRequest(store.getAllKeys()))
    const told = await failure(work())
    older.result.close()
    const later = await failure(work())
    database.close()
    return { told, later: later?.message ?? null }
  },
  /** A database of that name that is something else. */
  async foreign(place: Place): Promise<Told | null> {
    const other = indexedDB.open(place.root, 1)
    other.onupgradeneeded = () => other.result.createObjectStore('keyval')
    await promisifyRequest(other)
    const told = await failure(open(place).shell('true'))
    other.result.close()
    return told
  },
  /** A file that a crash left half written: what is told and read afterwards. */
  async torn(place: Place): Promise<{ values: readonly (string | undefined)[]; lines: readonly string[] }> {
    const ws = open(place)
    const session = await ws.session(place.session)
    for (const n of [1, 2, 3]) await session.shell(`x=${n}`)
    await ws.close()
    const values: (string | undefined)[] = []
    for (const cut of [1, 9, 200]) {
      await cutNewest(place, `sessions/${place.session}.json++`, cut)
      values.push(await xOf(place))
    }
    await cutNewest(place, `history/${place.session}/00000001.jsonl++`, 5)
    const again = open(place)
    const found = await again.session(place.session)
    await found.shell('last=1')
    const lines = (await found.history(100)).map(({ command }) => command)
    await again.close()
    return { values, lines }
  },
}

/** Cuts the file with the highest number in its name short, as if its last bytes had never come to the disk. */
async function cutNewest({ root }: Place, path: string, bytes: number): Promise<void> {
  let folder = await navigator.storage.getDirectory()
  for (const name of [...root.split('/'), 'workspaces', 'w', ...path.split('/')]) folder = await folder.getDirectoryHandle(name)
  const names: string[] = []
  for await (const name of folder.keys()) names.push(name)
  const newest = names.sort((a, b) => rank(a) - rank(b)).at(-1)
  if (newest === undefined) throw new Error(`${path} is empty`)
  const handle = await folder.getFileHandle(newest)
  const { size } = await handle.getFile()
  const writable = await handle.createWritable({ keepExistingData: true })
  await writable.truncate(Math.max(0, size - bytes))
  await writable.close()
}

function rank(name: string): number {
  const [generation = 0, first = 0] = name.split('.').map(Number)
  return (generation % 1_000_000) * 1000 + first
}

async function xOf(place: Place): Promise<string | undefined> {
  const ws = open(place)
  const { stdoutText } = await (await ws.session(place.session)).shell('echo $x', { record: false })
  await ws.close()
  return stdoutText.trim()
}

async function failure(work: Promise<unknown>): Promise<Told | null> {
  try {
    await work
    return null
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown }
    return { code, message }
  }
}
