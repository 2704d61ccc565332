import type { CommandSubstitution, List, ParameterExpansion, ParameterOperation, Word, WordPart } from './ast.ts'
import {
  AT,
  BACKQUOTE,
  BACKSLASH,
  BANG,
  CARET,
  COLON,
  COMMA,
  DASH,
  DOLLAR,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER,
  HASH,
  isDigit,
  isNamePart,
  isNameStart,
  LEFT_BRACE,
  LEFT_BRACKET,
  LEFT_PAREN,
  LESS,
  NEWLINE,
  PERCENT,
  PLUS,
  QUESTION,
  RIGHT_BRACE,
  RIGHT_BRACKET,
  RIGHT_PAREN,
  SINGLE_QUOTE,
  SLASH,
  STAR,
  stopsQuoted,
  TILDE,
} from './characters.ts'
import { scanAnsiC, scanBackquoted, scanEscape, scanQuotedEscape, scanSingleQuoted, tildeUser } from './literals.ts'
import { isSpecialParameter, scanName, scanParameterName } from './parameter-names.ts'
import { Parts } from './parts.ts'
import type { NotArithmetic, Source } from './source.ts'
import { replaceRaw, scanCommands, scanProcessSubstitution } from './substitutions.ts'
import { ShellSyntaxError } from './syntax-error.ts'

/** At a `$`. */
export function scanDollar(source: Source, parts: Parts, quoted: boolean): void {
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

/** At the opening quote. */
export function scanDoubleQuoted(source: Source): WordPart {
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

/** At a backslash, `$` or backquote inside double quotes. */
function scanQuotedPart(source: Source, parts: Parts, stop: number): void {
  const code = source.code(source.pos)
  if (code === BACKSLASH) scanQuotedEscape(source, parts, stop)
  else if (code === DOLLAR) scanDollar(source, parts, true)
  else parts.push(scanBackquoted(source, true))
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
export function scanOperand(source: Source, open: number, stop: number, other: number, skipFirst = false): Word {
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
