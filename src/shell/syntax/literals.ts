import type { WordPart } from './ast.ts'
import {
  BACKQUOTE,
  BACKSLASH,
  COLON,
  DASH,
  DOLLAR,
  DOT,
  DOUBLE_QUOTE,
  endsWord,
  isNamePart,
  NEWLINE,
  PLUS,
  SINGLE_QUOTE,
  SLASH,
} from './characters.ts'
import { decodeAnsiC } from './escape-sequence.ts'
import type { Parts } from './parts.ts'
import type { Source } from './source.ts'

/**
 * At a `~`: the user it names where it is a tilde prefix, with `source.pos` behind it; null where it is only a character.
 * `stop` ends the word beside what always does.
 */
export function tildeUser(source: Source, tilde: number, stop: number): string | null {
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
export function scanEscape(source: Source, parts: Parts): void {
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

/** At a single quote. */
export function scanSingleQuoted(source: Source, parts: Parts): void {
  const open = source.pos
  const close = source.text.indexOf("'", open + 1)
  if (close < 0) source.failUnclosed("'", open)
  parts.text(source.text.slice(open + 1, close), true)
  source.pos = close + 1
}

/** At the quote of `$'…'`: gives the text it means. */
export function scanAnsiC(source: Source, parts: Parts, quote: number): string {
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

/** At a backslash inside double quotes; `stop` is one more character that it quotes. */
export function scanQuotedEscape(source: Source, parts: Parts, stop: number): void {
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

/** At a backquote. The body is parsed when it runs. */
export function scanBackquoted(source: Source, quoted: boolean): WordPart {
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
