import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { encode } from '../../src/bytes.ts'
import type { RedisOptions } from '../../src/redis/redis-options.ts'
import type { RedisStore } from '../../src/store/redis-store.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { startRedis } from './redis.mjs'
import { newPrefix, redisStore, WAYS } from './redis-stores.ts'
import { servers } from './servers.mjs'
import { startUpstash } from './upstash.mjs'

const { url: upstashUrl, token, readOnlyToken } = servers().upstash
const key = 'workspaces/w/sessions/s.json'
const log = 'workspaces/w/history/s/00000001.jsonl'
const SECRET = 'content that no error shows'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function kept<T extends { close(): unknown }>(one: T): T {
  opened.push(one)
  return one
}

type Proxy = Awaited<ReturnType<typeof startFaultProxy>>

async function throughProxy(options: RedisOptions = {}): Promise<{ proxy: Proxy; store: RedisStore; direct: RedisStore }> {
  const keyPrefix = newPrefix()
  const proxy = kept(await startFaultProxy(upstashUrl))
  const store = kept(redisStore({ url: proxy.url, token, keyPrefix, ...options }))
  return { proxy, store, direct: kept(redisStore({ ...WAYS.http, keyPrefix })) }
}

async function text(store: RedisStore, at: string): Promise<string | null> {
  const value = await store.get(at)
  return value === null || value === 'same' ? null : new TextDecoder().decode(value.bytes)
}

/** The error a promise rejects with. */
async function failure(work: Promise<unknown>): Promise<Error & { code?: string }> {
  return work.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  )
}

