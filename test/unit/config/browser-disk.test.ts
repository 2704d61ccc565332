import { expect, it } from 'vitest'
import * as browser from '../../../platforms/browser/index.ts'
import * as node from '../../../platforms/node/index.ts'

const text = 'mounts: { /files: { vfs: disk, config: { root: ./files } } }\nstore: { type: disk, backend: indexeddb }'

it('what is on disk lies in the storage of the origin in a browser', async () => {
  const { mounts, options } = browser.workspaceOptions(await browser.loadWorkspaceConfig(text))
  expect(mounts.get('/files')).toMatchObject({ fs: expect.any(browser.IndexedDBFileSystem), mode: 'write' })
  expect(options.store).toBeInstanceOf(browser.DiskWorkspaceStateStore)
})

it('a choice of the backend is refused where there is none', async () => {
  const config = await node.loadWorkspaceConfig('store: { type: disk, backend: indexeddb }')
  expect(() => node.workspaceOptions(config)).toThrow(expect.objectContaining({ code: 'CAPABILITY_UNSUPPORTED' }))
})

it.each(['', '/x', 'a//b', '../x', 'a/.'])('a folder of the origin private file system is not called %j', (root) => {
  expect(() => new browser.DiskWorkspaceStateStore({ root, backend: 'opfs' })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})

it('where there is neither IndexedDB nor OPFS, the disk says so when it is used', async () => {
  for (const [backend, message] of [
    ['indexeddb', 'this runtime has no IndexedDB; keep it in memory (RAMWorkspaceStateStore, RAMFileSystem)'],
    ['opfs', "use backend 'indexeddb'"],
  ] as const) {
    const ws = new browser.Workspace({}, { workspaceId: 'w', store: new browser.DiskWorkspaceStateStore({ backend }), ownsStore: true })
    await expect(ws.shell('true')).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED', message: expect.stringContaining(message) })
    await ws.close()
  }
})
