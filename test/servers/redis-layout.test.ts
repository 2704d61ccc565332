import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { redisTcpLink } from '../../platforms/node/redis-tcp-link.ts'
import { concat, encode } from '../../src/bytes.ts'
import type { Host } from '../../src/host.ts'
import { webHost } from '../../src/host.ts'
import { openRedis } from '../../src/redis/open-redis.ts'
import { redisSettings } from '../../src/redis/redis-options.ts'
import { encodeId } from '../../src/state/id.ts'
import { RedisStore } from '../../src/store/redis-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { freePorts } from '../browsers/free-ports.mjs'
import { startFaultProxy } from './fault-proxy.mjs'
import { startRedis } from './redis.mjs'
import { newPrefix, redisStore, WAYS } from './redis-stores.ts'
import { servers } from './servers.mjs'

const key = 'workspaces/w/sessions/s.json'
const until = { interval: 2, timeout: 10_000 }

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function kept<T extends { close(): unknown }>(one: T): T {
  opened.push(one)
  return one
}

/** Stores on a Redis of their own, and what it holds. */
async function own(): Promise<{ redis: Awaited<ReturnType<typeof startRedis>>; open(prefix: string, leaseMs?: number): RedisStore }> {
  const redis = kept(await startRedis())
  return { redis, open: (keyPrefix, leaseMs) => kept(redisStore({ url: redis.url, keyPrefix }, leaseMs)) }
}

