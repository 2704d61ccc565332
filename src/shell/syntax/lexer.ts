import type { Assignment, Word } from './ast.ts'
import {
  AMPERSAND,
  BACKSLASH,
  DASH,
  GREATER,
  HASH,
  isDigit,
  isNamePart,
  isNameStart,
  LEFT_BRACE,
  LEFT_PAREN,
  LESS,
  NEWLINE,
  PIPE,
  RIGHT_BRACE,
  RIGHT_PAREN,
  SEMICOLON,
  SPACE,
  TAB,
} from './characters.ts'
import { type PendingHereDocument, readHereDocument } from './here-document.ts'
import { operatorAt } from './operators.ts'
import { newlineFrom, type Source } from './source.ts'
import { ShellSyntaxError } from './syntax-error.ts'
import { ASSIGNMENT, REGEX, scanWord } from './words.ts'

/** Where a token is read: bits to be joined with those of a word. */
const RESERVED = 256
const ALIAS = 512
const TIME = 1024
/** Behind `>&` and `<&`, where `-` is a token of its own. */
export const DESCRIPTOR = 2048
/** Where a command may start. */
export const COMMAND: number = RESERVED | ALIAS | TIME | ASSIGNMENT
/** Behind `|`, where `time` is no reserved word. */
export const STAGE: number = RESERVED | ALIAS | ASSIGNMENT
/** Behind an assignment or redirection that a command may follow. */
export const PREFIX: number = ALIAS | ASSIGNMENT
/** Where only reserved words mean more than themselves. */
export const KEYWORD: number = RESERVED

const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc'.split(' '),
)

/** A text that is read before going on with the one below it: the value of an alias. */
interface Level {
  readonly name: string
  /** The value ends in a blank: the word behind it may be an alias too. */
  readonly expandsNext: boolean
  /** Where the value ends in the text being read; behind it is text taken over from below. */
  end: number
  /** What is read when this level is through. */
  text: string
  pos: number
  newline: number
  lineStart: number
}

/**
 * Reads tokens. `kind` is `word`, `assignment`, `number` (of a redirection), `variable` (`{name}` of one), `newline`, `eof`,
 * or the operator or reserved word itself.
 */
export class Lexer {
  readonly source: Source
  kind = 'newline'
  /** For the first four kinds. */
  word: Word | null = null
  /** Its text where it is unquoted text only. */
  plain: string | null = null
  assignment: Assignment | null = null
  /** Offset of the token, and its line. */
  start = 0
  line = 0
  pending: PendingHereDocument[] = []
  #levels: Level[] = []
  #ended = false

  constructor(source: Source) {
    this.source = source
  }

  is(kind: string): boolean {
    return this.kind === kind
  }

  /** The offset reached in the text that was given, whatever alias is being read. */
  get offset(): number {
    return this.#levels.length === 0 ? this.source.pos : (this.#levels[0] as Level).pos
  }

