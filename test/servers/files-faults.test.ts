import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { RedisFileSystem } from '../../src/fs/redis-file-system.ts'
import { S3FileSystem } from '../../src/fs/s3-file-system.ts'
import { Workspace } from '../../src/workspace.ts'
import { type Fault, startFaultProxy } from './fault-proxy.mjs'
import { newPrefix, WAYS } from './redis-stores.ts'
import { gatewayOptions, gatewayUrl, s3Client } from './s3-bucket.ts'

/** Opens a file system through a proxy, and one past it. */
interface Rig {
  readonly through: (timeout?: number) => FileSystem
  readonly past: () => FileSystem
  readonly secret: string
  /** Parts that are neither part of an object nor thrown away. */
  readonly left: () => Promise<number>
}

type Proxy = Awaited<ReturnType<typeof startFaultProxy>>

const rigs: Readonly<Record<string, { readonly target: string; readonly open: (url: string) => Rig }>> = {
  S3: {
    target: gatewayUrl,
    open: (url) => {
      const options = gatewayOptions()
      return {
        through: (timeout = 20) => new S3FileSystem({ ...options, endpointUrl: url, timeout }),
        past: () => new S3FileSystem(options),
        secret: String(options.secretAccessKey),
        left: async () => (await s3Client(options).uploads.list('')).length,
      }
    },
  },
  Redis: {
    target: String(WAYS.http?.url),
    open: (url) => {
      const keyPrefix = newPrefix()
      return {
        through: (timeout = 20) => new RedisFileSystem({ ...WAYS.http, url, keyPrefix, timeout }),
        past: () => new RedisFileSystem({ ...WAYS.http, keyPrefix }),
        secret: String(WAYS.http?.token),
        left: async () => 0,
      }
    },
  },
}

const PASSING: readonly Fault[] = [
  { kind: 'cut-before' },
  { kind: 'lose-answer' },
  { kind: 'cut-answer' },
  { kind: 'repeat' },
  { kind: 'slow', ms: 30 },
  { kind: 'status', status: 503 },
]

