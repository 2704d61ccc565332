import { afterAll, expect, test } from 'vitest'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { FaultedSession, RIGS } from './fault-rig.ts'
import { startRedis } from './redis.mjs'
import { servers } from './servers.mjs'

const MINUTE = 60_000
/** A request may take ten seconds by the defaults; the next ones are not waited for as long. */
const LONGEST_LINE = 15_000

const closings: (() => unknown)[] = []
afterAll(() => Promise.all(closings.map((close) => close())))

/** A session, and how what lies between it and the server goes and comes back. */
interface Line {
  readonly session: FaultedSession
  cut(): unknown
  mend(): unknown
}

const throughProxy = (kind: keyof typeof RIGS, state: 'silent' | 'refused') => async (): Promise<Line> => {
  const rig = await RIGS[kind](servers())
  closings.push(rig.close)
  return { session: rig.session(), cut: () => rig.proxy.network(state), mend: () => rig.proxy.network('there') }
}

/** What is sent meanwhile is done when it goes on. */
async function frozen(): Promise<Line> {
  const redis = await startRedis()
  const open = () => new RedisWorkspaceStateStore({ url: redis.url, leaseMs: 2000 })
  const session = new FaultedSession(open, open, [])
  closings.push(async () => {
    await session.close()
    await redis.close()
  })
  return { session, cut: redis.freeze, mend: redis.thaw }
}

test.concurrent.each<[string, () => Promise<Line>]>([
  ['Redis over HTTP is silent', throughProxy('redis', 'silent')],
  ['Redis over HTTP refuses connections', throughProxy('redis', 'refused')],
  ['Redis over TCP stands still', frozen],
  ['the gateway is silent', throughProxy('s3', 'silent')],
  ['the gateway refuses connections', throughProxy('s3', 'refused')],
])('%s for a minute: lines go on, and what they did is there when it is over', { timeout: 2 * MINUTE }, async (_name, open) => {
  const { session, cut, mend } = await open()
  expect(await session.line()).toMatchObject({ durability: 'committed' })
  await cut()
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
  await mend()
  const back = performance.now()
  expect(await session.line()).toMatchObject({ durability: 'committed' })
  expect(performance.now() - back).toBeLessThan(LONGEST_LINE)
})
