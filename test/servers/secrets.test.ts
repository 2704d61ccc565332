import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RedisFileSystem } from '../../platforms/node/redis-file-system.ts'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { workspaceOptions } from '../../src/config/configured-workspace.ts'
import { loadWorkspaceConfig } from '../../src/config.ts'
import { hasCode } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { S3FileSystem } from '../../src/fs/s3-file-system.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { printed } from './printed.ts'
import { startRedis } from './redis.mjs'
import { newPrefix, WAYS } from './redis-stores.ts'
import { gatewayOptions, withoutKeys } from './s3-bucket.ts'
import { servers } from './servers.mjs'

/** What must never be seen; each in the forms in which it travels. */
const SECRET = 'sEcReT+key/of=the host~4711'
const TOKEN = 'tOkEn-of-the-host-0815'
const FORMS = [SECRET, TOKEN, encodeURIComponent(SECRET), btoa(SECRET), btoa(TOKEN), JSON.stringify(SECRET).slice(1, -1)]

const opened: { close(): unknown }[] = []
const said: string[] = []
beforeEach(() => {
  said.length = 0
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation((...args) => void said.push(args.map(printed).join(' ')))
  }
})
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await Promise.resolve(one.close()).catch(() => undefined)
})

function kept<T extends { close(): unknown }>(one: T): T {
  opened.push(one)
  return one
}

function expectNoSecret(...values: readonly unknown[]): void {
  const text = [...values.map(printed), ...said].join('\n')
  for (const form of FORMS) {
    const at = text.indexOf(form)
    expect(at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 60)).toBe('')
  }
}

