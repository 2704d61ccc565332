/** Characters that end a word. */
const DELIMITERS = ' \t\n;&()|<>'
const OPERATORS = '<>;&|'
const BLANK = /[ \t\n]/
const DIGITS = /\d*/y
/** Before a `(`, these begin a substitution or an extended pattern. */
const OPENERS = '<>$!@?+*'

/** A word of a line and where it is. */
export interface HistoryWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The words of a line as history expansion counts them: operators are words, quotes stay; ends at a comment. */
export function historyWords(line: string, comment: string): readonly HistoryWord[] {
  const words: HistoryWord[] = []
  let at = 0
  for (;;) {
    at = skipBlanks(line, at)
    if (at >= line.length || line[at] === comment) return words
    const start = at
    at = Math.max(wordEnd(line, start), start + 1)
    words.push({ text: line.slice(start, at), start, end: at })
  }
}

/** Index after the blanks that begin at `at`. */
export function skipBlanks(line: string, at: number): number {
  let next = at
  while (next < line.length && BLANK.test(line[next] as string)) next += 1
  return next
}

/** Index after the word that begins at `start`. */
export function wordEnd(line: string, start: number): number {
  const first = line[start] ?? ''
  if (first === '(' || first === ')') return start + 1
  DIGITS.lastIndex = start
  const digits = start + (DIGITS.exec(line)?.[0].length ?? 0)
  const at = digits > start && !'<>'.includes(line[digits] ?? ' ') ? start : digits
  if (OPERATORS.includes(line[at] ?? ' ')) {
    const end = operatorEnd(line, at)
    return end === null ? plainEnd(line, at + 2, true) : end
  }
  return plainEnd(line, digits, false)
}

/** Index after the operator at `at`; null for a process substitution, which is part of a word. */
function operatorEnd(line: string, at: number): number | null {
  const [first, second, third] = [line[at], line[at + 1], line[at + 2]]
  if (second === first) return at + (first === '<' && (third === '-' || third === '<') ? 3 : 2)
  if (second === '&' && (first === '>' || first === '<')) {
    DIGITS.lastIndex = at + 2
    const end = at + 2 + (DIGITS.exec(line)?.[0].length ?? 0)
    return line[end] === '-' ? end + 1 : end
  }
  if ((first === '&' && second === '>') || (first === '>' && second === '|')) return at + 2
  if (second === '(' && (first === '>' || first === '<')) return null
  return at + 1
}

/** Index after a word of text, quotes and substitutions; `nested` when a substitution is open already. */
function plainEnd(line: string, start: number, nested: boolean): number {
  let depth = nested ? 1 : 0
  let quote = ''
  for (let at = start; at < line.length; at++) {
    const character = line[at] as string
    if (character === '\\' && quote !== "'") {
      at += 1
      continue
    }
    if (depth > 0) {
      if (character === '(') depth += 1
      else if (character === ')') depth -= 1
      continue
    }
    if (quote !== '') {
      if (character === quote) quote = ''
      continue
    }
    if (OPENERS.includes(character) && line[at + 1] === '(') {
      depth = 1
      at += 1
      continue
    }
    if (DELIMITERS.includes(character)) return at
    if (character === '"' || character === "'" || character === '`') quote = character
  }
  return line.length
}
