import type { Automaton } from './pattern-automaton.ts'
import { createAutomaton } from './pattern-automaton.ts'
import { accepts, acceptsHidden, matchEnd, matchesGlob, matchStart, startsOf, widthAt } from './pattern-match.ts'
import type { PatternElement, PatternSequence } from './pattern-syntax.ts'
import { groupEnd, parsePattern } from './pattern-syntax.ts'

export interface PatternOptions {
  readonly extglob: boolean
  readonly nocase?: boolean
}

/** A compiled shell pattern. Offsets are those of the JavaScript string; a match never splits a character. */
export interface Pattern {
  /** When it matches exactly one text. */
  readonly literal: string | null
  matches(text: string): boolean
  /** As `matches`, of a file's name: a dot at its start is matched by a dot alone, not by `*`, `?` or `[…]`. */
  matchesName(name: string): boolean
  /** Length of the matched prefix, -1 when none. */
  prefix(text: string, longest: boolean): number
  /** Start of the matched suffix, -1 when none. */
  suffix(text: string, longest: boolean): number
  /** The leftmost match at or behind `from`, and of those there the longest. It may be empty. */
  find(text: string, from: number): { readonly start: number; readonly end: number } | null
}

/**
 * Compiles a pattern text, in which a quoted character has a backslash before it. Every text is a pattern. The same pattern again
 * costs a look-up. Matching takes time linear in the text for what people write, and never more than its square.
 */
export function compilePattern(pattern: string, options: PatternOptions): Pattern {
  const nocase = options.nocase === true
  if (!nocase && !SPECIAL.test(pattern)) return literalPattern(pattern)
  const cache = caches[(options.extglob ? 1 : 0) + (nocase ? 2 : 0)] as Map<string, Pattern>
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const compiled = compile(parsePattern(pattern, options.extglob, nocase), nocase)
  if (pattern.length <= CACHE_TEXT) {
    if (cache.size >= CACHE_ENTRIES) cache.clear()
    cache.set(pattern, compiled)
  }
  return compiled
}

/** A pattern text that matches just this text, wherever in a pattern it is put. */
export function escapePattern(text: string): string {
  return TO_QUOTE.test(text) ? text.replace(TO_QUOTE_ALL, '\\$&') : text
}

/** True where the pattern text has an unquoted `*`, `?`, a closed `[…]`, or, with `extglob`, `@(…)` and its kin: the words that are looked up in the file system. */
export function hasPatternCharacters(pattern: string, extglob: boolean): boolean {
  if (!SPECIAL.test(pattern)) return false
  let open = false
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case '\\':
        at += 1
        break
      case '*':
      case '?':
        return true
      case '[':
        open = true
        break
      case ']':
        if (open) return true
        break
      case '/':
        open = false
        break
      case '+':
      case '@':
      case '!':
        if (extglob && pattern[at + 1] === '(' && groupEnd(pattern, at + 1) > 0) return true
        break
    }
  }
  return false
}

/** The text a pattern text stands for when it is not used as a pattern: backslashes that quote are dropped. */
export function unescapePattern(pattern: string): string {
  return pattern.includes('\\') ? pattern.replace(/\\([\s\S])/g, '$1') : pattern
}

