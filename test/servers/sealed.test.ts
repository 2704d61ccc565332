import { afterEach, describe, expect, it } from 'vitest'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { decode } from '../../src/bytes.ts'
import { webHost } from '../../src/host.ts'
import { s3Settings } from '../../src/s3/s3-options.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { openSessions } from '../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { S3Store } from '../../src/store/s3-store.ts'
import { SealedStore } from '../../src/store/sealed-store.ts'
import type { Store } from '../../src/store/store.ts'
import { Workspace } from '../../src/workspace.ts'
import { lacking } from '../contract/case.ts'
import { encryption } from '../contract/encryption.ts'
import { FaultyStore } from '../contract/faulty-store.ts'
import { historyContract } from '../contract/history.ts'
import type { SessionSubject } from '../contract/session.ts'
import { sessionContract } from '../contract/session.ts'
import { storeContract, storeProvides } from '../contract/store.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { newPrefix, redisStore, WAYS } from './redis-stores.ts'
import { gatewayOptions } from './s3-bucket.ts'
import { servers } from './servers.mjs'

const opened: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function kept<T extends { close(): Promise<void> | void }>(one: T): T {
  opened.push(one)
  return one
}

/** Ways to open stores on the same, empty data. */
const stores: Readonly<Record<string, () => () => Store>> = {
  ...Object.fromEntries(
    Object.entries(WAYS).map(([way, options]) => [
      `Redis over ${way}`,
      () => {
        const keyPrefix = newPrefix()
        return () => redisStore({ ...options, keyPrefix })
      },
    ]),
  ),
  S3: () => {
    const settings = s3Settings(gatewayOptions(), 'S3')
    return () => new S3Store(settings)
  },
}

for (const [name, place] of Object.entries(stores)) {
  describe(`store: ${name}, encrypted`, () => {
    const provided = storeProvides(new SealedStore(place()(), encryption))
    for (const { name, needs, run } of storeContract) {
      it.skipIf(lacking(needs, provided) !== undefined)(name, async () => {
        const open = place()
        const [store, other] = [kept(new SealedStore(open(), encryption)), kept(new SealedStore(open(), encryption))]
        await run({ store, other })
      })
    }
  })
}

function sessionSubject(open: () => Store, observer: WorkspaceStateStore | undefined): SessionSubject {
  const options = { encryption, ...(observer !== undefined && { observer }) }
  const faults = new FaultyStore(open())
  const first = kept(new StoredStateStore(faults, options))
  const sessions = (store: WorkspaceStateStore, workspaceId: string): Sessions => openSessions({ store, workspaceId, host: webHost })
  const other = (): WorkspaceStateStore => kept(new StoredStateStore(open(), options))
  return {
    one: sessions(first, 'w'),
    two: sessions(other(), 'w'),
    again: (workspaceId = 'w') => sessions(workspaceId === 'through faults' ? first : other(), workspaceId),
    faults,
  }
}

for (const [name, place] of Object.entries(stores)) {
  const { append, leases } = place()().capabilities
  for (const [kind, contract] of Object.entries({ session: sessionContract, ...(append && { history: historyContract }) })) {
    describe(`${kind}: ${name}, encrypted`, () => {
      for (const { name, needs, run } of contract) {
        it.skipIf(lacking(needs, [leases ? 'turns' : 'no turns', 'faults']) !== undefined)(name, () =>
          run(sessionSubject(place(), append ? undefined : new RAMWorkspaceStateStore())),
        )
      }
    })
  }
}

describe('an encrypted workspace', () => {
  const SECRET = 'hunter2 and a half'
  const line = `export TOKEN='${SECRET}'; cd /tmp`

  it('sends two requests a line to Redis, and reads what others appended to the history once', async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    const options = { url: proxy.url, token: servers().upstash.token, keyPrefix: newPrefix(), encryption }
    const open = (): Workspace =>
      kept(new Workspace({}, { workspaceId: 'agent', store: new RedisWorkspaceStateStore(options), ownsStore: true }))
    const [one, two] = [open(), open()]
    for (const ws of [one, two]) for (const first of ['a=1', 'b=1']) await ws.shell(first)
    const counts: number[] = []
    for (const [ws, text] of [
      [two, 'echo hi'],
      [two, line],
      [one, 'echo "$TOKEN"'],
      [one, 'c=1'],
    ] as const) {
      proxy.clear()
      expect((await ws.shell(text)).durability).toBe('committed')
      counts.push(proxy.requests().length)
    }
    expect(counts).toEqual([2, 2, 4, 2])
    expect(
      proxy
        .requests()
        .map(({ body }) => String(body))
        .join('\n'),
    ).not.toContain('hunter2')
  })

  it('leaves nothing that can be read in a Redis or a bucket', async () => {
    const prefix = newPrefix()
    const redis = new RedisWorkspaceStateStore({ ...WAYS.http, keyPrefix: prefix, encryption })
    const bucket = gatewayOptions()
    const s3 = new RAMWorkspaceStateStore({ workspace: new S3WorkspaceStateStore({ ...bucket, encryption }) })
    const raw: readonly Store[] = [kept(redisStore({ ...WAYS.tcp, keyPrefix: prefix })), kept(new S3Store(s3Settings(bucket, 'S3')))]
    const found: number[] = []
    for (const [at, store] of [redis, s3].entries()) {
      const ws = kept(new Workspace({}, { workspaceId: 'agent', store, ownsStore: true }))
      await ws.shell(line)
      const below = raw[at] as Store
      const keys = await below.list('')
      for (const key of keys) {
        const value = await below.get(key)
        const text = value === null || value === 'same' ? '' : decode(value.bytes)
        expect(text).toMatch(/^(mirage-sealed 1 (put|add) k2 [A-Za-z0-9+/]+=*\n)+$/)
      }
      found.push(keys.length)
    }
    expect(found).toEqual([3, 2])
  })
})
