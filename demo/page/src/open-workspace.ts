import type { MountSpec, WorkspaceOptions } from 'mirage-runtime'
import { DiskWorkspaceStateStore, errorText, IndexedDBFileSystem, RAMFileSystem, RAMWorkspaceStateStore, Workspace } from 'mirage-runtime'

/** The workspace of this page. */
export interface OpenedWorkspace {
  readonly workspace: Workspace
  /** Null where everything outlives the page; otherwise why nothing does. */
  readonly refusal: string | null
}

export const HOME = '/home/user'
const ENVIRONMENT = { LANG: 'C.UTF-8', TERM: 'xterm-256color' } as const

/** Opens the workspace that lives in the browser's disk, or where the browser refuses that, one in memory. */
export async function openWorkspace(): Promise<OpenedWorkspace> {
  const files = new IndexedDBFileSystem({ root: 'mirage-page-files' })
  try {
    await files.stat('/')
  } catch (error) {
    await Promise.resolve(files.close()).catch(() => undefined)
    return { workspace: open({ '/': new RAMFileSystem() }, new RAMWorkspaceStateStore()), refusal: errorText(error) }
  }
  const temporary = new IndexedDBFileSystem({ root: 'mirage-page-tmp' })
  return { workspace: open({ '/': files, '/tmp': temporary }, new DiskWorkspaceStateStore({ root: 'mirage-page' })), refusal: null }
}

function open(mounts: Readonly<Record<string, MountSpec>>, store: NonNullable<WorkspaceOptions['store']>): Workspace {
  return new Workspace(mounts, { workspaceId: 'page', store, ownsStore: true, env: ENVIRONMENT })
}
