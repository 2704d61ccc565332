import type { MountMode } from '../fs/mount-table.ts'

/** A variable at rest. */
export interface StoredVariable {
  /** Letters of `declare`, in bash's order: `a A i l n r t u x`; '' for a plain one. */
  readonly attributes: string
  /** A scalar's text; an array's elements as key and text, in order; null when declared but unset. */
  readonly value: string | readonly (readonly [key: string, text: string])[] | null
}

/** A function at rest: its definition as text that defines it again. */
export interface StoredFunction {
  readonly source: string
  readonly exported: boolean
  readonly readonly: boolean
}

/** What a session may do, beyond what its workspace's mounts allow. */
export interface SessionRules {
  /** Name of the profile the rules came from. */
  readonly profile: string | null
  /** Narrower mode by mount prefix. */
  readonly mountModes: ReadonlyMap<string, MountMode>
  readonly paths: {
    /** Paths that don't exist for the session: absolute paths or globs (with all below), or name patterns without a slash. */
    readonly hide: readonly string[]
    /** Paths that are seen but can't be read or written (EACCES). Same forms. */
    readonly deny: readonly string[]
  }
  readonly commands: {
    /** When not null, nothing else may run (the shell's own control builtins always may). */
    readonly allow: readonly string[] | null
    readonly deny: readonly string[]
  }
}

/** Everything of a session that outlives its process. Unchanged parts keep their identity from line to line. */
export interface SessionFields {
  readonly cwd: string
  readonly variables: ReadonlyMap<string, StoredVariable>
  readonly functions: ReadonlyMap<string, StoredFunction>
  readonly aliases: ReadonlyMap<string, string>
  readonly umask: number
  readonly rules: SessionRules
}

/** One top-level line of a session. */
export interface HistoryEntry {
  readonly id: string
  readonly session: string
  readonly agent: string | null
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly cwd: string
  readonly command: string
  readonly exitCode: number
  readonly durationMs: number
}
