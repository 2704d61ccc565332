import type { CommandSource } from './commands/registry.ts'
import { standardCommands } from './commands/standard.ts'
import { codeOf, errorText, FileSystemError, WorkspaceError } from './errors.ts'
import { copiedReads } from './fs/copied-reads.ts'
import type { FileSystem } from './fs/file-system.ts'
import { followLinks } from './fs/follow-links.ts'
import { chain, rescue } from './fs/maybe.ts'
import type { MountMode, MountTable } from './fs/mount-table.ts'
import { normalise } from './fs/path.ts'
import type { Host, MaybePromise } from './host.ts'
import { isPromise, randomId, webHost } from './host.ts'
import type { SnapshotOptions } from './job/archive.ts'
import type { WorkspaceForkOptions } from './job/fork-workspace.ts'
import type { Job } from './job/job.ts'
import type { JobOptions } from './job/job-options.ts'
import type { Jobs } from './job/jobs.ts'
import type { WorkspaceCheckpoints } from './job/workspace-checkpoints.ts'
import type { WorkspaceParts } from './job/workspace-parts.ts'
import { entriesOf, invalid } from './option-checks.ts'
import type { Profile } from './profile.ts'
import { OPEN_RULES, rulesOf } from './profile.ts'
import type { ReplayReport } from './replay/documents.ts'
import type { Replayed, ReplayRequest } from './replay/request.ts'
import { runLine } from './session-line.ts'
import type { PromptOptions, SessionPrompts } from './session-prompts.ts'
import { SessionShell } from './session-shell.ts'
import type { LineCompletion } from './shell/builtins/completion.ts'
import type { MachineLimits, RunningLine } from './shell/machine/machine.ts'
import { DEFAULT_LIMITS } from './shell/machine/machine.ts'
import { readText } from './shell/machine/parameters.ts'
import type { ShellResult } from './shell-result.ts'
import { shellResult } from './shell-result.ts'
import { withBashHistory } from './state/bash-history-file.ts'
import { RAMWorkspaceStateStore } from './state/ram-state-store.ts'
import type { SessionState } from './state/session.ts'
import type { HistoryEntry, SessionFields, SessionRules, StoredVariable } from './state/session-fields.ts'
import type { Sessions } from './state/sessions.ts'
import { openSessions } from './state/sessions.ts'
import type { StateChange, WorkspaceStateStore } from './state/state-store.ts'
import type { Store } from './store/store.ts'
import type { LoadOptions } from './workspace-archive.ts'
import { mountWorkspace } from './workspace-mounts.ts'
import type { MountSpec, SessionOptions, ShellOptions, WorkspaceLimits, WorkspaceOptions } from './workspace-options.ts'
import { checkSessionOptions, checkShellOptions, checkWorkspaceOptions, mountOf, unknownProfile } from './workspace-options.ts'

export type { PromptOptions, SessionPrompts } from './session-prompts.ts'
export type { ShellResult } from './shell-result.ts'
export type { LineTerminal, MountSpec, SessionOptions, ShellOptions, WorkspaceLimits, WorkspaceOptions } from './workspace-options.ts'

/** One session of a workspace: a shell whose directory, variables and functions outlive the process. */
export interface Session {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Runs a line; one at a time, later ones wait. */
  shell(line: string, options?: Omit<ShellOptions, 'sessionId'>): Promise<ShellResult>
  /** Working directory, variables, functions and rules as this instance last knew them. */
  readonly fields: SessionFields
  /** Takes over what other instances stored meanwhile, without waiting for their lines; `fields`. NOT_FOUND where one closed the session. */
  refresh(): Promise<SessionFields>
  /**
   * Completes the word at `cursor` by what `complete` says of the line's command; null where it says nothing, or the signal ends it. Waits for the session's turn.
   * What the command's completion function changes in the session is kept with the next line.
   */
  complete(line: string, cursor: number, signal?: AbortSignal): Promise<LineCompletion | null>
  /** What PS1 and PS2 show now. Waits for the session's turn where they hold something that the shell must expand. */
  prompts(options?: PromptOptions): Promise<SessionPrompts>
  /** The files as the session sees them: by its rules, links followed. */
  files(): Promise<FileSystem>
  /** The lines it ran, oldest first, without those that were taken out; the last `count` where that is given. */
  history(count?: number): Promise<readonly HistoryEntry[]>
  /** How many lines `history` gives. */
  historyLength(): Promise<number>
}

