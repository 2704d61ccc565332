import { afterEach, describe, expect, it } from 'vitest'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { webHost } from '../../src/host.ts'
import type { RedisOptions } from '../../src/redis/redis-options.ts'
import type { RedisStateStoreOptions } from '../../src/state/redis-state-store.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { openSessions } from '../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { lacking } from '../contract/case.ts'
import { FaultyStore } from '../contract/faulty-store.ts'
import type { SessionSubject } from '../contract/session.ts'
import { sessionContract } from '../contract/session.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { newPrefix, redisStore, WAYS } from './redis-stores.ts'
import { servers } from './servers.mjs'

const opened: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function kept<T extends { close(): Promise<void> | void }>(one: T): T {
  opened.push(one)
  return one
}

function sessionSubject(options: RedisOptions): SessionSubject {
  const keyPrefix = newPrefix()
  const faults = new FaultyStore(redisStore({ ...options, keyPrefix }))
  const first = kept(new StoredStateStore(faults))
  const other = (): WorkspaceStateStore => kept(new RedisWorkspaceStateStore({ ...options, keyPrefix }))
  const open = (store: WorkspaceStateStore, workspaceId: string): Sessions => openSessions({ store, workspaceId, host: webHost })
  return {
    one: open(first, 'w'),
    two: open(other(), 'w'),
    again: (workspaceId = 'w') => open(workspaceId === 'through faults' ? first : other(), workspaceId),
    faults,
  }
}

for (const [way, options] of Object.entries(WAYS)) {
  // The other rows run in the table of runtimes.
  describe(`session: Redis over ${way}, faults`, () => {
    for (const { name, needs, run } of sessionContract) {
      if (lacking(needs, ['turns']) === 'faults') it(name, () => run(sessionSubject(options)))
    }
  })
}

describe('a workspace with its state on Redis', () => {
  const open = (options: RedisStateStoreOptions, workspaceId = 'agent'): Workspace =>
    kept(new Workspace({}, { workspaceId, store: new RedisWorkspaceStateStore(options), ownsStore: true }))

  it('sends two requests a line, whether it changes the session or not, also when instances alternate', async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    const options = { url: proxy.url, token: servers().upstash.token, keyPrefix: newPrefix() }
    const [one, two] = [open(options), open(options)]
    for (const ws of [one, two]) for (const line of ['a=1', 'b=1']) await ws.shell(line)
    const counts: number[] = []
    for (const [ws, line] of [
      [one, 'echo hi'],
      [one, 'c=2'],
      [two, 'echo "$c"'],
      [one, 'cd /tmp'],
      [two, 'pwd'],
      [two, 'd=3'],
      [one, 'echo "$d"'],
      [one, 'true'],
    ] as const) {
      proxy.clear()
      expect((await ws.shell(line)).durability).toBe('committed')
      counts.push(proxy.requests().length)
    }
    expect(counts).toEqual([2, 2, 2, 2, 2, 2, 2, 2])
  })

  it('sends ten requests for the first line of all, six for the first of another instance, and one for the end of a history that it knows', async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    const options = { url: proxy.url, token: servers().upstash.token, keyPrefix: newPrefix() }
    const ws = open(options)
    await ws.shell('a=1')
    // A script that is new to the server is sent twice.
    const scripts = proxy.requests().filter(({ body }) => body.toString().startsWith('["eval",'))
    expect(proxy.requests().length - scripts.length).toBe(10)
    proxy.clear()
    await open(options).shell('a=2')
    expect(proxy.requests()).toHaveLength(6)
    const session = await ws.session()
    for (let line = 0; line < 30; line++) await ws.shell(`echo ${line}`)
    proxy.clear()
    expect((await session.history(10)).map(({ command }) => command)).toEqual(Array.from({ length: 10 }, (_, at) => `echo ${20 + at}`))
    expect(proxy.requests()).toHaveLength(1)
  })
})
