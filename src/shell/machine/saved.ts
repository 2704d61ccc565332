import type { CompletionSpec } from './environment.ts'
import type { Job } from './jobs.ts'
import type { Operand, Script, Waiting } from './process.ts'
import type { ProgramSettings } from './program.ts'
import type { Call } from './specials.ts'

/** Version of the saved form. */
export const SAVED_VERSION = 1

/**
 * A machine at rest, as JSON. Nothing of the host is in it: files are named by their paths in the workspace, programs by their text.
 * Numbers that other parts refer to are places in the lists.
 */
export interface SavedMachine {
  readonly version: number
  /** When it was saved, in milliseconds since the epoch: deadlines are counted from here. */
  readonly savedAt: number
  readonly shellPid: number
  readonly nextPid: number
  readonly programs: readonly SavedProgram[]
  readonly pipes: readonly SavedPipe[]
  readonly descriptions: readonly SavedDescription[]
  readonly processes: readonly SavedProcess[]
  /** Pids of processes that could run at once, in their order. */
  readonly queue: readonly number[]
  /** Output of substitutions under way: pid and description. */
  readonly sinks: readonly (readonly [pid: number, description: number])[]
  readonly substitutions: readonly number[]
}

export interface SavedProgram {
  readonly kind: 'list' | 'function' | 'fixed'
  readonly text: string
  readonly settings: ProgramSettings
  readonly lines: readonly number[]
}

export interface SavedPipe {
  /** What is in it, as base64. */
  readonly content: string
}

export type SavedDescription =
  | {
      readonly kind: 'file'
      readonly path: string
      readonly readable: boolean
      readonly writable: boolean
      readonly append: boolean
      readonly offset: number
    }
  | { readonly kind: 'pipe'; readonly pipe: number; readonly end: 'read' | 'write' }
  | { readonly kind: 'text'; readonly content: string; readonly offset: number }
  | { readonly kind: 'sink'; readonly content: string; readonly limit: number }
  /** One of the line's own streams, which whoever restores the machine gives anew. */
  | { readonly kind: 'stream'; readonly role: 'stdin' | 'stdout' | 'stderr' }
  | { readonly kind: 'closed' }

export interface SavedVariable {
  readonly name: string
  readonly attributes: number
  readonly value:
    | null
    | string
    | number
    | { readonly array: readonly (readonly [number, string])[] }
    | { readonly map: readonly (readonly [string, string])[] }
}

export interface SavedBinding {
  readonly name: string
  readonly variable: SavedVariable | null
  readonly order: number
  readonly local?: boolean
  readonly gone?: boolean
}

export interface SavedFunction {
  readonly name: string
  readonly source: string
  readonly exported: boolean
  readonly readonly: boolean
  readonly traced: boolean
  readonly file: string
  readonly line: number
  /** Lines of its instructions in the script that it came from. */
  readonly lines?: readonly number[]
}

export interface SavedEnvironment {
  readonly variables: readonly SavedVariable[]
  readonly functions: readonly SavedFunction[]
  readonly aliases: readonly (readonly [string, string])[]
  readonly options: readonly string[]
  readonly traps: readonly (readonly [string, string])[]
  readonly inheritedTraps: readonly (readonly [string, string])[] | null
  readonly hashed: readonly (readonly [string, { readonly path: string; readonly hits: number }])[]
  readonly disabledBuiltins: readonly string[]
  readonly limits: readonly (readonly [string, string])[]
  readonly completions: readonly (readonly [string, CompletionSpec])[]
  /** Fields that are plain data already. */
  readonly plain: Readonly<Record<string, unknown>>
  /** Milliseconds since SECONDS was zero. */
  readonly age: number
}

export interface SavedFrame {
  readonly kind: 'program' | 'function' | 'script' | 'trap' | 'builtin'
  readonly program: number
  readonly counter: number
  readonly stackHeight: number
  readonly undoHeight: number
  readonly conditionDepth: number
  readonly loops: readonly unknown[]
  readonly scope: SavedScope | null
  readonly script: Script | null
  readonly state: unknown
  readonly trap: unknown
}

export interface SavedScope {
  readonly plain: Readonly<Record<string, unknown>>
  readonly hidden: readonly SavedBinding[]
  readonly savedTraps: readonly (readonly [string, string])[] | null
}

export type SavedUndo = { readonly descriptor: number; readonly description: number | null } | { readonly binding: SavedBinding }

export interface SavedProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly environment: SavedEnvironment
  readonly descriptors: readonly (readonly [descriptor: number, description: number])[]
  readonly frames: readonly SavedFrame[]
  readonly stack: readonly Operand[]
  readonly undo: readonly SavedUndo[]
  readonly stopped: boolean
  readonly waiting: Waiting | null
  readonly zombies: readonly (readonly [pid: number, status: number])[]
  readonly jobs: { readonly jobs: readonly Job[]; readonly order: readonly number[] } | null
  readonly outerCalls: readonly Call[]
  readonly outerBindings: readonly SavedBinding[]
  readonly commandText: string
  /** Pipe of a process substitution. */
  readonly substitution: number | null
  /** Fields that are plain data already. */
  readonly plain: Readonly<Record<string, unknown>>
}
