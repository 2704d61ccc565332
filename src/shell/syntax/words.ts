import type { ArrayElement, ArrayLiteral, Assignment, Word, WordPart } from './ast.ts'
import {
  AMPERSAND,
  BACKQUOTE,
  BACKSLASH,
  COLON,
  DOLLAR,
  DOUBLE_QUOTE,
  EQUALS,
  endsWord,
  GREATER,
  HASH,
  isBlank,
  isNamePart,
  isNameStart,
  LEFT_BRACKET,
  LEFT_PAREN,
  LESS,
  NEWLINE,
  opensPattern,
  PIPE,
  PLUS,
  RIGHT_BRACKET,
  RIGHT_PAREN,
  SEMICOLON,
  SINGLE_QUOTE,
  SPACE,
  stopsWord,
  TAB,
  TILDE,
} from './characters.ts'
import { scanDollar, scanDoubleQuoted, scanOperand } from './expansions.ts'
import { scanBackquoted, scanEscape, scanSingleQuoted, tildeUser } from './literals.ts'
import { operatorAt } from './operators.ts'
import { Parts } from './parts.ts'
import type { Source } from './source.ts'
import { scanProcessSubstitution } from './substitutions.ts'

/** What a word may be beside a plain one, to be joined by `|`. */
export const PLAIN = 0
/** `name=value`, `name[subscript]=value` and `name=(…)` before a command. */
export const ASSIGNMENT = 1
/** The same as an argument of `declare` and its kin; `(…)` only with {@link ARRAY_ARGUMENT}. */
export const DECLARATION = 2
export const ARRAY_ARGUMENT = 4
/** The right side of `=~`. */
export const REGEX = 8
/** Extended patterns are recognised even while the option is off. */
export const PATTERN = 16
/** `[subscript]=value` in an array literal. */
const ELEMENT = 32

/**
 * Scans the word that starts at `source.pos`. Leaves in `source.plain` its text where it is unquoted text only,
 * and in `source.assignment` what it assigns where `mode` lets it; its parts are then those of the value alone unless it is an argument.
 */
export function scanWord(source: Source, mode: number): Word {
  const text = source.text
  const start = source.pos
  const end = text.length
  let at = start
  let code = -1
  while (at < end) {
    code = text.charCodeAt(at)
    if (stopsWord(code)) break
    at++
  }
  if (at === end) code = -1
  source.assignment = null
  if (at > start && endsWord(code) && !goesOn(source, mode, code, at)) {
    source.pos = at
    const raw = text.slice(start, at)
    source.plain = raw
    return { type: 'word', parts: [{ type: 'text', text: raw, quoted: false }], raw }
  }
  return new WordScanner(source, mode).scan(at)
}

/** Whether a word that reached the operator character `code` goes on with it. */
function goesOn(source: Source, mode: number, code: number, at: number): boolean {
  switch (code) {
    case LEFT_PAREN:
      if ((mode & REGEX) !== 0) return true
      return (source.extglob || (mode & PATTERN) !== 0) && opensPattern(source.code(at - 1))
    case LESS:
    case GREATER:
      return source.code(at + 1) === LEFT_PAREN
    case PIPE:
      return (mode & REGEX) !== 0
    default:
      return false
  }
}

/** Scans one word that is more than plain text. */
class WordScanner {
  readonly #source: Source
  readonly #mode: number
  readonly #start: number
  #parts = new Parts()
  /** Where the unquoted text not yet added starts. */
  #run: number
  #parens = 0
  #parenStart = 0
  /** Unquoted text so far, nothing else. */
  #simple = true
  #bracketSeen = false
  #equalsSeen = false
  #subscript: Word | null = null
  #subscriptEnd = -1
  #name = ''
  #append = false
  /** Offset behind the `=` of what reads as an assignment, else -1. */
  #valueStart = -1
  #array: ArrayLiteral | null = null

  constructor(source: Source, mode: number) {
    this.#source = source
    this.#mode = mode
    this.#start = source.pos
    this.#run = source.pos
  }

