import type { Assignment, List, ListItem } from './ast.ts'
import { NEWLINE } from './characters.ts'
import type { PendingHereDocument } from './here-document.ts'
import { ShellSyntaxError } from './syntax-error.ts'

/** How deep constructs may be nested in each other: far more than a script has, far less than the stack of any runtime holds. */
const DEPTH_LIMIT = 300

/** A stretch of the text that reads differently in the `raw` of the word around it. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A `((` that is no arithmetic. */
export interface NotArithmetic {
  /** Offset of the `)` that closes the second parenthesis. */
  readonly innerEnd: number
  /** Offset behind the `)` that closes the first, where what is in between is known not to parse; else -1. */
  end: number
}

/** The text being parsed and the place reached in it, shared by all who scan it. */
export class Source {
  text: string
  /** Offset of the next character to read. */
  pos = 0
  depth = 0
  extglob = false
  posix = false
  alias: ((name: string) => string | undefined) | undefined = undefined
  /** False inside substitutions, whose aliases are only looked for in a first pass. */
  expandsAliases = true
  /** A command word that is an alias was passed over because of that. */
  sawAlias = false
  /** Line of `pos` as far as {@link lineAt} was asked. */
  line: number
  /** Offset of the next newline behind the place {@link lineAt} was last asked for. */
  newline: number
  lineStart = 0
  edits: Edit[] = []
  /** Offsets of `((` and `$((` that turned out to be no arithmetic. */
  notArithmetic: Map<number, NotArithmetic> | null = null
  /** More text follows when this one is through: it is the value of an alias. */
  partial = false
  /** The text is the body of a here-document, outside of its substitutions. */
  hereDocument = false
  /** Items inside substitutions that a newline ended. */
  lineEnds: Set<ListItem> = new Set()
  warnings: string[] = []
  /** Here-documents of a substitution that ended before their bodies came. */
  leftOver: PendingHereDocument[] = []
  /** Of the word scanned last: its text where it holds nothing but unquoted text. */
  plain: string | null = null
  /** Of the word scanned last, where it reads as one and may be one. */
  assignment: Assignment | null = null
  /** Parses commands up to and including the `)` that ends them. */
  readonly substitution: (source: Source) => List

  constructor(text: string, line: number, substitution: (source: Source) => List) {
    this.text = text
    this.line = line
    this.newline = newlineFrom(text, 0)
    this.substitution = substitution
  }

  /** A text of its own that is parsed under the same settings. */
  nested(text: string, line: number): Source {
    const source = new Source(text, line, this.substitution)
    source.depth = this.depth
    source.extglob = this.extglob
    source.posix = this.posix
    source.alias = this.alias
    source.expandsAliases = this.expandsAliases
    source.warnings = this.warnings
    source.lineEnds = this.lineEnds
    return source
  }

  /** The character code at an offset, -1 behind the end. */
  code(at: number): number {
    return at < this.text.length ? this.text.charCodeAt(at) : -1
  }

  /** Line of an offset that is not before the last one asked for. */
  lineAt(at: number): number {
    while (at > this.newline) {
      this.line++
      this.lineStart = this.newline + 1
      this.newline = newlineFrom(this.text, this.lineStart)
    }
    return this.line
  }

  enter(): void {
    if (++this.depth > DEPTH_LIMIT) this.fail('syntax error: constructs are nested too deeply', this.pos)
  }

  leave(): void {
    this.depth--
  }

  /** The text between two offsets as a word's `raw` has it. */
  raw(from: number, to: number): string {
    const edits = this.edits
    if (edits.length === 0 || (edits[edits.length - 1] as Edit).from < from) return this.text.slice(from, to)
    let first = edits.length
    while (first > 0 && (edits[first - 1] as Edit).from >= from) first--
    let result = ''
    let at = from
    for (let i = first; i < edits.length; i++) {
      const edit = edits[i] as Edit
      if (edit.from >= to) break
      result += this.text.slice(at, edit.from) + edit.text
      at = edit.to
    }
    return at < to ? result + this.text.slice(at, to) : result
  }

  /** Lets a stretch read as `text` in every `raw` taken from now on. */
  edit(from: number, to: number, text: string): void {
    const edits = this.edits
    while (edits.length > 0 && (edits[edits.length - 1] as Edit).from >= from) edits.pop()
    edits.push({ from, to, text })
  }

  /** Forgets all edits but the first `count`. */
  restoreEdits(count: number): void {
    if (this.edits.length > count) this.edits.length = count
  }

  /** `at` is what is at fault; the line is that of `reached`, up to where the text was read. */
  fail(message: string, at: number, reached: number = at): never {
    throw new ShellSyntaxError(message, { line: this.#lineOf(reached), column: this.#columnOf(at), incomplete: false })
  }

  /** The text ends inside a quote or bracket that was opened at `at`. */
  failUnclosed(closing: string, at: number): never {
    const message = `unexpected EOF while looking for matching \`${closing}'`
    throw new ShellSyntaxError(message, { line: this.#lineOf(at), column: this.#columnOf(at), incomplete: true })
  }

  /** The text ends where more has to come; `at` is where that began, for an error that points there. */
  failAtEnd(message: string, at = -1): never {
    const line = at < 0 ? this.endLine() : this.#lineOf(at)
    throw new ShellSyntaxError(message, { line, column: at < 0 ? 1 : this.#columnOf(at), incomplete: true })
  }

  /** The line the end of the text goes by: the one behind the last. */
  endLine(): number {
    const length = this.text.length
    const line = this.#lineOf(length)
    return length > 0 && this.text.charCodeAt(length - 1) === NEWLINE ? line : line + 1
  }

  #lineOf(at: number): number {
    let line = this.line
    if (at >= this.lineStart) {
      let newline = this.newline
      while (newline < at) {
        line++
        newline = newlineFrom(this.text, newline + 1)
      }
      return line
    }
    for (let i = at; i < this.lineStart; i++) if (this.text.charCodeAt(i) === NEWLINE) line--
    return line
  }

  #columnOf(at: number): number {
    if (at >= this.lineStart && at <= this.newline) return at - this.lineStart + 1
    return at === 0 ? 1 : at - this.text.lastIndexOf('\n', at - 1)
  }
}

/** Offset of the first newline at or behind `at`; beyond every offset where there is none. */
export function newlineFrom(text: string, at: number): number {
  const found = text.indexOf('\n', at)
  return found < 0 ? Number.MAX_SAFE_INTEGER : found
}