  /** Reads the next token, of the kinds that `mode` makes possible. */
  advance(mode: number): void {
    const source = this.source
    for (;;) {
      let next = false
      let code: number
      for (;;) {
        code = source.code(source.pos)
        if (code === SPACE || code === TAB) {
          source.pos++
        } else if (code === BACKSLASH && source.code(source.pos + 1) === NEWLINE) {
          source.pos += 2
        } else if (code === HASH) {
          this.#skipComment()
        } else if (code === -1 && this.#levels.length > 0) {
          next = this.#pop()
        } else {
          break
        }
      }
      const start = source.pos
      this.start = start
      this.line = start > source.newline ? source.lineAt(start) : source.line
      switch (code) {
        case -1:
          this.kind = this.#endsLine() ? 'newline' : 'eof'
          if (this.kind === 'newline' && this.pending.length + source.leftOver.length > 0) this.#readHereDocuments()
          return
        case NEWLINE:
          source.pos = start + 1
          this.kind = 'newline'
          if (this.pending.length > 0 || source.leftOver.length > 0) this.#readHereDocuments()
          return
        case SEMICOLON:
        case AMPERSAND:
          this.#operator()
          return
        case PIPE:
        case LEFT_PAREN:
          if ((mode & REGEX) === 0) return this.#operator()
          break
        case RIGHT_PAREN:
          source.pos = start + 1
          this.kind = ')'
          return
        case LESS:
        case GREATER:
          if (source.code(start + 1) !== LEFT_PAREN) return this.#operator()
          break
        case DASH:
          if ((mode & DESCRIPTOR) !== 0) {
            source.pos = start + 1
            this.kind = 'word'
            this.plain = '-'
            this.word = { type: 'word', parts: [{ type: 'text', text: '-', quoted: false }], raw: '-' }
            return
          }
      }
      if (this.#word(mode, next)) return
    }
  }

  /** Runs a scanner from the token's start on, again and with more text where an alias ended in the middle of what it scans. */
  scanning<T>(from: number, scan: (start: number) => T): T {
    if (this.#levels.length === 0) return scan(from)
    const source = this.source
    let start = from
    for (;;) {
      const { depth, line, newline, lineStart } = source
      try {
        return scan(start)
      } catch (error) {
        if (!(error instanceof ShellSyntaxError && error.incomplete)) throw error
        source.depth = depth
        source.line = line
        source.newline = newline
        source.lineStart = lineStart
        source.restoreEdits(0)
        if (!this.#absorb(start)) throw error
        start = 0
        this.start = 0
        source.pos = 0
      }
    }
  }

  /** Reads a word; false where it was an alias, whose value is to be read instead. */
  #word(mode: number, next: boolean): boolean {
    const source = this.source
    this.word =
      this.#levels.length === 0
        ? scanWord(source, mode)
        : this.scanning(this.start, (start) => {
            source.pos = start
            return scanWord(source, mode)
          })
    this.kind = 'word'
    const plain = source.plain
    this.plain = plain
    if (plain === null) {
      if ((mode & ASSIGNMENT) !== 0 && source.assignment !== null) {
        this.kind = 'assignment'
        this.assignment = source.assignment
      }
      return true
    }
    const code = source.code(source.pos)
    if (code === LESS || code === GREATER) {
      if (isDescriptor(plain)) {
        this.kind = 'number'
        return true
      }
      if (plain.charCodeAt(0) === LEFT_BRACE && isVariable(plain)) {
        this.kind = 'variable'
        return true
      }
    }
    const reserved = (mode & RESERVED) !== 0 && RESERVED_WORDS.has(plain) && (plain !== 'time' || this.#timeStands(mode))
    if (((mode & ALIAS) !== 0 || next) && source.alias !== undefined && !(reserved && source.posix) && this.#push(plain)) return false
    if (reserved) this.kind = plain
    return true
  }

  #timeStands(mode: number): boolean {
    if ((mode & TIME) === 0) return false
    if (!this.source.posix) return true
    let at = this.source.pos
    while (this.source.code(at) === SPACE || this.source.code(at) === TAB) at++
    return this.source.code(at) !== DASH
  }

  #operator(): void {
    const source = this.source
    let at = source.pos
    const operator = operatorAt(source.text, at)
    // A continued line in the middle of an operator.
    if (operator.length === 1 && source.code(at + 1) === BACKSLASH && source.code(at + 2) === NEWLINE) {
      at += 1
      while (source.code(at) === BACKSLASH && source.code(at + 1) === NEWLINE) at += 2
      const joined = operatorAt(operator + source.text.slice(at, at + 3), 0)
      if (joined.length > 1) {
        source.pos = at + joined.length - 1
        this.kind = joined
        return
      }
    }
    source.pos += operator.length
    this.kind = operator
  }

  /** Whether the end of the text has to count as the end of a line first, since no newline is there. */
  #endsLine(): boolean {
    if (this.#ended) return false
    this.#ended = true
    const { text } = this.source
    return text.length > 0 && text.charCodeAt(text.length - 1) !== NEWLINE
  }

  #skipComment(): void {
    const source = this.source
    for (;;) {
      const newline = source.text.indexOf('\n', source.pos)
      source.pos = newline < 0 ? source.text.length : newline
      if (newline >= 0 || this.#levels.length === 0) return
      this.#pop()
    }
  }

  #readHereDocuments(): void {
    const source = this.source
    const pending = source.leftOver.length > 0 ? [...this.pending, ...source.leftOver] : this.pending
    this.pending = []
    source.leftOver = []
    for (const document of pending) {
      while (!readHereDocument(source, document, this.#levels.length > 0)) {
        const start = source.pos
        const all = !this.#absorb(start)
        source.pos = 0
        if (all && readHereDocument(source, document, false)) break
      }
    }
  }

  /** Starts to read the value of the alias `name`; false where it is none or is being read already. */
  #push(name: string): boolean {
    const source = this.source
    if (source.alias === undefined) return false
    const value = source.alias(name)
    if (value === undefined) return false
    if (!source.expandsAliases) {
      source.sawAlias = true
      return false
    }
    const levels = this.#levels
    for (let i = 0; i < levels.length; i++) {
      const level = levels[i] as Level
      if (level.name === name && (i + 1 < levels.length ? (levels[i + 1] as Level).pos <= level.end : this.start < level.end)) return false
    }
    const last = value.charCodeAt(value.length - 1)
    levels.push({
      name,
      expandsNext: last === SPACE || last === TAB,
      end: value.length,
      text: source.text,
      pos: source.pos,
      newline: source.newline,
      lineStart: source.lineStart,
    })
    source.text = value
    source.pos = 0
    source.newline = Number.MAX_SAFE_INTEGER
    source.lineStart = 0
    source.notArithmetic = null
    source.partial = true
    if (last === LESS || last === GREATER || last === AMPERSAND || last === PIPE || last === SEMICOLON || last === LEFT_PAREN)
      this.#absorb(0)
    return true
  }

  /** Goes back to the text below; tells whether the next word may be an alias. */
  #pop(): boolean {
    const source = this.source
    const level = this.#levels.pop() as Level
    source.lineAt(source.text.length)
    source.text = level.text
    source.pos = level.pos
    source.newline = level.newline
    source.lineStart = level.lineStart
    source.notArithmetic = null
    source.partial = this.#levels.length > 0
    return level.expandsNext
  }

