import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { servers } from '../servers/servers.mjs'
import type { Running, RunningProcess } from './runtimes.mjs'
import { runtimes } from './runtimes.mjs'

const LEASE_MS = 800
/** What a slow machine may take for a line; with the lease it is less than a lease that is left out, 10 s. */
const SLACK_MS = 8000

const { redis, upstash } = servers()
const root = mkdtempSync(join(tmpdir(), 'instances-lease-'))
const keyPrefix = `instances ${crypto.randomUUID()}:`

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

/** Runs a line that prints something at once; resolves when it has, with what becomes of it. */
async function begun(on: Running, session: string, line: string): Promise<{ readonly answer: Promise<unknown> }> {
  const printed = on.ask({ do: 'printed' })
  const answer = on.ask({ do: 'run', session, line })
  await printed
  return { answer }
}

/** Lets a line go on that waits for a file, from another session of the same instance, whose files they share. */
async function letGoOn(on: Running, file: string): Promise<void> {
  expect(await on.ask({ do: 'run', session: `beside ${file}`, line: `touch ${file}` })).toMatchObject({ exitCode: 0 })
}

describe.each([
  {
    name: 'Redis over HTTP',
    place: { store: 'redis', options: { url: upstash.url, token: upstash.token, keyPrefix, leaseMs: LEASE_MS } },
  },
  {
    name: 'Redis over TCP',
    place: { store: 'redis', options: { url: redis.url, keyPrefix, leaseMs: LEASE_MS } },
  },
  {
    name: 'files',
    place: { store: 'disk', root, leaseMs: LEASE_MS },
  },
])('on $name', ({ name, place }) => {
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
    // It has not ended before it is stopped, however late that is.
    const line = 'mine=1 both=1; echo on; until [[ -e /tmp/stopped ]]; do sleep 0.05; done; pwd'
    const late = await begun(one, session('stopped'), line)
    one.stop()
    const stopped = performance.now()
    expect(await run(other, 'theirs=2 both=2; cd /tmp')).toMatchObject({ durability: 'committed', outdated: false, conflicts: [] })
    expect(performance.now() - stopped).toBeLessThan(LEASE_MS + SLACK_MS)
    one.resume()
    await letGoOn(one, '/tmp/stopped')
    // The same field on both sides: the later commit stands, and says so.
    expect(await late.answer).toEqual({
      ...{ stdout: 'on\n/\n', exitCode: 0, durability: 'committed', cause: null },
      ...{ outdated: true, conflicts: ['variable both'] },
    })
    const { variables, commands } = await other.ask({ do: 'read', session: session('stopped') })
    expect([variables.mine, variables.theirs, variables.both, variables.cwd]).toEqual(['1', '2', '1', '/tmp'])
    expect(commands).toEqual(['mine=0 theirs=0 both=0', 'theirs=2 both=2; cd /tmp', line])
    expect(await run(one, 'echo $theirs; pwd')).toMatchObject({ stdout: '2\n/tmp\n', outdated: false, conflicts: [] })
  })

  test('a line that only read, whose holder stood still, says that it read what was', async () => {
    const run = (on: Running, line: string) => on.ask({ do: 'run', session: session('read'), line })
    await run(other, 'n=1')
    const late = await begun(one, session('read'), 'echo "$n"; until [[ -e /tmp/read ]]; do sleep 0.05; done')
    one.stop()
    await run(other, 'n=2')
    one.resume()
    await letGoOn(one, '/tmp/read')
    expect(await late.answer).toMatchObject({ stdout: '1\n', durability: 'committed', outdated: true, conflicts: [] })
  })

  test('a line whose holder is killed is as if it never was, and the next one waits no longer than the lease', async () => {
    const run = (on: Running, line: string) => on.ask({ do: 'run', session: session('killed'), line })
    await run(other, 'n=1')
    const lost = await begun(one, session('killed'), 'n=2; echo on; sleep 60')
    await one.kill()
    const killed = performance.now()
    expect(await lost.answer).toBe(null)
    expect(await run(other, 'echo "$n"; n=3')).toMatchObject({ stdout: '1\n', durability: 'committed', outdated: false, conflicts: [] })
    expect(performance.now() - killed).toBeLessThan(LEASE_MS + SLACK_MS)
    const { variables, commands } = await other.ask({ do: 'read', session: session('killed') })
    expect([variables.n, commands]).toEqual(['3', ['n=1', 'echo "$n"; n=3']])
  })
})
