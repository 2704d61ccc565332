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
      "cannot mount the folder '/x': this runtime has no files; use RAMFileSystem",
    )
    await expect(entry.loadWorkspaceConfigFile('a.yaml')).rejects.toThrow("cannot read 'a.yaml': this runtime has no files")
  }
})

test('what needs a browser says so elsewhere', () => {
  for (const entry of [node, worker]) {
    expect(() => new entry.IndexedDBFileSystem()).toThrow("cannot mount the database 'mirage-files': this runtime has no IndexedDB")
  }
})
