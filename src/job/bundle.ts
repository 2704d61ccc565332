import { decode, encode } from '../bytes.ts'
import type { Host } from '../host.ts'
import { toBase64 } from '../shell/machine/base64.ts'
import type { CapturedOutput } from './captured-output.ts'
import type { NetChange } from './changes.ts'
import { netChanges } from './changes.ts'
import type { Attempt, CommandEnd, Enforcement, Executor } from './executor.ts'
import type { FailureKind, RunRecord, StagedChange, StageState } from './job-documents.ts'
import type { JobPlace } from './job-storage.ts'
import type { StagedMount } from './stage.ts'

/** `run-bundle.json`: what was run, how it ended, what it changed, and what kept it in bounds. */
export interface RunBundle {
  readonly schema_version: 4
  readonly generated_at_unix_ms: number
  readonly run: {
    readonly run_id: string
    readonly parent_run_id: string | null
    readonly task_id: string | null
    readonly attempt_id: string
    readonly session_id: string | null
    readonly name: string | null
    readonly agent: string | null
    readonly command: readonly string[]
    readonly command_line: boolean
    readonly executor: RunRecord['executor']
    readonly state: RunRecord['state']
    readonly started_at_unix_ms: number
    readonly finished_at_unix_ms: number | null
    readonly duration_ms: number | null
    readonly exit_code: number | null
    readonly failure: { readonly kind: FailureKind; readonly message: string; readonly retryable: boolean } | null
    readonly warnings: readonly string[]
    readonly output: {
      readonly stdout: string
      readonly stderr: string
      readonly stdout_truncated: boolean
      readonly stderr_truncated: boolean
    }
    readonly metrics: Readonly<Record<string, number>>
    readonly result_artifacts: readonly never[]
  }
  readonly lineage: RunRecord['lineage']
  readonly executor_observations: {
    readonly origin: 'executor'
    readonly enforcement: { readonly dimensions: Readonly<Record<string, Enforcement>> }
    readonly termination_signal: string | null
  }
  readonly safety: {
    readonly safe_profile_requested: false
    readonly host_process: boolean
    readonly filesystem_changes_staged: boolean
    readonly filesystem_non_bypassable: boolean
    readonly filesystem_read_non_bypassable: boolean
    readonly filesystem_write_non_bypassable: boolean
    readonly network_non_bypassable: boolean
    readonly warnings: readonly string[]
  }
  /** Null where nothing was staged. */
  readonly filesystem: BundleFiles | null
  readonly network: { readonly policy: null }
  readonly environment: RunRecord['environment']
  readonly resources: {
    readonly requested: RunRecord['resource_limits']
    readonly effective: RunRecord['resource_limits']
    readonly mechanisms: readonly string[]
    readonly limitations: readonly string[]
  }
  readonly agentctl: null
  readonly artifacts: readonly { readonly kind: string; readonly path: string }[]
}

export interface BundleFiles {
  readonly state: StageState
  readonly target: string
  /** Where the changed files are kept; null where they are not in a folder. */
  readonly upper: string | null
  readonly changed_files: number
  readonly whiteouts: number
  readonly root_overlay: false
  readonly excluded_paths: readonly string[]
  readonly access_policy: readonly string[]
  readonly sample_paths: readonly string[]
  readonly changes: readonly BundleChange[]
}

export interface BundleChange extends StagedChange {
  /** The bytes of a path that is not UTF-8, in base64. */
  readonly path_bytes?: string
}

/** What a bundle is made of. */
export interface BundleParts {
  readonly record: RunRecord
  readonly end: CommandEnd
  readonly captured: CapturedOutput
  readonly executor: Executor
  readonly attempt: Pick<Attempt, 'isStaged' | 'access'>
  readonly stage: ReadonlyMap<string, StagedMount> | null
  readonly place: JobPlace
  readonly host: Host
}

