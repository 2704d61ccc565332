import { devices } from './fs/devices.ts'
import type { FileSystem } from './fs/file-system.ts'
import { RAMFileSystem } from './fs/memory.ts'
import type { Mount } from './fs/mount-table.ts'
import { MountTable } from './fs/mount-table.ts'
import { programs } from './fs/programs.ts'
import type { Host } from './host.ts'
import { isPromise } from './host.ts'
import { INTERNAL_COMMANDS } from './shell/builtins/internal-commands.ts'

/** The mounts of a workspace: those that are given, and what every workspace has where they leave it out. */
export function mountWorkspace(given: ReadonlyMap<string, Mount>, host: Host, commands: Iterable<string>): MountTable {
  const mounts = new Map(given)
  const root = given.get('/')
  if (root === undefined) mounts.set('/', { fs: emptyRoot(), mode: 'write' })
  else if (!mounts.has('/tmp') && (root.mode === 'read' || !hasDirectory(root.fs, '/tmp')))
    mounts.set('/tmp', { fs: emptyTmp(), mode: 'write' })
  if (!mounts.has('/dev')) mounts.set('/dev', { fs: devices(host), mode: 'write' })
  const bin: Mount = { fs: programs([...commands, ...INTERNAL_COMMANDS.keys()], host), mode: 'exec' }
  for (const prefix of ['/usr/bin', '/bin']) if (!mounts.has(prefix)) mounts.set(prefix, bin)
  return new MountTable(mounts)
}

function emptyRoot(): RAMFileSystem {
  const root = new RAMFileSystem()
  root.mkdir('/tmp', 0o1777)
  root.setattr('/tmp', { mode: 0o1777 })
  root.mkdir('/home')
  root.mkdir('/home/user')
  return root
}

function emptyTmp(): RAMFileSystem {
  const tmp = new RAMFileSystem()
  tmp.setattr('/', { mode: 0o1777 })
  return tmp
}

/** True where the file system says so at once. */
function hasDirectory(fs: FileSystem, path: string): boolean {
  try {
    const stat = fs.stat(path)
    if (!isPromise(stat)) return stat.type === 'directory'
    stat.catch(() => undefined)
  } catch {
    // It is not there, or it is a link, which may lead anywhere.
  }
  return false
}
