import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { workspaceOptions } from '../../platforms/node/configured-workspace.ts'
import { DiskWorkspaceStateStore } from '../../platforms/node/disk-state-store.ts'
import { encode } from '../../src/bytes.ts'
import { loadWorkspaceConfig } from '../../src/config.ts'
import { webHost } from '../../src/host.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { s3Settings } from '../../src/s3/s3-options.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { openSessions } from '../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { S3Store } from '../../src/store/s3-store.ts'
import { Workspace } from '../../src/workspace.ts'
import { lacking } from '../contract/case.ts'
import { FaultyStore } from '../contract/faulty-store.ts'
import type { SessionSubject } from '../contract/session.ts'
import { sessionContract } from '../contract/session.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { gatewayOptions, gatewayUrl, s3Client } from './s3-bucket.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

function newStore(options: S3Options): S3Store {
  return new S3Store(s3Settings(options, 'S3'))
}

describe('store: S3', () => {
  it('says what it can not do, and names what to use', async () => {
    const store = newStore(gatewayOptions())
    expect(store.capabilities).toEqual({ append: false, leases: false, maxValueBytes: 5 * 1024 ** 3, watch: false })
    await expect(store.append()).rejects.toMatchObject({
      code: 'CAPABILITY_UNSUPPORTED',
      message: 'a bucket cannot append; keep history in RAM, on disk or on Redis',
    })
    store.watch()()
    ;(await store.lease('a')).end()
  })

  it('keeps its keys below its prefix, beside others whose names begin alike', async () => {
    const client = s3Client(gatewayOptions({ keyPrefix: '' }))
    const folder = crypto.randomUUID()
    const [one, two] = ['a/', 'a/b/'].map((prefix) => newStore(gatewayOptions({ keyPrefix: `${folder}/${prefix}` })))
    await one?.put('k', encode('1'))
    await two?.put('k', encode('2'))
    expect(await two?.list('')).toEqual(['k'])
    expect((await client.list({ prefix: folder })).objects.map(({ key }) => key)).toEqual([`${folder}/a/b/k`, `${folder}/a/k`])
  })
})

/** State in a bucket whose history is kept in RAM, which instances share, or on disk. */
function sessionSubject(observer: () => WorkspaceStateStore): SessionSubject {
  const options = gatewayOptions()
  const faults = new FaultyStore(newStore(options))
  const first = new StoredStateStore(faults, { observer: observer() })
  const other = (): WorkspaceStateStore => new S3WorkspaceStateStore({ ...options, observer: observer() })
  const open = (store: WorkspaceStateStore, workspaceId: string): Sessions => openSessions({ store, workspaceId, host: webHost })
  return {
    one: open(first, 'w'),
    two: open(other(), 'w'),
    again: (workspaceId = 'w') => open(workspaceId === 'through faults' ? first : other(), workspaceId),
    faults,
  }
}

const observers: Readonly<Record<string, () => () => WorkspaceStateStore>> = {
  RAM: () => {
    const ram = new RAMWorkspaceStateStore()
    return () => ram
  },
  disk: () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-s3-'))
    folders.push(root)
    return () => new DiskWorkspaceStateStore({ root })
  },
}

for (const [kind, observer] of Object.entries(observers)) {
  // The other rows run in the table of runtimes.
  describe(`session: S3 with history in ${kind}, faults`, () => {
    for (const { name, needs, run } of sessionContract) {
      if (lacking(needs, ['no turns']) === 'faults') it(name, () => run(sessionSubject(observer())))
    }
  })
}

