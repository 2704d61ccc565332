import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { webHost } from '../../../src/host.ts'
import { DiskWorkspaceStateStore as NoDisk } from '../../../src/state/disk-state-store.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import { RedisWorkspaceStateStore } from '../../../src/state/redis-state-store.ts'
import { S3WorkspaceStateStore } from '../../../src/state/s3-state-store.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import type { WorkspaceStateStore } from '../../../src/state/state-store.ts'
import { initialFields } from '../../contract/session.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterEach(removeFolders)

const line = { agent: null, timestamp: 1, cwd: '/', command: 'x', exitCode: 0, durationMs: 0 }

async function use(store: WorkspaceStateStore): Promise<void> {
  const { session } = await openSessions({ store, workspaceId: 'w', host: webHost }).open('s', initialFields)
  const given = await session.begin()
  expect(await session.commit({ ...given, cwd: '/x' }, line)).toEqual({ durability: 'committed', conflicts: [] })
}

describe('state stores', () => {
  it('keep each group where it was put', async () => {
    const [sessions, history] = [newFolder(), newFolder()]
    const store = new RAMWorkspaceStateStore({
      workspace: new DiskWorkspaceStateStore({ root: sessions }),
      observer: new DiskWorkspaceStateStore({ root: history }),
    })
    await use(store)
    await store.close()
    const at = (root: string) => openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })
    expect((await at(sessions).inspect('s'))?.fields.cwd).toBe('/x')
    expect(await at(sessions).history()).toEqual([])
    expect(await at(history).list()).toEqual([])
    expect((await at(history).history()).map(({ command }) => command)).toEqual(['x'])
  })

  it('keep their own group when another is put elsewhere, at any depth', async () => {
    const root = newFolder()
    const disk = new DiskWorkspaceStateStore({ root, observer: new RAMWorkspaceStateStore() })
    await use(new RAMWorkspaceStateStore({ workspace: disk, observer: disk, namespace: new RAMWorkspaceStateStore() }))
    const sessions = openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })
    expect(await sessions.list()).toEqual(['s'])
    expect(await sessions.history()).toEqual([])
  })

  it('close what they were given, each once, then themselves', async () => {
    const given = new DiskWorkspaceStateStore({ root: newFolder() })
    const close = vi.spyOn(given, 'close')
    const store = new RAMWorkspaceStateStore({ workspace: given, observer: given })
    await store.close()
    expect(close).toHaveBeenCalledTimes(1)
    await store.close()
    await expect(use(given)).rejects.toMatchObject({ code: 'CLOSED' })
    const ram = new RAMWorkspaceStateStore()
    await ram.close()
    await expect(use(ram)).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('on Redis say what to use where there is no TCP', async () => {
    for (const url of [undefined, 'redis://:secret@cache.example.com:6380/1']) {
      const message = expect.stringMatching(
        /cannot reach redis:\/\/(localhost:6379\/0|cache.example.com:6380\/1): this runtime has no TCP; give an https:\/\/ url with a token/,
      )
      const store = new RedisWorkspaceStateStore(url === undefined ? {} : { url })
      await expect(use(store)).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED', message })
      await store.close()
    }
  })

  it('on disk say what to use where there is none', async () => {
    const message =
      'DiskWorkspaceStateStore: this runtime has neither files nor IndexedDB; use DurableObjectWorkspaceStateStore(ctx.storage) in a Durable Object, or RAMWorkspaceStateStore, which keeps nothing'
    for (const backend of [undefined, 'opfs'] as const) {
      await expect(use(new NoDisk({ root: '/x', ...(backend && { backend }) }))).rejects.toMatchObject({
        code: 'CAPABILITY_UNSUPPORTED',
        message,
      })
    }
    const ram = new RAMWorkspaceStateStore()
    await use(new NoDisk({ workspace: ram, observer: ram }))
  })

  it.each(['indexeddb', 'opfs'] as const)('in files refuse the backend %s of browsers', (backend) => {
    expect(() => new DiskWorkspaceStateStore({ root: '/x', backend })).toThrow(
      expect.objectContaining({
        code: 'CAPABILITY_UNSUPPORTED',
        message: `cannot keep the state with backend '${backend}': this runtime keeps it in files, and only browsers have a choice; leave backend out`,
      }),
    )
  })

  it('of what the runtime cannot reach serve the groups that were put elsewhere', async () => {
    const ram = new RAMWorkspaceStateStore()
    await use(new RedisWorkspaceStateStore({ workspace: ram, observer: ram }))
    await use(new S3WorkspaceStateStore({ bucket: 'agent-state', workspace: ram, observer: ram }))
  })

  it.each(['observer', 'namespace'] as const)('refuse a bucket for %s at once', (group) => {
    const s3 = new S3WorkspaceStateStore({ bucket: 'agent-state' })
    const message = expect.stringContaining(`cannot keep the group "${group}" in S3`)
    const expected = expect.objectContaining({ code: 'CAPABILITY_UNSUPPORTED', message })
    expect(() => new RAMWorkspaceStateStore({ [group]: s3 })).toThrow(expected)
    expect(() => new DiskWorkspaceStateStore({ root: '/x', [group]: s3 })).toThrow(expected)
    expect(() => new RedisWorkspaceStateStore({ [group]: s3 })).toThrow(expected)
  })

  it('touch no file before they are used, and expand the home', async () => {
    const home = vi.spyOn(os, 'homedir').mockReturnValue(path.join(newFolder(), 'home'))
    const store = new DiskWorkspaceStateStore()
    const fs = await import('node:fs')
    expect(fs.existsSync(os.homedir())).toBe(false)
    await use(store)
    expect(fs.readdirSync(path.join(os.homedir(), '.mirage/state/workspaces/w')).sort()).toEqual(['history', 'sessions'])
    await use(new DiskWorkspaceStateStore({ root: '~/other' }))
    expect(fs.readdirSync(path.join(os.homedir(), 'other'))).toEqual(['workspaces'])
    home.mockRestore()
  })
})
