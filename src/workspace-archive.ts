import { WorkspaceError } from './errors.ts'
import type { FileSystem } from './fs/file-system.ts'
import { drive } from './fs/maybe.ts'
import { RAMFileSystem } from './fs/memory.ts'
import { randomId, webHost } from './host.ts'
import { folderOf, readArchive } from './job/archive.ts'
import { entriesToFiles } from './job/archive-files.ts'
import { restoreContent } from './job/content-restore.ts'
import { writeState } from './job/workspace-state.ts'
import { entriesOf, invalid } from './option-checks.ts'
import { RAMWorkspaceStateStore } from './state/ram-state-store.ts'
import type { MountSpec, WorkspaceOptions } from './workspace-options.ts'
import { checkWorkspaceOptions, mountOf } from './workspace-options.ts'

/** How a workspace is made of an archive: what the archive doesn't hold, such as profiles and commands, is given as for any workspace. */
export interface LoadOptions extends WorkspaceOptions {
  /**
   * File systems by prefix. Where the archive has a mount, its files go into this one, which must be empty; in memory where none is given. Others are
   * mounted as they are.
   */
  readonly mounts?: Readonly<Record<string, MountSpec>> | ReadonlyMap<string, MountSpec>
}

/** What `Workspace` is constructed with. */
export interface WorkspaceArguments {
  readonly mounts: ReadonlyMap<string, MountSpec>
  readonly options: WorkspaceOptions
}

/** Brings what an archive holds to its places, and gives what makes a workspace of it. */
export async function loadArchive(bytes: Uint8Array, { mounts: given, ...options }: LoadOptions): Promise<WorkspaceArguments> {
  if (!(bytes instanceof Uint8Array)) throw invalid('an archive', bytes, 'the bytes that snapshot() gave')
  checkWorkspaceOptions(options)
  const { mounts: archived, state, files } = await readArchive(bytes)
  const host = options.host ?? webHost
  const mounts = new Map<string, MountSpec>(entriesOf(given))
  const targets: { readonly from: RAMFileSystem; readonly to: FileSystem }[] = []
  for (const [prefix, mode] of archived) {
    const folder = folderOf(prefix)
    const from = entriesToFiles(
      files.filter(({ name }) => name === folder || name.startsWith(`${folder}/`)),
      folder,
    )
    const spec = mounts.get(prefix)
    const mount = spec === undefined ? { fs: new RAMFileSystem({ host }), mode } : mountOf(prefix, spec, options.mode ?? mode)
    mounts.set(prefix, mount)
    if ((await mount.fs.readdir('/')).length > 0)
      throw new WorkspaceError('EEXIST', `mount "${prefix}" holds files already: an archive is loaded into an empty one`)
    targets.push({ from, to: mount.fs })
  }
  const store = options.store ?? new RAMWorkspaceStateStore()
  const workspaceId = options.workspaceId ?? randomId(host, 16)
  await writeState(store, workspaceId, state, host.now())
  for (const { from, to } of targets) {
    if (to instanceof RAMFileSystem) to.restore(from.snapshot())
    else await drive(restoreContent(from, to))
    await to.sync()
  }
  return {
    mounts,
    options: { ...options, workspaceId, store, ownsStore: options.ownsStore ?? options.store === undefined },
  }
}
