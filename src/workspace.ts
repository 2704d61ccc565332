import { concat, decode, encode } from './bytes.ts'
import type { ByteReader } from './commands/command.ts'
import type { CommandSource, CommandTable } from './commands/registry.ts'
import { standardCommands } from './commands/standard.ts'
import { WorkspaceError } from './errors.ts'
import { devices } from './fs/devices.ts'
import type { FileSystem } from './fs/file-system.ts'
import { followLinks } from './fs/follow-links.ts'
import { RAMFileSystem } from './fs/memory.ts'
import type { Mount } from './fs/mount-table.ts'
import { MountTable } from './fs/mount-table.ts'
import { programs } from './fs/programs.ts'
import type { Host, MaybePromise } from './host.ts'
import { isPromise, webHost } from './host.ts'
import { guard } from './policy/guard.ts'
import type { Profile } from './profile.ts'
import { OPEN_RULES, rulesOf } from './profile.ts'
import { SessionShell } from './session-shell.ts'
import { isExcludedLine } from './shell/builtins/history-control.ts'
import { INTERNAL_COMMANDS } from './shell/builtins/internal-commands.ts'
import type { MachineLimits, RunningLine } from './shell/machine/machine.ts'
import { DEFAULT_LIMITS } from './shell/machine/machine.ts'
import type { ShellSyntaxError } from './shell/syntax/parser.ts'
import { withBashHistory } from './state/bash-history-file.ts'
import { RAMWorkspaceStateStore } from './state/ram-state-store.ts'
import type { SessionState } from './state/session.ts'
import type { HistoryEntry, MountMode, SessionFields, StoredVariable } from './state/session-fields.ts'
import type { Sessions } from './state/sessions.ts'
import { openSessions } from './state/sessions.ts'
import type { WorkspaceStateStore } from './state/state-store.ts'

/** What can be mounted: a file system, with a mode of its own or the workspace's. */
export type MountSpec = FileSystem | readonly [FileSystem, MountMode] | Mount

/** Limits of a workspace; what is left out has a default that ordinary work never meets. */
export interface WorkspaceLimits extends Partial<MachineLimits> {
  /** Bytes of output, both streams together, that the result of a line may hold; 256 MiB. */
  readonly outputBytes?: number
}

export interface WorkspaceOptions {
  /** Mode of mounts that name none; `write`. */
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
}

export interface ShellOptions {
  /** Session the line runs on; the default one when left out. */
  readonly sessionId?: string
  /** Working directory of this line alone: it runs on a copy of the session, and nothing it changes there stays. */
  readonly cwd?: string
  /** Exported variables of this line alone; as with `cwd`, nothing the line changes in the session stays. */
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
  /** What the line reads: text, bytes, or chunks as they come. Nothing when left out. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Ends the line when it fires: the call rejects with an AbortError whose cause is the signal's reason. */
  readonly signal?: AbortSignal
  /** False keeps the line out of the history. */
  readonly record?: boolean
  /** Milliseconds after which the line is ended with status 124. */
  readonly timeoutMs?: number
  /** Gets output as it comes; a promise holds the writer back. The result holds it, too. */
  readonly onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
}

/** How a line ended. A status other than 0 is a result; what throws is a fault of the host. */
export interface ShellResult {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly stdoutText: string
  readonly stderrText: string
  readonly exitCode: number
  /** `pending`: the session's new state is not in the store yet; it goes there first with the next line, `flush()` or `close()`. */
  readonly durability: 'committed' | 'pending'
  /** Why it is pending. */
  readonly cause?: WorkspaceError
  /** What another instance changed at the same time, to something else. */
  readonly conflicts: readonly string[]
  /** Where the line doesn't parse. */
  readonly syntaxError?: { readonly message: string; readonly line: number; readonly column: number; readonly incomplete: boolean }
  /** `exit` was among its commands: an interactive front end ends here. */
  readonly exited: boolean
}

/** How a session is made. */
export interface SessionOptions {
  /** Name of a profile, or a profile itself. */
  readonly profile?: string | Profile
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>> | ReadonlyMap<string, string>
}

/** One session of a workspace: a shell whose directory, variables and functions outlive the process. */
export interface Session {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Runs a line; one at a time, later ones wait. */
  shell(line: string, options?: Omit<ShellOptions, 'sessionId'>): Promise<ShellResult>
  /** Working directory, variables, functions and rules as this instance last knew them. */
  readonly fields: SessionFields
  /** The lines it ran, oldest first, without those that were taken out; the last `count` where that is given. */
  history(count?: number): Promise<readonly HistoryEntry[]>
}