const SPECIAL = /[*?[\\]|[+@!]\(/
const TO_QUOTE = /[*?[\]\\!^\-+@()|:=]/
const TO_QUOTE_ALL = /[*?[\]\\!^\-+@()|:=]/g
const DOT = 0x2e
const CACHE_ENTRIES = 1000
const CACHE_TEXT = 2000
const caches: readonly Map<string, Pattern>[] = [new Map(), new Map(), new Map(), new Map()]

function compile(sequence: PatternSequence, nocase: boolean): Pattern {
  if (sequence.length === 0) return literalPattern('')
  const simple = nocase ? null : framed(sequence)
  if (simple === null) return generalPattern(sequence, nocase)
  const { before, text, behind } = simple
  if (!before && !behind) return literalPattern(text)
  // A byte that is not UTF-8 looks like the second half of a character: those are not found by plain search.
  if (isStray(text.charCodeAt(0))) return generalPattern(sequence, nocase)
  if (before && behind) return containsPattern(text)
  return before ? endPattern(text) : startPattern(text)
}

/** `*text*`, with or without each star; null for any other pattern. */
function framed(sequence: PatternSequence): { before: boolean; text: string; behind: boolean } | null {
  const before = sequence[0]?.type === 'star'
  const behind = sequence.length > 1 && sequence.at(-1)?.type === 'star'
  const codes: string[] = []
  for (let at = before ? 1 : 0; at < sequence.length - (behind ? 1 : 0); at++) {
    const element = sequence[at] as PatternElement
    if (element.type !== 'char') return null
    codes.push(String.fromCodePoint(element.code))
  }
  return { before, text: codes.join(''), behind: behind || (before && sequence.length === 1) }
}

function literalPattern(literal: string): Pattern {
  if (isStray(literal.charCodeAt(0))) return strayPattern(literal)
  return {
    literal,
    matches: (text) => text === literal,
    matchesName: (name) => name === literal,
    prefix: (text) => (text.startsWith(literal) ? literal.length : -1),
    suffix: (text) => (text.endsWith(literal) ? text.length - literal.length : -1),
    find: (text, from) => {
      const start = text.indexOf(literal, from)
      return start < 0 ? null : { start, end: start + literal.length }
    },
  }
}

function strayPattern(literal: string): Pattern {
  return { ...generalPattern(codesOf(literal), false), literal }
}

/** `text*` */
function startPattern(start: string): Pattern {
  return {
    literal: null,
    matches: (text) => text.startsWith(start),
    matchesName: (name) => name.startsWith(start),
    prefix: (text, longest) => (!text.startsWith(start) ? -1 : longest ? text.length : start.length),
    suffix: (text, longest) => (longest ? text.indexOf(start) : text.lastIndexOf(start)),
    find: (text, from) => {
      const at = text.indexOf(start, from)
      return at < 0 ? null : { start: at, end: text.length }
    },
  }
}

/** `*text` */
function endPattern(end: string): Pattern {
  return {
    literal: null,
    matches: (text) => text.endsWith(end),
    matchesName: (name) => name.endsWith(end) && name[0] !== '.',
    prefix: (text, longest) => {
      const at = longest ? text.lastIndexOf(end) : text.indexOf(end)
      return at < 0 ? -1 : at + end.length
    },
    suffix: (text, longest) => (!text.endsWith(end) ? -1 : longest ? 0 : text.length - end.length),
    find: (text, from) => {
      const at = text.lastIndexOf(end)
      return at < from ? null : { start: from, end: at + end.length }
    },
  }
}

/** `*text*`, and `*` */
function containsPattern(part: string): Pattern {
  return {
    literal: null,
    matches: (text) => text.includes(part),
    matchesName: (name) => name[0] !== '.' && name.includes(part),
    prefix: (text, longest) => {
      const at = text.indexOf(part)
      return at < 0 ? -1 : longest ? text.length : at + part.length
    },
    suffix: (text, longest) => {
      const at = text.lastIndexOf(part)
      return at < 0 ? -1 : longest ? 0 : at
    },
    find: (text, from) => (text.includes(part, from) ? { start: from, end: text.length } : null),
  }
}

function generalPattern(sequence: PatternSequence, nocase: boolean): Pattern {
  const grouped = sequence.some((element) => element.type === 'group')
  const dotted = sequence[0]?.type === 'char' && sequence[0].code === DOT
  const bounded = maximalLength(sequence) < Number.POSITIVE_INFINITY
  let forward: Automaton | null = null
  let backward: Automaton | null = null
  let floating: Automaton | null = null
  const reader = (): Automaton => {
    forward ??= createAutomaton([sequence], { nocase, reversed: false, floating: false })
    return forward
  }
  const matches = (text: string): boolean => (grouped ? accepts(reader(), text) : matchesGlob(sequence, text, nocase))
  return {
    literal: null,
    matches,
    matchesName: (name) => (name[0] !== '.' ? matches(name) : grouped ? acceptsHidden(reader(), name) : dotted && matches(name)),
    prefix: (text, longest) => matchEnd(reader(), text, 0, longest),
    suffix: (text, longest) => {
      backward ??= createAutomaton([sequence], { nocase, reversed: true, floating: false })
      return matchStart(backward, text, longest)
    },
    find: (text, from) => {
      if (!bounded) floating ??= createAutomaton([sequence], { nocase, reversed: true, floating: true })
      const starts = floating === null ? null : startsOf(floating, text)
      for (let start = from; start <= text.length; start += widthAt(text, start)) {
        if (starts !== null && starts[start] !== 1) continue
        const end = matchEnd(reader(), text, start, true)
        if (end >= 0) return { start, end }
      }
      return null
    },
  }
}

/** Characters the longest match has; Infinity where there is no bound. */
function maximalLength(sequence: PatternSequence): number {
  let length = 0
  for (const element of sequence) {
    if (element.type === 'star') return Number.POSITIVE_INFINITY
    if (element.type !== 'group') {
      length += 1
      continue
    }
    if (element.operator !== '?' && element.operator !== '@') return Number.POSITIVE_INFINITY
    length += Math.max(...element.alternatives.map(maximalLength))
  }
  return length
}

function codesOf(text: string): PatternSequence {
  return Array.from(text, (char) => ({ type: 'char', code: char.codePointAt(0) as number }))
}

function isStray(unit: number): boolean {
  return unit >= 0xdc80 && unit <= 0xdcff
}
