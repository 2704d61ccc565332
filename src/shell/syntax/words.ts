import type {
  ArrayElement,
  ArrayLiteral,
  Assignment,
  CommandSubstitution,
  List,
  ParameterExpansion,
  ParameterOperation,
  ProcessSubstitution,
  Word,
  WordPart,
} from './ast.ts'
import {
  AMPERSAND,
  AT,
  BACKQUOTE,
  BACKSLASH,
  BANG,
  CARET,
  COLON,
  COMMA,
  DASH,
  DOLLAR,
  DOT,
  DOUBLE_QUOTE,
  EQUALS,
  endsWord,
  GREATER,
  HASH,
  isBlank,
  isDigit,
  isNamePart,
  isNameStart,
  LEFT_BRACE,
  LEFT_BRACKET,
  LEFT_PAREN,
  LESS,
  NEWLINE,
  opensPattern,
  PERCENT,
  PIPE,
  PLUS,
  QUESTION,
  RIGHT_BRACE,
  RIGHT_BRACKET,
  RIGHT_PAREN,
  SEMICOLON,
  SINGLE_QUOTE,
  SLASH,
  SPACE,
  STAR,
  stopsQuoted,
  stopsWord,
  TAB,
  TILDE,
} from './characters.ts'
import { decodeAnsiC } from './escape-sequence.ts'
import { operatorAt } from './operators.ts'
import { Parts } from './parts.ts'
import { printList } from './print.ts'
import type { NotArithmetic, Source } from './source.ts'
import { ShellSyntaxError } from './syntax-error.ts'

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

/**
 * At a `~`: the user it names where it is a tilde prefix, with `source.pos` behind it; null where it is only a character.
 * `stop` ends the word beside what always does.
 */
function tildeUser(source: Source, tilde: number, stop: number): string | null {
  const edits = source.edits.length
  let at = tilde + 1
  for (;;) {
    const code = source.code(at)
    if (code === BACKSLASH && source.code(at + 1) === NEWLINE) {
      source.edit(at, at + 2, '')
      at += 2
    } else if (code === SLASH || code === COLON || code === stop || (stop < 0 && endsWord(code))) {
      source.pos = at
      return source.raw(tilde + 1, at)
    } else if (code < 0 || (code < 128 && !isNamePart(code) && code !== DASH && code !== PLUS && code !== DOT)) {
      source.restoreEdits(edits)
      return null
    } else {
      at++
    }
  }
}

/** At a backslash outside quotes. */
function scanEscape(source: Source, parts: Parts): void {
  const at = source.pos
  const next = source.code(at + 1)
  if (next === NEWLINE) {
    source.edit(at, at + 2, '')
    source.pos = at + 2
    return
  }
  if (next < 0) {
    if (source.partial) source.failUnclosed('\\', at)
    parts.text('\\', true)
    source.pos = at + 1
    return
  }
  const length = next >= 0xd800 && next < 0xdc00 ? 2 : 1
  parts.text(source.text.slice(at + 1, at + 1 + length), true)
  source.pos = at + 1 + length
}

function scanSingleQuoted(source: Source, parts: Parts): void {
  const open = source.pos
  const close = source.text.indexOf("'", open + 1)
  if (close < 0) source.failUnclosed("'", open)
  parts.text(source.text.slice(open + 1, close), true)
  source.pos = close + 1
}

/** At the quote of `$'…'`: gives the text it means. */
function scanAnsiC(source: Source, parts: Parts, quote: number): string {
  let at = quote + 1
  for (;;) {
    const code = source.code(at)
    if (code === SINGLE_QUOTE) break
    if (code < 0) source.failUnclosed("'", quote)
    at += code === BACKSLASH ? 2 : 1
  }
  const decoded = decodeAnsiC(source.text.slice(quote + 1, at))
  parts.text(decoded, true)
  source.pos = at + 1
  return decoded
}

/** At the opening quote. */
function scanDoubleQuoted(source: Source): WordPart {
  const open = source.pos
  source.enter()
  source.pos++
  const parts = new Parts()
  scanQuotedText(source, parts, open)
  source.pos++
  source.leave()
  return { type: 'double', parts: parts.finish() }
}

