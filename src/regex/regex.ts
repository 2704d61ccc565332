import { Automaton } from './automaton.ts'
import { Backtracker } from './backtracker.ts'
import type { Pattern } from './node.ts'
import type { Dialect } from './posix-syntax.ts'
import { BASIC, EXTENDED, literalPattern, parsePosix } from './posix-syntax.ts'
import { compileProgram } from './program.ts'
import { firstEnd, longestEnd, matchStarts } from './text-search.ts'
import type { Translation } from './to-regexp.ts'
import { toRegExp } from './to-regexp.ts'

export { RegexError } from './regex-error.ts'

export interface RegexOptions {
  /** POSIX extended or basic with GNU's additions, or plain text; a {@link Dialect} for what a tool takes instead. */
  readonly syntax: 'extended' | 'basic' | 'fixed' | Dialect
  readonly ignoreCase?: boolean
  /** `^` and `$` match at newlines too, and neither `.` nor `[^…]` takes one. */
  readonly multiline?: boolean
  /** As multiline, and nothing at all takes a newline: the text is lines, and no match leaves its line. */
  readonly lines?: boolean
  /** Stray bytes are characters; otherwise only the pattern that holds one matches it. */
  readonly bytes?: boolean
}

/** A compiled pattern. Nothing it does takes more than time linear in the text, up to a bound that ends in a {@link RegexError}. */
export interface Regex {
  /** How many groups the pattern has. */
  readonly groups: number
  /** The leftmost of the matches that start at or after `from`, and of those the longest; null where there is none. */
  exec(text: string, from: number): RegexMatch | null
  /** Whether the pattern matches anywhere. */
  test(text: string): boolean
  /** Where some match that starts at or after `from` ends; -1 where there is none. With `lines` that is enough to know the line. */
  find(text: string, from: number): number
  /** A global RegExp with the same matches and groups where looking through this text with one can't take long; else null. */
  native(text: string): RegExp | null
}

/** Places are in UTF-16 units of the text. */
export interface RegexMatch {
  readonly start: number
  readonly end: number
  /** Where group `n` matched last (0: the whole match); null where it took no part. */
  group(n: number): { readonly start: number; readonly end: number } | null
  /** What group `n` matched; null where it took no part. */
  text(n: number): string | null
}

/** The next place at or after `at` where a character starts: a RegExp that is set inside of one goes back to its start. */
export function characterStart(text: string, at: number): number {
  const inside = at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return inside ? at + 1 : at
}

/** Compiles a pattern. Throws {@link RegexError} with the message GNU tools print. */
export function compileRegex(source: string, options: RegexOptions): Regex {
  return regexOf(parseRegex(source, options), options)
}

/** Reads a pattern as {@link compileRegex} would. */
export function parseRegex(source: string, options: RegexOptions): Pattern {
  const { syntax, ignoreCase = false, multiline = false, lines = false, bytes = false } = options
  const how = { ignoreCase, bytes, withoutNewline: lines }
  if (syntax === 'fixed') return literalPattern(source, how)
  const dialect = syntax === 'extended' ? EXTENDED : syntax === 'basic' ? BASIC : syntax
  return parsePosix(source, { ...how, dialect, newlineApart: multiline })
}

/** Compiles a pattern that has been read, or put together. */
export function regexOf(pattern: Pattern, options: Omit<RegexOptions, 'syntax'>): Regex {
  return new CompiledRegex(pattern, options)
}

class CompiledRegex implements Regex {
  readonly groups: number
  readonly #pattern: Pattern
  readonly #multiline: boolean
  readonly #ignoreCase: boolean
  readonly #translation: Translation | null
  #regexp: RegExp | undefined
  #forward: Automaton | undefined
  #anywhere: Automaton | undefined
  #backward: Automaton | undefined
  #backtracker: Backtracker | undefined
  /** The text last looked through backwards, and what was found. */
  #startsOf: string | undefined
  #starts: Uint8Array = new Uint8Array(0)
  /** The text last measured, and whether its lines are short enough. */
  #measured: string | undefined
  #isMeasuredShort = false