interface Open {
  readonly state: SessionState
  readonly shell: SessionShell
  readonly face: Session
  fields: SessionFields | null
  fs: FileSystem | null
}

/**
 * A tree of mounts, a bash that runs over them, and sessions that live in a store.
 *
 * ```ts
 * const ws = new Workspace({ '/data': new RAMFileSystem() }, { workspaceId: 'agent' })
 * const { stdoutText } = await ws.shell('cd /data && echo hi > a.txt && cat a.txt')
 * ```
 *
 * Nothing is opened before the first call. Every call after `close()` fails with CLOSED.
 */
export class Workspace {
  readonly id: string
  /** The host's own view of the files: no rules, links followed. */
  readonly fs: FileSystem
  readonly #mounts: MountTable
  readonly #host: Host
  readonly #options: WorkspaceOptions
  readonly #store: WorkspaceStateStore
  readonly #ownsStore: boolean
  readonly #sessions: Sessions
  readonly #commands: Map<string, CommandSource>
  readonly #profiles: ReadonlyMap<string, Profile>
  readonly #limits: MachineLimits
  readonly #outputBytes: number
  readonly #open = new Map<string, Promise<Open>>()
  readonly #ready = new Map<string, Open>()
  #default: string | null = null
  #closing: Promise<void> | null = null