describe('what lies in Redis', () => {
  it('is what the keys say: values, an index, leases, answers of writes for a while', async () => {
    const { redis, open } = await own()
    const store = open('mirage:')
    const put = await store.put(key, encode('{"é":1}'))
    await store.append('workspaces/w/history/s/00000001.jsonl', Uint8Array.of(0xff, 0))
    await store.append('workspaces/w/history/s/00000001.jsonl', encode('é'))
    await store.put('own', encode(''))
    const lease = await store.lease(key)
    const keys = ((await redis.run('KEYS', '*')) as string[]).sort()
    const group = 'mirage:{workspaces/w}:'
    const done = keys.filter((one) => one.includes(':done:'))
    expect(keys.filter((one) => !one.includes(':done:'))).toEqual([
      'mirage:groups',
      'mirage:{*}:index',
      'mirage:{*}:value:own',
      `${group}index`,
      `${group}lease:sessions/s.json`,
      `${group}value:history/s/00000001.jsonl`,
      `${group}value:sessions/s.json`,
    ])
    expect(done).toHaveLength(4)
    for (const one of done) {
      expect(one).toMatch(/^mirage:\{(\*|workspaces\/w)\}:done:[0-9a-f]{16}$/)
      const left = await redis.run('PTTL', one)
      expect(left).toBeGreaterThan(14 * 60_000)
      expect(left).toBeLessThanOrEqual(15 * 60_000)
    }
    expect(await redis.run('GET', `${group}value:sessions/s.json`)).toBe(`${put.state === 'written' && put.version}t{"é":1}`)
    expect(await redis.run('STRLEN', `${group}value:history/s/00000001.jsonl`)).toBe(17 + 4)
    expect(await redis.run('ZRANGE', `${group}index`, '0', '-1')).toEqual(['', 'history/s/00000001.jsonl', 'sessions/s.json'])
    expect(await redis.run('ZRANGE', 'mirage:groups', '0', '-1')).toEqual(['*', 'workspaces/w'])
    lease.end()
    for (const one of await store.list('')) await store.delete(one)
    const left = ((await redis.run('KEYS', '*')) as string[]).filter((one) => !one.includes(':done:'))
    expect(left.sort()).toEqual(['mirage:groups', 'mirage:{*}:index', `${group}index`])
  })

  it('stays within its prefix and its group, whatever an id holds', async () => {
    const { redis, open } = await own()
    const ids = ['a/b', '..', '../x', '%2F', 'a}:index', '{a}', '*', '?[a]', 'a:b', '\0\x7f\n', '\ud800', '😀'.repeat(256), 'x', 'X']
    const [one, two] = [open('one:'), open('one:two:')]
    for (const [at, id] of ids.entries()) {
      const name = `workspaces/${encodeId(id)}/sessions/${encodeId(id)}.json`
      await one.put(name, encode(`one ${at}`))
      await two.put(name, encode(`two ${at}`))
    }
    for (const [at, id] of ids.entries()) {
      const folder = `workspaces/${encodeId(id)}/`
      for (const [store, name] of [
        [one, 'one'],
        [two, 'two'],
      ] as const) {
        const listed = await store.list(folder)
        expect(listed).toEqual([`${folder}sessions/${encodeId(id)}.json`])
        expect(await store.get(listed[0] ?? '')).toMatchObject({ bytes: encode(`${name} ${at}`) })
      }
    }
    expect(await one.list('')).toHaveLength(ids.length)
    const keys = (await redis.run('KEYS', '*')) as string[]
    expect(
      keys.filter(
        (one) => !/^one:(two:)?(groups|\{(\*|workspaces\/[A-Za-z0-9._~%-]+)\}:(index|(value|done):[A-Za-z0-9._~%/-]+))$/.test(one),
      ),
    ).toEqual([])
  })

  it('lies on one node of a cluster, workspace by workspace', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-cluster-'))
    opened.push({ close: () => fs.rmSync(folder, { recursive: true }) })
    const [bus] = await freePorts(1)
    const redis = kept(await startRedis({ folder, args: ['--cluster-enabled', 'yes', '--cluster-port', String(bus)] }))
    await redis.run('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await expect.poll(async () => String(await redis.run('CLUSTER', 'INFO')), until).toContain('cluster_state:ok')
    const options = { url: redis.url, keyPrefix: 'mirage:' }
    for (const workspaceId of ['one', 'two']) {
      const ws = new Workspace({}, { workspaceId, store: new RedisWorkspaceStateStore(options), ownsStore: true })
      await ws.shell('a=1; cd /tmp')
      expect((await ws.shell('echo "$a $PWD"; history 1')).stdoutText).toBe('1 /tmp\n    2  echo "$a $PWD"; history 1\n')
      expect(await ws.listSessions()).toHaveLength(1)
      await ws.close()
    }
    const store = kept(redisStore({ ...options, timeout: 0.5 }))
    expect((await store.list('workspaces/')).filter((one) => one.endsWith('workspace.json')).sort()).toEqual([
      'workspaces/one/workspace.json',
      'workspaces/two/workspace.json',
    ])
    // Where a slot is elsewhere, that is said.
    await redis.run('CLUSTER', 'DELSLOTSRANGE', '0', '16383')
    await expect(store.get(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('CLUSTERDOWN, the cluster is down'),
    })
  })

  it('is any bytes: UTF-8 as it is, others folded, also where pieces are cut within a character', async () => {
    const text = encode(`\ufeff"\\\n\t\u2028\0é😀${'ü'.repeat(70_000)}`)
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7) & 255)
    const pieces = [text.subarray(0, 16), text.subarray(16, 19), text.subarray(19), encode('plain'), bytes, text, new Uint8Array(0)]
    for (const options of Object.values(WAYS)) {
      const store = kept(redisStore(options))
      let whole: Uint8Array = new Uint8Array(0)
      for (const piece of pieces) {
        whole = concat([whole, piece])
        expect(await store.append(key, piece)).toEqual({ state: 'written', size: whole.length })
        await store.put('other', piece)
        for (const [at, bytes] of [
          [key, whole],
          ['other', piece],
        ] as const) {
          const value = await store.get(at)
          expect(value !== null && value !== 'same' && Buffer.compare(value.bytes, bytes)).toBe(0)
        }
      }
    }
  })

  it('is CORRUPT where another program has written there, and stays as it is', async () => {
    const { redis, open } = await own()
    const store = open('mirage:')
    await redis.run('SET', 'mirage:{workspaces/w}:value:sessions/s.json', 'of another program')
    await redis.run('LPUSH', 'mirage:{workspaces/w}:value:sessions/t.json', 'a')
    await expect(store.get(key)).rejects.toMatchObject({ code: 'CORRUPT' })
    await expect(store.get('workspaces/w/sessions/t.json')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining('WRONGTYPE, a key holds data of another program'),
    })
    await expect(store.put('workspaces/w/sessions/t.json', encode('a'))).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(await redis.run('LRANGE', 'mirage:{workspaces/w}:value:sessions/t.json', '0', '-1')).toEqual(['a'])
    expect(await store.list('')).toEqual([])
  })

  it('is refused as a whole where there is no memory for it', async () => {
    const { redis, open } = await own()
    const store = open('mirage:')
    await store.put(key, encode('a'))
    const size = Number(/used_memory:(\d+)/.exec(String(await redis.run('INFO', 'memory')))?.[1])
    await redis.run('CONFIG', 'SET', 'maxmemory', String(size))
    const log = 'workspaces/w/history/s/00000001.jsonl'
    const writing = store.write([{ type: 'put', key: log, bytes: encode('x'.repeat(100_000)), expected: null }])
    await expect(writing).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('OOM, the server is out of memory'),
    })
    await redis.run('CONFIG', 'SET', 'maxmemory', '0')
    expect(await store.list('')).toEqual([key])
    expect((await store.put(log, encode('x'), null)).state).toBe('written')
  })
})

