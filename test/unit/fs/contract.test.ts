import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { ObjectFileSystem } from '../../../src/fs/object-file-system.ts'
import { OverlayFileSystem } from '../../../src/fs/overlay.ts'
import { RecordFileSystem } from '../../../src/fs/record-file-system.ts'
import { guard } from '../../../src/policy/guard.ts'
import type { SessionRules } from '../../../src/state/session-fields.ts'
import { fileSystemCases } from '../../contract/file-system.ts'
import { MemoryObjects } from '../../contract/memory-objects.ts'
import { MemoryRecords } from '../../contract/memory-records.ts'
import { later } from './later.ts'

const roots: string[] = []

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true })
})

function hostFileSystem(): FileSystem {
  const root = mkdtempSync(join(tmpdir(), 'mirage-fs-'))
  roots.push(root)
  return new HostFileSystem({ root })
}

const noRules: SessionRules = { profile: null, mountModes: new Map(), paths: { hide: [], deny: [] }, commands: { allow: null, deny: [] } }
/** Rules that are about nothing in the cases. */
const idleRules: SessionRules = { ...noRules, mountModes: new Map([['/ro', 'read']]), paths: { hide: ['/hidden/x'], deny: ['/denied'] } }

const subjects: Record<string, () => FileSystem> = {
  RAM: () => new RAMFileSystem(),
  'RAM, kept by a snapshot at each step': () => snapshotting(new RAMFileSystem()),
  'mount table over RAM': () => new MountTable(),
  'mount table with mounts beside': () => new MountTable([['/', { fs: new RAMFileSystem(), mode: 'write' }]]),
  'guard without rules': () => guard(new RAMFileSystem(), noRules),
  'guard with rules about something else': () => guard(new RAMFileSystem(), idleRules),
  'overlay over RAM': () => new OverlayFileSystem({ lower: new RAMFileSystem() }),
  'overlay over a late RAM': () => new OverlayFileSystem({ lower: later(new RAMFileSystem()) }),
  'mount table over a late RAM': () => new MountTable([['/', { fs: later(new RAMFileSystem()), mode: 'write' }]]),
  'host folder': hostFileSystem,
  records: () => new RecordFileSystem(new MemoryRecords()),
  'late records': () => new RecordFileSystem(new MemoryRecords({ late: true })),
  objects: () => new ObjectFileSystem(new MemoryObjects()),
  'objects that nothing is remembered of': () => new ObjectFileSystem(new MemoryObjects(), { listingTtl: 0 }),
  'objects, gathered as if all files stayed open': () => gathering(new ObjectFileSystem(new MemoryObjects({ partBytes: 5000 }))),
  'objects, closed after each change': () => gathering(new ObjectFileSystem(new MemoryObjects({ partBytes: 5000 })), true),
}

/** A file system whose files are open for writing while they are changed, or from their first change on. */
function gathering(fs: ObjectFileSystem, closes = false): FileSystem {
  const around =
    <A extends readonly unknown[]>(change: (path: string, ...rest: A) => Promise<void>) =>
    async (path: string, ...rest: A): Promise<void> => {
      const end = fs.gather(path)
      try {
        await change.call(fs, path, ...rest)
      } finally {
        if (closes) end()
      }
    }
  const own = { write: around(fs.write), append: around(fs.append), writeAt: around(fs.writeAt), truncate: around(fs.truncate) }
  return new Proxy<FileSystem>(fs, {
    get(_, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(fs, name)
      return typeof value === 'function' ? value.bind(fs) : value
    },
  })
}

for (const [name, open] of Object.entries(subjects)) {
  describe(name, () => {
    const { capabilities } = open()
    for (const { name, needs, run } of fileSystemCases) {
      const lacking = needs?.find((need) => !capabilities[need])
      test.skipIf(lacking !== undefined)(lacking === undefined ? name : `${name} (lacks ${lacking})`, async () => {
        const fs = open()
        try {
          await run({ fs })
        } finally {
          await fs.close()
        }
      })
    }
  })
}

describe('links followed over RAM', () => {
  for (const { name, needs, run } of fileSystemCases.filter(
    ({ name }) => !/link (on the way|at the end)|hard link to a symbolic/.test(name),
  )) {
    test(name, async () => run({ fs: followLinks(new RAMFileSystem()) }))
    void needs
  }
})

/** Takes a snapshot before each operation, so that nothing is ever changed in place. */
function snapshotting(fs: RAMFileSystem): FileSystem {
  return new Proxy(fs, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        target.snapshot()
        return value.apply(target, args)
      }
    },
  })
}
