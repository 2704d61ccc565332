import { CharSet } from '../../regex/char-set.ts'
import type { Node, Pattern } from '../../regex/node.ts'
import { rewrite, sequence } from '../../regex/node.ts'
import { compilePerl, parsePerl } from '../../regex/perl.ts'
import type { Dialect, SyntaxOptions } from '../../regex/posix-syntax.ts'
import { BASIC, EXTENDED, literalPattern, parsePosix } from '../../regex/posix-syntax.ts'
import { regexOf } from '../../regex/regex.ts'
import { bytewise } from '../byte-text.ts'
import type { GrepSettings } from './settings.ts'

/** Finds matching lines in a text of whole lines (the last one without its terminator). */
export interface LineMatcher {
  /** A place in the first line from `from` on that matches, not before the match starts; -1 where there is none. */
  find(text: string, from: number): number
  /** The first match at or after `from`, never across lines. */
  exec(text: string, from: number): { readonly start: number; readonly end: number } | null
}

/** What GNU grep takes for basic expressions. */
const GREP_BASIC: Dialect = { ...BASIC, oneRepeat: false, refuseBareClass: true }
/** What it takes for extended ones. */
const GREP_EXTENDED: Dialect = { ...EXTENDED, leadingRepeat: 'skip', looseIntervals: true, refuseBareClass: true }

/**
 * A matcher for the patterns, one a line. Throws a RegexError for one that can't be read.
 * `warn` gets what is to be said of patterns that are odd.
 */
export function lineMatcher(patterns: readonly string[], settings: GrepSettings, warn: (message: string) => void): LineMatcher {
  const { syntax, ignoreCase, words, wholeLines, bytes, terminator } = settings
  if (patterns.length === 0) return NOTHING
  const isLines = terminator === '\n'
  const only = patterns.length === 1 ? (patterns[0] as string) : null
  if (
    only !== null &&
    only !== '' &&
    !ignoreCase &&
    !words &&
    !wholeLines &&
    (!bytes || bytewise(only) === only) &&
    isPlain(only, syntax)
  ) {
    return new TextMatcher(only)
  }
  const how = { ignoreCase, bytes, withoutNewline: isLines }
  const read = (source: string): Pattern => {
    const text = bytes ? bytewise(source) : source
    if (syntax === 'fixed') return literalPattern(text, how)
    if (syntax === 'perl') return parsePerl(perlBounds(text, settings), how)
    const options: SyntaxOptions = { ...how, dialect: syntax === 'basic' ? GREP_BASIC : GREP_EXTENDED, warn }
    return parsePosix(text, options)
  }
  const isLongList = syntax === 'fixed' && patterns.length > LONG_LIST
  const together = isLongList
    ? listPattern(
        patterns.map((text) => (bytes ? bytewise(text) : text)),
        how,
      )
    : eitherPattern(patterns.map(read))
  const pattern = inLines(syntax === 'perl' && !wholeLines ? together : bounded(together, settings), isLines)
  const regex = syntax === 'perl' ? compilePerl(pattern, { ignoreCase, lines: isLines }) : regexOf(pattern, { ignoreCase, lines: isLines })
  return isLines ? regex : new RecordMatcher(regex)
}

/** What an empty list of patterns matches. */
const NOTHING: LineMatcher = { find: () => -1, exec: () => null }

/** Plain strings beyond this many are put together as a tree, not as alternatives. */
const LONG_LIST = 8
const DEEPEST_TREE = 200

/** Just a text, with a quick search of its own. */
class TextMatcher implements LineMatcher {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  find(text: string, from: number): number {
    return text.indexOf(this.#text, from)
  }

