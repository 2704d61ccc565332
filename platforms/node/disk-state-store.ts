import os from 'node:os'
import path from 'node:path'
import type { DiskStateStoreOptions } from '../../src/state/disk-state-store.ts'
import type { HistoryLog } from '../../src/state/history.ts'
import type { SessionTable, StateStoreOverrides, WorkspaceStateStore } from '../../src/state/state-store.ts'
import { closeOverrides, overridesFrom } from '../../src/state/state-store-overrides.ts'
import { StoredHistoryLog } from '../../src/state/stored-history-log.ts'
import { StoredSessionTable } from '../../src/state/stored-sessions.ts'
import { DiskStore } from './disk-store.ts'

const DEFAULT_ROOT = '~/.mirage/state'

/**
 * Keeps the state in files: `{root}/workspaces/{workspace}/workspace.json`, `sessions/{session}.json`, `history/{session}/{number}.jsonl`,
 * ids percent-encoded. Any number of processes may share a root.
 */
export class DiskWorkspaceStateStore implements WorkspaceStateStore {
  readonly #overrides: StateStoreOverrides
  readonly #store: DiskStore
  readonly #logs = new Map<string, StoredHistoryLog>()

  /** Touches nothing yet. `root` is `~/.mirage/state` when left out. */
  constructor(options: DiskStateStoreOptions = {}) {
    this.#overrides = overridesFrom(options)
    this.#store = new DiskStore(expandHome(options.root ?? DEFAULT_ROOT))
  }

  sessions(workspaceId: string): SessionTable {
    return this.#overrides.workspace?.sessions(workspaceId) ?? new StoredSessionTable(this.#store, workspaceId, this.#log(workspaceId))
  }

  history(workspaceId: string): HistoryLog {
    return this.#overrides.observer?.history(workspaceId) ?? this.#log(workspaceId)
  }

  async close(): Promise<void> {
    try {
      await closeOverrides(this.#overrides)
    } finally {
      this.#store.close()
    }
  }

  #log(workspaceId: string): StoredHistoryLog {
    let log = this.#logs.get(workspaceId)
    if (log === undefined) {
      log = new StoredHistoryLog(this.#store, workspaceId)
      this.#logs.set(workspaceId, log)
    }
    return log
  }
}

function expandHome(root: string): string {
  return root === '~' || root.startsWith('~/') ? path.join(os.homedir(), root.slice(1)) : root
}