describe('a workspace with its sessions in a bucket', () => {
  const open = (options: S3Options, id = 'agent'): Workspace =>
    new Workspace(
      {},
      { workspaceId: id, store: new RAMWorkspaceStateStore({ workspace: new S3WorkspaceStateStore(options) }), ownsStore: true },
    )

  it('sends one conditional GET a line, and one PUT where the session changed', async () => {
    const proxy = await startFaultProxy(gatewayUrl)
    const requests = () => proxy.requests().map(({ method, headers }) => `${method}${headers['if-none-match'] ? ' if-none-match' : ''}`)
    try {
      const ws = open(gatewayOptions({ endpointUrl: proxy.url }))
      await ws.shell('a=1')
      await ws.shell('b=1')
      const counts: string[][] = []
      for (const line of ['echo hi; ls /', 'c=2', 'echo "$c"', 'cd /tmp', 'pwd']) {
        proxy.clear()
        expect((await ws.shell(line)).durability).toBe('committed')
        counts.push(requests())
      }
      const [read, written] = [['GET if-none-match'], ['GET if-none-match', 'PUT']]
      expect(counts).toEqual([read, written, read, written, read])
      await ws.close()
    } finally {
      proxy.close()
    }
  })

  it('is found again by another instance, which merges what both change', async () => {
    const options = gatewayOptions()
    const [one, two] = [open(options), open(options)]
    await one.shell('a=1; f() { echo "f $a"; }')
    expect((await two.shell('f; b=2')).stdoutText).toBe('f 1\n')
    await Promise.all([one.shell('x=1'), two.shell('y=2')])
    expect((await one.shell('echo $a $b $x $y')).stdoutText).toBe('1 2 1 2\n')
    expect((await two.shell('echo $a $b $x $y')).stdoutText).toBe('1 2 1 2\n')
    await Promise.all([one.close(), two.close()])
  })

  it('keeps what eight instances write at once', async () => {
    const options = gatewayOptions()
    const instances = Array.from({ length: 8 }, () => open(options))
    await Promise.all(instances.map((ws, at) => ws.shell(`v${at}=${at}`)))
    await Promise.all(instances.map((ws) => ws.flush()))
    const last = open(options)
    expect((await last.shell('echo $v0 $v1 $v2 $v3 $v4 $v5 $v6 $v7')).stdoutText).toBe('0 1 2 3 4 5 6 7\n')
    await Promise.all([...instances, last].map((ws) => ws.close()))
  })

  it('gives the result of a line while the bucket is away, and commits it when it is back', async () => {
    const proxy = await startFaultProxy(gatewayUrl)
    const options = gatewayOptions({ endpointUrl: proxy.url, timeout: 2 })
    try {
      const ws = open(options)
      await ws.shell('a=1')
      proxy.fault({ kind: 'status', status: 503 }, { times: 99, matches: ({ method }) => method === 'PUT' })
      const result = await ws.shell('a=2; echo done')
      expect([result.stdoutText, result.durability]).toEqual(['done\n', 'pending'])
      proxy.clear()
      await ws.flush()
      const other = open({ ...options, timeout: 10 })
      expect((await other.shell('echo $a')).stdoutText).toBe('2\n')
      await Promise.all([ws.close(), other.close()])
    } finally {
      proxy.close()
    }
  })

  it('has ids of any text, each below its own folder', async () => {
    const options = gatewayOptions()
    const ids = ['a/b', '../a', '..', '%2e', 'a b+c', '😀'.repeat(60), '\x01', 'a:b']
    for (const id of ids) {
      const ws = open(options, id)
      await ws.shell(`own=${ids.indexOf(id)}`)
      await ws.close()
    }
    for (const id of ids) {
      const ws = open(options, id)
      expect((await ws.shell('echo $own')).stdoutText).toBe(`${ids.indexOf(id)}\n`)
      await ws.close()
    }
    const { objects } = await s3Client(options).list({ prefix: '' })
    expect(objects.every(({ key }) => /^workspaces\/[A-Za-z0-9\-._~%]+\/(workspace|sessions\/[A-Za-z0-9\-._~%]+)\.json$/.test(key))).toBe(
      true,
    )
    expect(objects).toHaveLength(2 * ids.length)
  })

  it('is what a configuration names', async () => {
    const { bucket, accessKeyId, secretAccessKey, keyPrefix = '', endpointUrl } = gatewayOptions()
    const text = `
workspace_id: configured
store:
  workspace:
    type: s3
    bucket: ${bucket}
    aws_access_key_id: \${KEY_ID}
    aws_secret_access_key: \${KEY}
    endpoint_url: ${endpointUrl}
    key_prefix: ${keyPrefix}
    timeout: 5
`
    for (const expected of ['\n', '1\n']) {
      const config = await loadWorkspaceConfig(text, { env: { KEY_ID: accessKeyId, KEY: secretAccessKey } })
      const { mounts, options } = workspaceOptions(config)
      const ws = new Workspace(mounts, options)
      expect((await ws.shell('echo $a; a=1')).stdoutText).toBe(expected)
      await ws.close()
    }
  })

  it('refuses history of its own, and begins below mirage/', async () => {
    const { keyPrefix: _, ...options } = gatewayOptions()
    const store = new S3WorkspaceStateStore(options)
    expect(() => store.history('w')).toThrow(
      expect.objectContaining({
        code: 'CAPABILITY_UNSUPPORTED',
        message: expect.stringContaining('give the store as the group "workspace" of another, or another as "observer"'),
      }),
    )
    const id = crypto.randomUUID()
    const ws = open(options, id)
    await ws.shell('a=1')
    await ws.close()
    const { objects } = await s3Client({ ...options, keyPrefix: '' }).list({ prefix: `mirage/workspaces/${id}/` })
    expect(objects.map(({ key }) => key.slice(key.indexOf(id)))).toEqual([
      expect.stringMatching(/\/sessions\/[0-9a-f]{16}\.json$/),
      `${id}/workspace.json`,
    ])
  })

  it('refuses an id for which a key has no room', async () => {
    const ws = open(gatewayOptions(), '😀'.repeat(256))
    await expect(ws.shell('echo hi')).rejects.toMatchObject({
      code: 'ENAMETOOLONG',
      message: expect.stringContaining('a key of a bucket may have 1024'),
    })
    const long = open(gatewayOptions())
    await expect(long.session('😀'.repeat(256))).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    await Promise.all([ws.close(), long.close()])
  })
})