  scan(from: number): Word {
    const source = this.#source
    const text = source.text
    const edits = source.edits.length
    let at = from
    loop: for (;;) {
      const code = source.code(at)
      switch (code) {
        case -1:
          if (this.#parens > 0) source.failUnclosed(')', this.#parenStart)
          break loop
        case TAB:
        case NEWLINE:
        case SPACE:
        case SEMICOLON:
        case AMPERSAND:
          if (this.#parens === 0) break loop
          at++
          break
        case PIPE:
          if (this.#parens === 0 && (this.#mode & REGEX) === 0) break loop
          at++
          break
        case LEFT_PAREN:
          if (this.#parens === 0 && !(at > this.#run || (this.#mode & REGEX) !== 0)) break loop
          if (this.#parens === 0) {
            if (!goesOn(source, this.#mode, code, at)) break loop
            this.#parenStart = at
          }
          this.#simple = false
          this.#parens++
          at++
          break
        case RIGHT_PAREN:
          if (this.#parens === 0) break loop
          this.#parens--
          at++
          break
        case LESS:
        case GREATER:
          if (source.code(at + 1) === LEFT_PAREN) {
            this.#flush(at)
            this.#parts.push(scanProcessSubstitution(source))
            at = this.#resume()
          } else {
            if (this.#parens === 0) break loop
            at++
          }
          break
        case BACKSLASH:
          this.#flush(at)
          if (source.code(at + 1) !== NEWLINE) this.#simple = false
          scanEscape(source, this.#parts)
          at = this.#resume(this.#simple)
          break
        case SINGLE_QUOTE:
          this.#flush(at)
          scanSingleQuoted(source, this.#parts)
          at = this.#resume()
          break
        case DOUBLE_QUOTE:
          this.#flush(at)
          this.#parts.push(scanDoubleQuoted(source))
          at = this.#resume()
          break
        case BACKQUOTE:
          this.#flush(at)
          this.#parts.push(scanBackquoted(source, false))
          at = this.#resume()
          break
        case DOLLAR:
          this.#flush(at)
          scanDollar(source, this.#parts, false)
          at = this.#resume()
          break
        case LEFT_BRACKET:
          at = this.#bracket(at)
          break
        case EQUALS:
          at = this.#equals(at)
          if (this.#array !== null) break loop
          break
        case TILDE:
          at = this.#tilde(at)
          break
        default:
          at++
          while (at < text.length && !stopsWord(text.charCodeAt(at))) at++
      }
    }
    return this.#finish(at, edits)
  }

  #flush(at: number): void {
    if (at > this.#run) this.#parts.text(this.#source.text.slice(this.#run, at), false)
    this.#source.pos = at
  }

  #resume(simple = false): number {
    this.#simple = simple
    this.#run = this.#source.pos
    return this.#run
  }

  #bracket(at: number): number {
    const source = this.#source
    const element = (this.#mode & ELEMENT) !== 0
    const wanted = element ? at === this.#start : (this.#mode & (ASSIGNMENT | DECLARATION)) !== 0 && at > this.#start
    if (!wanted || this.#bracketSeen || this.#equalsSeen || this.#parens > 0 || !this.#simple) return at + 1
    this.#bracketSeen = true
    const name = source.raw(this.#start, at)
    if (!element && !isName(name)) return at + 1
    source.pos = at + 1
    if ((this.#mode & DECLARATION) !== 0 && !bracketsClose(source.text, at)) return at + 1
    const subscript = scanOperand(source, at, RIGHT_BRACKET, -1)
    const end = source.pos + 1
    source.pos = end
    if (assigns(source, end)) {
      this.#subscript = subscript
      this.#subscriptEnd = end
      this.#name = name
      return end
    }
    // As in bash the brackets hold the word together though it is none that assigns.
    this.#flush(at + 1)
    this.#parts.append(subscript.parts)
    this.#run = end - 1
    if (subscript.parts.some((part) => part.type !== 'text' || part.quoted)) this.#simple = false
    return end
  }

  #equals(at: number): number {
    if (this.#equalsSeen || this.#parens > 0) return at + 1
    this.#equalsSeen = true
    const source = this.#source
    const append = at > this.#start && source.code(at - 1) === PLUS
    const nameEnd = append ? at - 1 : at
    if (this.#subscriptEnd >= 0) {
      if (nameEnd !== this.#subscriptEnd) return at + 1
    } else {
      if (!this.#simple || (this.#mode & ELEMENT) !== 0) return at + 1
      const name = source.raw(this.#start, nameEnd)
      if (!isName(name)) return at + 1
      this.#name = name
    }
    this.#append = append
    this.#valueStart = at + 1
    if ((this.#mode & (ASSIGNMENT | DECLARATION | ELEMENT | ARRAY_ARGUMENT)) === 0) return at + 1
    if ((this.#mode & (ASSIGNMENT | ARRAY_ARGUMENT)) !== 0 && source.code(at + 1) === LEFT_PAREN) {
      source.pos = at + 1
      this.#array = scanArrayLiteral(source)
      return source.pos
    }
    if ((this.#mode & (ASSIGNMENT | DECLARATION | ELEMENT)) !== 0) {
      this.#parts = new Parts()
      this.#run = at + 1
    }
    return at + 1
  }

  #tilde(at: number): number {
    const source = this.#source
    const before = at - 1
    const here =
      at === this.#start ||
      (this.#valueStart >= 0 &&
        (!source.posix || (this.#mode & (ASSIGNMENT | DECLARATION | ELEMENT)) !== 0) &&
        (at === this.#valueStart || (before >= this.#run && source.code(before) === COLON)))
    if (!here || this.#parens > 0) return at + 1
    const user = tildeUser(source, at, -1)
    if (user === null) return at + 1
    const end = source.pos
    this.#flush(at)
    this.#parts.push({ type: 'tilde', user })
    source.pos = end
    return this.#resume()
  }

  #finish(at: number, edits: number): Word {
    const source = this.#source
    this.#flush(at)
    const raw = source.raw(this.#start, at)
    const parts = this.#parts.finish()
    const assigns = this.#valueStart >= 0 && (this.#mode & (ASSIGNMENT | DECLARATION | ELEMENT)) !== 0
    source.assignment = null
    source.plain = null
    let word: Word
    if (assigns) {
      word = this.#assigning(parts, raw, at)
    } else if (this.#array !== null) {
      word = { type: 'word', parts: arrayText(source.text.slice(this.#start, this.#valueStart), this.#array), raw }
    } else {
      if (this.#simple && parts.length === 1) {
        const only = parts[0] as WordPart
        if (only.type === 'text' && !only.quoted) source.plain = only.text
      }
      word = { type: 'word', parts, raw }
    }
    source.restoreEdits(edits)
    return word
  }

  #assigning(parts: WordPart[], raw: string, at: number): Word {
    const source = this.#source
    const value: Word | ArrayLiteral = this.#array ?? { type: 'word', parts, raw: source.raw(this.#valueStart, at) }
    const assignment: Assignment = { name: this.#name, subscript: this.#subscript, append: this.#append, value, raw }
    source.assignment = assignment
    if ((this.#mode & DECLARATION) === 0) return { type: 'word', parts, raw }
    if (value.type === 'array') return { type: 'word', parts: [], raw, assignment }
    const whole = new Parts()
    whole.text(this.#name, false)
    if (this.#subscript !== null) {
      whole.text('[', false)
      whole.append(this.#subscript.parts)
      whole.text(']', false)
    }
    whole.text(this.#append ? '+=' : '=', false)
    whole.append(parts)
    return { type: 'word', parts: whole.finish(), raw, assignment }
  }
}

/** Whether `=` or `+=` stands at `at`. */
function assigns(source: Source, at: number): boolean {
  const code = source.code(at)
  return code === EQUALS || (code === PLUS && source.code(at + 1) === EQUALS)
}

/** Whether the bracket at `open` is closed before the next blank; arguments don't reach over one. */
function bracketsClose(text: string, open: number): boolean {
  let quote = 0
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === BACKSLASH && quote === DOUBLE_QUOTE) at++
      else if (code === quote) quote = 0
    } else if (code === BACKSLASH) {
      at++
    } else if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE) {
      quote = code
    } else if (code === DOLLAR && text.charCodeAt(at + 1) === LEFT_PAREN) {
      return true
    } else if (isBlank(code) || code === NEWLINE) {
      return false
    } else if (code === LEFT_BRACKET) {
      depth++
    } else if (code === RIGHT_BRACKET && --depth === 0) {
      return true
    }
  }
  return false
}

function isName(text: string): boolean {
  if (text.length === 0 || !isNameStart(text.charCodeAt(0))) return false
  for (let i = 1; i < text.length; i++) if (!isNamePart(text.charCodeAt(i))) return false
  return true
}

/** An array literal where it is no assignment but text, as in `eval a=(1 2)`. */
function arrayText(head: string, array: ArrayLiteral): WordPart[] {
  const parts = new Parts()
  parts.text(`${head}(`, false)
  array.elements.forEach((element, index) => {
    if (index > 0) parts.text(' ', false)
    if (element.subscript !== null) {
      parts.text('[', false)
      parts.append(element.subscript.parts)
      parts.text(element.append ? ']+=' : ']=', false)
    }
    parts.append(element.value.parts)
  })
  parts.text(')', false)
  return parts.finish()
}

/** Scans `( word… )`, over lines and comments too. */
function scanArrayLiteral(source: Source): ArrayLiteral {
  const open = source.pos
  const edits = source.edits.length
  const elements: ArrayElement[] = []
  let raw = '('
  source.enter()
  source.pos++
  for (;;) {
    const code = skipBlank(source)
    if (code === RIGHT_PAREN) break
    if (code === -1) source.failUnclosed(')', open)
    if (code !== LESS && code !== GREATER ? endsWord(code) : source.code(source.pos + 1) !== LEFT_PAREN) {
      source.fail(`syntax error near unexpected token \`${operatorAt(source.text, source.pos)}'`, source.pos)
    }
    const word = scanWord(source, ELEMENT)
    const assignment = source.assignment as Assignment | null
    if (elements.length > 0) raw += ' '
    raw += word.raw
    elements.push(
      assignment === null
        ? { subscript: null, append: false, value: word }
        : { subscript: assignment.subscript, append: assignment.append, value: assignment.value as Word },
    )
  }
  source.pos++
  source.leave()
  source.restoreEdits(edits)
  source.edit(open, source.pos, `${raw})`)
  return { type: 'array', elements }
}

/** Moves over blanks, newlines, comments and line continuations; gives the code it stops at. */
function skipBlank(source: Source): number {
  for (;;) {
    const code = source.code(source.pos)
    if (code === BACKSLASH && source.code(source.pos + 1) === NEWLINE) {
      source.pos += 2
    } else if (code === HASH) {
      const newline = source.text.indexOf('\n', source.pos)
      source.pos = newline < 0 ? source.text.length : newline
    } else if (isBlank(code) || code === NEWLINE) {
      source.pos++
    } else {
      return code
    }
  }
}