  /** Takes text from below, at least a line, and drops what is before `from`. False where none is left. */
  #absorb(from: number): boolean {
    const source = this.source
    const level = this.#levels[this.#levels.length - 1] as Level
    if (level.pos >= level.text.length) {
      if (this.#levels.length === 1) return false
      // What this level has left becomes text of the one below.
      const rest = source.text.slice(from)
      this.#levels.pop()
      const below = this.#levels[this.#levels.length - 1] as Level
      below.end = rest.length
      source.text = rest
      source.newline = Number.MAX_SAFE_INTEGER
      return this.#absorb(0)
    }
    const taken = source.text.length - level.end
    const newline = level.text.indexOf('\n', Math.min(level.pos + taken, level.text.length))
    const until = newline < 0 ? level.text.length : newline + 1
    const boundary = source.text.length - from
    source.text = source.text.slice(from) + level.text.slice(level.pos, until)
    source.newline = source.newline === Number.MAX_SAFE_INTEGER ? newlineFrom(source.text, boundary) : source.newline - from
    source.lineStart = Math.max(0, source.lineStart - from)
    level.end -= from
    level.pos = until
    level.newline = newlineFrom(level.text, until)
    level.lineStart = until
    source.notArithmetic = null
    return true
  }
}

/** A number that may stand before a redirection. */
function isDescriptor(text: string): boolean {
  if (text.length > 10) return false
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false
  return Number(text) <= 0x7fffffff
}

/** `{name}` */
function isVariable(text: string): boolean {
  if (text.length < 3 || text.charCodeAt(text.length - 1) !== RIGHT_BRACE || !isNameStart(text.charCodeAt(1))) return false
  for (let i = 2; i < text.length - 1; i++) {
    const code = text.charCodeAt(i)
    if (!isNamePart(code)) return code === 91 && text.charCodeAt(text.length - 2) === 93
  }
  return true
}