/** Scans what stands inside double quotes, up to the closing one. */
function scanQuotedText(source: Source, parts: Parts, open: number): void {
  const text = source.text
  let run = source.pos
  let at = run
  for (;;) {
    while (at < text.length && !stopsQuoted(text.charCodeAt(at))) at++
    const code = source.code(at)
    if (at > run) parts.text(text.slice(run, at), true)
    source.pos = at
    if (code === DOUBLE_QUOTE) return
    if (code < 0) source.failUnclosed('"', open)
    scanQuotedPart(source, parts, DOUBLE_QUOTE)
    run = source.pos
    at = run
  }
}

/** At a backslash inside double quotes; `stop` is one more character that it quotes. */
function scanQuotedEscape(source: Source, parts: Parts, stop: number): void {
  const at = source.pos
  const next = source.code(at + 1)
  source.pos = at + 2
  if (next === NEWLINE) {
    source.edit(at, at + 2, '')
  } else if (next === DOLLAR || next === BACKQUOTE || next === BACKSLASH || (next === stop && next >= 0)) {
    parts.text(String.fromCharCode(next), true)
  } else {
    parts.text('\\', true)
    source.pos = at + 1
  }
}

/** The body of a here-document that is expanded. What doesn't parse in it becomes a part that fails when it is expanded. */
export function scanHereDocumentBody(source: Source): Word {
  const text = source.text
  const parts = new Parts()
  let run = 0
  let at = 0
  for (;;) {
    while (at < text.length && (!stopsQuoted(text.charCodeAt(at)) || text.charCodeAt(at) === DOUBLE_QUOTE)) at++
    if (at > run) parts.text(text.slice(run, at), true)
    if (at === text.length) return { type: 'word', parts: parts.finish(), raw: text }
    source.pos = at
    const { depth, line } = source
    try {
      scanQuotedPart(source, parts, -1)
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error
      source.depth = depth
      parts.push(faultyPart(text, at, line))
      source.pos = text.length
    }
    run = source.pos
    at = run
  }
}

/** What stands for an expansion that doesn't parse: it takes the rest of the text. */
function faultyPart(text: string, at: number, line: number): WordPart {
  const backquote = text.charCodeAt(at) === BACKQUOTE
  if (backquote || text.charCodeAt(at + 1) === LEFT_PAREN) return { type: 'command', body: text.slice(backquote ? at + 1 : at + 2), line }
  return { type: 'bad', raw: text.slice(at) }
}

/** At a backslash, `$` or backquote inside double quotes. */
function scanQuotedPart(source: Source, parts: Parts, stop: number): void {
  const code = source.code(source.pos)
  if (code === BACKSLASH) scanQuotedEscape(source, parts, stop)
  else if (code === DOLLAR) scanDollar(source, parts, true)
  else parts.push(scanBackquoted(source, true))
}

/** At a backquote. The body is parsed when it runs. */
function scanBackquoted(source: Source, quoted: boolean): WordPart {
  const open = source.pos
  const text = source.text
  const line = source.lineAt(open + 1)
  let at = open + 1
  let run = at
  let body = ''
  for (;;) {
    const code = source.code(at)
    if (code === BACKQUOTE) break
    if (code < 0) source.failUnclosed('`', open)
    if (code !== BACKSLASH) {
      at++
      continue
    }
    const next = source.code(at + 1)
    if (next === BACKQUOTE || next === BACKSLASH || next === DOLLAR || (quoted && next === DOUBLE_QUOTE)) {
      body += text.slice(run, at)
      run = at + 1
    } else if (next === NEWLINE) {
      body += text.slice(run, at)
      run = at + 2
      source.edit(at, at + 2, '')
    }
    at += 2
  }
  source.pos = at + 1
  return { type: 'command', body: body + text.slice(run, at), line }
}

