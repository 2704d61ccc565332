import type { CharacterTest } from './character-class.ts'
import { characterClass, foldCase } from './character-class.ts'

/** A part of a parsed pattern. */
export type PatternElement =
  | { readonly type: 'char'; readonly code: number }
  /** `?` */
  | { readonly type: 'any' }
  /** `*` */
  | { readonly type: 'star' }
  /** `[…]` */
  | { readonly type: 'set'; readonly test: CharacterTest }
  /** `?(…)` and its kin. */
  | { readonly type: 'group'; readonly operator: '?' | '*' | '+' | '@' | '!'; readonly alternatives: readonly PatternSequence[] }

export type PatternSequence = readonly PatternElement[]

/** Parses a pattern text. Whatever doesn't parse (`[` that is never closed, `@(` likewise) stands for itself, so nothing fails. */
export function parsePattern(pattern: string, extglob: boolean, nocase: boolean): PatternSequence {
  return new PatternParser(pattern, extglob, nocase).parse()
}

const MAX_DEPTH = 200
const GROUP_OPERATORS = '?*+@!'

class PatternParser {
  readonly #pattern: string
  readonly #extglob: boolean
  readonly #nocase: boolean
  #at = 0
  #depth = 0

  constructor(pattern: string, extglob: boolean, nocase: boolean) {
    this.#pattern = pattern
    this.#extglob = extglob
    this.#nocase = nocase
  }

  parse(): PatternSequence {
    return this.#sequence()
  }

  /** Reads to the end, or inside a group to its `|` or `)`. */
  #sequence(): PatternElement[] {
    const elements: PatternElement[] = []
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at] as string
      if (this.#depth > 0 && (char === '|' || char === ')')) break
      const element = this.#element(char)
      if (element.type === 'star' && elements.at(-1)?.type === 'star') continue
      elements.push(element)
    }
    return elements
  }

  #element(char: string): PatternElement {
    if (this.#extglob && GROUP_OPERATORS.includes(char) && this.#pattern[this.#at + 1] === '(') {
      const group = this.#group(char as '?')
      if (group !== null) return group
    }
    if (char === '*') {
      this.#at += 1
      return { type: 'star' }
    }
    if (char === '?') {
      this.#at += 1
      return { type: 'any' }
    }
    if (char === '[') {
      const set = this.#set()
      if (set !== null) return set
    }
    if (char === '\\' && this.#at + 1 < this.#pattern.length) this.#at += 1
    return { type: 'char', code: this.#fold(this.#take()) }
  }

  #group(operator: '?' | '*' | '+' | '@' | '!'): PatternElement | null {
    const start = this.#at
    if (this.#depth >= MAX_DEPTH || groupEnd(this.#pattern, start + 1) < 0) return null
    this.#depth += 1
    this.#at += 2
    const alternatives = [this.#sequence()]
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1
      alternatives.push(this.#sequence())
    }
    this.#depth -= 1
    if (this.#pattern[this.#at] !== ')') {
      this.#at = start
      return null
    }
    this.#at += 1
    return { type: 'group', operator, alternatives }
  }

  #set(): PatternElement | null {
    const start = this.#at
    const tests: CharacterTest[] = []
    this.#at += 1
    const mark = this.#pattern[this.#at]
    const negated = mark === '!' || mark === '^'
    if (negated) this.#at += 1
    for (let first = true; ; first = false) {
      const char = this.#pattern[this.#at]
      if (char === undefined) {
        this.#at = start
        return null
      }
      if (char === ']' && !first) break
      const test = this.#classOf(char) ?? this.#range()
      if (test === null) {
        this.#at = start
        return null
      }
      tests.push(test)
    }
    this.#at += 1
    const only = tests[0] as CharacterTest
    const test: CharacterTest = tests.length === 1 ? only : (code) => tests.some((one) => one(code))
    return { type: 'set', test: negated ? (code) => !test(code) : test }
  }

  /** `[:name:]` */
  #classOf(char: string): CharacterTest | null {
    if (char !== '[' || this.#pattern[this.#at + 1] !== ':') return null
    const close = this.#pattern.indexOf(':]', this.#at + 2)
    if (close < 0) return null
    const name = this.#pattern.slice(this.#at + 2, close)
    if (!/^[a-z]*$/.test(name)) return null
    this.#at = close + 2
    return characterClass(name) ?? (() => false)
  }

  /** One character, or two with `-` between; null where the pattern ends inside. */
  #range(): CharacterTest | null {
    const from = this.#member()
    if (from === null) return null
    if (this.#pattern[this.#at] !== '-' || this.#pattern[this.#at + 1] === ']' || this.#at + 1 >= this.#pattern.length) {
      return this.#nocase ? (code) => foldCase(code) === from : (code) => code === from
    }
    this.#at += 1
    const to = this.#member()
    if (to === null) return null
    if (!this.#nocase) return (code) => code >= from && code <= to
    return (code) => {
      const folded = foldCase(code)
      return folded >= from && folded <= to
    }
  }

  #member(): number | null {
    const pattern = this.#pattern
    const char = pattern[this.#at]
    const kind = pattern[this.#at + 1]
    if (char === '[' && (kind === '.' || kind === '=')) {
      const close = pattern.indexOf(`${kind}]`, this.#at + 3)
      const name = close < 0 ? '' : pattern.slice(this.#at + 2, close)
      const code = name.codePointAt(0)
      if (code !== undefined && name.length === (code > 0xffff ? 2 : 1)) {
        this.#at = close + 2
        return this.#fold(code)
      }
    }
    if (char === '\\') this.#at += 1
    return this.#at < pattern.length ? this.#fold(this.#take()) : null
  }

  #take(): number {
    const code = this.#pattern.codePointAt(this.#at) as number
    this.#at += code > 0xffff ? 2 : 1
    return code
  }

  #fold(code: number): number {
    return this.#nocase ? foldCase(code) : code
  }
}

/** Offset of the `)` that closes the `(` at `open`, or -1. */
export function groupEnd(pattern: string, open: number): number {
  let depth = 0
  for (let at = open; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === '\\') at += 1
    else if (char === '[') {
      const close = setEnd(pattern, at)
      if (close > 0) at = close
    } else if (char === '(') depth += 1
    else if (char === ')') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return -1
}

/** Offset of the `]` that closes the `[` at `open`, or -1. */
function setEnd(pattern: string, open: number): number {
  let at = open + 1
  if (pattern[at] === '!' || pattern[at] === '^') at += 1
  if (pattern[at] === ']') at += 1
  for (; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === '\\') at += 1
    else if (char === ']') return at
    else if (char === '[' && (pattern[at + 1] === ':' || pattern[at + 1] === '.' || pattern[at + 1] === '=')) {
      const close = pattern.indexOf(`${pattern[at + 1]}]`, at + 2)
      if (close > 0) at = close + 1
    }
  }
  return -1
}
