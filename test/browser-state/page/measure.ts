import { DiskWorkspaceStateStore, webHost } from '../../../platforms/browser/index.ts'
import type { HistoryLine } from '../../../src/state/history.ts'
import type { SessionFields } from '../../../src/state/session-fields.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import type { Place } from './work.ts'
import { open } from './work.ts'

/** What lines cost. */
interface LineCosts {
  /** Milliseconds: the median, and what 99 of 100 lines stay below. */
  readonly median: number
  readonly p99: number
  /** IndexedDB's transactions, by their mode, of all lines. */
  readonly transactions: Readonly<Record<IDBTransactionMode, number>>
}

/** What it takes, in milliseconds. */
export const measure = {
  /** `count` lines that change the session, and as many that only go to the history. */
  async lineTimes({ count, ...place }: Place & { readonly count: number }): Promise<{ changing: LineCosts; plain: LineCosts }> {
    const ws = open(place)
    const session = await ws.session(place.session)
    const times = async (line: (n: number) => string): Promise<LineCosts> => {
      const took: number[] = []
      const counted = countTransactions()
      for (let n = 0; n < count; n++) {
        const start = performance.now()
        await session.shell(line(n))
        took.push(performance.now() - start)
      }
      const p99 = took.sort((a, b) => a - b)[Math.ceil(count * 0.99) - 1] ?? 0
      return { median: median(took), p99, transactions: counted.end() }
    }
    await times((n) => `warm=${n}`)
    const result = { changing: await times((n) => `x=${n}`), plain: await times(() => ':') }
    await ws.close()
    return result
  },
  /** `history 10` of a session that has many entries: the median of 20, and the first time in an instance. */
  async historyTimes({ entries, ...place }: Place & { readonly entries: number }): Promise<{ first: number; later: number }> {
    await fill(place, entries)
    const ws = open(place)
    const again = await ws.session(place.session)
    const took: number[] = []
    for (let n = 0; n < 21; n++) {
      const start = performance.now()
      const got = await again.history(10)
      took.push(performance.now() - start)
      if (got.length !== 10) throw new Error(`got ${got.length} entries`)
    }
    await ws.close()
    return { first: took[0] ?? 0, later: median(took.slice(1)) }
  },
}

/** Counts the transactions of this page or worker until `end`. */
function countTransactions(): { end(): LineCosts['transactions'] } {
  const counts = { readonly: 0, readwrite: 0, versionchange: 0 }
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (stores, mode = 'readonly', options) {
    counts[mode] += 1
    return transaction.call(this, stores, mode, options)
  }
  return {
    end: () => {
      IDBDatabase.prototype.transaction = transaction
      return counts
    },
  }
}

/** Adds the last thousand one by one, as lines do. */
async function fill({ root, backend, session }: Place, entries: number): Promise<void> {
  const store = new DiskWorkspaceStateStore({ root, backend })
  await (await open({ root, backend, session }).session(session)).shell('true')
  const opened = (await openSessions({ store, workspaceId: 'w', host: webHost }).open(session, EMPTY)).session
  const line = (n: number): HistoryLine => ({
    agent: null,
    timestamp: 1_700_000_000_000 + n,
    cwd: '/home/user',
    command: `echo line ${n} of many`,
    exitCode: 0,
    durationMs: 1.5,
  })
  for (let n = 0; n < entries - 1000; n += 1000) await opened.history.add(Array.from({ length: 1000 }, (_, i) => line(n + i)))
  for (let n = entries - 1000; n < entries; n++) await opened.history.add([line(n)])
  await store.close()
}

/** Never used: the session is there. */
const EMPTY: SessionFields = {
  cwd: '/',
  umask: 0,
  variables: new Map(),
  functions: new Map(),
  aliases: new Map(),
  rules: { profile: null, mountModes: new Map(), paths: { hide: [], deny: [] }, commands: { allow: null, deny: [] } },
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}