for (const [name, { target, open }] of Object.entries(rigs)) {
  describe(`files on ${name}, over a bad network`, () => {
    let proxy: Proxy
    beforeAll(async () => {
      proxy = await startFaultProxy(target)
    })
    afterAll(() => proxy.close())

    test('what was appended is there once, whatever got lost', { timeout: 120_000 }, async () => {
      const { through, past } = open(proxy.url)
      const mount = through()
      const ws = new Workspace({ '/m': mount })
      proxy.chance({ seed: 11, rate: 0.25, faults: PASSING })
      for (let at = 0; at < 30; at++) {
        const { exitCode, stderrText } = await ws.shell(`echo ${at} >> /m/log`)
        expect([at, exitCode, stderrText]).toEqual([at, 0, ''])
      }
      proxy.clear()
      expect(decode(await past().read('/log'))).toBe(Array.from({ length: 30 }, (_, at) => `${at}\n`).join(''))
      await ws.close()
    })

    test('what was appended is there once, when its answer was lost and another instance wrote before it was sent again', async () => {
      const { through, past } = open(proxy.url)
      const [mount, other] = [through(), past()]
      // By the second one it is known how the server wants conditions.
      for (const text of ['fir', 'st\n']) await mount.append('/log', encode(text))
      proxy.clear()
      const isWrite = ({ method, body }: { method: string; body: Uint8Array }): boolean => method === 'PUT' || decode(body).includes('mine')
      proxy.fault({ kind: 'lose-answer' }, { matches: isWrite })
      proxy.fault({ kind: 'hold' }, { matches: isWrite })
      const appended = mount.append('/log', encode('mine\n'))
      while (proxy.requests().filter(isWrite).length < 2) await proxy.arrival()
      await other.append('/log', encode('theirs\n'))
      await proxy.release()
      await appended
      proxy.clear()
      expect(decode(await past().read('/log'))).toBe('first\nmine\ntheirs\n')
    })

    test('a large file comes whole, a tree moves whole, and nothing is left behind', { timeout: 120_000 }, async () => {
      const { through, past, left } = open(proxy.url)
      const mount = through()
      const ws = new Workspace({ '/m': mount })
      await ws.shell("mkdir /data; seq -f 'line %010.0f' 1500000 > /data/large; mkdir /m/t; for i in {1..20}; do echo $i > /m/t/$i; done")
      proxy.chance({ seed: 5, rate: 0.2, faults: PASSING })
      const { stdoutText, stderrText } = await ws.shell(
        'cp /data/large /m/large; mv /m/t /m/u; cat /m/u/* | wc -l; sha256sum /data/large /m/large; rm -r /m/u',
      )
      proxy.clear()
      const [lines, ...digests] = stdoutText.trimEnd().split('\n')
      expect([stderrText, lines, new Set(digests.map((line) => line.slice(0, 64))).size]).toEqual(['', '20', 1])
      expect(
        createHash('sha256')
          .update(await past().read('/large'))
          .digest('hex'),
      ).toBe(digests[0]?.slice(0, 64))
      expect([await left(), (await past().readdir('/')).map((entry) => entry.name)]).toEqual([0, ['large']])
      await ws.close()
    })

    test('a network that is gone: an error that says so, within the limit; the old file stays, and it goes on by itself', async () => {
      const { through, past, secret } = open(proxy.url)
      const mount = through(1)
      const ws = new Workspace({ '/m': mount })
      await ws.shell('echo old > /m/f')
      await proxy.network('silent')
      const started = performance.now()
      const { exitCode, stderrText } = await ws.shell('cat /m/f; echo new > /m/f')
      expect(performance.now() - started).toBeLessThan(15_000)
      expect(exitCode).toBe(1)
      expect(stderrText).toMatch(/^cat: \/m\/f: Input\/output error \(/)
      expect(stderrText).not.toContain(secret)
      await proxy.network('there')
      expect(decode(await past().read('/f'))).toBe('old\n')
      expect(await ws.shell('cat /m/f; echo new > /m/f; cat /m/f')).toMatchObject({ stdoutText: 'old\nnew\n', stderrText: '', exitCode: 0 })
      await ws.close()
    })

    test('a network that goes in the middle of a large write: the old file stays whole', { timeout: 60_000 }, async () => {
      const { through, past } = open(proxy.url)
      const mount = through(2)
      const ws = new Workspace({ '/m': mount })
      await ws.shell("echo old > /m/f; mkdir /data; seq -f 'line %010.0f' 1200000 > /data/large")
      const running = ws.shell('cat /data/large > /m/f')
      for (let requests = 0; requests < 3; requests++) await proxy.arrival()
      await proxy.network('refused')
      const { exitCode, stderrText } = await running
      expect([exitCode === 0, stderrText.includes('Input/output error')]).toEqual([false, true])
      await proxy.network('there')
      expect(decode(await past().read('/f'))).toBe('old\n')
      expect(await ws.shell('cat /data/large > /m/f; cmp /data/large /m/f')).toMatchObject({ stderrText: '', exitCode: 0 })
      await ws.close()
    })
  })
}

describe('what can not work', () => {
  test('says why: keys that are wrong, a bucket that is not there, a token that is wrong', async () => {
    const { secretAccessKey, ...options } = gatewayOptions()
    const cases: readonly (readonly [FileSystem, RegExp])[] = [
      [new S3FileSystem({ ...options, secretAccessKey: 'wrong' }), /SignatureDoesNotMatch/],
      [new S3FileSystem({ ...options, secretAccessKey: String(secretAccessKey), bucket: 'no-such-bucket' }), /NoSuchBucket/],
      [new RedisFileSystem({ ...WAYS.http, token: 'wrong-token' }), /the token or password is wrong/],
      [new RedisFileSystem({ url: 'redis://127.0.0.1:1/0' }), /this runtime has no TCP/],
    ]
    for (const [mount, reason] of cases) {
      const ws = new Workspace({ '/m': mount })
      for (const line of ['ls /m', 'cat /m/f', 'echo x > /m/f', 'mkdir /m/d']) {
        const { stderrText, exitCode } = await ws.shell(line)
        expect(stderrText).toMatch(reason)
        expect(stderrText).not.toContain('wrong-token')
        expect(exitCode).toBeGreaterThan(0)
      }
      await ws.close()
    }
    await expect(new S3FileSystem(gatewayOptions()).write('/a/b', encode('x'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