/** The Jobs of a workspace: commands whose changes can be looked at before they are made. Loaded when first used. */
export interface WorkspaceJobs {
  /** Runs a command as a Job; resolves when it has ended or is suspended. A status other than 0 is a result. */
  run(options: JobOptions): Promise<Job>
  /** Starts a Job; resolves when its command runs. */
  start(options: JobOptions): Promise<Job>
  /** The Job of an id, of this instance or another one on the same store. NOT_FOUND where there is none. */
  open(id: string): Promise<Job>
  /** Ids of all Jobs, latest last. */
  list(): Promise<readonly string[]>
}

interface Open {
  readonly state: SessionState
  readonly shell: SessionShell
  readonly face: Session
  /** The session's view of the files, and the rules it was made with. */
  view: { readonly rules: SessionRules; readonly fs: FileSystem } | null
}

/** Mounts of every workspace that are no files of its own. */
const BUILT_IN: readonly string[] = ['/dev', '/usr/bin', '/bin']
const NO_OPTIONS: ShellOptions = {}
const NO_TERMINAL = { followTerminal: null }
/** Milliseconds that an aborted call waits for its state to be kept. */
const ABORT_GRACE = 10

/**
 * A tree of mounts, a bash that runs over them, and sessions that live in a store.
 *
 * ```ts
 * const ws = new Workspace({ '/data': new RAMFileSystem() }, { workspaceId: 'agent' })
 * const { stdoutText } = await ws.shell('cd /data && echo hi > a.txt && cat a.txt')
 * ```
 *
 * Where nothing is mounted at `/`, a file system in memory is. `/dev`, `/bin` and `/usr/bin` are always there, and `/tmp`: in memory, unless
 * something is mounted there or at a `/` that can be written and answers at once that it has one.
 *
 * Nothing is opened before the first call. Every call after `close()` fails with CLOSED.
 */
