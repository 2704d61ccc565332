import { Redis } from '@upstash/redis'
import { expect, test } from 'vitest'
import { servers } from './servers.mjs'

const { url, token, readOnlyToken } = servers().upstash
const key = (): string => `upstash test ${crypto.randomUUID()}`

async function ask(body: unknown, path = '/', init: RequestInit = {}): Promise<{ status: number; json: unknown; headers: Headers }> {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) }
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), ...init, headers })
  return { status: response.status, json: await response.json(), headers: response.headers }
}

test('one command, a pipeline and a transaction', async () => {
  const a = key()
  expect(await ask(['SET', a, 'é'])).toMatchObject({ status: 200, json: { result: 'OK' } })
  expect(await ask(['GET', a])).toMatchObject({ json: { result: 'é' } })
  expect(await ask([['GET', a], ['LPUSH', a, 'x'], ['NOPE'], ['DEL', a]], '/pipeline')).toMatchObject({
    status: 200,
    json: [
      { result: 'é' },
      { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
      { error: "ERR unknown command 'NOPE', with args beginning with: " },
      { result: 1 },
    ],
  })
  expect(
    await ask(
      [
        ['SET', a, 1],
        ['LPUSH', a, 'x'],
        ['INCR', a],
      ],
      '/multi-exec',
    ),
  ).toMatchObject({
    status: 200,
    json: [{ result: 'OK' }, { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }, { result: 2 }],
  })
  expect(await ask([['SET', a, 'changed'], ['GET']], '/multi-exec')).toMatchObject({
    status: 400,
    json: { error: "ERR wrong number of arguments for 'get' command" },
  })
  expect(await ask(['GET', a])).toMatchObject({ json: { result: '2' } })
})

test('bytes: base64 in answers, a path with a body in requests', async () => {
  const a = encodeURIComponent(key())
  expect((await ask(null, `/set/${a}?EX=100`, { body: new Uint8Array([1, 2, 255]) })).json).toEqual({ result: 'OK' })
  const base64 = { 'upstash-encoding': 'base64' }
  expect((await ask(null, `/get/${a}`, { method: 'GET', body: null, headers: base64 })).json).toEqual({ result: 'AQL/' })
  expect((await ask(['GET', decodeURIComponent(a)])).json).toEqual({ result: '\u0001\u0002\ufffd' })
  expect((await ask(['SET', key(), 'x'], '/', { headers: base64 })).json).toEqual({ result: 'OK' })
  const { result: left } = (await ask(['TTL', decodeURIComponent(a)])).json as { result: number }
  expect(left > 50 && left <= 100).toBe(true)
})

test('scripts, by text and by digest', async () => {
  const redis = new Redis({ url, token })
  const a = key()
  expect(await redis.eval('return {KEYS[1], ARGV[1], redis.call("incr", KEYS[1])}', [a], ['x'])).toEqual([a, 'x', 1])
  const digest = await redis.scriptLoad('return ARGV[1]')
  expect(await redis.evalsha(digest, [], ['y'])).toBe('y')
  await expect(redis.evalsha('0'.repeat(40), [], [])).rejects.toThrow('NOSCRIPT')
})

test('what is refused: no token, a wrong one, only reading, another method, no JSON, blocking, too long', async () => {
  const refused = { error: 'WRONGPASS invalid or missing auth token' }
  expect(await ask(['PING'], '/', { headers: { authorization: '' } })).toMatchObject({ status: 401, json: refused })
  expect(await ask([['PING']], '/pipeline', { headers: { authorization: 'Bearer no' } })).toMatchObject({ status: 401, json: refused })
  const reader = { headers: { authorization: `Bearer ${readOnlyToken}` } }
  expect(await ask(['GET', key()], '/', reader)).toMatchObject({ status: 200, json: { result: null } })
  expect(await ask(['SET', key(), '1'], '/', reader)).toMatchObject({
    status: 400,
    json: { error: "NOPERM this user has no permissions to run the 'set' command" },
  })
  expect(await ask(null, '/', { method: 'DELETE', body: null })).toMatchObject({ status: 405 })
  expect(await ask(null, '/', { body: '{bad' })).toMatchObject({ status: 400, json: { error: 'ERR failed to parse command' } })
  expect(await ask(['BLPOP', 'a', 1])).toMatchObject({ status: 400, json: { error: expect.stringContaining("not available: 'BLPOP'") } })
  expect(await ask(['SET', key(), 'x'.repeat(10_485_760)])).toMatchObject({
    status: 413,
    json: { error: 'ERR max request size exceeded. Limit: 10485760 bytes' },
  })
})

test('a channel over server-sent events', async () => {
  const redis = new Redis({ url, token })
  const channel = key()
  const subscription = redis.subscribe([channel])
  const message = new Promise((resolve) => subscription.on('message', resolve))
  await new Promise((resolve) => subscription.on('subscribe', resolve))
  await redis.publish(channel, 'hello')
  expect(await message).toEqual({ channel, message: 'hello' })
  await subscription.unsubscribe()
})

test('a page may ask, and read the token that keeps reads behind writes', async () => {
  const asked = await fetch(url, { method: 'OPTIONS', headers: { origin: 'http://page', 'access-control-request-method': 'POST' } })
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  const { headers } = await ask(['PING'])
  expect(headers.get('upstash-sync-token')).toMatch(/^sync-\d+$/)
  expect(headers.get('access-control-expose-headers')).toContain('upstash-sync-token')
})