/** A server that answers everything with what it was sent. */
async function echo(
  status: number,
  wrap: (text: string) => string,
  headers: (text: string) => Record<string, string> = () => ({}),
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = [
        request.url,
        ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
        Buffer.concat(chunks).toString(),
      ]
      const text = sent.join(' ')
      response.writeHead(status, headers(text)).end(wrap(text))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  kept({ close: () => server.closeAllConnections() ?? server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Uses a store that can't be used in every way that there is; everything that came of it. */
async function useStore(store: WorkspaceStateStore): Promise<readonly unknown[]> {
  const ws = kept(new Workspace({}, { workspaceId: 'w', sessionId: 's', store, ownsStore: true }))
  const found: unknown[] = [store, ws]
  const note = async (work: () => unknown): Promise<void> => {
    found.push(
      await Promise.resolve()
        .then(work)
        .catch((error: unknown) => error),
    )
  }
  await note(() => ws.shell('a=1; export b=2; env; set; history'))
  await note(() => ws.shell('echo $a'))
  await note(() => ws.history())
  await note(() => ws.flush())
  await note(() => ws.close())
  await note(() => store.close())
  const failed = found.filter((one) => one instanceof Error)
  expect(failed.length).toBeGreaterThan(0)
  for (const error of failed)
    expect(
      ['STORE_UNAVAILABLE', 'CLOSED', 'CORRUPT', 'EINVAL'].some((code) => hasCode(error, code as 'CLOSED')),
      String(error),
    ).toBe(true)
  return found
}

async function useFiles(fs: FileSystem): Promise<readonly unknown[]> {
  const ws = kept(new Workspace({ '/m': fs }, { workspaceId: 'w' }))
  const found: unknown[] = [fs, ws]
  for (const line of ['ls -la /m', 'cat /m/f', 'echo x > /m/f; echo y >> /m/f', 'mkdir /m/d; mv /m/f /m/g; rm -r /m/*', 'df /m; stat /m']) {
    found.push(await ws.shell(line).catch((error: unknown) => error))
  }
  for (const work of [
    () => fs.read('/f'),
    () => fs.write('/f', new Uint8Array(3)),
    () => fs.sync(),
    () => fs.close(),
  ] as readonly (() => unknown)[]) {
    found.push(
      await Promise.resolve()
        .then(work)
        .catch((error: unknown) => error),
    )
  }
  return found
}

const SHORT = { timeout: 0.15 }
const MANY = { timeout: 120_000 }

describe('a token of Redis over HTTP is not seen', () => {
  /** The token where it may stand. */
  const urls = (url: string): readonly { url: string; token?: string }[] => [
    { url, token: TOKEN },
    { url: url.replace('//', `//:${TOKEN}@`) },
  ]

  it('where it is wrong', MANY, async () => {
    for (const options of urls(servers().upstash.url)) {
      const found = await useStore(new RedisWorkspaceStateStore({ ...options, ...SHORT }))
      expect(printed(found)).toContain('the token or password is wrong')
      expectNoSecret(found, await useFiles(new RedisFileSystem({ ...options, ...SHORT })))
    }
  })

  it('where nothing answers', MANY, async () => {
    const proxy = kept(await startFaultProxy(servers().upstash.url))
    await proxy.network('silent')
    for (const url of ['http://127.0.0.1:9', 'http://nowhere.invalid', proxy.url]) {
      const [options] = urls(url)
      expectNoSecret(await useStore(new RedisWorkspaceStateStore({ ...options, ...SHORT })))
    }
    expectNoSecret(await useFiles(new RedisFileSystem({ url: 'http://127.0.0.1:9', token: TOKEN, ...SHORT })))
  })

  it('where the answer repeats what was sent', MANY, async () => {
    const bodies: readonly [number, (text: string) => string][] = [
      [500, (text) => text],
      [400, (text) => JSON.stringify({ error: `ERR ${text}` })],
      [400, (text) => JSON.stringify({ error: `${text.toUpperCase().slice(0, 30)} ${text}` })],
      [500, (text) => JSON.stringify({ error: `ERR Bearer ${TOKEN} ${text}` })],
      [400, () => JSON.stringify({ error: `TOKEN ${TOKEN}` })],
      [401, (text) => JSON.stringify({ error: `WRONGPASS ${text}` })],
      [401, () => JSON.stringify({ error: TOKEN })],
      [429, (text) => JSON.stringify({ error: text })],
      [200, (text) => text],
      [200, () => JSON.stringify({ result: null })],
      [200, (text) => JSON.stringify({ result: text })],
    ]
    for (const [status, wrap] of bodies) {
      const url = await echo(status, wrap)
      expectNoSecret(await useStore(new RedisWorkspaceStateStore({ url, token: TOKEN, ...SHORT })))
      expectNoSecret(await useFiles(new RedisFileSystem({ url, token: TOKEN, ...SHORT })))
    }
  })

  it('where all is well', async () => {
    const options = { ...WAYS.http, keyPrefix: newPrefix() }
    const store = new RedisWorkspaceStateStore(options)
    const fs = new RedisFileSystem(options)
    const ws = kept(new Workspace({ '/m': fs }, { workspaceId: 'w', store, ownsStore: true }))
    const found = [
      await ws.shell('export; set; env; mount; df; history; cat /proc/mounts /etc/fstab'),
      await ws.history(),
      store,
      fs,
      ws,
      await ws.session(),
    ]
    expect(printed(found)).not.toContain(options.token)
  })
})

describe('a password of Redis over TCP is not seen', () => {
  it('where it is wrong, or none is wanted, or nothing answers', MANY, async () => {
    const [locked, open] = [kept(await startRedis()), kept(await startRedis())]
    await locked.run('CONFIG', 'SET', 'requirepass', 'another')
    const password = encodeURIComponent(SECRET)
    const urls = [locked.url, open.url, 'redis://127.0.0.1:9', 'redis://nowhere.invalid', locked.url.replace('redis:', 'rediss:')]
    for (const url of urls) {
      for (const user of url === locked.url ? ['', 'ann'] : ['']) {
        const options = { url: url.replace('//', `//${user}:${password}@`), ...SHORT }
        expectNoSecret(await useStore(new RedisWorkspaceStateStore(options)))
        expectNoSecret(await useFiles(new RedisFileSystem(options)))
      }
    }
  })

  it('where it is right', async () => {
    const redis = kept(await startRedis())
    await redis.run('CONFIG', 'SET', 'requirepass', SECRET)
    const options = { url: redis.url.replace('//', `//:${encodeURIComponent(SECRET)}@`) }
    const store = new RedisWorkspaceStateStore(options)
    const ws = kept(new Workspace({ '/m': new RedisFileSystem(options) }, { workspaceId: 'w', store, ownsStore: true }))
    const result = await ws.shell('echo x > /m/f; export; set; df; history')
    expect(result.durability).toBe('committed')
    expectNoSecret(result, ws, store, await ws.history())
  })
})

describe('a secret of S3 is not seen', () => {
  const secrets = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, sessionToken: TOKEN }
  const use = async (options: Parameters<typeof gatewayOptions>[0]): Promise<readonly unknown[]> => {
    const given = { ...gatewayOptions(options), ...SHORT }
    const state = new S3WorkspaceStateStore(given)
    return [
      state,
      await useStore(new RAMWorkspaceStateStore({ workspace: state, observer: new RAMWorkspaceStateStore() })),
      await useFiles(new S3FileSystem(given)),
    ]
  }

  it('where it is wrong', MANY, async () => {
    const { accessKeyId, secretAccessKey } = servers().s3
    const found = [
      await use({ secretAccessKey: SECRET }),
      await use(secrets),
      await use({ accessKeyId: TOKEN }),
      await use({ accessKeyId, secretAccessKey, bucket: 'no-such-bucket' }),
    ]
    expectNoSecret(found)
    expect(printed(found)).toMatch(/SignatureDoesNotMatch|AccessDenied/)
  })

  it('where nothing answers', MANY, async () => {
    const proxy = kept(await startFaultProxy(servers().s3.endpoint))
    await proxy.network('silent')
    for (const endpointUrl of ['http://127.0.0.1:9', 'http://nowhere.invalid', proxy.url])
      expectNoSecret(await use({ ...secrets, endpointUrl }))
  })

  it('where the answer repeats what was sent', MANY, async () => {
    const error = (text: string, code = 'Odd'): string => {
      const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      return `<Error><Code>${code}</Code><Message>${plain}</Message><RequestId>${plain}</RequestId><Region>${plain}</Region></Error>`
    }
    const repeated = (text: string): Record<string, string> => ({
      'x-amz-request-id': `${text.slice(0, 20)} ${SECRET} ${TOKEN}`,
      'x-amz-bucket-region': TOKEN,
    })
    const bodies: readonly [number, (text: string) => string][] = [
      [500, (text) => text],
      [500, (text) => error(text)],
      [403, (text) => error(`${SECRET} ${text}`)],
      [403, (text) => error(text, 'SignatureDoesNotMatch')],
      [403, (text) => error(text, `Odd ${TOKEN}`)],
      [400, (text) => error(text, 'AuthorizationHeaderMalformed')],
      [301, (text) => error(text, 'PermanentRedirect')],
      [200, (text) => text],
    ]
    for (const [status, wrap] of bodies) {
      for (const headers of [() => ({}), repeated]) {
        const endpointUrl = await echo(status, wrap, headers)
        const given = { ...gatewayOptions({ ...secrets, endpointUrl }), ...SHORT }
        expectNoSecret(await useFiles(new S3FileSystem(given)))
        const ws = kept(
          new Workspace({}, { workspaceId: 'w', store: new RAMWorkspaceStateStore({ workspace: new S3WorkspaceStateStore(given) }) }),
        )
        expectNoSecret(await ws.shell('a=1').catch((error: unknown) => error))
      }
    }
  })

  it('in what a signer or a provider of credentials gives, or fails with', MANY, async () => {
    const query = `X-Amz-Credential=a%2Fb&X-Amz-Security-Token=${TOKEN}&X-Amz-Signature=${'0'.repeat(40)}${encodeURIComponent(SECRET)}`
    const echoing = await echo(403, (text) => `<Error><Code>Odd</Code><Message>for ${text}</Message></Error>`)
    for (const endpoint of ['http://127.0.0.1:9', 'http://nowhere.invalid', echoing]) {
      const options = { ...withoutKeys(gatewayOptions()), ...SHORT, presign: async () => `${endpoint}/b/k?${query}` }
      expectNoSecret(await useFiles(new S3FileSystem(options)))
    }
    const credentials = async (): Promise<never> => {
      throw new Error('the vault is sealed')
    }
    const found = await useFiles(new S3FileSystem({ ...withoutKeys(gatewayOptions()), ...SHORT, credentials }))
    expect(printed(found)).toContain('credentials failed: the vault is sealed')
    const provided = async () => ({ ...secrets, secretAccessKey: SECRET })
    expectNoSecret(await useFiles(new S3FileSystem({ ...withoutKeys(gatewayOptions()), ...SHORT, credentials: provided })))
  })

  it('where all is well', async () => {
    const options = gatewayOptions()
    const store = new RAMWorkspaceStateStore({ workspace: new S3WorkspaceStateStore(options) })
    const fs = new S3FileSystem(options)
    const ws = kept(new Workspace({ '/m': fs }, { workspaceId: 'w', store, ownsStore: true }))
    const found = [await ws.shell('echo x > /m/f; export; set; df; mount; history'), await ws.history(), store, fs, ws]
    expect(printed(found)).not.toContain(options.secretAccessKey)
  })
})

describe('an encryption key is not seen', () => {
  it('in stores and their errors', async () => {
    const text = 'a key of 32 bytes, kept a secret'
    const key = new TextEncoder().encode(text)
    const forms = [text, btoa(text), Array.from(key).join(','), Array.from(key).join(', '), Buffer.from(key).toString('hex')]
    const where = { ...WAYS.tcp, keyPrefix: newPrefix() }
    const open = (keyId: string, keys: Record<string, Uint8Array>): RedisWorkspaceStateStore =>
      kept(new RedisWorkspaceStateStore({ ...where, encryption: { keyId, keys } }))
    const first = open('k1', { k1: key })
    await new Workspace({}, { workspaceId: 'w', store: first }).shell('a=1')
    const other = new Uint8Array(32)
    const found: unknown[] = [first]
    for (const store of [open('k1', { k1: other }), open('k2', { k2: key }), new RedisWorkspaceStateStore(where)]) {
      found.push(store, await new Workspace({}, { workspaceId: 'w', store: kept(store) }).shell('echo $a').catch((error: unknown) => error))
    }
    const seen = printed(found)
    for (const form of forms) expect(seen).not.toContain(form)
    expect(found.filter((one) => hasCode(one, 'CORRUPT')).length).toBe(2)
    expect(found.filter((one) => hasCode(one, 'CONFIG_INVALID')).length).toBe(1)
  })
})

describe('a secret of a configuration is not seen', () => {
  it('in what was loaded and built', async () => {
    const text =
      'store: { type: redis, url: "http://127.0.0.1:9", token: "${T}", workspace: { type: s3, bucket: bbb, aws_access_key_id: a, aws_secret_access_key: "${S}" } }'
    const config = await loadWorkspaceConfig(text, { env: { T: TOKEN, S: SECRET } })
    const { mounts, options } = workspaceOptions(config)
    expectNoSecret(mounts, options, kept(new Workspace(mounts, options)))
  })
})