export class Workspace {
  /** The host's own view of the files: no rules, links followed. What is read is a copy, and what is written is copied. */
  readonly fs: FileSystem
  readonly jobs: WorkspaceJobs = {
    run: async (options) => (await this.#jobsLoaded()).run(options),
    start: async (options) => (await this.#jobsLoaded()).start(options),
    open: async (id) => (await this.#jobsLoaded()).open(id),
    list: async () => (await this.#jobsLoaded()).list(),
  }
  readonly checkpoints: WorkspaceCheckpoints = {
    create: (options) => this.#checkpointing((all) => all.create(options)),
    list: () => this.#checkpointing((all) => all.list()),
    show: (id) => this.#checkpointing((all) => all.show(id)),
    delete: (id) => this.#checkpointing((all) => all.delete(id)),
    restore: (id) => this.#checkpointing((all) => all.restore(id)),
    gc: () => this.#checkpointing((all) => all.gc()),
  }
  readonly #files: FileSystem
  readonly #mounts: MountTable
  readonly #host: Host
  readonly #options: WorkspaceOptions
  readonly #store: WorkspaceStateStore
  readonly #ownsStore: boolean
  readonly #commands: Map<string, CommandSource>
  readonly #profiles: ReadonlyMap<string, Profile>
  readonly #limits: MachineLimits
  readonly #outputBytes: number
  readonly #open = new Map<string, Promise<Open>>()
  readonly #ready = new Map<string, Open>()
  /** Ends the waiting of lines for their turn. */
  readonly #waiting = new Set<(reason: WorkspaceError) => void>()
  readonly #watches = new Set<() => void>()
  readonly #builtIn: ReadonlySet<string>
  #jobs: Promise<Jobs> | null = null
  #objects: Promise<Store> | null = null
  #id: string | null
  #known: Sessions | null = null
  #default: string | null = null
  #defaulting: Promise<string> | null = null
  /** Lines that run. */
  #running = 0
  #onQuiet: (() => void) | null = null
  #ending: { readonly keeps: boolean; readonly done: Promise<void> } | null = null

  /** CONFIG_INVALID for an option that is unknown or can't be, naming it. */
  constructor(mounts: Readonly<Record<string, MountSpec>> | ReadonlyMap<string, MountSpec> = {}, options: WorkspaceOptions = {}) {
    checkWorkspaceOptions(options)
    this.#options = options
    this.#host = options.host ?? webHost
    this.#id = options.workspaceId ?? null
    this.#store = options.store ?? new RAMWorkspaceStateStore()
    this.#ownsStore = options.ownsStore ?? options.store === undefined
    this.#profiles = new Map(entriesOf(options.profiles))
    this.#commands = new Map([...standardCommands, ...entriesOf<CommandSource>(options.commands)])
    this.#limits = machineLimits(options.limits)
    this.#outputBytes = options.limits?.outputBytes ?? 256 * 1024 * 1024
    const mode = options.mode ?? 'write'
    const all = Array.from(entriesOf(mounts), ([prefix, spec]) => [prefix, mountOf(prefix, spec, mode)] as const)
    this.#mounts = mountWorkspace(new Map(all), this.#host, this.#commands.keys())
    this.#builtIn = new Set(BUILT_IN.filter((prefix) => all.every(([given]) => given !== prefix)))
    this.#files = followLinks(this.#mounts)
    this.fs = copiedReads(this.#files)
  }

  /**
   * A workspace with what `snapshot` kept, in whichever runtime. CORRUPT for what is no whole archive, VERSION_UNSUPPORTED for one of a newer version,
   * EEXIST where the workspace id has sessions or a mount files already.
   */
  static async load(archive: Uint8Array, options: LoadOptions = {}): Promise<Workspace> {
    const { loadArchive } = await import('./workspace-archive.ts')
    const loaded = await loadArchive(archive, options)
    return new Workspace(loaded.mounts, loaded.options)
  }

  /** What its sessions and history are kept under. */
  get id(): string {
    this.#id ??= randomId(this.#host, 16)
    return this.#id
  }

  /** Chance and time are first asked for here: not every runtime has them while modules load. */
  get #sessions(): Sessions {
    this.#known ??= openSessions({ store: this.#store, workspaceId: this.id, host: this.#host })
    return this.#known
  }

  /** Runs a line of shell on a session, the default one when none is named. Fails with an AbortError, CLOSED, NOT_FOUND, CONFIG_INVALID. */
  async shell(line: string, options: ShellOptions = NO_OPTIONS): Promise<ShellResult> {
    this.#demandOpen()
    if (typeof line !== 'string') throw invalid('a line', line, 'a text')
    if (options !== NO_OPTIONS) checkShellOptions(options)
    if (options.signal?.aborted === true) throw abortError(options.signal)
    const id = options.sessionId ?? this.#default ?? (await this.#defaultId())
    const open = this.#ready.get(id) ?? (await this.#openSession(id, {}))
    return this.#run(open, line, options)
  }

  /** The older name of {@link Workspace.shell}. */
  execute(line: string, options?: ShellOptions): Promise<ShellResult> {
    return this.shell(line, options)
  }

  /** The session of an id, the default one when none is given; made where there is none. Options for one that exists fail with EEXIST. */
  async session(id?: string, options: SessionOptions = {}): Promise<Session> {
    this.#demandOpen()
    checkSessionOptions(options)
    const open = await this.#openSession(id ?? this.#default ?? (await this.#defaultId()), options)
    return open.face
  }

  /** Ids of all sessions the store has. */
  async listSessions(): Promise<readonly string[]> {
    this.#demandOpen()
    return this.#sessions.list()
  }

  /** Ends what the session runs and drops its state; its history stays. NOT_FOUND where there is none. */
  async closeSession(id: string): Promise<void> {
    this.#demandOpen()
    this.#forget(id)
    if (!(await this.#sessions.remove(id))) throw new WorkspaceError('NOT_FOUND', `there is no session "${id}" to close`)
  }

  /** Every line of every session, by time. */
  async history(): Promise<readonly HistoryEntry[]> {
    this.#demandOpen()
    return this.#sessions.history()
  }

  /**
   * All of the workspace as a tar file, for `Workspace.load`: files with modes, times and links, sessions, history; no Jobs, no checkpoints, nothing of how mounts and
   * stores are reached. Waits for lines that run. What names of variables and URLs say to be secret is left out of sessions and history, unless it is to be kept.
   */
  async snapshot(options: SnapshotOptions = {}): Promise<Uint8Array> {
    const { writeArchive } = await import('./job/archive.ts')
    return this.#onAll((parts) => writeArchive(parts, options))
  }

  /**
   * A workspace of its own with the same files, sessions and history, as they are now or were at a checkpoint, or with what a Job proposes, and the same options. Files are in memory and share what they
   * hold; what the workspace may only read is the same for both. Waits for lines that run. EEXIST where the id has sessions already, NOT_FOUND.
   */
  async fork(options: WorkspaceForkOptions = {}): Promise<Workspace> {
    const { checkWorkspaceForkOptions, forkWorkspace, writeStage } = await import('./job/fork-workspace.ts')
    checkWorkspaceForkOptions(options)
    const job = options.job === undefined ? null : await (await this.#jobsLoaded()).core(options.job)
    const shared = options.store ?? (this.#ownsStore ? undefined : this.#store)
    const store = shared ?? new RAMWorkspaceStateStore()
    const workspaceId = options.workspaceId ?? randomId(this.#host, 16)
    const target = { store, workspaceId, checkpoint: job === null ? options.checkpoint : undefined }
    const { mounts, defaultSession } = await this.#onAll((parts) => forkWorkspace(parts, target))
    if (job !== null) await writeStage(job, options.checkpoint, mounts)
    return new Workspace(mounts, { ...this.#options, workspaceId, store, ownsStore: shared === undefined, sessionId: defaultSession })
  }

  /**
   * Takes the trajectory of an agent, and prepares it without running anything, runs its tool calls again as a Job whose changes are staged, or lets a model go on from
   * there. Never rejects for what is wrong with the trajectory or the request: the answer says what, by category. CLOSED.
   */
  async replay(request: ReplayRequest): Promise<Replayed> {
    this.#demandOpen()
    const jobs = await this.#jobsLoaded()
    const { replayIn } = await import('./workspace-replay.ts')
    const ending = new AbortController()
    const leave = (reason: WorkspaceError): void => ending.abort(reason)
    this.#waiting.add(leave)
    try {
      return await this.#onAll((parts) => replayIn(parts, jobs, request, ending.signal))
    } finally {
      this.#waiting.delete(leave)
    }
  }

  /** What `replay` found, step by step, of a run that was made before. NOT_FOUND where nothing was run under that id. */
  async replayReport(runId: string): Promise<ReplayReport> {
    this.#demandOpen()
    const { storedReport } = await import('./workspace-replay.ts')
    return this.#onAll((parts) => storedReport(parts, runId))
  }

  /** Mounts a file system at a prefix where none is mounted yet. */
  mount(prefix: string, fs: FileSystem, mode: MountMode = this.#options.mode ?? 'write'): void {
    this.#demandOpen()
    this.#mounts.add(prefix, mountOf(prefix, [fs, mode], mode))
  }

  /** Takes a mount away; the file system itself stays as it is. */
  unmount(prefix: string): void {
    this.#demandOpen()
    this.#mounts.remove(prefix)
  }

  /**
   * Calls `changed` soon after sessions or history of the workspace changed, by this instance or another one, until the function that is
   * given back is called or the workspace is closed. A hint, which may come more than once; what a store can't tell (files on a server) is
   * never told, and seen with the next line.
   */
  watch(changed: (change: StateChange) => void): () => void {
    this.#demandOpen()
    const stop = this.#store.watch(this.id, changed)
    this.#watches.add(stop)
    return () => {
      this.#watches.delete(stop)
      stop()
    }
  }

  /** Brings everything that is pending to the store; throws where that fails. */
  async flush(): Promise<void> {
    this.#demandOpen()
    await this.#known?.flush()
    await this.#mounts.sync()
  }

  /**
   * Ends what runs, brings what is pending to the store, closes the store if it is owned. State stays. Mounted file systems stay open: they
   * are the host's; what was written to them is kept (`FileSystem.sync`). Every call gives the same outcome.
   */
  close(): Promise<void> {
    this.#ending ??= { keeps: true, done: this.#end(async () => this.#known?.close()) }
    return this.#ending.done
  }

  /** As `close`, but drops sessions, history, Jobs, checkpoints and the workspace's record. CLOSED after `close`, which kept them. */
  delete(): Promise<void> {
    if (this.#ending?.keeps === true) {
      return Promise.reject(new WorkspaceError('CLOSED', `workspace "${this.id}" is closed: its state was kept`))
    }
    this.#ending ??= { keeps: false, done: this.#end(() => this.#sessions.delete()) }
    return this.#ending.done
  }

  async #end(endSessions: () => Promise<void>): Promise<void> {
    for (const leave of this.#waiting) leave(this.#closed())
    for (const stop of this.#watches) stop()
    for (const { shell } of this.#ready.values()) shell.kill()
    try {
      await (await this.#jobs)?.close()
      if (this.#running > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve))
      await endSessions()
    } finally {
      try {
        await this.#mounts.sync()
      } finally {
        if (this.#ownsStore) await this.#store.close()
      }
    }
  }

  #jobsLoaded(): Promise<Jobs> {
    this.#demandOpen()
    this.#jobs ??= import('./workspace-jobs.ts').then(async ({ jobsOfWorkspace }) =>
      jobsOfWorkspace({
        id: this.id,
        host: this.#host,
        objects: await this.#objectsOpen(),
        agentId: this.#options.agentId ?? null,
        mounts: this.#mounts,
        builtIn: this.#builtIn,
        commands: this.#commands,
        limits: this.#limits,
        executors: this.#options.executors,
        fields: async (options) => {
          const fields = await this.#initialFields(options)
          await this.#demandDirectory(this.#files, fields.cwd)
          return fields
        },
      }),
    )
    return this.#jobs
  }

  /** Where Jobs and checkpoints are kept. */
  #objectsOpen(): Promise<Store> {
    this.#objects ??= (async () => {
      const stored = await this.#store.objects?.(this.id)
      return stored ?? new (await import('./store/memory.ts')).MemoryStore()
    })()
    return this.#objects
  }

  #checkpointing<T>(work: (checkpoints: WorkspaceCheckpoints) => Promise<T>): Promise<T> {
    return this.#onAll(async (parts) => {
      const { StoredCheckpoints } = await import('./job/workspace-checkpoints.ts')
      return work(new StoredCheckpoints(parts))
    })
  }

  /** Does work on all of the workspace, which `close` waits for. */
  async #onAll<T>(work: (parts: WorkspaceParts) => Promise<T>): Promise<T> {
    this.#demandOpen()
    this.#running += 1
    try {
      return await work(await this.#parts())
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#onQuiet?.()
    }
  }

  async #parts(): Promise<WorkspaceParts> {
    return {
      id: this.id,
      host: this.#host,
      store: this.#store,
      objects: await this.#objectsOpen(),
      sessions: this.#sessions,
      mounts: () => this.#mounts.mounts().filter(({ prefix }) => !this.#builtIn.has(prefix)),
      initial: () => this.#initialFields({}),
      defaultSession: async () => this.#default ?? this.#defaultId(),
      begin: (state) => {
        this.#demandOpen()
        return this.#begin(state, undefined)
      },
      closeSession: async (id) => {
        this.#forget(id)
        await this.#sessions.remove(id)
      },
    }
  }

  #demandOpen(): void {
    if (this.#ending !== null) throw this.#closed()
  }

  #closed(): WorkspaceError {
    return new WorkspaceError('CLOSED', `workspace "${this.id}" is closed`)
  }

  /** Asked once: lines that come while the answer is awaited keep their order. */
  #defaultId(): Promise<string> {
    this.#defaulting ??= this.#findDefault()
    return this.#defaulting
  }

  async #findDefault(): Promise<string> {
    try {
      this.#default = await this.#sessions.defaultSession(this.#options.sessionId)
      return this.#default
    } finally {
      this.#defaulting = null
    }
  }

  #openSession(id: string, options: SessionOptions): Promise<Open> {
    const hasOptions = Object.values(options).some((value) => value !== undefined)
    const known = this.#open.get(id)
    if (known !== undefined) return hasOptions ? Promise.reject(alreadyThere(id)) : known
    const opening = this.#make(id, options, hasOptions)
    this.#open.set(id, opening)
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id)
    })
    return opening
  }

