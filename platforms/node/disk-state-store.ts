import os from 'node:os'
import path from 'node:path'
import { WorkspaceError } from '../../src/errors.ts'
import type { DiskStateStoreOptions } from '../../src/state/disk-state-store.ts'
import { DISK_OPTION_NAMES } from '../../src/state/disk-state-store.ts'
import { overridesFrom } from '../../src/state/state-store-overrides.ts'
import { StoredStateStore } from '../../src/state/stored-state-store.ts'
import { DiskStore } from './disk-store.ts'

const DEFAULT_ROOT = '~/.mirage/state'

/**
 * Keeps the state in files: `{root}/workspaces/{workspace}/workspace.json`, `sessions/{session}.json`, `history/{session}/{number}.jsonl`,
 * ids percent-encoded. Any number of processes may share a root.
 */
export class DiskWorkspaceStateStore extends StoredStateStore {
  /** Touches nothing yet. `root` is `~/.mirage/state` when left out. CONFIG_INVALID for an unknown option, CAPABILITY_UNSUPPORTED where a `backend` is named. */
  constructor(options: DiskStateStoreOptions = {}) {
    overridesFrom(options, 'DiskWorkspaceStateStore', DISK_OPTION_NAMES)
    if (options.backend !== undefined) throw noBackend(options.backend)
    super(new DiskStore(expandHome(options.root ?? DEFAULT_ROOT)), options)
  }
}

function noBackend(backend: string): WorkspaceError {
  const text = `cannot keep the state with backend '${backend}': this runtime keeps it in files, and only browsers have a choice; leave backend out`
  return new WorkspaceError('CAPABILITY_UNSUPPORTED', text)
}

function expandHome(root: string): string {
  return root === '~' || root.startsWith('~/') ? path.join(os.homedir(), root.slice(1)) : root
}
