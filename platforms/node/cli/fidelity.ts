import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'
import { storedJobs } from '../../../src/job/stored-jobs.ts'
import type { Adapter } from '../../../src/replay/adapter.ts'
import { adapterFor } from '../../../src/replay/adapters.ts'
import type { ObservationCounts } from '../../../src/replay/documents.ts'
import { trajectoryFault } from '../../../src/replay/fault.ts'
import { storedReplay } from '../../../src/replay/place.ts'
import { reachable } from '../../../src/replay/reachable.ts'
import { replay } from '../../../src/replay/replay.ts'
import type { ReplayProgress } from '../../../src/replay/request.ts'
import { TrajectorySource } from '../../../src/replay/source.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { HostFileSystem } from '../host-file-system.ts'
import { contextOfFolder } from './job-workspace.ts'
import { isMountPoint, replayWorkspace } from './replay-jobs.ts'

/** What came of the calls of one trajectory. */
export interface Fidelity {
  readonly agent: string
  readonly version: string
  /** Complete steps, and how many of them were replayed. */
  readonly steps: number
  readonly replayed: number
  readonly calls: number
  readonly counts: ObservationCounts
  /** Why the rest was not replayed; null where there is none. */
  readonly stopped: string | null
}

export interface FidelityOptions {
  /** Which one, of a file that holds several. */
  readonly sample: string | undefined
  /** The folder that the calls work on, staged in memory; null: none. */
  readonly workspace: string | null
  readonly callTimeoutMs: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: ReplayProgress) => void
}

/** Where the files are of an agent that doesn't tell: apart from what every workspace has in its root. */
const ELSEWHERE = '/workspace'
/** What `sample` may be for a file; undefined alone where it holds one. Throws a ReplayFault where it can't be read. */
export async function samplesIn(bytes: Uint8Array): Promise<readonly (string | undefined)[]> {
  const source = new TrajectorySource(bytes)
  const names = (await (await adapterFor('auto', source)).samples?.(source)) ?? []
  return names.length < 2 ? [undefined] : names
}

/** Replays a trajectory as far as it can be, in memory. Throws a ReplayFault where it can't be read, or the replay fails. */
export async function fidelityOf(bytes: Uint8Array, options: FidelityOptions): Promise<Fidelity> {
  const { workspace, callTimeoutMs, signal, onProgress } = options
  const source = new TrajectorySource(bytes)
  const adapter: Adapter = await adapterFor('auto', source)
  const chosen = { acceptVersion: 'any', ...(options.sample !== undefined && { sample: options.sample }) }
  const trajectory = await adapter.read(source, chosen)
  const steps = trajectory.batches.length
  const { last, stopped } = reachable(trajectory)
  const found = { agent: adapter.agent, version: trajectory.version, steps, replayed: last, stopped }
  if (last === 0) {
    if (stopped === null) throw trajectoryFault('there is no complete step in it: no turn with calls and all of their observations')
    return { ...found, calls: 0, counts: NONE }
  }
  const recorded = trajectory.directory
  const directory = recorded !== null && isMountPoint(recorded) ? recorded : ELSEWHERE
  const store = new MemoryStore()
  const files: FileSystem = workspace === null ? new RAMFileSystem() : new HostFileSystem({ root: workspace })
  try {
    const { report, fault } = await replay(
      {
        host: webHost,
        place: (runId) => storedReplay(store, runId),
        jobs: () => contextOfFolder(replayWorkspace(workspace ?? '/', directory, 'machine'), storedJobs(store), 'machine', null, files),
      },
      {
        ...chosen,
        agent: adapter.agent,
        trajectory: bytes,
        afterStep: last,
        mode: 'replay',
        directory,
        allowStaleObservations: true,
        callTimeoutMs,
        signal,
        onProgress,
      },
    )
    if (fault !== null) throw fault
    if (report === null) throw trajectoryFault('nothing was run')
    return { ...found, calls: report.steps.reduce((sum, { calls }) => sum + calls.length, 0), counts: report.counts }
  } finally {
    store.close()
    await files.close()
  }
}

const NONE: ObservationCounts = { exact: 0, differs: 0, unsupported: 0, stale: 0, missing_commands: {} }
