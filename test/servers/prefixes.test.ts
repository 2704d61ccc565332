import { AwsClient } from 'aws4fetch'
import { afterEach, expect, test } from 'vitest'
import { RedisFileSystem } from '../../platforms/node/redis-file-system.ts'
import { RedisWorkspaceStateStore } from '../../platforms/node/redis-state-store.ts'
import { decode, encode } from '../../src/bytes.ts'
import { codeOf } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import { S3FileSystem } from '../../src/fs/s3-file-system.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { ids, longIds } from '../contract/ids.ts'
import { startRedis } from './redis.mjs'
import { gatewayOptions, gatewayUrl, s3Client } from './s3-bucket.ts'
import { servers } from './servers.mjs'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

function kept<T extends { close(): unknown }>(one: T): T {
  opened.push(one)
  return one
}

/** Sessions and workspaces of all ids, each with a line of its own, found again by others. */
async function useIds(open: () => WorkspaceStateStore): Promise<void> {
  const workspace = (workspaceId: string): Workspace => kept(new Workspace({}, { workspaceId, store: open(), ownsStore: true }))
  const one = workspace('w')
  for (const id of ids) await (await one.session(id)).shell(`own=${ids.indexOf(id)}`)
  for (const id of ids.slice(0, 30)) await workspace(id).shell(`own=${ids.indexOf(id)}`)
  const two = workspace('w')
  for (const id of ids) expect((await (await two.session(id)).shell('echo $own; history -c')).stdoutText).toBe(`${ids.indexOf(id)}\n`)
  for (const id of ids.slice(0, 30)) expect((await workspace(id).shell('echo $own')).stdoutText).toBe(`${ids.indexOf(id)}\n`)
}

/** Files of all names, and paths that lead out of the mount; what was kept. */
async function useNames(fs: FileSystem): Promise<readonly string[]> {
  const ws = kept(new Workspace({ '/m': fs }, { workspaceId: 'files' }))
  const names = [...ids, ...longIds].filter((id) => !id.includes('/') && id !== '.' && id !== '..')
  const found: string[] = []
  for (const [at, name] of names.entries()) {
    try {
      await fs.write(`/${name}`, encode(String(at)))
      found.push(name)
    } catch (error) {
      expect(['EINVAL', 'ENAMETOOLONG'], JSON.stringify(name)).toContain(codeOf(error))
      await expect(async () => fs.read(`/${name}`)).rejects.toThrow()
    }
  }
  await fs.sync()
  for (const path of ['../out', '/m/../../out', '/m/./../out', 'm/../../../out', '/m/dir/../../out']) {
    await ws.shell('cd /m; mkdir -p dir; printf out > "$P"', { env: { P: path } })
    await ws.fs.write(path.startsWith('/') ? path : `/${path}`, encode('out'))
  }
  expect((await ws.shell('cat /out; ls /m/out /out')).stdoutText).toBe('out/out\n')
  const listed = (await fs.readdir('/')).map(({ name }) => name)
  expect([...listed].sort()).toEqual([...found, 'dir'].sort())
  for (const name of found) expect(decode(await fs.read(`/${name}`))).toBe(String(names.indexOf(name)))
  return found
}

test('keys of Redis begin with their prefix, whatever ids and names are', async () => {
  const redis = kept(await startRedis())
  // Beside each other: one that begins with the other, and one that would be a pattern.
  const [state, files, other] = ['p:*[a-z]?:', 'p:*[a-z]?:files:', 'p:']
  await useIds(() => new RedisWorkspaceStateStore({ url: redis.url, keyPrefix: state }))
  const names = await useNames(new RedisFileSystem({ url: redis.url, keyPrefix: files }))
  expect(names.length).toBeGreaterThan(40)
  const beside = kept(new RedisFileSystem({ url: redis.url, keyPrefix: other }))
  expect(await beside.readdir('/')).toEqual([])
  await beside.write('/own', encode('x'))
  const keys: string[] = []
  let cursor = '0'
  do {
    const [next, some] = (await redis.run('SCAN', cursor, 'COUNT', '1000')) as [string, string[]]
    cursor = next
    keys.push(...some)
  } while (cursor !== '0')
  const place = '(groups|\\{(\\*|workspaces/[A-Za-z0-9._~%-]+)\\}:(index|(value|lease|waiting|done):[A-Za-z0-9._~%/-]+))'
  const object = '\\{files\\}:(index|info|data:[0-9a-f]{16}:\\d+|done:[0-9a-f]{16})'
  const own = new RegExp(`^(p:\\*\\[a-z\\]\\?:(${place}|files:${object})|p:${object})$`)
  expect(keys.filter((key) => !own.test(key))).toEqual([])
  expect(keys.length).toBeGreaterThan(200)
})

test('keys of a bucket begin with their prefix, whatever ids and names are', async () => {
  const { s3 } = servers()
  const bucket = `prefixes-${crypto.randomUUID()}`
  const made = await new AwsClient({ ...s3, service: 's3' }).fetch(`${gatewayUrl}/${bucket}`, { method: 'PUT' })
  expect(made.status).toBe(200)
  const options = gatewayOptions({ bucket, keyPrefix: 'p/state/' })
  // The history is in another store; sessions alone are in the bucket.
  const history = new RAMWorkspaceStateStore()
  await useIds(() => new RAMWorkspaceStateStore({ workspace: new S3WorkspaceStateStore(options), observer: history }))
  const fs = new S3FileSystem({ ...options, keyPrefix: 'p/files/' })
  const names = await useNames(fs)
  expect(names.length).toBeGreaterThan(40)
  const all = s3Client({ ...options, keyPrefix: '' })
  const keys: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof all.list>> = await all.list({ prefix: '', ...(cursor !== undefined && { cursor }) })
    keys.push(...page.objects.map(({ key }) => key))
    cursor = page.cursor
  }
  const session = /^p\/state\/workspaces\/[A-Za-z0-9._~%-]+\/(workspace|sessions\/[A-Za-z0-9._~%-]+)\.json$/
  const files = new Set([...names, 'dir/'].map((name) => `p/files/${name}`))
  expect(keys.filter((key) => !session.test(key) && !files.has(key))).toEqual([])
  expect(keys.filter((key) => files.has(key)).length).toBe(files.size)
})