  exec(text: string, from: number): { start: number; end: number } | null {
    const start = text.indexOf(this.#text, from)
    return start < 0 ? null : { start, end: start + this.#text.length }
  }
}

/** Gives a pattern each record by itself: with `-z` newlines are characters like others. */
class RecordMatcher implements LineMatcher {
  readonly #regex: LineMatcher

  constructor(regex: LineMatcher) {
    this.#regex = regex
  }

  find(text: string, from: number): number {
    for (let start = from; ; ) {
      const end = text.indexOf('\0', start)
      const record = text.slice(start, end < 0 ? undefined : end)
      if (this.#regex.find(record, 0) >= 0) return start
      if (end < 0) return -1
      start = end + 1
    }
  }

  exec(text: string, from: number): { start: number; end: number } | null {
    const start = from === 0 ? 0 : text.lastIndexOf('\0', from - 1) + 1
    const end = text.indexOf('\0', from)
    const match = this.#regex.exec(text.slice(start, end < 0 ? undefined : end), from - start)
    return match === null ? null : { start: start + match.start, end: start + match.end }
  }
}

function isPlain(text: string, syntax: GrepSettings['syntax']): boolean {
  return syntax === 'fixed' || !(syntax === 'basic' ? /[\\[\].*^$]/ : /[\\[\](){}.*+?|^$]/).test(text)
}

/** A pattern that matches what any of them does. Groups keep their numbers apart; none are kept if nothing refers to them. */
function eitherPattern(patterns: readonly Pattern[]): Pattern {
  const references = patterns.some((pattern) => pattern.references)
  let groups = 0
  const options = patterns.map((pattern) => {
    const before = groups
    if (references) groups += pattern.groups
    return rewrite(pattern.node, (node) => {
      if (node.type === 'group') return references ? { ...node, index: node.index + before } : node.body
      return node.type === 'reference' ? { ...node, index: node.index + before } : node
    })
  })
  const node: Node = options.length === 1 ? (options[0] as Node) : { type: 'choice', options }
  return { node, groups, references }
}

/** Many strings as a tree of their characters. */
function listPattern(texts: readonly string[], how: { ignoreCase: boolean; bytes: boolean; withoutNewline: boolean }): Pattern {
  const sets = new Map<number, Node>()
  const setOf = (point: number): Node => {
    const known = sets.get(point) ?? { type: 'set', set: CharSet.of(point, how) }
    sets.set(point, known)
    return known
  }
  const build = (suffixes: readonly (readonly number[])[], from: number, depth: number): Node => {
    const first = suffixes[0] as readonly number[]
    if (suffixes.length === 1) return sequence(first.slice(from).map(setOf))
    if (depth > DEEPEST_TREE) return { type: 'choice', options: suffixes.map((suffix) => sequence(suffix.slice(from).map(setOf))) }
    let at = from
    while (at < first.length && suffixes.every((suffix) => suffix[at] === first[at])) at += 1
    const branches = new Map<number, (readonly number[])[]>()
    let ends = false
    for (const suffix of suffixes) {
      const point = suffix[at]
      const branch = point === undefined ? undefined : branches.get(point)
      if (point === undefined) ends = true
      else if (branch === undefined) branches.set(point, [suffix])
      else branch.push(suffix)
    }
    const options = Array.from(branches.values(), (below) => build(below, at, depth + 1))
    if (ends) options.push({ type: 'empty' })
    return sequence([...first.slice(from, at).map(setOf), { type: 'choice', options }])
  }
  const unique = [...new Set(texts)].map((text) => Array.from(text, (char) => char.codePointAt(0) as number))
  return { node: build(unique, 0, 0), groups: 0, references: false }
}

/** Perl's words are made of ASCII characters. */
function perlBounds(source: string, { words, wholeLines }: GrepSettings): string {
  return words && !wholeLines ? `(?<!\\w)(?:${source})(?!\\w)` : source
}

function bounded(pattern: Pattern, settings: GrepSettings): Pattern {
  const [before, after] = settings.wholeLines ? (['line-start', 'line-end'] as const) : (['no-word-before', 'no-word-after'] as const)
  if (!settings.wholeLines && !settings.words) return pattern
  return { ...pattern, node: sequence([{ type: 'assertion', kind: before }, pattern.node, { type: 'assertion', kind: after }]) }
}

/** Each line is a text of its own, though many are looked through at once. */
function inLines(pattern: Pattern, isLines: boolean): Pattern {
  if (!isLines) return pattern
  const node = rewrite(pattern.node, (part) => {
    if (part.type !== 'assertion') return part
    if (part.kind === 'text-start') return { type: 'assertion', kind: 'line-start' }
    return part.kind === 'text-end' ? { type: 'assertion', kind: 'line-end' } : part
  })
  return { ...pattern, node }
}
