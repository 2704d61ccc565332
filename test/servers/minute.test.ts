import { afterAll, describe, expect, test } from 'vitest'
import type { FaultRig } from './fault-rig.ts'
import { RIGS } from './fault-rig.ts'
import { servers } from './servers.mjs'

const MINUTE = 60_000
/** A request may take ten seconds by the defaults; the next ones are not waited for as long. */
const LONGEST_LINE = 15_000

const rigs: FaultRig[] = []
afterAll(() => Promise.all(rigs.map((rig) => rig.close())))

describe('the network is gone for a minute', () => {
  test.concurrent.each(
    Object.entries(RIGS).flatMap(([kind, start]) => (['silent', 'refused'] as const).map((state) => [kind, state, start] as const)),
  )(
    '%s, %s: lines go on with all that they need, and are committed when it is back',
    { timeout: 2 * MINUTE },
    async (_kind, state, start) => {
      const rig = await start(servers())
      rigs.push(rig)
      const session = rig.session()
      expect(await session.line()).toMatchObject({ durability: 'committed' })
      await rig.proxy.network(state)
      const gone = performance.now()
      const times: number[] = []
      while (performance.now() < gone + MINUTE) {
        const begun = performance.now()
        expect(await session.line()).toMatchObject({ durability: 'pending', cause: { code: 'STORE_UNAVAILABLE' } })
        times.push(performance.now() - begun)
        // As an agent does, which thinks between its lines.
        await new Promise((resolve) => setTimeout(resolve, 2000))
      }
      expect(Math.max(...times)).toBeLessThan(LONGEST_LINE)
      expect(times.length).toBeGreaterThan(6)
      await rig.proxy.network('there')
      const back = performance.now()
      expect(await session.line()).toMatchObject({ durability: 'committed' })
      expect(performance.now() - back).toBeLessThan(5000)
    },
  )
})
