import type { WorkspaceConfig } from './config/workspace-config.ts'
import { WorkspaceError } from './errors.ts'
import type { Executor } from './job/executor.ts'

// What only a machine with files has, under the same names, so that one program text loads in every runtime and fails where it must.

/** Stands for the folder of a machine. Here its constructor fails with CAPABILITY_UNSUPPORTED; Node, Deno and Bun have the real one. */
export class HostFileSystem {
  constructor(options: { readonly root: string }) {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `cannot mount the folder '${options.root}': this runtime has no files; use IndexedDBFileSystem, OPFSFileSystem or FolderFileSystem in a browser, DurableObjectFileSystem or R2FileSystem in a Cloudflare worker, or RAMFileSystem`,
    )
  }
}

/** Fails with CAPABILITY_UNSUPPORTED; Node, Deno and Bun have the real one. `loadWorkspaceConfig` reads a text anywhere. */
export function loadWorkspaceConfigFile(path: string): Promise<WorkspaceConfig> {
  return Promise.reject(
    new WorkspaceError('CAPABILITY_UNSUPPORTED', `cannot read '${path}': this runtime has no files; give the text to loadWorkspaceConfig`),
  )
}

/** Fails with CAPABILITY_UNSUPPORTED; Node, Deno and Bun have the real one. */
export function hostExecutor(): Executor {
  throw new WorkspaceError(
    'CAPABILITY_UNSUPPORTED',
    'this runtime has no processes; leave executors.host out: Jobs run in the shell of the workspace, the executor "machine"',
  )
}