  constructor(mounts: Readonly<Record<string, MountSpec>> | ReadonlyMap<string, MountSpec> = {}, options: WorkspaceOptions = {}) {
    checkOptions(options)
    this.#options = options
    this.#host = options.host ?? webHost
    this.id = options.workspaceId ?? mintId(this.#host)
    this.#store = options.store ?? new RAMWorkspaceStateStore()
    this.#ownsStore = options.ownsStore ?? options.store === undefined
    this.#profiles = asMap(options.profiles)
    if (options.profile !== undefined && !this.#profiles.has(options.profile)) throw unknownProfile(options.profile, this.#profiles)
    this.#commands = new Map([...standardCommands, ...asMap<CommandSource>(options.commands)])
    this.#limits = { ...DEFAULT_LIMITS, ...definedOnly(options.limits) }
    this.#outputBytes = options.limits?.outputBytes ?? 256 * 1024 * 1024
    this.#mounts = this.#mountAll(asMap(mounts))
    this.fs = followLinks(this.#mounts)
    this.#sessions = openSessions({ store: this.#store, workspaceId: this.id, host: this.#host })
  }

  #mountAll(given: ReadonlyMap<string, MountSpec>): MountTable {
    const mode = this.#options.mode ?? 'write'
    const all = new Map<string, Mount>()
    for (const [prefix, spec] of given) all.set(prefix, mountOf(spec, mode))
    if (!all.has('/')) {
      const root = new RAMFileSystem()
      root.mkdir('/tmp', 0o1777)
      root.mkdir('/home')
      root.mkdir('/home/user')
      all.set('/', { fs: root, mode: 'write' })
    } else if (!all.has('/tmp') && all.get('/')?.mode === 'read') all.set('/tmp', { fs: new RAMFileSystem(), mode: 'write' })
    const names = [...new Set([...this.#commands.keys(), ...INTERNAL_COMMANDS.keys()])].sort()
    const bin = programs(() => names, this.#host.now())
    if (!all.has('/dev')) all.set('/dev', { fs: devices(this.#host), mode: 'write' })
    for (const prefix of ['/usr/bin', '/bin']) if (!all.has(prefix)) all.set(prefix, { fs: bin, mode: 'exec' })
    return new MountTable(all)
  }

  /** Runs a line of shell on a session, the default one when none is named. */
  async shell(line: string, options: ShellOptions = {}): Promise<ShellResult> {
    this.#check()
    if (typeof line !== 'string') throw new WorkspaceError('EINVAL', `a line must be a string, not ${typeof line}`)
    const id = options.sessionId ?? (await this.#defaultId())
    const open = this.#ready.get(id) ?? (await this.#openSession(id, {}))
    return this.#run(open, line, options)
  }

  /** The older name of {@link Workspace.shell}. */
  execute(line: string, options?: ShellOptions): Promise<ShellResult> {
    return this.shell(line, options)
  }

  /** The session of an id, the default one when none is given; made where there is none. Options for one that exists fail with EEXIST. */
  async session(id?: string, options: SessionOptions = {}): Promise<Session> {
    this.#check()
    const open = await this.#openSession(id ?? (await this.#defaultId()), options)
    return open.face
  }

  /** Ids of all sessions the store has. */
  async listSessions(): Promise<readonly string[]> {
    this.#check()
    await this.#defaultId()
    return this.#sessions.list()
  }

  /** Ends what the session runs and drops its state; its history stays. NOT_FOUND where there is none. */
  async closeSession(id: string): Promise<void> {
    this.#check()
    const open = this.#ready.get(id)
    open?.shell.shell.kill()
    this.#ready.delete(id)
    this.#open.delete(id)
    if (!(await this.#sessions.remove(id))) throw new WorkspaceError('NOT_FOUND', `there is no session "${id}" to close`)
  }

  /** Every line of every session, by time. */
  async history(): Promise<readonly HistoryEntry[]> {
    this.#check()
    return this.#sessions.history()
  }

  /** Mounts a file system at a prefix where none is mounted yet. */
  mount(prefix: string, fs: FileSystem, mode: MountMode = this.#options.mode ?? 'write'): void {
    this.#check()
    this.#mounts.add(prefix, { fs, mode })
  }

  /** Takes a mount away; the file system itself stays as it is. */
  unmount(prefix: string): void {
    this.#check()
    this.#mounts.remove(prefix)
  }

  /** Brings everything that is pending to the store; throws where that fails. */
  async flush(): Promise<void> {
    this.#check()
    await this.#sessions.flush()
  }

  /** Ends what runs, brings what is pending to the store, closes the store if it is owned. State stays. Mounted file systems stay open: they are the host's. */
  close(): Promise<void> {
    this.#closing ??= this.#end(() => this.#sessions.close())
    return this.#closing
  }

  /** As `close`, but drops sessions, history and the workspace's record. */
  delete(): Promise<void> {
    if (this.#closing !== null) {
      return Promise.reject(new WorkspaceError('CLOSED', `workspace "${this.id}" is closed: its state was kept`))
    }
    this.#closing = this.#end(() => this.#sessions.delete())
    return this.#closing
  }

  async #end(endSessions: () => Promise<void>): Promise<void> {
    for (const open of this.#ready.values()) open.shell.shell.kill()
    try {
      await endSessions()
    } finally {
      if (this.#ownsStore) await this.#store.close()
    }
  }

  #check(): void {
    if (this.#closing !== null) throw new WorkspaceError('CLOSED', `workspace "${this.id}" is closed`)
  }

  async #defaultId(): Promise<string> {
    this.#default ??= await this.#sessions.defaultSession(this.#options.sessionId)
    return this.#default
  }

  #openSession(id: string, options: SessionOptions): Promise<Open> {
    const known = this.#open.get(id)
    if (known !== undefined && !hasOptions(options)) return known
    const opening = known === undefined ? this.#make(id, options) : this.#refuse(id)
    if (known === undefined) {
      this.#open.set(id, opening)
      opening.catch(() => this.#open.delete(id))
    }
    return opening
  }

  async #refuse(id: string): Promise<never> {
    throw new WorkspaceError('EEXIST', `session "${id}" exists: options are for a new one`)
  }

  async #make(id: string, options: SessionOptions): Promise<Open> {
    if (hasOptions(options) && (await this.#sessions.exists(id))) return this.#refuse(id)
    const { session: state } = await this.#sessions.open(id, this.#initialFields(options))
    const shell = new SessionShell({
      host: this.#host,
      commands: this.#commands,
      fs: this.fs,
      limits: this.#limits,
    })
    shell.shell.machine.history = state.history
    const open: Open = {
      state,
      shell,
      fields: null,
      fs: null,
      face: {
        id,
        createdAt: state.createdAt,
        shell: (line, lineOptions) => this.shell(line, { ...lineOptions, sessionId: id }),
        get fields() {
          return state.fields
        },
        history: async (count) => (await state.history.tail(count ?? Number.MAX_SAFE_INTEGER)).entries,
      },
    }
    this.#ready.set(id, open)
    return open
  }

  #initialFields(options: SessionOptions): SessionFields {
    const named = options.profile ?? this.#options.profile
    const profile = typeof named === 'string' ? this.#profiles.get(named) : named
    if (typeof named === 'string' && profile === undefined) throw unknownProfile(named, this.#profiles)
    const cwd = options.cwd ?? profile?.cwd ?? '/'
    const env = new Map<string, string>([
      ['HOME', '/home/user'],
      ['PATH', '/usr/bin:/bin'],
      ['PWD', cwd],
      ['USER', 'user'],
      ...asMap(this.#options.env),
      ...asMap(profile?.env),
      ...asMap(options.env),
    ])
    const variables = new Map<string, StoredVariable>()
    for (const [name, value] of env) variables.set(name, { attributes: 'x', value })
    variables.set('IFS', { attributes: '', value: ' \t\n' })
    return {
      cwd,
      variables,
      functions: new Map(),
      aliases: new Map(),
      umask: 0o022,
      rules: profile === undefined ? OPEN_RULES : rulesOf(profile, typeof named === 'string' ? named : null),
    }
  }

  /** The session's own view of the files. */
  #view(open: Open, fields: SessionFields): FileSystem {
    if (open.fs === null || open.fields?.rules !== fields.rules) {
      open.fs = followLinks(guard(withBashHistory(this.#mounts, open.state.history), fields.rules, this.#mounts))
      open.fields = fields
    }
    return open.fs
  }

  async #run(open: Open, line: string, options: ShellOptions): Promise<ShellResult> {
    const { signal } = options
    signal?.throwIfAborted()
    const { state } = open
    const begun = state.begin(signal)
    let fields: SessionFields
    try {
      fields = isPromise(begun) ? await begun : begun
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === 'NOT_FOUND') {
        this.#ready.delete(state.id)
        this.#open.delete(state.id)
      }
      throw error
    }
    let finished = false
    try {
      open.shell.apply(fields, this.#view(open, fields))
      const started = this.#host.now()
      const toRecord = options.record === false || line.trim() === '' ? null : this.#lineToRecord(open, line, started)
      const record = isPromise(toRecord) ? await toRecord : toRecord
      open.shell.shell.machine.line = record
      const ended = await this.#runLine(open.shell, line, options)
      open.shell.shell.machine.line = null
      const commit = state.commit(
        ended.fields,
        record === null
          ? null
          : {
              agent: record.agent,
              timestamp: started,
              cwd: fields.cwd,
              command: record.command,
              exitCode: ended.exitCode,
              durationMs: Math.max(0, this.#host.now() - started),
              hidden: record.hidden,
            },
      )
      finished = true
      const kept = isPromise(commit) ? await commit : commit
      if (ended.aborted) throw abortError(signal)
      return result(ended, kept)
    } finally {
      if (!finished) state.abandon()
    }
  }

  /** The line as the history will have it. HISTCONTROL and HISTIGNORE can keep it out of the views, never out of the record. */
  #lineToRecord(open: Open, command: string, timestamp: number): MaybePromise<RunningLine> {
    const record: RunningLine = { command, timestamp, agent: this.#options.agentId ?? null, hidden: false, added: false }
    const excluded = isExcludedLine(open.shell.shell.process, command)
    if (!isPromise(excluded)) return record
    return excluded.then(
      (hidden) => ({ ...record, hidden }),
      // A history that can't be read now must not keep the line from running.
      () => record,
    )
  }

  async #runLine(session: SessionShell, line: string, options: ShellOptions): Promise<EndedLine> {
    const { shell } = session
    const { process } = shell
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], size: 0 }
    const collect = (stream: 'stdout' | 'stderr') => {
      return (bytes: Uint8Array): MaybePromise<void> => {
        output[stream].push(bytes)
        output.size += bytes.length
        if (output.size > this.#outputBytes) {
          output.size = 0
          output.stderr.push(encode(`bash: output limit of ${this.#outputBytes} bytes exceeded\n`))
          shell.interrupt(137)
          return undefined
        }
        return options.onOutput?.(bytes, stream)
      }
    }
    const own = process.environment
    if (options.cwd !== undefined || options.env !== undefined) {
      process.environment = overridden(own, options)
    }
    let aborted = false
    const onAbort = (): void => {
      aborted = true
      shell.interrupt(130)
    }
    let stopTimer: (() => void) | null = null
    if (options.timeoutMs !== undefined) {
      stopTimer = this.#host.timer(options.timeoutMs, () => {
        output.stderr.push(encode(`bash: timed out after ${options.timeoutMs} ms\n`))
        shell.interrupt(124)
      })
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const running = shell.run(line, {
        stdin: inputOf(options.stdin),
        stdout: collect('stdout'),
        stderr: collect('stderr'),
      })
      const end = isPromise(running) ? await running : running
      process.environment = own
      return {
        stdout: output.stdout,
        stderr: output.stderr,
        exitCode: end.status,
        syntaxError: end.syntaxError,
        exited: end.exited,
        aborted,
        fields: session.capture(),
      }
    } finally {
      process.environment = own
      stopTimer?.()
      options.signal?.removeEventListener('abort', onAbort)
    }
  }
}

interface EndedLine {
  readonly stdout: readonly Uint8Array[]
  readonly stderr: readonly Uint8Array[]
  readonly exitCode: number
  readonly syntaxError: ShellSyntaxError | null
  readonly exited: boolean
  readonly aborted: boolean
  readonly fields: SessionFields
}

const NOTHING = new Uint8Array(0)

class Result implements ShellResult {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly exitCode: number
  readonly durability: 'committed' | 'pending'
  declare readonly cause?: WorkspaceError
  readonly conflicts: readonly string[]
  declare readonly syntaxError?: NonNullable<ShellResult['syntaxError']>
  readonly exited: boolean

  constructor(ended: EndedLine, kept: { durability: 'committed' | 'pending'; cause?: WorkspaceError; conflicts: readonly string[] }) {
    this.stdout = ended.stdout.length === 0 ? NOTHING : concat(ended.stdout)
    this.stderr = ended.stderr.length === 0 ? NOTHING : concat(ended.stderr)
    this.exitCode = ended.exitCode
    this.durability = kept.durability
    this.conflicts = kept.conflicts
    this.exited = ended.exited
    if (kept.cause !== undefined) this.cause = kept.cause
    if (ended.syntaxError !== null) {
      const { message, line, column, incomplete } = ended.syntaxError
      this.syntaxError = { message, line, column, incomplete }
    }
  }

  get stdoutText(): string {
    return decode(this.stdout)
  }

  get stderrText(): string {
    return decode(this.stderr)
  }
}

function result(ended: EndedLine, kept: ConstructorParameters<typeof Result>[1]): ShellResult {
  return new Result(ended, kept)
}

function inputOf(stdin: ShellOptions['stdin']): Uint8Array | (() => MaybePromise<Uint8Array | null>) {
  if (stdin === undefined) return NOTHING
  if (typeof stdin === 'string') return encode(stdin)
  if (stdin instanceof Uint8Array) return stdin
  const chunks = stdin[Symbol.asyncIterator]()
  const read: ByteReader['read'] = async () => {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return null
      if (next.value.length > 0) return next.value
    }
  }
  return read
}

function overridden(own: SessionShell['shell']['process']['environment'], options: ShellOptions): typeof own {
  const copy = own.fork()
  copy.inheritedTraps = null
  if (options.cwd !== undefined) {
    copy.cwd = options.cwd
    copy.variables.put('PWD', copy.variables.make(options.cwd, 1))
  }
  for (const [name, value] of asMap(options.env)) copy.variables.put(name, copy.variables.make(value, 1))
  return copy
}

function abortError(signal: AbortSignal | undefined): Error {
  const error = new DOMException('the line was aborted', 'AbortError')
  Object.defineProperty(error, 'cause', { value: signal?.reason, configurable: true })
  return error
}

function mountOf(spec: MountSpec, mode: MountMode): Mount {
  if (Array.isArray(spec)) {
    const [fs, own] = spec as readonly [FileSystem, MountMode]
    return { fs, mode: own }
  }
  return 'fs' in spec ? (spec as Mount) : { fs: spec as FileSystem, mode }
}

function asMap<T>(given: Readonly<Record<string, T>> | ReadonlyMap<string, T> | undefined): ReadonlyMap<string, T> {
  if (given === undefined) return new Map()
  return given instanceof Map ? given : new Map(Object.entries(given as Readonly<Record<string, T>>))
}

function definedOnly(limits: WorkspaceLimits | undefined): Partial<MachineLimits> {
  if (limits === undefined) return {}
  const { outputBytes: _outputBytes, ...machine } = limits
  return Object.fromEntries(Object.entries(machine).filter(([, value]) => value !== undefined))
}

function hasOptions(options: SessionOptions): boolean {
  return options.profile !== undefined || options.cwd !== undefined || options.env !== undefined
}

function unknownProfile(name: string, profiles: ReadonlyMap<string, Profile>): WorkspaceError {
  const known = [...profiles.keys()].map((profile) => `"${profile}"`).join(', ')
  return new WorkspaceError('CONFIG_INVALID', `there is no profile "${name}"; ${known === '' ? 'none is defined' : `there are ${known}`}`)
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
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
])

function checkOptions(options: WorkspaceOptions): void {
  for (const key of Object.keys(options)) {
    if (!OPTION_NAMES.has(key)) {
      throw new WorkspaceError('CONFIG_INVALID', `unknown workspace option "${key}"; there are ${[...OPTION_NAMES].join(', ')}`)
    }
  }
  const { mode } = options
  if (mode !== undefined && mode !== 'read' && mode !== 'write' && mode !== 'exec') {
    throw new WorkspaceError('CONFIG_INVALID', `mode is "${String(mode)}"; it may be "read", "write" or "exec"`)
  }
}

function mintId(host: Host): string {
  const bytes = new Uint8Array(16)
  host.random(bytes)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
