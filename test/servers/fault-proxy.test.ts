import { AwsClient } from 'aws4fetch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Fault } from './fault-proxy.mjs'
import { startFaultProxy } from './fault-proxy.mjs'
import { servers } from './servers.mjs'

const { upstash, s3 } = servers()
let proxy: Awaited<ReturnType<typeof startFaultProxy>>
let key: string

beforeEach(async () => {
  proxy = await startFaultProxy(upstash.url)
  key = `fault test ${crypto.randomUUID()}`
})
afterEach(() => proxy.close())

async function run(url: string, command: readonly string[], signal?: AbortSignal): Promise<unknown> {
  const init = { method: 'POST', headers: { authorization: `Bearer ${upstash.token}` }, body: JSON.stringify(command) }
  const response = await fetch(url, signal === undefined ? init : { ...init, signal })
  if (!response.ok) return response.status
  return ((await response.json()) as { result: unknown }).result
}

const increase = (signal?: AbortSignal): Promise<unknown> => run(proxy.url, ['INCR', key], signal)
const value = (): Promise<unknown> => run(upstash.url, ['GET', key])

test.each<[Fault['kind'], string | null]>([
  ['cut-before', null],
  ['lose-answer', '1'],
  ['cut-answer', '1'],
])('%s: the client gets no answer, and the server has %s', async (kind, expected) => {
  proxy.fault({ kind } as Fault)
  await expect(increase()).rejects.toThrow()
  expect(await value()).toBe(expected)
  expect(await increase()).toBe(expected === null ? 1 : 2)
})

test('repeat: the server gets it twice', async () => {
  proxy.fault({ kind: 'repeat' })
  expect(await increase()).toBe(2)
})

test('status: answered here', async () => {
  proxy.fault({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }, { times: 2 })
  expect([await increase(), await increase(), await increase()]).toEqual([429, 429, 1])
})

test('late: the server gets it after the client has heard that the connection is gone', async () => {
  proxy.fault({ kind: 'late' })
  await expect(increase()).rejects.toThrow()
  expect(await increase()).toBe(1)
  await proxy.release()
  expect(await value()).toBe('2')
})

test('hold: nothing until it is released', async () => {
  proxy.fault({ kind: 'hold' })
  const arrived = proxy.arrival()
  const answer = increase()
  await arrived
  expect(await value()).toBe(null)
  await proxy.release()
  expect(await answer).toBe(1)
})

test('slow: it comes later', async () => {
  proxy.fault({ kind: 'slow', ms: 50 })
  const started = performance.now()
  expect(await increase()).toBe(1)
  expect(performance.now() - started).toBeGreaterThan(49)
})

test('the network goes and comes back', async () => {
  await proxy.network('refused')
  await expect(increase()).rejects.toThrow('fetch failed')
  await proxy.network('silent')
  await expect(increase(AbortSignal.timeout(50))).rejects.toThrow('timeout')
  await proxy.network('there')
  expect(await increase()).toBe(1)
})

test('faults by chance are the same for a seed; requests are counted', async () => {
  const outcomes = async (): Promise<unknown[]> => {
    proxy.clear()
    proxy.chance({
      seed: 7,
      rate: 0.5,
      faults: [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 503 },
      ],
    })
    const answers: unknown[] = []
    for (let i = 0; i < 20; i++) answers.push(await run(proxy.url, ['PING']))
    return answers
  }
  const first = await outcomes()
  expect(new Set(first)).toEqual(new Set(['PONG', 500, 503]))
  expect(await outcomes()).toEqual(first)
  expect([...proxy.counts()]).toEqual([['POST /', 20]])
  expect(proxy.requests().filter(({ fault }) => fault === 'status').length).toBe(first.filter((one) => one !== 'PONG').length)
})

test('only what a test picks; signatures hold, since they contain the host', async () => {
  const front = await startFaultProxy(s3.endpoint)
  try {
    front.fault({ kind: 'status', status: 503 }, { matches: ({ method }) => method === 'GET' })
    const client = new AwsClient({ ...s3, service: 's3', retries: 0 })
    const url = `${front.url}/${s3.bucket}/${crypto.randomUUID()}`
    expect((await client.fetch(url, { method: 'PUT', body: 'x' })).status).toBe(200)
    expect((await client.fetch(url)).status).toBe(503)
    expect(await (await client.fetch(url)).text()).toBe('x')
  } finally {
    front.close()
  }
})
