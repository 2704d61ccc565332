import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePorts } from '../browsers/free-ports.mjs'
import { startRedis } from './redis.mjs'
import { redisStore } from './redis-stores.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-tls-'))
const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')]
let redis: Awaited<ReturnType<typeof startRedis>>
let url: string

beforeAll(async () => {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...names], {
    stdio: 'ignore',
  })
  const [port = 0] = await freePorts(1)
  const tls = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate, '--tls-auth-clients', 'no']
  redis = await startRedis({ args: ['--tls-port', String(port), ...tls] })
  url = `rediss://localhost:${port}/1`
})

afterAll(async () => {
  await redis.close()
  fs.rmSync(folder, { recursive: true })
})

it('a rediss:// url is reached with TLS, by who trusts its certificate', () => {
  const program = `
    import { RedisWorkspaceStateStore, Workspace } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../dist/platforms/node/index.js'))}
    const ws = new Workspace({}, { workspaceId: 'agent', store: new RedisWorkspaceStateStore({ url: ${JSON.stringify(url)} }), ownsStore: true })
    console.log((await ws.shell('a=1; echo "$a"; history')).stdoutText, (await ws.shell('true')).durability)
    await ws.close()
  `
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate }
  const printed = execFileSync('node', ['--input-type=module', '-e', program], { env, encoding: 'utf8' })
  expect(printed).toBe('1\n    1  a=1; echo "$a"; history\n committed\n')
})

it('a certificate that is not trusted is said, and nothing is sent', async () => {
  const store = redisStore({ url, timeout: 3 })
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(
      /: Redis at rediss:\/\/localhost:\d+\/1: cannot be reached \(self-signed certificate\); given up after \d+ attempts/,
    ),
  })
  await store.close()
})