  async #make(id: string, options: SessionOptions, mustBeNew: boolean): Promise<Open> {
    if (mustBeNew && (await this.#sessions.exists(id))) throw alreadyThere(id)
    const initial = await this.#initialFields(options)
    try {
      await this.#demandDirectory(this.#files, initial.cwd)
    } catch (error) {
      // A session that is stored has a directory of its own.
      if (!(await this.#sessions.exists(id))) throw error
    }
    const { session: state, created } = await this.#sessions.open(id, initial)
    if (mustBeNew && !created) throw alreadyThere(id)
    this.#demandOpen()
    const shell = new SessionShell({ host: this.#host, commands: this.#commands, fs: this.#files, limits: this.#limits })
    shell.shell.machine.history = state.history
    const face: Session = {
      id,
      createdAt: state.createdAt,
      shell: (line, lineOptions) => this.shell(line, { ...lineOptions, sessionId: id }),
      complete: (line, cursor, signal) => this.#complete(open, line, cursor, signal),
      prompts: (promptOptions) => this.#prompts(open, promptOptions ?? {}),
      files: async () => copiedReads(await this.#view(open, state.fields)),
      get fields() {
        return state.fields
      },
      refresh: () => this.#refresh(state),
      history: async (count) => {
        this.#demandOpen()
        return (await state.history.tail(count ?? Number.MAX_SAFE_INTEGER)).entries
      },
      historyLength: async () => {
        this.#demandOpen()
        return (await state.history.tail(0)).total
      },
    }
    const open: Open = { state, shell, face, view: null }
    this.#ready.set(id, open)
    return open
  }

  /** Lets go of a session that is no more. */
  #forget(id: string): void {
    this.#ready.get(id)?.shell.kill()
    this.#ready.delete(id)
    this.#open.delete(id)
  }

  async #initialFields(options: SessionOptions): Promise<SessionFields> {
    const named = options.profile ?? this.#options.profile
    const profile = typeof named === 'string' ? this.#profiles.get(named) : named
    if (typeof named === 'string' && profile === undefined) throw unknownProfile(named, this.#profiles.keys())
    const rules = profile === undefined ? OPEN_RULES : this.#rules(profile, named)
    const cwd = normalise(options.cwd ?? profile?.cwd ?? '/')
    const env = new Map<string, string>([
      ['HOME', (await isDirectory(this.#files, '/home/user')) ? '/home/user' : '/'],
      ['PATH', '/usr/bin:/bin'],
      ['PWD', cwd],
      ['USER', 'user'],
      ...entriesOf(this.#options.env),
      ...entriesOf(profile?.env),
      ...entriesOf(options.env),
    ])
    const variables = new Map<string, StoredVariable>()
    for (const [name, value] of env) variables.set(name, { attributes: 'x', value })
    variables.set('IFS', { attributes: '', value: ' \t\n' })
    return { cwd, variables, functions: new Map(), aliases: new Map(), umask: 0o022, rules }
  }

  #rules(profile: Profile, named: string | Profile | undefined): SessionRules {
    const where = typeof named === 'string' ? `profile "${named}"` : 'profile of the session'
    const rules = rulesOf(profile, typeof named === 'string' ? named : null, where)
    const prefixes = this.#mounts.mounts().map(({ prefix }) => prefix)
    for (const prefix of rules.mountModes.keys()) {
      if (!prefixes.includes(prefix)) throw invalid(`${where}: a prefix in mounts`, prefix, prefixes.map((one) => `"${one}"`).join(', '))
    }
    return rules
  }

  /** The session's own view of the files. */
  #view(open: Open, { rules }: SessionFields): MaybePromise<FileSystem> {
    if (open.view?.rules === rules) return open.view.fs
    const files = withBashHistory(this.#mounts, open.state.history)
    const use = (guarded: FileSystem): FileSystem => {
      const fs = followLinks(guarded)
      open.view = { rules, fs }
      return fs
    }
    const { hide, deny } = rules.paths
    if (hide.length + deny.length + rules.mountModes.size === 0) return use(files)
    return import('./policy/guard.ts').then(({ guard }) => use(guard(files, rules, this.#mounts)))
  }

  #demandDirectory(fs: FileSystem, path: string): MaybePromise<void> {
    return rescue<void>(
      () =>
        chain(fs.stat(path), ({ type }) => {
          if (type !== 'directory') throw new FileSystemError('ENOTDIR', path)
        }),
      (error) => {
        throw new WorkspaceError(codeOf(error) ?? 'EIO', `cwd "${path}": ${errorText(error)}`, { cause: error })
      },
    )
  }

  async #run(open: Open, line: string, options: ShellOptions): Promise<ShellResult> {
    const { state, shell } = open
    const { machine } = shell.shell
    const begun = this.#begin(state, options.signal)
    const fields = isPromise(begun) ? await begun : begun
    let isKept = false
    this.#running += 1
    try {
      const seen = this.#view(open, fields)
      const view = isPromise(seen) ? await seen : seen
      shell.apply(fields, view)
      const cwd =
        options.cwd === undefined ? undefined : normalise(options.cwd.startsWith('/') ? options.cwd : `${fields.cwd}/${options.cwd}`)
      if (cwd !== undefined) await this.#demandDirectory(view, cwd)
      const started = this.#host.now()
      const toRecord = options.record === false || line.trim() === '' ? null : this.#lineToRecord(shell, line, started)
      const record = isPromise(toRecord) ? await toRecord : toRecord
      const { followTerminal } = options.terminal === undefined ? NO_TERMINAL : await import('./line-terminal.ts')
      if (options.signal?.aborted === true) throw abortError(options.signal)
      this.#demandCurrent(open)
      machine.line = record
      const ended = await runLine(shell, line, options, {
        host: this.#host,
        outputBytes: this.#outputBytes,
        cwd,
        followTerminal,
        sync: () => this.#mounts.sync(),
      })
      machine.line = null
      const { agent = null, command = '', hidden = false } = record ?? {}
      const durationMs = Math.max(0, this.#host.now() - started)
      const entry = { agent, timestamp: started, cwd: cwd ?? fields.cwd, command, exitCode: ended.exitCode, durationMs, hidden }
      const commit = state.commit(ended.fields, record === null ? null : entry)
      isKept = true
      if (ended.aborted) {
        if (isPromise(commit)) await this.#atMost(ABORT_GRACE, commit)
        throw abortError(options.signal)
      }
      const kept = isPromise(commit) ? await commit : commit
      if (ended.failure !== null) throw ended.failure.error
      return shellResult(ended, kept)
    } finally {
      if (!isKept) state.abandon()
      this.#running -= 1
      if (this.#running === 0) this.#onQuiet?.()
    }
  }

  /** Waits for the session's turn: until it comes, the signal fires or the workspace is closed. */
  #begin(state: SessionState, signal: AbortSignal | undefined): MaybePromise<SessionFields> {
    let begun: MaybePromise<SessionFields>
    try {
      begun = state.begin(signal)
    } catch (error) {
      return this.#notBegun(error, state, signal)
    }
    if (!isPromise(begun)) return begun
    const turn = begun
    let leave = (_reason: WorkspaceError): void => undefined
    const closed = new Promise<never>((_, reject) => {
      leave = reject
    })
    this.#waiting.add(leave)
    return Promise.race([turn, closed])
      .catch((error: unknown) => {
        // A turn that comes all the same is given back.
        if (this.#ending !== null) turn.then(() => state.abandon()).catch(() => undefined)
        return this.#notBegun(error, state, signal)
      })
      .finally(() => this.#waiting.delete(leave))
  }

  #notBegun(error: unknown, state: SessionState, signal: AbortSignal | undefined): never {
    if (signal?.aborted === true) throw abortError(signal)
    if (codeOf(error) === 'NOT_FOUND' && this.#ready.get(state.id)?.state === state) this.#forget(state.id)
    throw error
  }

  /** What is closed while a line gets ready has ended what ran before: nobody would end this one. */
  #demandCurrent(open: Open): void {
    this.#demandOpen()
    const { id } = open.state
    if (this.#ready.get(id) !== open) throw new WorkspaceError('NOT_FOUND', `session "${id}" is closed`)
  }

  async #refresh(state: SessionState): Promise<SessionFields> {
    this.#demandOpen()
    try {
      return await state.refresh()
    } catch (error) {
      return this.#notBegun(error, state, undefined)
    }
  }

  async #complete(open: Open, line: string, cursor: number, signal: AbortSignal | undefined): Promise<LineCompletion | null> {
    this.#demandOpen()
    const { shell } = open
    if (shell.shell.process.environment.completions.size === 0) return null
    const { completeBySpecification } = await import('./shell/builtins/completion.ts')
    return this.#withTurn(open, signal, async () => {
      const stop = (): void => shell.interrupt(130)
      signal?.addEventListener('abort', stop, { once: true })
      try {
        return await completeBySpecification(shell.shell, line, cursor)
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    })
  }

  async #prompts(open: Open, options: PromptOptions): Promise<SessionPrompts> {
    this.#demandOpen()
    const { state, shell } = open
    const { sessionPrompts } = await import('./session-prompts.ts')
    const { fields, history } = state
    return sessionPrompts({ shell, fields, history, withTurn: (signal, work) => this.#withTurn(open, signal, work) }, options)
  }

  /** Lets work have the session's shell to itself. What it changes there goes to the store with the next line. */
  async #withTurn<T>(open: Open, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { state, shell } = open
    const fields = await this.#begin(state, signal)
    this.#running += 1
    try {
      shell.apply(fields, await this.#view(open, fields))
      this.#demandCurrent(open)
      return await work()
    } finally {
      state.abandon()
      this.#running -= 1
      if (this.#running === 0) this.#onQuiet?.()
    }
  }

  /** The line as the history will have it. HISTCONTROL and HISTIGNORE can keep it out of the views, never out of the record. */
  #lineToRecord({ shell }: SessionShell, command: string, timestamp: number): MaybePromise<RunningLine> {
    const record: RunningLine = { command, timestamp, agent: this.#options.agentId ?? null, hidden: false, added: false }
    const { process } = shell
    if ((readText(process, 'HISTCONTROL') ?? '') === '' && (readText(process, 'HISTIGNORE') ?? '') === '') return record
    const excluded = import('./shell/builtins/history-control.ts').then(({ isExcludedLine }) => isExcludedLine(process, command))
    return excluded.then(
      (hidden) => ({ ...record, hidden }),
      // A history that can't be read now must not keep the line from running.
      () => record,
    )
  }

  /** Resolves when the work is done, or the time is over. */
  #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#host.timer(ms, resolve)
      const done = (): void => {
        cancel()
        resolve()
      }
      work.then(done, done)
    })
  }
}

function machineLimits({ outputBytes: _outputBytes, ...limits }: WorkspaceLimits = {}): MachineLimits {
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_LIMITS, ...given }
}

async function isDirectory(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === 'directory'
  } catch {
    return false
  }
}

function alreadyThere(id: string): WorkspaceError {
  return new WorkspaceError('EEXIST', `session "${id}" exists: options are for a new one`)
}

function abortError(signal: AbortSignal | undefined): Error {
  const error = new DOMException('the line was aborted', 'AbortError')
  Object.defineProperty(error, 'cause', { value: signal?.reason, configurable: true })
  return error
}
