import type { CommandTable } from './commands/registry.ts'
import { codeOf, errorText, hasCode } from './errors.ts'
import type { FileSystem } from './fs/file-system.ts'
import { followLinks } from './fs/follow-links.ts'
import type { Mount } from './fs/mount-table.ts'
import { MountTable } from './fs/mount-table.ts'
import type { Host, MaybePromise } from './host.ts'
import type { AccessRule } from './job/access.ts'
import { deniedPaths } from './job/access.ts'
import type {
  Attempt,
  CommandEnd,
  CommandSite,
  Executor,
  Running,
  SavedExecution,
  SiteAttempt,
  SiteCommand,
  SiteEnd,
} from './job/executor.ts'
import { guard } from './policy/guard.ts'
import { SessionShell } from './session-shell.ts'
import { quoteWord } from './shell/expand/quote.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import type { LineEnd, LineStreams } from './shell/shell.ts'
import type { SessionFields } from './state/session-fields.ts'

export interface MachineExecutorOptions {
  readonly host: Host
  readonly commands: CommandTable
  readonly limits: MachineLimits
  /** What every workspace has besides its files: devices and programs. */
  readonly builtIn: () => ReadonlyMap<string, Mount>
}

const ENFORCED = { level: 'enforced', mechanisms: ['shell machine'] } as const

/** Runs commands in the workspace's own shell, over the Job's mounts. */
export function machineExecutor(options: MachineExecutorOptions): Executor {
  return {
    name: 'machine',
    isolation: 'shell machine',
    executionBlocker: null,
    start: (attempt) => start(options, attempt),
    open: (attempt) => new MachineSite(options, attempt),
    enforcement: () => ({
      filesystem_read: ENFORCED,
      filesystem_write: ENFORCED,
      network: { level: 'enforced', mechanisms: ['no command of the shell reaches a network'] },
      subprocess: ENFORCED,
      resources: { level: 'enforced', mechanisms: ['limits of the shell machine'] },
    }),
  }
}

async function start(options: MachineExecutorOptions, attempt: Attempt): Promise<Running> {
  const { host, commands, limits } = options
  const { fs, fields } = viewOf(options, attempt)
  const session = new SessionShell({ host, commands, fs, limits })
  const { shell } = session
  session.apply(fields, fs)
  if (attempt.execution !== null) await shell.restore(attempt.execution.machine, attempt.stdin)
  return new MachineCommand(session, attempt)
}

/** What the commands of a Job see, and what their session starts with. */
function viewOf(
  { builtIn }: MachineExecutorOptions,
  { mounts, fields: given, access }: SiteAttempt,
): { readonly fs: FileSystem; readonly fields: SessionFields } {
  const table = new MountTable([...builtIn(), ...mounts])
  const fields = withAccess(given, access)
  return { fs: followLinks(guard(table, fields.rules, table)), fields }
}

/** Lines in shells over the same files. */
class MachineSite implements CommandSite {
  readonly fs: FileSystem
  readonly isLive: boolean = true
  readonly #options: MachineExecutorOptions
  readonly #fields: SessionFields
  readonly #sessions = new Map<string, SessionShell>()

  constructor(options: MachineExecutorOptions, attempt: SiteAttempt) {
    const { fs, fields } = viewOf(options, attempt)
    this.fs = fs
    this.#options = options
    this.#fields = fields
  }

  async run({ line, session: name, cwd, env, mergesErrors, timeoutMs, output, missing, signal }: SiteCommand): Promise<SiteEnd> {
    signal?.throwIfAborted()
    const session = (name === null ? undefined : this.#sessions.get(name)) ?? this.#shell(cwd, env)
    if (name !== null) this.#sessions.set(name, session)
    session.shell.machine.onMissing = missing
    let ended: 'limit' | 'signal' | null = null
    const end = (why: 'limit' | 'signal') => (): void => {
      ended = why
      session.kill()
    }
    const stop = this.#options.host.timer(timeoutMs, end('limit'))
    const abort = end('signal')
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const { status, exited } = await session.shell.run(line, {
        stdin: new Uint8Array(0),
        stdout: (bytes) => output(bytes, 'stdout'),
        stderr: (bytes) => output(bytes, mergesErrors ? 'stdout' : 'stderr'),
      })
      const isOver = exited || ended !== null
      if (name !== null && isOver) this.#sessions.delete(name)
      // What was left in the background ends with its shell.
      if (name === null || isOver) session.kill()
      return { status: ended === null ? status : null, timedOut: ended === 'limit' }
    } finally {
      stop()
      signal?.removeEventListener('abort', abort)
    }
  }