describe('a write comes through once', () => {
  for (const kind of ['lose-answer', 'cut-answer', 'cut-before', 'repeat', 'late'] as const) {
    it(`where its request meets "${kind}"`, async () => {
      const { proxy, store, direct } = await throughProxy()
      await store.append(log, encode('1'))
      proxy.fault({ kind })
      expect(await store.append(log, encode('2'))).toEqual({ state: 'written', size: 2 })
      proxy.fault({ kind })
      const put = await store.put(key, encode('a'), null)
      expect(put.state).toBe('written')
      const version = put.state === 'written' ? put.version : ''
      proxy.fault({ kind })
      const both = await store.write([
        { type: 'put', key, bytes: encode('b'), expected: version },
        { type: 'append', key: log, bytes: encode('3'), unless: 'workspaces/w/history/s/00000002.jsonl' },
      ])
      expect(both).toMatchObject({ state: 'written', values: [{ size: 1 }, { size: 3 }] })
      await direct.put(key, encode('later'))
      await proxy.release()
      expect([await text(direct, key), await text(direct, log)]).toEqual(['later', '123'])
      proxy.fault({ kind })
      expect(await store.delete(key)).toBe(true)
      expect(await direct.get(key)).toBe(null)
    })

    it(`where a lease is taken and its request meets "${kind}"`, async () => {
      const { proxy, store, direct } = await throughProxy()
      await direct.put(key, encode('a'))
      proxy.fault({ kind })
      const { lease, value } = await store.take(key)
      expect(value).toMatchObject({ bytes: encode('a') })
      proxy.fault({ kind })
      const written = await store.write([{ type: 'put', key, bytes: encode('b') }], lease, true)
      expect(written.state).toBe('written')
      const next = await direct.lease(key)
      await proxy.release()
      expect((await direct.put(key, encode('c'), undefined, next)).state).toBe('written')
      expect(await text(direct, key)).toBe('c')
    })
  }

  it('where it arrives long after it was given up, and its lease has passed on', async () => {
    const { proxy, store, direct } = await throughProxy({ timeout: 0.3 })
    const { lease } = await store.take(key)
    proxy.fault({ kind: 'late' }, { times: 99 })
    await expect(store.write([{ type: 'put', key, bytes: encode('late') }], lease)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    proxy.clear()
    const next = await direct.lease(key)
    await proxy.release()
    expect(await direct.get(key)).toBe(null)
    expect((await direct.put(key, encode('next'), null, next)).state).toBe('written')
    expect(await store.put(key, encode('late'), undefined, lease)).toEqual({ state: 'lost' })
  })
})

describe('what a server refuses', () => {
  const cases: Record<
    string,
    { answer: { status: number; headers?: Record<string, string>; body?: string }; tries: number; message: string; code?: string }
  > = {
    'is tried again where it is overloaded': { answer: { status: 503, body: '<html>busy</html>' }, tries: 4, message: 'HTTP 503' },
    'is tried again where it says when': {
      answer: { status: 429, headers: { 'retry-after': '0' }, body: '{"error":"ERR slow down"}' },
      tries: 4,
      message: 'HTTP 429 ERR, slow down',
    },
    'is not tried again where it says a time beyond the limit': {
      answer: { status: 429, headers: { 'retry-after': '60' } },
      tries: 1,
      message: 'HTTP 429',
    },
    'says that the limit of requests is used up': {
      answer: { status: 400, body: '{"error":"ERR max requests limit exceeded. Limit: 500000, Usage: 500000."}' },
      tries: 1,
      message: 'ERR, its limit of requests is used up',
    },
    'says that it still loads': {
      answer: { status: 400, body: '{"error":"LOADING Redis is loading the dataset in memory"}' },
      tries: 4,
      message: 'LOADING, the server is still loading its data',
    },
    'says that it is out of memory': {
      answer: { status: 400, body: `{"error":"OOM command not allowed when used memory > 'maxmemory'. script: abc"}` },
      tries: 1,
      message: 'OOM, the server is out of memory',
    },
    'says that its disk is full': {
      answer: {
        status: 400,
        body: '{"error":"MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk."}',
      },
      tries: 1,
      message: 'MISCONF, the server cannot save to its disk, so it takes no writes',
    },
    'does not show arguments': {
      answer: { status: 400, body: JSON.stringify({ error: `ERR unknown command 'EVALSHA', with args beginning with: '${SECRET}'` }) },
      tries: 1,
      message: 'ERR, unknown command',
    },
    'names the size of a request that is too long': {
      answer: { status: 413, body: '{"error":"ERR max request size exceeded. Limit: 100 bytes, Actual: 900 bytes"}' },
      tries: 1,
      message: 'is too long for it; it takes 100 bytes',
      code: 'LIMIT_EXCEEDED',
    },
  }
  for (const [name, { answer, tries, message, code = 'STORE_UNAVAILABLE' }] of Object.entries(cases)) {
    it(name, async () => {
      const { proxy, store } = await throughProxy({ timeout: 1 })
      await store.get(key)
      proxy.clear()
      proxy.fault({ kind: 'status', ...answer }, { times: 999 })
      const error = await failure(store.put(key, encode(SECRET)))
      expect(error.code).toBe(code)
      expect(error.message).toContain(`cannot write ${key}: Redis at ${proxy.url}: `)
      expect(error.message).toContain(message)
      expect(`${error.message} ${String(error.cause)} ${error.stack}`).not.toMatch(new RegExp(`${SECRET}|${token}|html`))
      if (tries === 1) expect(proxy.requests()).toHaveLength(1)
      else expect(proxy.requests().length).toBeGreaterThanOrEqual(tries)
      proxy.clear()
      await expect
        .poll(() =>
          store.put(key, encode('now')).then(
            ({ state }) => state,
            () => 'not yet',
          ),
        )
        .toBe('written')
    })
  }

  it('is a script that it does not know, in words of its own', async () => {
    const { proxy, store } = await throughProxy()
    proxy.fault({ kind: 'status', status: 400, body: '{"error":"ERR NOSCRIPT No matching script. Please use EVAL."}' })
    expect(await store.get(key)).toBe(null)
    expect(proxy.requests().map(({ body }) => JSON.parse(body.toString())[0])).toEqual(['evalsha', 'eval'])
  })

  it('is its token, in words', async () => {
    for (const wrong of ['wrong-token', readOnlyToken]) {
      const store = kept(redisStore({ url: upstashUrl, token: wrong }))
      const error = await failure(store.put(key, encode(SECRET)))
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(error.message).toMatch(/: (HTTP 401 WRONGPASS, the token or password is wrong|NOPERM, the user may not do this)$/)
      expect(error.message).not.toContain(wrong)
    }
  })

  it('is its password, over TCP', async () => {
    const redis = kept(await startRedis())
    const store = kept(redisStore({ url: `${redis.url.replace('//', '//:right%20password@')}/3` }))
    await expect(store.get(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('ERR, AUTH <password> called without any password configured for the default user'),
    })
    await redis.run('CONFIG', 'SET', 'requirepass', 'right password')
    for (const [url, words] of [
      [redis.url, 'NOAUTH, the server asks for a password, and none was given'],
      [redis.url.replace('//', '//:wrong@'), 'WRONGPASS, the token or password is wrong'],
    ] as const) {
      const error = await failure(kept(redisStore({ url })).get(key))
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(words) })
      expect(error.message).not.toMatch(/:wrong@/)
    }
    expect((await store.put(key, encode('a'))).state).toBe('written')
  })

  it('is a value over its size', async () => {
    const small = kept(await startUpstash({ redisPort: servers().redis.port, token, maxRequestBytes: 1_000_000 }))
    const store = kept(redisStore({ url: small.url, token }))
    const error = await failure(store.put(key, encode('x'.repeat(1_100_000))))
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(error.message).toMatch(/: a request of 110\d{4} bytes is too long for it; it takes 1000000 bytes$/)
    expect((await store.put(key, encode('x'.repeat(900_000)))).state).toBe('written')
  })
})

