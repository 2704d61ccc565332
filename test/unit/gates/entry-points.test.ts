import { expect, test } from 'vitest'
import * as browser from '../../../platforms/browser/index.ts'
import * as node from '../../../platforms/node/index.ts'
import * as worker from '../../../platforms/worker/index.ts'

test('every entry point has the same names, so that one type surface holds for all', () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort())
  expect(Object.keys(worker).sort()).toEqual(Object.keys(node).sort())
})

test('what needs files says so where there are none', async () => {
  for (const entry of [browser, worker]) {
    expect(() => new entry.HostFileSystem({ root: '/x' })).toThrow(
      "cannot mount the folder '/x': this runtime has no files; use IndexedDBFileSystem, OPFSFileSystem or FolderFileSystem in a browser, DurableObjectFileSystem or R2FileSystem in a Cloudflare worker, or RAMFileSystem",
    )
    await expect(entry.loadWorkspaceConfigFile('a.yaml')).rejects.toThrow("cannot read 'a.yaml': this runtime has no files")
  }
})

test('what needs a browser says so elsewhere', async () => {
  for (const entry of [node, worker]) {
    expect(() => new entry.IndexedDBFileSystem()).toThrow("cannot mount the database 'mirage-files': this runtime has no IndexedDB")
    expect(() => new entry.OPFSFileSystem()).toThrow(
      "cannot mount 'mirage/files' of the origin private file system: only browsers have one",
    )
    expect(() => new entry.FolderFileSystem({ handle: { kind: 'directory', name: 'x' } })).toThrow("cannot mount the folder 'x'")
    await expect(entry.FolderFileSystem.pick()).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED' })
  }
})

test('a browser without private files names the way out', () => {
  expect(() => new browser.OPFSFileSystem({ root: 'mine' })).toThrow(
    expect.objectContaining({ code: 'CAPABILITY_UNSUPPORTED', message: expect.stringMatching(/'\/mine'.*use IndexedDBFileSystem$/) }),
  )
})