  close(): Promise<readonly string[]> {
    for (const session of this.#sessions.values()) session.kill()
    this.#sessions.clear()
    return Promise.resolve([])
  }

  #shell(cwd: string | null, env: Readonly<Record<string, string>>): SessionShell {
    const { host, commands, limits } = this.#options
    const session = new SessionShell({ host, commands, fs: this.fs, limits })
    const variables = new Map(this.#fields.variables)
    for (const [name, value] of Object.entries(env)) variables.set(name, { attributes: 'x', value })
    if (cwd !== null) variables.set('PWD', { attributes: 'x', value: cwd })
    session.apply({ ...this.#fields, cwd: cwd ?? this.#fields.cwd, variables }, this.fs)
    return session
  }
}

/** A command in a shell of its own. */
class MachineCommand implements Running {
  readonly ended: Promise<CommandEnd>
  readonly pid: null = null
  readonly #session: SessionShell
  #resolve: (end: CommandEnd) => void = () => undefined
  #isOver = false

  constructor(session: SessionShell, attempt: Attempt) {
    this.#session = session
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const { shell } = session
    const streams: LineStreams = {
      stdin: attempt.stdin,
      stdout: (bytes) => attempt.output(bytes, 'stdout'),
      stderr: (bytes) => attempt.output(bytes, 'stderr'),
    }
    const line = typeof attempt.command === 'string' ? attempt.command : attempt.command.map(quoteWord).join(' ')
    if (attempt.startsPaused) shell.machine.pause()
    this.#follow(() => (attempt.execution === null ? shell.run(line, streams) : shell.proceed(streams)))
  }

  kill(): void {
    this.#session.kill()
  }

  async pause(limitMs: number): Promise<SavedExecution | null> {
    if (this.#isOver) return null
    const suspended = this.#session.shell.suspend(limitMs).catch((error: unknown) => {
      if (hasCode(error, 'CONFLICT')) return null
      throw error
    })
    const machine = await Promise.race([suspended, this.ended.then(() => null)])
    return machine === null || this.#isOver ? null : { version: 1, machine }
  }

  goOn(): void {
    this.#follow(() => this.#session.shell.proceed(null))
  }

  letGo(): void {
    this.#isOver = true
    // Timers and the like go; no instruction runs any more.
    this.#session.kill()
  }

  /** The promise of a line that was paused never resolves: another takes its place. */
  #follow(go: () => MaybePromise<LineEnd>): void {
    const end = async (): Promise<CommandEnd> => {
      try {
        const { status } = await go()
        return { exitCode: status, signal: null, failure: null, warnings: [] }
      } catch (error) {
        const message = codeOf(error) === undefined ? String(error) : errorText(error)
        return { exitCode: null, signal: null, failure: { kind: 'infrastructure', message }, warnings: [] }
      }
    }
    void end().then((result) => {
      if (this.#isOver) return
      this.#isOver = true
      // What was left in the background ends with the command.
      this.#session.kill()
      this.#resolve(result)
    })
  }
}

/** What may not be used besides what the session's rules say. */
function withAccess(fields: SessionFields, access: readonly AccessRule[]): SessionFields {
  if (access.length === 0) return fields
  const { rules } = fields
  return { ...fields, rules: { ...rules, paths: { ...rules.paths, deny: [...rules.paths.deny, ...deniedPaths(access)] } } }
}
