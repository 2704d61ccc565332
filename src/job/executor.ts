import type { FileSystem } from '../fs/file-system.ts'
import type { MaybePromise } from '../host.ts'
import type { SavedMachine } from '../shell/machine/saved.ts'
import type { SessionFields } from '../state/session-fields.ts'
import type { AccessRule } from './access.ts'
import type { FailureKind } from './job-documents.ts'
import type { JobMount } from './stage.ts'

/** What runs the command of a Job. */
export interface Executor {
  readonly name: 'machine' | 'host'
  /** What keeps its commands apart from what surrounds them, in a few words, such as `shell machine`. */
  readonly isolation: string
  /** Why the execution of its Jobs can't be saved; null where it can. */
  readonly executionBlocker: string | null
  /** Starts a command, or goes on with one. Fails with CAPABILITY_UNSUPPORTED, before anything is touched, for what it can't do. */
  start(attempt: Attempt): MaybePromise<Running>
  /**
   * Opens the files of a Job for commands that run one after another, and whatever else works on the files between them. Fails as `start`. Left out where only one command
   * can be run.
   */
  open?(attempt: SiteAttempt): MaybePromise<CommandSite>
  /** Ends what still runs of a Job whose runner died. Left out where nothing can. */
  endLeft?(jobId: string): MaybePromise<void>
  /** The dimensions of control it really enforces, for the bundle: by name (`filesystem_write`, `network` …) the level and what gives it. */
  enforcement(attempt: Pick<Attempt, 'isStaged' | 'access'>): Readonly<Record<string, Enforcement>>
}

export interface Enforcement {
  readonly level: 'unenforced' | 'cooperative' | 'enforced'
  readonly mechanisms: readonly string[]
}

/** One lifetime of a Job's command. */
export interface Attempt {
  readonly jobId: string
  /** A line of shell, or a program and its arguments. */
  readonly command: string | readonly string[]
  /** The files it sees and changes, by mount prefix. */
  readonly mounts: ReadonlyMap<string, JobMount>
  /** Its changes go to a stage. */
  readonly isStaged: boolean
  /** `inspect`: it looks at what is there; the mounts are read-only, and what it changes elsewhere is thrown away. */
  readonly purpose: 'run' | 'inspect'
  /** What its session starts with: directory (a path of the workspace), variables, rules. */
  readonly fields: SessionFields
  readonly access: readonly AccessRule[]
  /** What it reads: bytes, or chunks as they come (null at the end). */
  readonly stdin: Uint8Array | (() => MaybePromise<Uint8Array | null>)
  /** Takes its output; a promise holds the writer back. */
  readonly output: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
  /** Goes on from here instead of starting; null: it starts. */
  readonly execution: SavedExecution | null
  /** Nothing of it runs before it was paused once, and goes on. */
  readonly startsPaused: boolean
}

/** What commands that run one after another have in common. */
export type SiteAttempt = Pick<Attempt, 'jobId' | 'mounts' | 'isStaged' | 'fields' | 'access'>

/** The files of a Job, open for one command after another. */
export interface CommandSite {
  /** The files as the commands see and change them, by the paths of the workspace; links are followed. */
  readonly fs: FileSystem
  /** Runs a line to its end; one at a time. Rejects only for a fault of the library. */
  run(command: SiteCommand): Promise<SiteEnd>
  /** The mounts have each change at once; else they have what was changed when it is closed. */
  readonly isLive: boolean
  /** Ends what still runs, brings what was changed to the mounts, and lets go of all it holds. Warnings as {@link CommandEnd}. */
  close(): Promise<readonly string[]>
}

export interface SiteCommand {
  /** A line of bash. */
  readonly line: string
  /** Name of a shell that lives from command to command, with its directory, variables and functions; null: one of its own. */
  readonly session: string | null
  /** Where a new shell starts: a path of the workspace; null: where the attempt says. */
  readonly cwd: string | null
  /** Exported variables of a new shell, besides those of the attempt. */
  readonly env: Readonly<Record<string, string>>
  /** What it writes to standard error goes where standard output goes, in the order in which it is written. */
  readonly mergesErrors: boolean
  /** Milliseconds after which it is ended; a shell that lives on is ended with it. */
  readonly timeoutMs: number
  readonly output: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
  /** Told the name of each command that was called and isn't there, where that is known. */
  readonly missing: (name: string) => void
  /** Ends it. */
  readonly signal: AbortSignal | undefined
}

/** How a line at a site ended. */
export interface SiteEnd {
  /** Null where it was ended: by its limit, by the signal, or by a signal of the system. */
  readonly status: number | null
  readonly timedOut: boolean
}

/** How a command ended. */
export interface CommandEnd {
  /** Null where it ended without one, such as by a signal. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** Why it has no meaningful status; null where it ended by itself, whatever its status. */
  readonly failure: { readonly kind: FailureKind; readonly message: string } | null
  /** What the person who looks at the Job should know. */
  readonly warnings: readonly string[]
}

/** A command that runs. */
export interface Running {
  /** Never rejects but for a fault of the library. After it, nothing is written to the mounts. */
  readonly ended: Promise<CommandEnd>
  /** Ends the command: `ended` resolves soon. */
  kill(): void
  /**
   * Stops it where its state can be saved, once the commands in flight have ended, and gives the state; nothing is written to the mounts until `goOn`. Null where it
   * ended first. EBUSY, and it runs on, where that takes longer than `limitMs`. Left out where its execution can't be saved.
   */
  pause?(limitMs: number): Promise<SavedExecution | null>
  /** Goes on after `pause`. */
  goOn?(): void
  /** After `pause`: lets go of everything here, since it goes on elsewhere or later. `ended` never resolves then. */
  letGo?(): void
  /** Process id where it has one. */
  readonly pid: number | null
}

/** The running state of a command as plain data. What the session may do isn't in it: whoever goes on with it says that. */
export interface SavedExecution {
  readonly version: 1
  readonly machine: SavedMachine
}
