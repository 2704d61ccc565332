import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Fault } from './fault-proxy.mjs'
import type { FaultRig } from './fault-rig.ts'
import { RIGS } from './fault-rig.ts'
import { servers } from './servers.mjs'

/** What a client makes up for by itself. */
const PASSING: Readonly<Record<string, Fault>> = {
  'the connection is cut before the server has it': { kind: 'cut-before' },
  'the answer is lost': { kind: 'lose-answer' },
  'the answer is cut in the middle': { kind: 'cut-answer' },
  'it is repeated on the way': { kind: 'repeat' },
  'it comes late, after the connection was cut': { kind: 'late' },
  'it is slow': { kind: 'slow', ms: 200 },
  'the server has too much to do': { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  'the server fails': { kind: 'status', status: 500 },
  'the server is not available': { kind: 'status', status: 503 },
}

describe.each(Object.entries(RIGS))('%s', (kind, start) => {
  let rig: FaultRig

  beforeEach(async () => {
    rig = await start(servers())
  })
  afterEach(() => rig.close())

  test.each(Object.entries(PASSING))('whichever request: %s, and every line is committed once', async (_name, fault) => {
    for (let hit = 1; ; hit++) {
      const session = rig.session()
      rig.proxy.clear()
      let count = 0
      rig.proxy.fault(fault, { matches: () => ++count === hit })
      for (let line = 0; line < 2; line++) expect(await session.unlookedLine()).toMatchObject({ durability: 'committed' })
      await rig.proxy.release()
      expect(await session.line()).toMatchObject({ durability: 'committed' })
      if (rig.proxy.requests().every(({ fault }) => fault === null)) break
    }
  })

  test('a network that is away holds no line longer than its limit; what the lines did comes when it is back', async () => {
    for (const state of ['refused', 'silent'] as const) {
      const session = rig.session({ timeout: 1 })
      await session.line()
      await rig.proxy.network(state)
      for (let line = 0; line < 3; line++) {
        const started = performance.now()
        const { durability, cause } = await session.line()
        // Less than the limit that is left out, 10 s, on a slow machine, too.
        expect(performance.now() - started).toBeLessThan(8000)
        expect([durability, cause?.code]).toEqual(['pending', 'STORE_UNAVAILABLE'])
        expect(cause?.message).toMatch(kind === 'redis' ? rig.proxy.url : 's3://mirage-test/')
      }
      await expect(session.ws.flush()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      await rig.proxy.network('there')
      expect(await session.line()).toMatchObject({ durability: 'committed' })
    }
  })

  test('what was pending comes with flush, too', async () => {
    const session = rig.session({ timeout: 0.5 })
    await session.line()
    await rig.proxy.network('refused')
    await session.line()
    await rig.proxy.network('there')
    await session.ws.flush()
    await session.expectKept()
  })

  test('requests that the server gets long after they were given up change nothing', async () => {
    const session = rig.session({ timeout: 0.3 })
    await session.line()
    rig.proxy.fault({ kind: 'hold' }, { times: Number.POSITIVE_INFINITY })
    expect(await session.line()).toMatchObject({ durability: 'pending' })
    rig.proxy.clear()
    expect(await session.line()).toMatchObject({ durability: 'committed' })
    await rig.proxy.release()
    await session.expectKept()
    expect(await session.line()).toMatchObject({ durability: 'committed' })
  })

  test('faults of all kinds by chance, in half of the requests', async () => {
    const session = rig.session({ timeout: 2 })
    await session.line()
    const faults: Fault[] = [...Object.values(PASSING), { kind: 'slow', ms: 20 }]
    rig.proxy.chance({ seed: 20, rate: 0.5, faults })
    for (let line = 0; line < 30; line++) await session.line()
    rig.proxy.clear()
    await rig.proxy.release()
    expect(await session.line()).toMatchObject({ durability: 'committed' })
  })

  test('a server that asks to come back after a while is left alone as long', async () => {
    const session = rig.session()
    await session.line()
    rig.proxy.clear()
    const times: number[] = []
    const matches = (): boolean => times.push(performance.now()) === 1
    rig.proxy.fault({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }, { times: Number.POSITIVE_INFINITY, matches })
    expect(await session.line()).toMatchObject({ durability: 'committed' })
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990)
  })

  test('a clock that is an hour off', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(Date.now() + 3_600_000)
      const session = rig.session()
      expect(await session.line()).toMatchObject({ durability: 'committed' })
      vi.setSystemTime(Date.now() - 7_200_000)
      expect(await session.line()).toMatchObject({ durability: 'committed' })
      expect(await session.line()).toMatchObject({ durability: 'committed' })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('what is wrong is named', () => {
  test('a wrong token', async () => {
    const rig = await RIGS.redis(servers())
    const session = rig.session({ token: 'a-wrong-token' })
    const error = await session.ws.shell('echo never').catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/HTTP 401 WRONGPASS, the token or password is wrong/),
    })
    session.expectNoSecret(error)
    await rig.close()
  })

  test('a wrong key', async () => {
    const rig = await RIGS.s3(servers())
    const session = rig.session({ secretAccessKey: 'a-wrong-secret-key' })
    const error = await session.ws.shell('echo never').catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/SignatureDoesNotMatch.*check accessKeyId, secretAccessKey/),
    })
    session.expectNoSecret(error)
    await rig.close()
  })

  test('a bucket that is not there', async () => {
    const rig = await RIGS.s3(servers())
    const session = rig.session({ bucket: 'nobody-made-it' })
    const error = await session.ws.shell('echo never').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/s3:\/\/nobody-made-it.*NoSuchBucket/) })
    session.expectNoSecret(error)
    await rig.close()
  })
})
