import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRespConnection } from '../servers/resp-connection.mjs'
import { servers } from '../servers/servers.mjs'
import type { Running, RunningProcess } from './runtimes.mjs'
import { runtimes } from './runtimes.mjs'

const LEASE_MS = 800
/** What a slow machine may take for a line. */
const SLACK_MS = 3000

const { redis, upstash } = servers()
const root = mkdtempSync(join(tmpdir(), 'instances-lease-'))
const keyPrefix = `instances ${crypto.randomUUID()}:`
const asked = openRespConnection(redis.port)

afterAll(() => {
  asked.close()
  rmSync(root, { recursive: true, force: true })
})

async function isLeasedOnRedis(session: string): Promise<boolean> {
  const [count] = await asked.run([['EXISTS', `${keyPrefix}{workspaces/shared}:lease:sessions/${session}.json`]])
  return count === 1
}

describe.each([
  {
    name: 'Redis over HTTP',
    place: { store: 'redis', options: { url: upstash.url, token: upstash.token, keyPrefix, leaseMs: LEASE_MS } },
    isLeased: isLeasedOnRedis,
  },
  {
    name: 'Redis over TCP',
    place: { store: 'redis', options: { url: redis.url, keyPrefix, leaseMs: LEASE_MS } },
    isLeased: isLeasedOnRedis,
  },
  {
    name: 'files',
    place: { store: 'disk', root, leaseMs: LEASE_MS },
    isLeased: async (session: string) => existsSync(join(root, `workspaces/shared/sessions/${session}.json+lock`)),
  },
])('on $name', ({ name, place, isLeased }) => {
  let one: RunningProcess
  let other: RunningProcess

  beforeAll(async () => {
    one = await runtimes.node(place)
    other = await runtimes.node(place)
  })
  afterAll(async () => {
    for (const started of [one, other]) await started.kill()
  })

  const session = (what: string) => `${what}-${name.replaceAll(' ', '-')}`

  test('a line whose holder stood still for longer than its lease says so, and what others changed meanwhile stands', async () => {
    const run = (on: Running, line: string) => on.ask({ do: 'run', session: session('stopped'), line })
    await run(other, 'mine=0 theirs=0 both=0')
    const late = run(one, 'mine=1 both=1; sleep 0.5; pwd')
    while (!(await isLeased(session('stopped'))));
    one.stop()
    const stopped = performance.now()
    expect(await run(other, 'theirs=2 both=2; cd /tmp')).toMatchObject({ durability: 'committed', outdated: false, conflicts: [] })
    expect(performance.now() - stopped).toBeLessThan(LEASE_MS + SLACK_MS)
    one.resume()
    // The same field on both sides: the later commit stands, and says so.
    expect(await late).toEqual({
      ...{ stdout: '/\n', exitCode: 0, durability: 'committed', cause: null },
      ...{ outdated: true, conflicts: ['variable both'] },
    })
    const { variables, commands } = await other.ask({ do: 'read', session: session('stopped') })
    expect([variables.mine, variables.theirs, variables.both, variables.cwd]).toEqual(['1', '2', '1', '/tmp'])
    expect(commands).toEqual(['mine=0 theirs=0 both=0', 'theirs=2 both=2; cd /tmp', 'mine=1 both=1; sleep 0.5; pwd'])
    expect(await run(one, 'echo $theirs; pwd')).toMatchObject({ stdout: '2\n/tmp\n', outdated: false, conflicts: [] })
  })

  test('a line that only read, whose holder stood still, says that it read what was', async () => {
    const run = (on: Running, line: string) => on.ask({ do: 'run', session: session('read'), line })
    await run(other, 'n=1')
    const late = run(one, 'sleep 0.5; echo "$n"')
    while (!(await isLeased(session('read'))));
    one.stop()
    await run(other, 'n=2')
    one.resume()
    expect(await late).toMatchObject({ stdout: '1\n', durability: 'committed', outdated: true, conflicts: [] })
  })

  test('a line whose holder is killed is as if it never was, and the next one waits no longer than the lease', async () => {
    const run = (on: Running, line: string) => on.ask({ do: 'run', session: session('killed'), line })
    await run(other, 'n=1')
    const lost = run(one, 'n=2; sleep 60')
    while (!(await isLeased(session('killed'))));
    await one.kill()
    const killed = performance.now()
    expect(await lost).toBe(null)
    expect(await run(other, 'echo "$n"; n=3')).toMatchObject({ stdout: '1\n', durability: 'committed', outdated: false, conflicts: [] })
    expect(performance.now() - killed).toBeLessThan(LEASE_MS + SLACK_MS)
    const { variables, commands } = await other.ask({ do: 'read', session: session('killed') })
    expect([variables.n, commands]).toEqual(['3', ['n=1', 'echo "$n"; n=3']])
  })
})
