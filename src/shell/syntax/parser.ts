import type { List } from './ast.ts'
import { CommandParser, parseSubstitution } from './commands.ts'
import { COMMAND } from './lexer.ts'
import { Source } from './source.ts'

export { ShellSyntaxError } from './syntax-error.ts'

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
  /** What bash warns of, without the `bash: warning: ` before it; left out where there is nothing. */
  readonly warnings?: readonly string[]
}

/** Reads a script one complete command at a time. */
export interface Parser {
  /** The next complete command, or null at the end (blank lines and comments are passed over). Throws {@link ShellSyntaxError}. */
  next(settings?: ParseSettings): CompleteCommand | null
}

/** A parser over `source`; `firstLine` is the number its first line goes by, 1 when left out. */
export function createParser(source: string, firstLine = 1): Parser {
  return new ScriptParser(source, firstLine)
}

class ScriptParser implements Parser {
  readonly #source: Source
  readonly #commands: CommandParser

  constructor(text: string, firstLine: number) {
    this.#source = new Source(text, firstLine, parseSubstitution)
    this.#commands = new CommandParser(this.#source)
  }

  next(settings: ParseSettings = {}): CompleteCommand | null {
    const source = this.#source
    const { lexer } = this.#commands
    source.extglob = settings.extglob === true
    source.posix = settings.posix === true
    source.alias = settings.alias === undefined ? undefined : (name) => settings.alias?.(name)
    source.notArithmetic = null
    if (source.lineEnds.size > 0) source.lineEnds = new Set()
    do lexer.advance(COMMAND)
    while (lexer.kind === 'newline')
    if (lexer.kind === 'eof') return null
    const { start, line } = lexer
    const list = this.#completeCommand()
    const { warnings } = source
    if (warnings.length === 0) return { list, start, end: lexer.offset, line }
    source.warnings = []
    return { list, start, end: lexer.offset, line, warnings }
  }

  #completeCommand(): List {
    try {
      return this.#commands.completeCommand()
    } catch (error) {
      // Where the stack is smaller than the limit of the depth allows for.
      if (!(error instanceof Error) || (error.name !== 'RangeError' && error.name !== 'InternalError')) throw error
      this.#source.fail('syntax error: constructs are nested too deeply', this.#source.pos)
    }
  }
}
