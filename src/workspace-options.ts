import type { TerminalMode, TerminalSize } from './commands/command.ts'
import type { CommandSource, CommandTable } from './commands/registry.ts'
import type { FileSystem } from './fs/file-system.ts'
import type { Mount, MountMode } from './fs/mount-table.ts'
import type { Host, MaybePromise } from './host.ts'
import type { Executor } from './job/executor.ts'
import { checkMode, checkNames, checkText, entriesOf, invalid, variableEntries } from './option-checks.ts'
import type { Profile } from './profile.ts'
import { rulesOf } from './profile.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import { DEFAULT_LIMITS } from './shell/machine/machine.ts'
import type { WorkspaceStateStore } from './state/state-store.ts'

export interface WorkspaceOptions {
  /**
   * Mode of mounts that name none; `write`. `exec` is `write` for files that the shell itself runs: scripts need only be readable and
   * have their x bit. It adds the right to run programs of another kind from the mount, for interpreters that a host brings.
   */
  readonly mode?: MountMode
  /** What sessions and history are kept under; a new one when left out. */
  readonly workspaceId?: string
  /** Where sessions and history live; in memory when left out. */
  readonly store?: WorkspaceStateStore
  /** Whether `close()` closes the store; false for a store that is given. */
  readonly ownsStore?: boolean
  /** Id of the default session; the one the store knows, or a new one, when left out. */
  readonly sessionId?: string
  /** Who works here: stamped on history. */
  readonly agentId?: string
  /** Named sets of rules and first values for sessions. */
  readonly profiles?: Readonly<Record<string, Profile>> | ReadonlyMap<string, Profile>
  /** Profile of sessions that are made without one. */
  readonly profile?: string
  /** Exported variables of new sessions. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** Commands besides, or instead of, the standard ones. */
  readonly commands?: Readonly<Record<string, CommandSource>> | CommandTable
  readonly host?: Host
  readonly limits?: WorkspaceLimits
  /** What runs the commands of Jobs besides the workspace's own shell: `{ host: hostExecutor() }` on Node, Deno and Bun. */
  readonly executors?: Readonly<Record<'host', Executor>>
}

/** What can be mounted: a file system, with a mode of its own or the workspace's. */
export type MountSpec = FileSystem | readonly [FileSystem, MountMode] | Mount

/** Limits of a workspace; what is left out has a default that ordinary work never meets. Infinity lifts one. */
export interface WorkspaceLimits extends Partial<MachineLimits> {
  /** Bytes of output, both streams together, that the result of a line may hold; 256 MiB. */
  readonly outputBytes?: number
}

/** How a session is made. */
export interface SessionOptions {
  /** Name of a profile, or a profile itself. */
  readonly profile?: string | Profile
  /** Working directory it starts in: an absolute path. */
  readonly cwd?: string
  /** Exported variables it starts with, besides the workspace's and the profile's. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
}

export interface ShellOptions {
  /** Session the line runs on; the default one when left out. */
  readonly sessionId?: string
  /**
   * Working directory of this line alone, from the session's own where it is relative: the line runs on a copy of the session's shell,
   * and nothing it changes there stays, its background jobs apart. ENOENT, ENOTDIR or EACCES where it is no directory of the session.
   */
  readonly cwd?: string
  /** Exported variables of this line alone; as with `cwd`, nothing the line changes in the session stays. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** `$0`, `$1` … of this line alone, as `bash -c LINE` takes them from what follows the line. */
  readonly args?: readonly string[]
  /** What the line reads: text, bytes, or chunks as they come. Nothing when left out. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  /**
   * Ends the line when it fires: the call rejects with an AbortError whose cause is the signal's reason. What the line changed before
   * stays. A line that has begun is in the history; one that still waits for its turn never runs.
   */
  readonly signal?: AbortSignal
  /** False keeps the line out of the history. */
  readonly record?: boolean
  /** Milliseconds after which the line is ended with status 124, waiting for its turn not counted. */
  readonly timeoutMs?: number
  /** Gets output as it comes; a promise holds the writer back. The result holds it, too. What it throws ends the line, and the call. */
  readonly onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
  /** False leaves `stdout` and `stderr` of the result empty: output of any length, which only `onOutput` gets, then takes no memory. */
  readonly keepOutput?: boolean
  /** The terminal that `stdin`, where it is given as chunks, and the output are: commands show columns and prompts, `COLUMNS` and `LINES` hold its size. */
  readonly terminal?: LineTerminal
}

/** The terminal that a line works on. */
export interface LineTerminal extends TerminalSize {
  /** Calls `resized` when the size is another one, until what is returned is called. A trap on WINCH runs then. */
  onResize?(resized: () => void): () => void
  /** Called by `read` with -s, -n, -N or -d, and when it has ended. When a line begins, what is typed is shown and comes in whole lines. */
  setMode?(mode: TerminalMode): void
}

