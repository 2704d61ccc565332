import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AwsClient } from 'aws4fetch'
import { freePorts } from '../browsers/free-ports.mjs'
import { cephConfig } from './ceph-config.mjs'
import { startServer, untilAnswered } from './server-process.mjs'

const run = promisify(execFile)

const USER = {
  uid: 'tester',
  accessKeyId: 'AKIDEXAMPLE00000000',
  secretAccessKey: 'secretsecretsecretsecret0000000000000000',
  region: 'us-east-1',
}

/** What a page may do and see; the names of the headers are what Amazon's own bucket has to be told, too. */
const CORS = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin>${['GET', 'HEAD', 'PUT', 'POST', 'DELETE']
  .map((method) => `<AllowedMethod>${method}</AllowedMethod>`)
  .join('')}<AllowedHeader>*</AllowedHeader>${[
  'ETag',
  'Date',
  'x-amz-request-id',
  'x-amz-bucket-region',
  'Content-Range',
  'Last-Modified',
  'x-amz-meta-mirage-operation',
]
  .map((header) => `<ExposeHeader>${header}</ExposeHeader>`)
  .join('')}<MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule></CORSConfiguration>`

/**
 * A Ceph gateway of its own, which speaks S3, over one monitor and one store in memory. It is there after some seconds, with a bucket that pages
 * may use. `http://127.0.0.1:PORT/bucket/key` and `http://bucket.localhost:PORT/key` are the same object.
 * @param {{ bucket?: string }} options
 */
export async function startGateway({ bucket = 'mirage-test' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  for (const part of ['mon', 'osd', 'run', 'rgw']) mkdirSync(join(folder, part))
  const [port = 0, monitorPort = 0] = await freePorts(2)
  const fsid = randomUUID()
  const file = join(folder, 'ceph.conf')
  writeFileSync(file, cephConfig({ folder, port, monitorPort, fsid }))
  const env = { CEPH_CONF: file }
  const ceph = async (program, ...args) => (await run(program, args, { env: { ...process.env, ...env }, timeout: 60_000 })).stdout
  const servers = new Map()
  const start = (name, program, ...args) => {
    const server = startServer(program, ['-f', ...args], env)
    servers.set(name, server)
    return server
  }
  const startFront = async () => {
    const front = start('front', 'radosgw', '-n', 'client.rgw.a')
    await untilAnswered(() => fetch(endpoint), front.died)
  }
  const close = async () => {
    await Promise.all([...servers.values()].map((server) => server.kill()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const endpoint = `http://127.0.0.1:${port}`
  const admin = (/** @type {string[]} */ ...args) => ceph('radosgw-admin', '-n', 'client.rgw.a', ...args)
  const client = new AwsClient({ ...USER, service: 's3', retries: 0 })
  const createBucket = async (/** @type {string} */ name) => {
    await expectOk(client.fetch(`${endpoint}/${name}`, { method: 'PUT' }))
    const digest = createHash('md5').update(CORS).digest('base64')
    await expectOk(client.fetch(`${endpoint}/${name}?cors`, { method: 'PUT', body: CORS, headers: { 'content-md5': digest } }))
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  try {
    await ceph(
      'monmaptool',
      '--create',
      '--clobber',
      '--fsid',
      fsid,
      '--addv',
      'a',
      `[v2:127.0.0.1:${monitorPort}/0]`,
      join(folder, 'monmap'),
    )
    await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', join(folder, 'monmap'))
    start('monitor', 'ceph-mon', '-i', 'a')
    const disk = randomUUID()
    await ceph('ceph', 'osd', 'new', disk, '0')
    await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
    start('store', 'ceph-osd', '-i', '0')
    await startFront()
    const { uid, accessKeyId, secretAccessKey } = USER
    await admin('user', 'create', `--uid=${uid}`, '--display-name=tester', `--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`)
    await createBucket(bucket)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...USER,
    endpoint,
    port,
    bucket,
    createBucket,
    /** `radosgw-admin`; gives what it prints. */
    admin,
    /** Ends the gateway as a crash does; what it stored stays. */
    kill: () => servers.get('front').kill(),
    restart: async () => {
      await servers.get('front').kill()
      await startFront()
    },
    close,
  }
}

/** @param {Promise<Response>} answer */
async function expectOk(answer) {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`the gateway answered ${response.status}\n${text}`)
}