/** At a `$`. */
function scanDollar(source: Source, parts: Parts, quoted: boolean): void {
  const start = source.pos
  let at = start + 1
  let code = source.code(at)
  while (code === BACKSLASH && source.code(at + 1) === NEWLINE) {
    source.edit(at, at + 2, '')
    at += 2
    code = source.code(at)
  }
  if (isNameStart(code)) {
    source.pos = at
    parts.push(parameter(scanName(source), false))
    return
  }
  switch (code) {
    case LEFT_PAREN:
      parts.push(scanParenthesized(source, start, at))
      return
    case LEFT_BRACE:
      parts.push(scanBraced(source, start, at, quoted))
      return
    case LEFT_BRACKET: {
      source.enter()
      source.pos = at + 1
      const expression = scanArithmetic(source, start, RIGHT_BRACKET, -1)
      source.pos++
      source.leave()
      parts.push({ type: 'arithmetic', expression })
      return
    }
    case SINGLE_QUOTE: {
      if (quoted) break
      const decoded = scanAnsiC(source, parts, at)
      // As in bash the word has it decoded.
      source.edit(start, source.pos, singleQuoted(decoded))
      return
    }
    case DOUBLE_QUOTE:
      if (quoted) break
      source.pos = at
      source.edit(start, at, '')
      parts.push(scanDoubleQuoted(source))
      return
    default:
      if (!isDigit(code) && !isSpecialParameter(code)) break
      source.pos = at + 1
      parts.push(parameter(String.fromCharCode(code), false))
      return
  }
  if (code < 0 && source.partial) source.failUnclosed('$', start)
  parts.text('$', quoted)
  source.pos = at
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function parameter(name: string, braced: boolean): ParameterExpansion {
  return { type: 'parameter', name, subscript: null, operation: null, indirect: false, braced }
}

/** Scans a name from its first character on. */
function scanName(source: Source): string {
  const start = source.pos
  const text = source.text
  let at = start
  for (;;) {
    while (at < text.length && isNamePart(text.charCodeAt(at))) at++
    if (source.code(at) !== BACKSLASH || source.code(at + 1) !== NEWLINE) break
    source.edit(at, at + 2, '')
    at += 2
  }
  source.pos = at
  return source.raw(start, at)
}

function isSpecialParameter(code: number): boolean {
  switch (code) {
    case AT:
    case STAR:
    case HASH:
    case QUESTION:
    case DASH:
    case DOLLAR:
    case BANG:
      return true
    default:
      return false
  }
}

/** At `$(`: arithmetic where `((` is closed by `))`, commands otherwise. */
function scanParenthesized(source: Source, start: number, paren: number): WordPart {
  if (source.code(paren + 1) === LEFT_PAREN) {
    const expression = tryArithmetic(source, start, paren)
    if (expression !== null) return { type: 'arithmetic', expression }
  }
  const bodyStart = paren + 1
  const line = source.lineAt(bodyStart)
  const body = source.code(bodyStart) === LEFT_PAREN ? scanDoubtful(source, start, paren) : scanCommandsAt(source, bodyStart)
  const substitution: CommandSubstitution = {
    type: 'command',
    body: body ?? source.text.slice(bodyStart, source.pos - 1),
    line,
  }
  // As in bash what might have been arithmetic stays as it was typed.
  if (body !== null && source.code(bodyStart) !== LEFT_PAREN) replaceRaw(source, start, '$', body)
  return substitution
}

function scanCommandsAt(source: Source, at: number): List | null {
  source.pos = at
  return scanCommands(source)
}

/** At `$((` that is no arithmetic. As in bash the text up to its `)` may be anything, and is an error only when it runs: null. */
function scanDoubtful(source: Source, start: number, paren: number): List | null {
  const known = source.notArithmetic?.get(paren) as NotArithmetic
  const { depth, expandsAliases, sawAlias } = source
  const edits = source.edits.length
  if (known.end < 0) {
    try {
      return scanCommandsAt(source, paren + 1)
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error
      if (error.incomplete) source.failUnclosed(')', start)
      source.depth = depth
      source.expandsAliases = expandsAliases
      source.sawAlias = sawAlias
      source.pos = known.innerEnd + 1
      scanArithmetic(source, start, RIGHT_PAREN, -1)
      source.restoreEdits(edits)
      known.end = source.pos + 1
    }
  }
  source.pos = known.end
  return null
}

/** At `((`: the expression where `))` closes it; null, with nothing read, where it is something else. */
export function tryArithmetic(source: Source, start: number, paren: number): Word | null {
  if (source.notArithmetic?.has(paren) === true) return null
  const { line, newline, lineStart } = source
  const edits = source.edits.length
  source.enter()
  source.pos = paren + 2
  const expression = scanArithmetic(source, start, RIGHT_PAREN, -1)
  source.leave()
  if (source.code(source.pos + 1) === RIGHT_PAREN) {
    source.pos += 2
    return expression
  }
  source.line = line
  source.newline = newline
  source.lineStart = lineStart
  source.restoreEdits(edits)
  source.notArithmetic ??= new Map()
  source.notArithmetic.set(paren, { innerEnd: source.pos, end: -1 })
  source.pos = paren
  return null
}

function scanProcessSubstitution(source: Source): ProcessSubstitution {
  const start = source.pos
  const direction = source.code(start) === LESS ? '<' : '>'
  source.pos = start + 2
  const bodyStart = source.pos
  const body = scanCommands(source)
  if (body === null) source.fail('syntax error in an alias', bodyStart)
  replaceRaw(source, start, direction, body)
  return { type: 'process', direction, body }
}

/**
 * Commands up to the `)` that ends them. Aliases have no say in where that is; where there are any, the text in between is parsed
 * anew with them, which gives null where that fails.
 */
function scanCommands(source: Source): List | null {
  const start = source.pos
  const { expandsAliases, sawAlias, hereDocument } = source
  // Counted twice, since it takes twice the stack of other constructs.
  source.enter()
  source.enter()
  source.expandsAliases = false
  source.sawAlias = false
  source.hereDocument = false
  const line = source.lineAt(start)
  let list: List | null = source.substitution(source)
  source.expandsAliases = expandsAliases
  if (source.sawAlias && expandsAliases) list = reparse(source, source.text.slice(start, source.pos), line)
  source.sawAlias ||= sawAlias
  source.hereDocument = hereDocument
  source.leave()
  source.leave()
  return list
}

function reparse(source: Source, text: string, line: number): List | null {
  const nested = source.nested(text, line)
  try {
    return source.substitution(nested)
  } catch (error) {
    if (error instanceof ShellSyntaxError) return null
    throw error
  }
}

/** As in bash a substitution stands in its word as it prints, not as it was typed. */
function replaceRaw(source: Source, start: number, opening: string, body: List): void {
  const printed = printList(body, source.lineEnds)
  const whole = `${opening}(${printed.startsWith('(') ? ' ' : ''}${printed})`
  if (whole !== source.text.slice(start, source.pos)) source.edit(start, source.pos, whole)
}

/**
 * Scans an arithmetic text up to `close` (a parenthesis, bracket or brace of its own level), or to `separator` outside parentheses,
 * and stops at it. `open` is where an error points to.
 */
export function scanArithmetic(source: Source, open: number, close: number, separator: number): Word {
  const text = source.text
  const start = source.pos
  const parts = new Parts()
  let run = start
  let at = start
  let depth = 0
  let questions = 0
  for (;;) {
    const code = source.code(at)
    if (code < 0) source.failUnclosed(String.fromCharCode(close), open)
    if (depth === 0 && (code === close || (code === separator && questions === 0))) break
    switch (code) {
      case LEFT_PAREN:
        depth += close === RIGHT_BRACKET ? 0 : 1
        at++
        continue
      case LEFT_BRACKET:
        depth += close === RIGHT_BRACKET ? 1 : 0
        at++
        continue
      case RIGHT_PAREN:
        depth -= close !== RIGHT_BRACKET && depth > 0 ? 1 : 0
        at++
        continue
      case RIGHT_BRACKET:
        depth -= close === RIGHT_BRACKET ? 1 : 0
        at++
        continue
      case QUESTION:
        questions += separator === COLON && depth === 0 ? 1 : 0
        at++
        continue
      case COLON:
        questions -= separator === COLON && depth === 0 ? 1 : 0
        at++
        continue
      case SINGLE_QUOTE: {
        const end = text.indexOf("'", at + 1)
        if (end < 0) source.failUnclosed("'", at)
        at = end + 1
        continue
      }
      case DOUBLE_QUOTE:
      case BACKQUOTE:
      case BACKSLASH:
      case DOLLAR:
        break
      default:
        at++
        continue
    }
    if (at > run) parts.text(text.slice(run, at), true)
    source.pos = at
    if (code === DOUBLE_QUOTE) scanQuotesInside(source, parts)
    else scanQuotedPart(source, parts, DOUBLE_QUOTE)
    run = source.pos
    at = run
  }
  if (at > run) parts.text(text.slice(run, at), true)
  source.pos = at
  return { type: 'word', parts: parts.finish(), raw: source.raw(start, at) }
}

/** Double quotes inside of what is quoted already hold together and go away. */
function scanQuotesInside(source: Source, parts: Parts): void {
  const open = source.pos
  source.pos++
  scanQuotedText(source, parts, open)
  source.pos++
}

/** At `${`, whose brace is at `brace`. */
function scanBraced(source: Source, start: number, brace: number, quoted: boolean): WordPart {
  source.enter()
  source.pos = brace + 1
  let part: WordPart | null = scanBracedParameter(source, start, quoted)
  if (part === null) {
    scanOperand(source, start, RIGHT_BRACE, -1)
    source.pos++
    part = { type: 'bad', raw: source.raw(start, source.pos) }
  }
  source.leave()
  return part
}

/** What follows `${`, and its `}`; null, with that much read, where it makes no sense. */
function scanBracedParameter(source: Source, start: number, quoted: boolean): ParameterExpansion | null {
  skipContinuations(source)
  const at = source.pos
  const code = source.code(at)
  let indirect = false
  if (code === BANG) {
    const next = source.code(at + 1)
    indirect = isNamePart(next) || next === AT || next === STAR || (!source.posix && (next === HASH || next === QUESTION))
    if (indirect) source.pos++
  } else if (code === HASH) {
    const length = scanLength(source, start)
    if (length !== undefined) return length
    source.pos = at
  }
  const name = scanParameterName(source)
  if (name === '') return null
  const subscript = scanBracedSubscript(source, name, start)
  if (subscript === undefined) return null
  skipContinuations(source)
  const operation = scanOperation(source, start, quoted, indirect, name, subscript)
  if (operation === undefined || source.code(source.pos) !== RIGHT_BRACE) {
    // `${${…}}` is no parameter `$`.
    if (name === '$') source.pos = at
    return null
  }
  source.pos++
  if (operation !== null && (operation.type === 'names' || operation.type === 'keys')) {
    return { type: 'parameter', name, subscript: null, operation, indirect: false, braced: true }
  }
  return { type: 'parameter', name, subscript, operation, indirect, braced: true }
}

function skipContinuations(source: Source): void {
  while (source.code(source.pos) === BACKSLASH && source.code(source.pos + 1) === NEWLINE) {
    source.edit(source.pos, source.pos + 2, '')
    source.pos += 2
  }
}

/** At the `#` of `${#name}`; undefined where that is the parameter `#` itself, null where it makes no sense. */
function scanLength(source: Source, start: number): ParameterExpansion | null | undefined {
  source.pos++
  if (source.code(source.pos) === RIGHT_BRACE) return undefined
  const name = scanParameterName(source)
  if (name === '') return undefined
  const subscript = scanBracedSubscript(source, name, start)
  if (subscript === undefined || source.code(source.pos) !== RIGHT_BRACE) return isNameStart(name.charCodeAt(0)) ? null : undefined
  source.pos++
  return { type: 'parameter', name, subscript, operation: { type: 'length' }, indirect: false, braced: true }
}

/** A name, a position or a special parameter; '' where there is none. */
function scanParameterName(source: Source): string {
  const start = source.pos
  let code = source.code(start)
  if (isNameStart(code)) return scanName(source)
  if (isDigit(code)) {
    do code = source.code(++source.pos)
    while (isDigit(code))
    return source.text.slice(start, source.pos)
  }
  if (!isSpecialParameter(code)) return ''
  source.pos++
  return String.fromCharCode(code)
}

/** `[…]` behind a name: null where there is none, undefined where it isn't closed. */
function scanBracedSubscript(source: Source, name: string, start: number): '@' | '*' | Word | null | undefined {
  if (source.code(source.pos) !== LEFT_BRACKET || !isNameStart(name.charCodeAt(0))) return null
  source.pos++
  const word = scanOperand(source, start, RIGHT_BRACKET, RIGHT_BRACE)
  if (source.code(source.pos) !== RIGHT_BRACKET) return undefined
  source.pos++
  if (word.raw === '@' || word.raw === '*') return word.raw
  return word.raw === '' ? undefined : word
}

/** What stands between a parameter and `}`: null for nothing, undefined for what makes no sense. */
function scanOperation(
  source: Source,
  start: number,
  quoted: boolean,
  indirect: boolean,
  name: string,
  subscript: '@' | '*' | Word | null,
): ParameterOperation | null | undefined {
  const at = source.pos
  const code = source.code(at)
  const next = source.code(at + 1)
  switch (code) {
    case RIGHT_BRACE:
      if (indirect && typeof subscript === 'string') return { type: 'keys', joined: subscript === '*' }
      return null
    case COLON:
      if (next === DASH || next === EQUALS || next === QUESTION || next === PLUS) {
        source.pos += 2
        return scanDefault(source, start, next, true, quoted)
      }
      source.pos++
      return scanSlice(source, start)
    case DASH:
    case EQUALS:
    case QUESTION:
    case PLUS:
      source.pos++
      return scanDefault(source, start, code, false, quoted)
    case HASH:
    case PERCENT: {
      const longest = next === code
      source.pos += longest ? 2 : 1
      const pattern = scanOperand(source, start, RIGHT_BRACE, -1)
      return { type: 'remove', side: code === HASH ? 'prefix' : 'suffix', longest, pattern }
    }
    case SLASH:
      source.pos++
      return scanReplacement(source, start)
    case CARET:
    case COMMA:
    case TILDE: {
      const all = next === code
      source.pos += all ? 2 : 1
      const pattern = source.code(source.pos) === RIGHT_BRACE ? null : scanOperand(source, start, RIGHT_BRACE, -1)
      return { type: 'case', to: code === CARET ? 'upper' : code === COMMA ? 'lower' : 'toggle', all, pattern }
    }
    case STAR:
    case AT:
      if (next === RIGHT_BRACE) {
        if (!indirect || subscript !== null || !isNameStart(name.charCodeAt(0))) return undefined
        source.pos++
        return { type: 'names', joined: code === STAR }
      }
      if (code === STAR || source.code(at + 2) !== RIGHT_BRACE || !'UuLQEPAKak'.includes(source.text.charAt(at + 1))) return undefined
      source.pos += 2
      return { type: 'transform', letter: source.text.charAt(at + 1) }
    default:
      return undefined
  }
}

function scanDefault(source: Source, start: number, operator: number, colon: boolean, quoted: boolean): ParameterOperation {
  const word = quoted ? scanQuotedOperand(source, start) : scanOperand(source, start, RIGHT_BRACE, -1)
  switch (operator) {
    case DASH:
      return { type: 'default', colon, word }
    case EQUALS:
      return { type: 'assign', colon, word }
    case QUESTION:
      return { type: 'error', colon, word }
    default:
      return { type: 'alternate', colon, word }
  }
}

function scanSlice(source: Source, start: number): ParameterOperation | undefined {
  const offset = scanArithmetic(source, start, RIGHT_BRACE, COLON)
  if (source.code(source.pos) === RIGHT_BRACE) return offset.raw === '' ? undefined : { type: 'slice', offset, length: null }
  source.pos++
  return { type: 'slice', offset, length: scanArithmetic(source, start, RIGHT_BRACE, -1) }
}

function scanReplacement(source: Source, start: number): ParameterOperation {
  const code = source.code(source.pos)
  const where = code === SLASH ? 'all' : code === HASH ? 'prefix' : code === PERCENT ? 'suffix' : 'first'
  if (where !== 'first') source.pos++
  const pattern = scanOperand(source, start, RIGHT_BRACE, SLASH, where === 'all' && source.code(source.pos) === SLASH)
  if (source.code(source.pos) === RIGHT_BRACE) return { type: 'replace', where, pattern, replacement: null }
  source.pos++
  return { type: 'replace', where, pattern, replacement: scanOperand(source, start, RIGHT_BRACE, -1) }
}

/**
 * Scans an unquoted text up to `stop` or `other` and stops at it; in it blanks and operators are characters like any.
 * `skipFirst`: its first character is one of it whatever it is.
 */
function scanOperand(source: Source, open: number, stop: number, other: number, skipFirst = false): Word {
  const text = source.text
  const start = source.pos
  const parts = new Parts()
  const subscript = stop === RIGHT_BRACKET
  let run = start
  let at = skipFirst ? start + 1 : start
  let depth = 0
  if (!subscript && source.code(at) === TILDE) {
    const user = tildeUser(source, at, other === SLASH ? SLASH : stop)
    if (user !== null) {
      parts.push({ type: 'tilde', user })
      at = source.pos
      run = at
    }
  }
  for (;;) {
    const code = source.code(at)
    if (code < 0) source.failUnclosed(other === RIGHT_BRACE ? '}' : String.fromCharCode(stop), open)
    if (depth === 0 ? code === stop || code === other : code === RIGHT_BRACE && code === other) break
    switch (code) {
      case LEFT_BRACKET:
        depth += subscript ? 1 : 0
        at++
        continue
      case RIGHT_BRACKET:
        depth -= subscript ? 1 : 0
        at++
        continue
      case LESS:
      case GREATER:
        if (!subscript && source.code(at + 1) === LEFT_PAREN) break
        at++
        continue
      case BACKSLASH:
      case SINGLE_QUOTE:
      case DOUBLE_QUOTE:
      case BACKQUOTE:
      case DOLLAR:
        break
      default:
        at++
        continue
    }
    if (at > run) parts.text(text.slice(run, at), false)
    source.pos = at
    if (code === BACKSLASH) scanEscape(source, parts)
    else if (code === SINGLE_QUOTE) scanSingleQuoted(source, parts)
    else if (code === DOUBLE_QUOTE) parts.push(scanDoubleQuoted(source))
    else if (code === BACKQUOTE) parts.push(scanBackquoted(source, false))
    else if (code === DOLLAR) scanDollar(source, parts, false)
    else parts.push(scanProcessSubstitution(source))
    run = source.pos
    at = run
  }
  if (at > run) parts.text(text.slice(run, at), false)
  source.pos = at
  return { type: 'word', parts: parts.finish(), raw: source.raw(start, at) }
}

/** Scans the word of `-`, `=`, `?`, `+` inside double quotes, up to its `}`. Single quotes are characters, but bash lets them hide a `}`. */
function scanQuotedOperand(source: Source, open: number): Word {
  const text = source.text
  const start = source.pos
  const parts = new Parts()
  let run = start
  let at = start
  let hiddenTo = -1
  for (;;) {
    const code = source.code(at)
    if (code < 0) source.failUnclosed('}', open)
    if (code === RIGHT_BRACE && at > hiddenTo) break
    if (code === SINGLE_QUOTE && at > hiddenTo && !source.posix) {
      hiddenTo = text.indexOf("'", at + 1)
      if (hiddenTo < 0) source.failUnclosed("'", at)
    }
    const hidden = at < hiddenTo && (code === DOUBLE_QUOTE || (code === DOLLAR && source.code(at + 1) === SINGLE_QUOTE))
    if (hidden || !stopsQuoted(code)) {
      at++
      continue
    }
    if (at > run) parts.text(text.slice(run, at), true)
    source.pos = at
    scanQuotedOperandPart(source, parts)
    run = source.pos
    at = run
  }
  if (at > run) parts.text(text.slice(run, at), true)
  source.pos = at
  return { type: 'word', parts: parts.finish(), raw: source.raw(start, at) }
}

/** At a double quote, backslash, `$` or backquote in such a word. */
function scanQuotedOperandPart(source: Source, parts: Parts): void {
  const at = source.pos
  const code = source.code(at)
  const next = source.code(at + 1)
  if (code === DOUBLE_QUOTE) {
    scanQuotesInside(source, parts)
  } else if (code === DOLLAR && next === DOUBLE_QUOTE) {
    source.pos++
    scanQuotesInside(source, parts)
  } else if (code === DOLLAR && next === SINGLE_QUOTE && !source.hereDocument) {
    scanAnsiC(source, parts, at + 1)
  } else if (code === BACKSLASH && next === SINGLE_QUOTE) {
    // It stays, but opens nothing.
    parts.text("\\'", true)
    source.pos += 2
  } else {
    scanQuotedPart(source, parts, next === RIGHT_BRACE ? RIGHT_BRACE : DOUBLE_QUOTE)
  }
}
