import { WorkspaceError } from '../errors.ts'
import { readOnly } from '../fs/read-only.ts'
import type { MaybePromise } from '../host.ts'
import { inputOf } from './active-job.ts'
import { CapturedOutput } from './captured-output.ts'
import type { JobCore } from './job-core.ts'
import { withStoppedJob } from './job-core.ts'
import { checkCommand } from './job-options.ts'
import { executorOf } from './run-job.ts'
import type { JobMount, StagedMount } from './stage.ts'
import { stageAt } from './stored-checkpoints.ts'

export interface InspectOptions {
  /** Over the files as they were at this checkpoint: its id, or the beginning of that. */
  readonly checkpoint?: string
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
  readonly signal?: AbortSignal
}

/** How an inspection's command ended; up to 1 MiB of each stream is kept. */
export interface Inspection {
  /** 1 where it ended without one. */
  readonly exitCode: number
  /** The signal that ended it, such as SIGKILL; null where none did. */
  readonly signal: string | null
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** Runs a command over a stage's merged view, by the Job's own executor; whatever it changes is thrown away or refused. EIO where it can't be started. */
export function inspectJob(core: JobCore, command: string | readonly string[], options: InspectOptions = {}): Promise<Inspection> {
  checkCommand(command)
  return withStoppedJob(core, async ({ executor }) =>
    inspectStage(core, await stageAt(core, options.checkpoint), executor.name, command, options),
  )
}

/** As {@link inspectJob}, over a stage at hand. */
export async function inspectStage(
  core: JobCore,
  stage: ReadonlyMap<string, StagedMount>,
  executorName: string,
  command: string | readonly string[],
  options: InspectOptions,
): Promise<Inspection> {
  const { context } = core
  const executor = executorOf(context, executorName)
  const mounts = new Map<string, JobMount>()
  for (const { prefix, fs, mode } of context.mounts()) {
    const staged = stage.get(prefix)
    mounts.set(prefix, { mode, fs: readOnly(staged?.overlay ?? fs), staged: staged ?? null })
  }
  const captured = new CapturedOutput()
  const running = await executor.start({
    jobId: core.id,
    command,
    mounts,
    isStaged: true,
    purpose: 'inspect',
    fields: await context.fields({}),
    access: [],
    stdin: inputOf(options.stdin),
    output: (bytes, stream) => {
      captured.add(bytes, stream)
      return options.onOutput?.(bytes, stream)
    },
    execution: null,
    startsPaused: false,
  })
  const kill = (): void => running.kill()
  options.signal?.addEventListener('abort', kill, { once: true })
  try {
    const { exitCode, signal, failure } = await running.ended
    if (failure !== null) throw new WorkspaceError('EIO', failure.message)
    return { exitCode: exitCode ?? 1, signal, stdout: captured.bytes('stdout'), stderr: captured.bytes('stderr') }
  } finally {
    options.signal?.removeEventListener('abort', kill)
  }
}