  constructor(pattern: Pattern, options: Omit<RegexOptions, 'syntax'>) {
    this.#pattern = pattern
    this.groups = pattern.groups
    this.#multiline = options.multiline === true || options.lines === true
    this.#ignoreCase = options.ignoreCase === true
    const translation = toRegExp(pattern, { multiline: this.#multiline })
    // A back-reference without regard to case is more than the sets say.
    this.#translation = pattern.references && this.#ignoreCase ? null : translation
    // What a RegExp would throw, and what grows too big, is found out now and not at the first match.
    if (this.#translation === null) this.#forwards()
  }

  exec(text: string, at: number): RegexMatch | null {
    const from = characterStart(text, at)
    const native = this.native(text)
    if (native !== null) {
      const found = runNative(native, text, from)
      if (found !== undefined) return found
    }
    return this.#pattern.references ? this.#execReferences(text, from) : this.#execAutomata(text, from)
  }

  test(text: string): boolean {
    return this.find(text, 0) >= 0
  }

  find(text: string, at: number): number {
    const from = characterStart(text, at)
    if (this.#translation !== null && this.#suits(text, this.#translation)) {
      const regexp = this.#compiled(this.#translation)
      regexp.lastIndex = from
      try {
        return regexp.test(text) ? regexp.lastIndex : -1
      } catch (error) {
        if (!isOverflow(error)) throw error
      }
    }
    if (this.#pattern.references) return this.#execReferences(text, from)?.end ?? -1
    this.#anywhere ??= this.#automaton({ anywhere: true })
    return firstEnd(this.#anywhere, text, from)
  }

  native(text: string): RegExp | null {
    const translation = this.#translation
    if (translation === null || !translation.exact || !this.#suits(text, translation)) return null
    return this.#compiled(translation)
  }

  #compiled(translation: Translation): RegExp {
    this.#regexp ??= new RegExp(translation.source, 'gu')
    return this.#regexp
  }

  #suits(text: string, { longest, splitsPairs }: Translation): boolean {
    if (splitsPairs && HIGH.test(text)) return false
    if (text.length <= longest) return true
    if (!this.#multiline) return false
    if (this.#measured !== text) {
      this.#measured = text
      this.#isMeasuredShort = !hasLongLine(text, longest)
    }
    return this.#isMeasuredShort
  }

  #execAutomata(text: string, from: number): RegexMatch | null {
    const start = this.#nextStart(text, from)
    if (start < 0) return null
    const end = longestEnd(this.#forwards(), text, start)
    return new TracedMatch(text, start, end, () => this.#backtracking().between(text, start, end) ?? [start, end])
  }

  #execReferences(text: string, from: number): RegexMatch | null {
    for (let start = this.#nextStart(text, from); start >= 0; start = this.#nextStart(text, start + 1)) {
      const registers = this.#backtracking().longest(text, start)
      if (registers !== null) return new TracedMatch(text, start, registers[1] as number, () => registers)
    }
    return null
  }

  /** The first place from `from` on where a match starts (may start, with back-references); -1 where there is none. */
  #nextStart(text: string, from: number): number {
    if (from > text.length) return -1
    if (this.#startsOf !== text) {
      this.#backward ??= this.#automaton({ anywhere: true, reversed: true })
      this.#starts = matchStarts(this.#backward, text)
      this.#startsOf = text
    }
    return this.#starts.indexOf(1, from)
  }

  #forwards(): Automaton {
    this.#forward ??= this.#automaton({})
    return this.#forward
  }

  #automaton(how: { anywhere?: boolean; reversed?: boolean }): Automaton {
    return new Automaton(compileProgram(this.#pattern.node, this.#pattern.groups, { ...how, bare: true }), this.#multiline)
  }

  #backtracking(): Backtracker {
    this.#backtracker ??= new Backtracker(compileProgram(this.#pattern.node, this.#pattern.groups), {
      multiline: this.#multiline,
      ignoreCase: this.#ignoreCase,
    })
    return this.#backtracker
  }
}

const HIGH = /[\ud800-\udbff]/

class NativeMatch implements RegexMatch {
  readonly start: number
  readonly end: number
  readonly #found: RegExpExecArray
  readonly #regexp: RegExp
  #indices: readonly (readonly [number, number] | undefined)[] | undefined

  constructor(found: RegExpExecArray, regexp: RegExp) {
    this.start = found.index
    this.end = found.index + (found[0] as string).length
    this.#found = found
    this.#regexp = regexp
  }

  group(n: number): { start: number; end: number } | null {
    if (n === 0) return this
    if (this.#found[n] === undefined) return null
    if (this.#indices === undefined) {
      const traced = new RegExp(this.#regexp.source, 'duy')
      traced.lastIndex = this.start
      this.#indices = traced.exec(this.#found.input)?.indices ?? []
    }
    const pair = this.#indices[n]
    return pair === undefined ? null : { start: pair[0], end: pair[1] }
  }

  text(n: number): string | null {
    return this.#found[n] ?? null
  }
}

/** A match whose groups are found out when first asked for: `trace` gives the registers of a program. */
export class TracedMatch implements RegexMatch {
  readonly start: number
  readonly end: number
  readonly #text: string
  readonly #trace: () => readonly number[]
  #registers: readonly number[] | undefined

  constructor(text: string, start: number, end: number, trace: () => readonly number[]) {
    this.start = start
    this.end = end
    this.#text = text
    this.#trace = trace
  }

  group(n: number): { start: number; end: number } | null {
    if (n === 0) return this
    this.#registers ??= this.#trace()
    const start = this.#registers[2 * n] ?? -1
    const end = this.#registers[2 * n + 1] ?? -1
    return start < 0 || end < 0 ? null : { start, end }
  }

  text(n: number): string | null {
    const place = this.group(n)
    return place === null ? null : this.#text.slice(place.start, place.end)
  }
}

/** The first match of a global RegExp at or after `from`; undefined where it ran out of stack. */
export function runNative(regexp: RegExp, text: string, from: number): RegexMatch | null | undefined {
  regexp.lastIndex = from
  try {
    const found = regexp.exec(text)
    return found === null ? null : new NativeMatch(found, regexp)
  } catch (error) {
    if (isOverflow(error)) return undefined
    throw error
  }
}

/** V8 says RangeError, SpiderMonkey InternalError, JavaScriptCore a plain error. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && !(error instanceof SyntaxError) && !(error instanceof TypeError)
}

/** True where a line is longer than `longest`, or may be. */
export function hasLongLine(text: string, longest: number): boolean {
  for (let at = 0; at + longest < text.length; ) {
    const newline = text.lastIndexOf('\n', at + longest)
    if (newline < at) return true
    at = newline + 1
  }
  return false
}