/** CONFIG_INVALID for an option that is unknown or can't be, with what it holds and what it may hold. */
export function checkWorkspaceOptions(options: WorkspaceOptions): void {
  checkNames(options, WORKSPACE_KEYS, 'workspace options')
  const { mode, store, host, limits, profile } = options
  if (mode !== undefined) checkMode(mode, 'mode')
  checkText(options.workspaceId, 'workspaceId')
  checkText(options.sessionId, 'sessionId')
  checkText(options.agentId, 'agentId')
  checkFlag(options.ownsStore, 'ownsStore')
  if (store !== undefined) checkMethods(store, ['sessions', 'history', 'close'], 'store', 'a WorkspaceStateStore')
  if (host !== undefined) checkMethods(host, ['now', 'elapsed', 'random', 'timer', 'breathe'], 'host', 'a Host')
  if (limits !== undefined) checkLimits(limits)
  for (const [name, executor] of entriesOf(options.executors)) {
    if (name !== 'host') throw invalid('a name in executors', name, '"host"')
    checkMethods(executor, ['start', 'enforcement'], 'executors.host', 'an executor, such as hostExecutor() gives')
  }
  variableEntries(options.env, 'env')
  const names: string[] = []
  for (const [name, one] of entriesOf(options.profiles)) {
    names.push(name)
    rulesOf(one, name, `profile "${name}"`)
  }
  if (profile !== undefined && !names.includes(profile)) throw invalid('profile', profile, oneOf(names))
  for (const [name, command] of entriesOf(options.commands)) {
    if (name === '' || name.includes('/')) throw invalid('a name in commands', name, 'a name without slashes')
    if (typeof command !== 'function') checkMethods(command, ['run'], `command "${name}"`, 'a Command, or a function that loads one')
  }
}

/** A mount from what was given for a prefix. */
export function mountOf(prefix: string, spec: MountSpec, mode: MountMode): Mount {
  const mount = readSpec(prefix, spec, mode)
  checkMode(mount.mode, `the mode of mount "${prefix}"`)
  checkMethods(mount.fs, ['stat', 'read', 'readdir'], `mount "${prefix}"`, 'a FileSystem, [FileSystem, mode] or { fs, mode }')
  return mount
}

/** As {@link checkWorkspaceOptions}. */
export function checkSessionOptions(options: SessionOptions): void {
  checkNames(options, ['profile', 'cwd', 'env'], 'session options')
  if (options.cwd !== undefined && (typeof options.cwd !== 'string' || !options.cwd.startsWith('/')))
    throw invalid('cwd of the session', options.cwd, 'an absolute path')
  variableEntries(options.env, 'env of the session')
}

/** As {@link checkWorkspaceOptions}. */
export function checkShellOptions(options: ShellOptions): void {
  checkNames(options, SHELL_KEYS, 'shell options')
  const { args, cwd, stdin, signal, timeoutMs, onOutput } = options
  checkText(options.sessionId, 'sessionId')
  checkText(cwd, 'cwd')
  checkFlag(options.record, 'record')
  checkFlag(options.keepOutput, 'keepOutput')
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === 'string')))
    throw invalid('args', args, 'an array of texts')
  if (stdin !== undefined && !isInput(stdin)) throw invalid('stdin', stdin, 'text, bytes or an async iterable of bytes')
  if (signal !== undefined && typeof signal.addEventListener !== 'function') throw invalid('signal', signal, 'an AbortSignal')
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) throw invalid('timeoutMs', timeoutMs, 'a number of milliseconds')
  if (onOutput !== undefined && typeof onOutput !== 'function') throw invalid('onOutput', onOutput, 'a function')
  if (options.env !== undefined) variableEntries(options.env, 'env of the line')
  for (const size of options.terminal === undefined ? [] : [options.terminal.columns, options.terminal.rows])
    if (!(size >= 0)) throw invalid('a size of the terminal', size, 'a number of cells')
}

/** The error for the name of a profile that isn't defined. */
export function unknownProfile(name: string, known: Iterable<string>): Error {
  return invalid('profile', name, oneOf([...known]))
}

const WORKSPACE_KEYS: readonly string[] = [
  'mode',
  'workspaceId',
  'store',
  'ownsStore',
  'sessionId',
  'agentId',
  'profiles',
  'profile',
  'env',
  'commands',
  'host',
  'limits',
  'executors',
]
const SHELL_KEYS: readonly string[] = [
  'sessionId',
  'cwd',
  'env',
  'args',
  'stdin',
  'signal',
  'record',
  'timeoutMs',
  'onOutput',
  'keepOutput',
  'terminal',
]
const LIMIT_KEYS: readonly string[] = ['outputBytes', ...Object.keys(DEFAULT_LIMITS)]

function checkLimits(limits: WorkspaceLimits): void {
  checkNames(limits, LIMIT_KEYS, 'limits')
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(typeof value === 'number' && value > 0)) throw invalid(`limits.${name}`, value, 'a number above 0')
  }
}

function checkFlag(value: unknown, key: string): void {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(key, value, 'true or false')
}

function checkMethods(value: unknown, methods: readonly string[], key: string, wanted: string): void {
  const isSuch =
    typeof value === 'object' && value !== null && methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  if (!isSuch) throw invalid(key, value, wanted)
}

function readSpec(prefix: string, spec: MountSpec, mode: MountMode): Mount {
  if (Array.isArray(spec)) {
    const [fs, own] = spec as readonly [FileSystem, MountMode]
    return { fs, mode: own }
  }
  if (typeof spec !== 'object' || spec === null || !('fs' in spec)) return { fs: spec as FileSystem, mode }
  checkNames(spec, ['fs', 'mode'], `mount "${prefix}"`)
  return { fs: spec.fs, mode: spec.mode ?? mode }
}

function isInput(stdin: unknown): boolean {
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) return true
  return typeof stdin === 'object' && stdin !== null && Symbol.asyncIterator in stdin
}

function oneOf(names: readonly string[]): string {
  return names.length === 0 ? 'no name: no profile is defined' : names.map((name) => `"${name}"`).join(', ')
}
