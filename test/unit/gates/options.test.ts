import { expect, test } from 'vitest'
import * as browser from '../../../platforms/browser/index.ts'
import * as node from '../../../platforms/node/index.ts'
import * as worker from '../../../platforms/worker/index.ts'
import * as withoutBrowser from '../../../src/without-browser.ts'
import * as withoutFiles from '../../../src/without-files.ts'

/** Options that every class takes which has some, and what goes before them. */
const TAKEN: Readonly<Record<string, { readonly before?: readonly unknown[]; readonly options: object }>> = {
  DenoKVWorkspaceStateStore: { options: { kv: { atomic: () => undefined } } },
  DiskWorkspaceStateStore: { options: { root: 'state' } },
  DurableObjectWorkspaceStateStore: { before: [{}], options: {} },
  FolderFileSystem: { options: { handle: { kind: 'directory', name: 'x' } } },
  HostFileSystem: { options: { root: '/' } },
  IndexedDBFileSystem: { options: { root: 'files' } },
  OPFSFileSystem: { options: { root: 'files' } },
  OverlayFileSystem: { options: { lower: new node.RAMFileSystem() } },
  R2FileSystem: { options: { bucket: {} } },
  RAMFileSystem: { options: {} },
  RAMWorkspaceStateStore: { options: {} },
  RedisFileSystem: { options: { url: 'https://redis.example.com', token: 't' } },
  RedisWorkspaceStateStore: { options: { url: 'https://redis.example.com', token: 't' } },
  S3FileSystem: { options: { bucket: 'logs' } },
  S3WorkspaceStateStore: { options: { bucket: 'agent-state' } },
  Workspace: { before: [{}], options: {} },
}
/** Errors, and what takes no options. */
const WITHOUT: readonly string[] = ['BrokenPipe', 'ConfigError', 'DurableObjectFileSystem', 'FileSystemError', 'LinkMet', 'WorkspaceError']
/** Those that stand for a class of another runtime refuse everything. */
const absent: ReadonlySet<unknown> = new Set([...Object.values(withoutBrowser), ...Object.values(withoutFiles)])

for (const [entry, exported] of Object.entries({ node, browser, worker })) {
  const classes = Object.entries(exported).filter(([, value]) => /^class\b/.test(String(value)))
  test.each(classes)(`%s of ${entry} names an option that it doesn't know, and takes those that it does`, (name, found) => {
    if (WITHOUT.includes(name) || absent.has(found)) return
    const { before = [], options } = TAKEN[name] ?? {}
    const make = (more: object): unknown => Reflect.construct(found as new () => unknown, [...before, { ...options, ...more }])
    expect(() => make({ nonsense: 1 })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(/: unknown key "nonsense"; there are \w+/) }),
    )
    if (name !== 'OPFSFileSystem') make({})
  })
}