describe('a server that is away', () => {
  it('is given up at the limit, sooner the next time, and found again by itself', async () => {
    const { proxy, store } = await throughProxy({ timeout: 1 })
    await store.put(key, encode('a'))
    for (const state of ['refused', 'silent'] as const) {
      await proxy.network(state)
      for (let again = 0; again < 2; again++) {
        const began = performance.now()
        const error = await failure(store.get(key))
        expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
        expect(error.message).toMatch(/: (cannot be reached \(.*\)|no answer within [\d.]+ s); given up after \d+ attempts in [\d.]+ s$/)
        // Less than the limit that is left out, 10 s, on a slow machine, too.
        expect(performance.now() - began).toBeLessThan(8000)
      }
      await proxy.network('there')
      expect(await text(store, key)).toBe('a')
    }
  })

  it('is given up at the limit where it takes connections and is silent, over TCP, and keeps none of them', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
      socket.resume()
    }).listen(0, '127.0.0.1')
    kept(silent)
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    for (const user of ['', ':secret@']) {
      const store = kept(redisStore({ url: `redis://${user}127.0.0.1:${port}`, timeout: 0.4 }))
      await expect(store.get(key)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('no answer within'),
      })
      await expect.poll(() => sockets.size, { interval: 5, timeout: 4000 }).toBe(0)
    }
  })

  for (const way of ['http', 'tcp'] as const) {
    it(`forgets scripts, dies and comes back with what was acknowledged, over ${way}`, async () => {
      const folder = (await import('node:fs')).mkdtempSync('/tmp/mirage-redis-')
      opened.push({ close: async () => (await import('node:fs')).rmSync(folder, { recursive: true }) })
      const redis = kept(await startRedis({ folder }))
      const upstash = kept(await startUpstash({ redisPort: redis.port, token }))
      const store = kept(redisStore(way === 'http' ? { url: upstash.url, token } : { url: redis.url }))
      await store.append(log, encode('1'))
      await redis.run('SCRIPT', 'FLUSH')
      expect(await store.append(log, encode('2'), 1)).toEqual({ state: 'written', size: 2 })
      const heard: string[] = []
      store.watch((changed) => void heard.push(changed))
      await store.append(log, encode('3'), 2)
      await redis.restart()
      expect(await text(store, log)).toBe('123')
      const waiting = expect.poll(() => heard.length, { interval: 5, timeout: 20_000 }).toBeGreaterThan(1)
      await redis.kill()
      const appended = store.append(log, encode('4'), 3)
      await redis.restart()
      expect(await appended).toEqual({ state: 'written', size: 4 })
      await waiting
      expect(new Set(heard)).toEqual(new Set([log]))
    })
  }
})
