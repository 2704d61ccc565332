import { DiskWorkspaceStateStore, webHost } from '../../../platforms/browser/index.ts'
import type { HistoryLine } from '../../../src/state/history.ts'
import type { SessionFields } from '../../../src/state/session-fields.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import type { Place } from './work.ts'
import { open } from './work.ts'

/** What it takes, in milliseconds. */
export const measure = {
  /** A line that changes the session, and one that only goes to the history: the median of `count`. */
  async lineTimes({ count, ...place }: Place & { readonly count: number }): Promise<{ changing: number; plain: number }> {
    const ws = open(place)
    const session = await ws.session(place.session)
    const times = async (line: (n: number) => string): Promise<number> => {
      const took: number[] = []
      for (let n = 0; n < count; n++) {
        const start = performance.now()
        await session.shell(line(n))
        took.push(performance.now() - start)
      }
      return median(took)
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
