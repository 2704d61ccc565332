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
    const filling = open(place)
    const session = await filling.session(place.session)
    for (let n = 0; n < entries; n += 1000) await session.shell(`for i in {1..1000}; do history -s "echo line ${n} $i of many"; done`)
    await filling.close()
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

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}
