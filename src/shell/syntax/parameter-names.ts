import { AT, BACKSLASH, BANG, DASH, DOLLAR, HASH, isDigit, isNamePart, isNameStart, NEWLINE, QUESTION, STAR } from './characters.ts'
import type { Source } from './source.ts'

/** A name, a position or a special parameter; '' where there is none. */
export function scanParameterName(source: Source): string {
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

/** Scans a name from its first character on. */
export function scanName(source: Source): string {
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

/** Whether the character alone is the name of a parameter, digits apart. */
export function isSpecialParameter(code: number): boolean {
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
