import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { checkNames, checkText, invalid } from '../option-checks.ts'

/** What a Job runs, and how. */
export interface JobOptions {
  /** A line of shell, or a program and its arguments. */
  readonly command: string | readonly string[]
  /** Changes go to a stage, where they wait for `apply`; false when left out: they are made at once. */
  readonly stage?: boolean
  /** `machine`: the workspace's own shell; `host`: a process of the machine (Node, Deno, Bun; a workspace needs the option `executors`). `machine` when left out. */
  readonly executor?: 'machine' | 'host'
  readonly name?: string
  /** Milliseconds after which the command is ended. */
  readonly timeoutMs?: number
  /** Milliseconds after which the Job suspends itself; `resume` goes on with it. With 0 it is suspended before its first command. For the machine only. */
  readonly suspendAfterMs?: number
  /** Working directory, a path of the workspace; that of a new session when left out. */
  readonly cwd?: string
  /** Exported variables, besides the workspace's and the profile's. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** Name of a profile of the workspace. */
  readonly profile?: string
  /** Paths that the command may not use, as `GLOB:deny`. */
  readonly access?: readonly string[]
  /** What it reads: text, bytes, or chunks as they come. Nothing when left out. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Gets output as it comes; a promise holds the writer back. */
  readonly onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
  /** False keeps no output in the Job's bundle, else up to 1 MiB of each stream is. */
  readonly captureOutput?: boolean
  /** Ends the command when it fires, as `kill` does. */
  readonly signal?: AbortSignal
  /** Id of the Job; a new one when left out. EEXIST where there is such a Job. */
  readonly id?: string
}

const KEYS: readonly string[] = [
  'command',
  'stage',
  'executor',
  'name',
  'timeoutMs',
  'suspendAfterMs',
  'cwd',
  'env',
  'profile',
  'access',
  'stdin',
  'onOutput',
  'captureOutput',
  'signal',
  'id',
]

/** CONFIG_INVALID for an option that is unknown or can't be, CAPABILITY_UNSUPPORTED for an executor that there can't be. */
export function checkJobOptions(options: JobOptions): void {
  checkNames(options, KEYS, 'Job options')
  checkCommand(options.command)
  const { executor, timeoutMs, suspendAfterMs } = options
  if ((executor as string) === 'vm' || (executor as string) === 'container')
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `executor "${executor}": there are no virtual machines or containers here; use "machine", which can be suspended, or "host"`,
    )
  if (executor !== undefined && executor !== 'machine' && executor !== 'host') throw invalid('executor', executor, '"machine" or "host"')
  checkText(options.name, 'name')
  checkText(options.profile, 'profile')
  for (const [key, value] of [
    ['timeoutMs', timeoutMs],
    ['suspendAfterMs', suspendAfterMs],
  ] as const)
    if (value !== undefined && !(typeof value === 'number' && value >= 0)) throw invalid(key, value, 'a number of milliseconds')
  if (options.id !== undefined && !/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/.test(options.id))
    throw invalid('id', options.id, 'up to 128 letters, digits, dots, dashes and underscores, not beginning with a dot')
}

/** CONFIG_INVALID for what is no command. */
export function checkCommand(command: unknown): void {
  const isSuch =
    typeof command === 'string'
      ? command.trim() !== ''
      : Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string') && command[0] !== ''
  if (!isSuch) throw invalid('command', command, 'a line of shell, or a list of a program and its arguments')
}
