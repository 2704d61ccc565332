import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ConfiguredWorkspace } from '../../../src/config/configured-workspace.ts'
import { workspaceOptions } from '../../../src/config/configured-workspace.ts'
import type { Mount } from '../../../src/fs/mount-table.ts'
import type { Session } from '../../../src/workspace.ts'
import { Workspace } from '../../../src/workspace.ts'
import { loadWorkspaceConfigFile } from '../config-file.ts'
import { DiskWorkspaceStateStore } from '../disk-state-store.ts'
import { HostFileSystem } from '../host-file-system.ts'
import { nodeFactories } from '../node-factories.ts'
import type { Settings } from './arguments.ts'

/** What a `Workspace` of the command line is built from. */
export interface WorkspacePlan {
  readonly mounts: ReadonlyMap<string, Mount>
  readonly options: ConfiguredWorkspace['options'] & { readonly workspaceId: string }
}

const DEFAULT_WORKSPACE = 'default'
const DEFAULT_SESSION = 'main'

/** Where state is kept when nothing says so. */
export function defaultRoot(): string {
  return join(homedir(), '.mirage/state')
}

/** Goes by the configuration file, if there is one, and the options that go over it. Makes the folder of the workspace's files. */
export async function planWorkspace(settings: Settings): Promise<WorkspacePlan> {
  const configured = settings.config === undefined ? null : workspaceOptions(await loadWorkspaceConfigFile(settings.config), nodeFactories)
  const workspaceId = settings.workspace ?? configured?.options.workspaceId ?? DEFAULT_WORKSPACE
  const root = settings.root ?? defaultRoot()
  const store = configured === null || settings.root !== undefined ? new DiskWorkspaceStateStore({ root }) : configured.options.store
  const mounts = new Map(configured?.mounts)
  for (const { prefix, folder, mode } of settings.mounts)
    mounts.set(prefix, { fs: new HostFileSystem({ root: folder }), mode: mode ?? 'write' })
  if (configured === null && !mounts.has('/'))
    mounts.set('/', { fs: new HostFileSystem({ root: filesFolder(root, workspaceId) }), mode: 'exec' })
  return {
    mounts,
    options: {
      env: new Map(),
      profiles: new Map(),
      ...configured?.options,
      workspaceId,
      store,
      ownsStore: true,
      ...(settings.session === undefined ? {} : { sessionId: settings.session }),
      ...(settings.profile === undefined ? {} : { profile: settings.profile }),
    },
  }
}

/** A workspace, and the session that lines run on. */
export interface OpenedWorkspace {
  readonly workspace: Workspace
  readonly session: Session
  /** Closes the workspace, and the file systems that were opened for it. */
  close(): Promise<void>
}

/** The workspace itself, and the session that lines run on: the one asked for, or the one that the store knows as the default. */
export async function openWorkspace(settings: Settings): Promise<OpenedWorkspace> {
  const { mounts, options } = await planWorkspace(settings)
  const known = await options.store
    .sessions(options.workspaceId)
    .metadata({ defaultSessionId: options.sessionId ?? DEFAULT_SESSION, createdAt: Date.now() })
  const workspace = new Workspace(mounts, options)
  const session = await workspace.session(options.sessionId ?? known.defaultSessionId)
  const close = async (): Promise<void> => {
    await workspace.close()
    for (const { fs } of mounts.values()) await fs.close()
  }
  return { workspace, session, close }
}

/** Where the files of a workspace without a mount for `/` are kept: beside its state, and private. */
function filesFolder(root: string, workspaceId: string): string {
  const folder = join(
    root,
    'files',
    encodeURIComponent(workspaceId).replace(/[!'()*.]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
  )
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const part of ['tmp', 'home/user']) mkdirSync(join(folder, part), { recursive: true })
  return folder
}
