import type { List } from './ast.ts'

/** What the parser must know of the shell it reads for; looked at anew for each complete command. */
export interface ParseSettings {
  /** The text of an alias, undefined where there is none or aliases are off. */
  alias?(name: string): string | undefined
  readonly extglob?: boolean
  readonly posix?: boolean
}

/** One complete command: what bash reads, expands aliases in and parses before running any of it. */
export interface CompleteCommand {
  readonly list: List
  /** Offsets in the source: its first character, and behind its last (here-documents and newline included). */
  readonly start: number
  readonly end: number
  readonly line: number
}

/** A script that doesn't parse. Messages read as bash's, without the `bash: line N:` before them. */
export class ShellSyntaxError extends Error {
  override readonly name: string = 'ShellSyntaxError'
  readonly code = 'SYNTAX'
  /** 1-based line and column of the token at fault. */
  readonly line: number
  readonly column: number
  /** The text simply ended: more lines could complete it. */
  readonly incomplete: boolean

  constructor(message: string, at: { line: number; column: number; incomplete: boolean }) {
    super(message)
    this.line = at.line
    this.column = at.column
    this.incomplete = at.incomplete
  }
}

/** Reads a script one complete command at a time. */
export interface Parser {
  /** The next complete command, or null at the end (blank lines and comments are passed over). Throws {@link ShellSyntaxError}. */
  next(settings?: ParseSettings): CompleteCommand | null
}

/** A parser over `source`; `firstLine` is the number its first line goes by, 1 when left out. */
export function createParser(_source: string, _firstLine?: number): Parser {
  throw new Error('to be written')
}