export async function bundleOf({ record, end, captured, executor, attempt, stage, place, host }: BundleParts): Promise<RunBundle> {
  const dimensions = executor.enforcement(attempt)
  const isEnforced = (name: string): boolean => dimensions[name]?.level === 'enforced'
  const finishedAt = record.finished_at_unix_ms
  return {
    schema_version: 4,
    generated_at_unix_ms: Math.round(host.now()),
    run: {
      run_id: record.run_id,
      parent_run_id: record.parent_run_id,
      task_id: record.task_id,
      attempt_id: record.attempt_id,
      session_id: record.session_id,
      name: record.name,
      agent: record.agent,
      command: record.command,
      command_line: record.command_line,
      executor: record.executor,
      state: record.state,
      started_at_unix_ms: record.started_at_unix_ms,
      finished_at_unix_ms: finishedAt,
      duration_ms: finishedAt === null ? null : Math.max(0, finishedAt - record.started_at_unix_ms),
      exit_code: end.exitCode,
      failure: end.failure === null ? null : { ...end.failure, retryable: end.failure.kind === 'infrastructure' },
      warnings: end.warnings,
      output: {
        stdout: decode(captured.bytes('stdout')),
        stderr: decode(captured.bytes('stderr')),
        stdout_truncated: captured.isTruncated('stdout'),
        stderr_truncated: captured.isTruncated('stderr'),
      },
      metrics: {},
      result_artifacts: [],
    },
    lineage: record.lineage,
    executor_observations: { origin: 'executor', enforcement: { dimensions }, termination_signal: end.signal },
    safety: {
      safe_profile_requested: false,
      host_process: executor.name === 'host',
      filesystem_changes_staged: attempt.isStaged,
      filesystem_non_bypassable: isEnforced('filesystem_read') && isEnforced('filesystem_write'),
      filesystem_read_non_bypassable: isEnforced('filesystem_read'),
      filesystem_write_non_bypassable: isEnforced('filesystem_write'),
      network_non_bypassable: isEnforced('network'),
      warnings: safetyWarnings(executor, attempt.isStaged),
    },
    filesystem:
      stage === null
        ? null
        : bundleFiles(
            place,
            record.workspace,
            'staged',
            await netChanges(stage),
            attempt.access.map(({ glob, effect }) => `${glob}:${effect}`),
          ),
    network: { policy: null },
    environment: record.environment,
    resources: {
      requested: record.resource_limits,
      effective: record.resource_limits,
      mechanisms: record.resource_limits.timeout_ms === null ? [] : ['timer of whoever runs the Job'],
      limitations: executor.name === 'host' ? ['memory, processor and files of a process of the host are not limited'] : [],
    },
    agentctl: null,
    artifacts: [{ kind: 'run_record', path: 'run.json' }, ...(stage === null ? [] : [{ kind: 'stage_record', path: 'stage.json' }])],
  }
}

/** What the person who decides about the changes should know of what kept the command in bounds. */
function safetyWarnings(executor: Executor, isStaged: boolean): readonly string[] {
  const warnings: string[] = []
  if (!isStaged) warnings.push('nothing was staged: changes were made at once')
  if (executor.name === 'host') warnings.push('a process of the host can reach files outside of its folder, and the network')
  return warnings
}

const SAMPLES = 32

/** What a bundle says of a stage. */
export function bundleFiles(
  place: JobPlace,
  target: string,
  state: StageState,
  changes: readonly NetChange[],
  access: readonly string[],
): BundleFiles {
  const whiteouts = changes.filter(({ kind }) => kind === 'deleted').length
  return {
    state,
    target,
    upper: place.upper === undefined || place.location === undefined ? null : `${place.location}/upper`,
    changed_files: changes.length - whiteouts,
    whiteouts,
    root_overlay: false,
    excluded_paths: [],
    access_policy: access,
    sample_paths: changes.slice(0, SAMPLES).map(({ path }) => path),
    changes: changes.map(({ path, kind, old_type, new_type, size_bytes, mode }) => ({
      ...pathOf(path),
      kind,
      ...(old_type && { old_type }),
      ...(new_type && { new_type }),
      ...(size_bytes !== undefined && { size_bytes }),
      ...(mode !== undefined && { mode }),
    })),
  }
}

/** A path that is not UTF-8 is readable in `path`, and exact in `path_bytes`. */
function pathOf(path: string): Pick<BundleChange, 'path' | 'path_bytes'> {
  if (!/[\udc80-\udcff]/.test(path.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))) return { path }
  return { path: path.replace(/[\udc80-\udcff]/g, '\ufffd'), path_bytes: toBase64(encode(path)) }
}