describe('a lease', () => {
  it('lasts while it is held, and passes on when its holder is gone', async () => {
    const { redis, open } = await own()
    const [store, other] = [open('mirage:', 1500), open('mirage:', 1500)]
    const held = await store.lease(key)
    const place = 'mirage:{workspaces/w}:lease:sessions/s.json'
    const token = await redis.run('GET', place)
    // Renewed more often than it could have lasted without.
    let [left, renewals] = [1500, 0]
    const renewed = async (): Promise<number> => {
      const now = Number(await redis.run('PTTL', place))
      if (now > left) renewals += 1
      left = now
      return renewals
    }
    await expect.poll(renewed, { interval: 50, timeout: 30_000 }).toBeGreaterThan(3)
    expect(await redis.run('GET', place)).toBe(token)
    let passed = false
    const waiting = other.lease(key).then((lease) => {
      passed = true
      return lease
    })
    await expect.poll(() => redis.run('EXISTS', 'mirage:{workspaces/w}:waiting:sessions/s.json'), until).toBe(1)
    expect(passed).toBe(false)
    // A holder that is gone: the key is no more, as if nobody had renewed it.
    await redis.run('DEL', place)
    const next = await waiting
    expect(await store.put(key, encode('a'), undefined, held)).toEqual({ state: 'lost' })
    expect((await other.put(key, encode('b'), undefined, next)).state).toBe('written')
    held.end()
    expect((await other.put(key, encode('c'), undefined, next)).state).toBe('written')
  })

  it('goes to who waits before who had it last', async () => {
    for (const options of Object.values(WAYS)) {
      const keyPrefix = newPrefix()
      const [store, other] = [kept(redisStore({ ...options, keyPrefix })), kept(redisStore({ ...options, keyPrefix }))]
      const order: string[] = []
      let lease = await store.lease(key)
      const waiting = other.lease(key).then(async (got) => {
        order.push('other')
        await other.write([], got, true)
      })
      const place = `${keyPrefix}{workspaces/w}:waiting:sessions/s.json`
      const { openRespConnection } = await import('./resp-connection.mjs')
      const connection = openRespConnection(servers().redis.port)
      await expect.poll(async () => (await connection.run([['EXISTS', place]]))[0], until).toBe(1)
      connection.close()
      for (let line = 0; line < 3; line++) {
        await store.write([{ type: 'put', key, bytes: encode('a') }], lease, true)
        lease = await store.lease(key)
        order.push('store')
      }
      await waiting
      expect(order).toEqual(['other', 'store', 'store', 'store'])
    }
  })
})

describe.each(Object.entries(WAYS))('a store that is closed, over %s', (_, options) => {
  it('leaves no timer behind that would keep a program', async () => {
    const pending = new Set<() => void>()
    const timer: Host['timer'] = (ms, ring) => {
      const cancel = webHost.timer(ms, () => {
        pending.delete(cancel)
        ring()
      })
      pending.add(cancel)
      return () => {
        pending.delete(cancel)
        cancel()
      }
    }
    const host = { ...webHost, timer }
    const store = new RedisStore(openRedis(redisSettings(options, 'test'), redisTcpLink, host), { prefix: newPrefix(), host })
    const stop = store.watch(() => undefined)
    const { lease } = await store.take(key)
    await store.put(key, encode('1'), null, lease)
    stop()
    await store.close()
    expect(pending.size).toBe(0)
  })
})

describe('a lease that was given free', () => {
  it('is there at once for who had it, though the server has not heard of that yet', async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    const keyPrefix = newPrefix()
    const store = kept(redisStore({ url: proxy.url, token: servers().upstash.token, keyPrefix }))
    const other = kept(redisStore({ ...WAYS.tcp, keyPrefix }))
    const first = await store.lease(key)
    proxy.fault({ kind: 'hold' })
    const released = proxy.arrival()
    first.end()
    await released
    const second = await store.lease(key)
    await proxy.release()
    expect((await store.put(key, encode('a'), null, second)).state).toBe('written')
    proxy.fault({ kind: 'hold' })
    const again = proxy.arrival()
    second.end()
    await again
    const waiting = other.lease(key)
    await proxy.release()
    const third = await waiting
    expect(await store.put(key, encode('b'), undefined, second)).toEqual({ state: 'lost' })
    expect((await other.put(key, encode('c'), undefined, third)).state).toBe('written')
  })
})

describe('watching', () => {
  it('hears again after the connection broke, and is told what it may have missed', async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    const keyPrefix = newPrefix()
    const store = kept(redisStore({ url: proxy.url, token: servers().upstash.token, keyPrefix }))
    const other = kept(redisStore({ ...WAYS.tcp, keyPrefix }))
    const heard: string[] = []
    store.watch((changed) => void heard.push(changed))
    await store.put(key, encode('a'))
    await expect.poll(() => heard, until).toEqual([key])
    await proxy.network('refused')
    await other.put(key, encode('b'))
    await other.put('never seen', encode('b'))
    await proxy.network('there')
    await expect.poll(() => heard, until).toEqual([key, key])
    await other.put('x', encode('b'))
    await expect.poll(() => heard, until).toEqual([key, key, 'x'])
  })

  it('is silent, and nothing else is, for a user who may not', async () => {
    const { redis } = await own()
    await redis.run('ACL', 'SETUSER', 'agent', 'on', '>secret', '~mirage:*', '+@all', 'resetchannels')
    const store = kept(redisStore({ url: redis.url.replace('//', '//agent:secret@'), keyPrefix: 'mirage:' }))
    const heard: string[] = []
    store.watch((changed) => void heard.push(changed))
    expect((await store.put(key, encode('a'))).state).toBe('written')
    expect(await store.get(key)).toMatchObject({ bytes: encode('a') })
    await expect(kept(redisStore({ url: redis.url.replace('//', '//agent:secret@'), keyPrefix: 'x:' })).get(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('NOPERM, the user may not do this'),
    })
    expect(heard).toEqual([])
  })
})
