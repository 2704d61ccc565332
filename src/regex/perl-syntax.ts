import type { CharSetOptions } from './char-set.ts'
import { CharSet, namedClass } from './char-set.ts'
import type { Node, Pattern } from './node.ts'
import { sequence } from './node.ts'
import { RegexError } from './regex-error.ts'

export interface PerlOptions extends Omit<CharSetOptions, 'negated'> {
  /** `^` and `$` match at newlines too, as after `(?m)`. */
  readonly multiline?: boolean
  /** `.` takes newlines too, as after `(?s)`. */
  readonly dotAll?: boolean
  /** White space and comments in the pattern count for nothing, as after `(?x)`. */
  readonly extended?: boolean
}

/** A Perl pattern that has been read. */
export interface PerlPattern extends Pattern {
  /** Group numbers by name. */
  readonly names: ReadonlyMap<string, number>
}

/** Reads a pattern as PCRE2 takes it, but for recursion, conditions, branch reset and verbs. Throws {@link RegexError} with PCRE2's message. */
export function parsePerl(source: string, options: PerlOptions): PerlPattern {
  return new PerlReader(source, options).read()
}

/** Flags that `(?…)` may change. */
interface Mode {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly extended: boolean
}

interface ClassContent {
  readonly ranges: readonly number[]
  readonly properties: string
}

const CONTROL = new Map<string, number>([
  ['a', 7],
  ['e', 27],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
])
const DIGIT: ClassContent = { ranges: [0x30, 0x39], properties: '' }
const WORD: ClassContent = { ranges: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a], properties: '' }
const SPACE: ClassContent = { ranges: [9, 13, 32, 32], properties: '' }
const BLANK: ClassContent = {
  ranges: [9, 9, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000],
  properties: '',
}
const VERTICAL: ClassContent = { ranges: [10, 13, 0x85, 0x85, 0x2028, 0x2029], properties: '' }
const SHORT_CLASSES = new Map<string, ClassContent>([
  ['d', DIGIT],
  ['w', WORD],
  ['s', SPACE],
  ['h', BLANK],
  ['v', VERTICAL],
])
const NO_GROUP = 'reference to non-existent subpattern'
const LARGEST_COUNT = 65_535

class PerlReader {
  readonly #source: string
  readonly #options: PerlOptions
  readonly #names = new Map<string, number>()
  readonly #wanted: (number | string)[] = []
  #mode: Mode
  #at = 0
  #groups = 0
  #depth = 0

  constructor(source: string, options: PerlOptions) {
    this.#source = source
    this.#options = options
    const { ignoreCase = false, multiline = false, dotAll = false, extended = false } = options
    this.#mode = { ignoreCase, multiline, dotAll, extended }
  }

  read(): PerlPattern {
    this.#skipVerbs()
    const node = this.#alternatives()
    if (this.#at < this.#source.length) throw new RegexError('unmatched closing parenthesis')
    for (const wanted of this.#wanted) {
      if (typeof wanted === 'string' ? !this.#names.has(wanted) : wanted > this.#groups || wanted < 1) throw new RegexError(NO_GROUP)
    }
    return { node, groups: this.#groups, references: this.#wanted.length > 0, names: this.#names }
  }

  /** `(*UTF)` and the like at the start change nothing here. */
  #skipVerbs(): void {
    const verbs = /^(?:\(\*(?:UTF|UCP|CRLF|LF|CR|ANYCRLF|ANY|NUL|BSR_\w+|NO_\w+|LIMIT_\w+=\d+)\))+/.exec(this.#source)
    if (verbs !== null) this.#at = verbs[0].length
  }

  #alternatives(): Node {
    const mode = this.#mode
    const options = [this.#branch()]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      options.push(this.#branch())
    }
    this.#mode = mode
    return options.length === 1 ? (options[0] as Node) : { type: 'choice', options }
  }

  #branch(): Node {
    const parts: Node[] = []
    for (;;) {
      if (this.#mode.extended) this.#skipSpace()
      const char = this.#source[this.#at]
      if (char === undefined || char === '|' || char === ')') return sequence(parts)
      const atom = this.#atom()
      if (atom !== null) parts.push(...this.#repeated(atom))
    }
  }

  #skipSpace(): void {
    const space = /(?:\s+|#.*(?:\n|$))*/y
    space.lastIndex = this.#at
    this.#at += (space.exec(this.#source)?.[0] ?? '').length
  }

  /** One or several nodes (of `\Q…\E`), the last of which a repetition follows; null for what stands for nothing. */
  #atom(): readonly Node[] | null {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) as number)
    this.#at += char.length
    switch (char) {
      case '\\':
        return this.#escape()
      case '.':
        return [{ type: 'set', set: this.#set(this.#mode.dotAll ? [] : [10, 10], '', true) }]
      case '^':
        return [{ type: 'assertion', kind: this.#mode.multiline ? 'line-start' : 'text-start' }]
      case '$':
        return [this.#mode.multiline ? { type: 'assertion', kind: 'line-end' } : this.#lastEnd()]
      case '[':
        return [{ type: 'set', set: this.#bracket() }]
      case '(': {
        const group = this.#group()
        return group === null ? null : [group]
      }
      case '*':
      case '+':
      case '?':
        throw new RegexError('quantifier does not follow a repeatable item')
      default:
        return [this.#char(char.codePointAt(0) as number)]
    }
  }

  /** The end of the text, or before a newline that ends it. */
  #lastEnd(): Node {
    const newline: Node = {
      type: 'repeat',
      min: 0,
      max: 1,
      body: { type: 'set', set: new CharSet([10, 10], '', { withoutNewline: this.#options.withoutNewline }) },
    }
    if (this.#options.withoutNewline === true) return { type: 'assertion', kind: 'text-end' }
    return { type: 'look', ahead: true, negated: false, body: sequence([newline, { type: 'assertion', kind: 'text-end' }]) }
  }

  #repeated(atoms: readonly Node[]): readonly Node[] {
    const last = atoms.at(-1)
    if (last === undefined) return atoms
    let node = last
    for (;;) {
      if (this.#mode.extended) this.#skipSpace()
      const found = this.#quantifier()
      if (found === null) return [...atoms.slice(0, -1), node]
      const lazy = this.#source[this.#at] === '?'
      const possessive = this.#source[this.#at] === '+'
      if (lazy || possessive) this.#at += 1
      const repeat: Node = { type: 'repeat', body: node, ...found, lazy }
      node = possessive ? { type: 'atomic', body: repeat } : repeat
      // A second quantifier has nothing to follow.
      if (/^[*+?]/.test(this.#source.slice(this.#at, this.#at + 1))) throw new RegexError('quantifier does not follow a repeatable item')
    }
  }

  #quantifier(): { min: number; max: number } | null {
    const char = this.#source[this.#at]
    if (char === '*' || char === '+' || char === '?') {
      this.#at += 1
      return { min: char === '+' ? 1 : 0, max: char === '?' ? 1 : Infinity }
    }
    const braces = /\{(\d+)(?:(,)(\d*))?\}/y
    braces.lastIndex = this.#at
    const found = braces.exec(this.#source)
    if (found === null) return null
    this.#at += found[0].length
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])
    if (min > LARGEST_COUNT || (max !== Infinity && max > LARGEST_COUNT)) throw new RegexError('number too big in {} quantifier')
    if (min > max) throw new RegexError('numbers out of order in {} quantifier')
    return { min, max }
  }

  #escape(): readonly Node[] | null {
    const char = this.#take()
    if (char === undefined) throw new RegexError('\\ at end of pattern')
    const short = SHORT_CLASSES.get(char.toLowerCase())
    if (short !== undefined) return [{ type: 'set', set: this.#set(short.ranges, short.properties, char !== char.toLowerCase()) }]
    switch (char) {
      case 'A':
        return [{ type: 'assertion', kind: 'text-start' }]
      case 'G':
        return [{ type: 'assertion', kind: 'text-start' }]
      case 'z':
        return [{ type: 'assertion', kind: 'text-end' }]
      case 'Z':
        return [this.#lastEnd()]
      case 'b':
        return [wordBoundary(false)]
      case 'B':
        return [wordBoundary(true)]
      case 'K':
        return [{ type: 'keep' }]
      case 'N':
        return [{ type: 'set', set: this.#set([10, 10], '', true) }]
      case 'C':
        return [{ type: 'set', set: this.#set([], '', true) }]
      case 'R':
        return [this.#lineBreak()]
      case 'X':
        return [this.#grapheme()]
      case 'Q':
        return this.#quoted()
      case 'E':
        return null
      case 'p':
      case 'P':
        return [{ type: 'set', set: this.#set([], this.#property(), char === 'P') }]
      case 'k':
        return [this.#namedReference()]
      case 'g':
        return [this.#numberedReference()]
    }
    if (char >= '1' && char <= '9') return [this.#digitEscape(char)]
    return [this.#char(this.#escapedPoint(char))]
  }

  /** `\1` to `\9`, and more digits where there are so many groups; else octal. */
  #digitEscape(first: string): Node {
    const digits = /\d*/y
    digits.lastIndex = this.#at
    const all = first + (digits.exec(this.#source)?.[0] ?? '')
    const index = Number(all)
    if (index < 10 || index <= this.#groups) {
      this.#at += all.length - 1
      this.#wanted.push(index)
      return { type: 'reference', index }
    }
    const octal = /^[0-7]{1,3}/.exec(all)?.[0]
    if (octal === undefined) throw new RegexError(NO_GROUP)
    this.#at += octal.length - 1
    return this.#char(Number.parseInt(octal, 8))
  }

  #namedReference(): Node {
    const found = /(?:<(\w+)>|'(\w+)'|\{(\w+)\})/y
    found.lastIndex = this.#at
    const match = found.exec(this.#source)
    if (match === null) throw new RegexError('\\k is not followed by a braced, angle-bracketed, or quoted name')
    this.#at += match[0].length
    return this.#referTo(match[1] ?? match[2] ?? match[3] ?? '')
  }

  #numberedReference(): Node {
    const found = /(?:([-+]?\d+)|\{([-+]?\d+)\}|\{(\w+)\})/y
    found.lastIndex = this.#at
    const match = found.exec(this.#source)
    if (match === null) throw new RegexError('a numbered reference must not be zero')
    this.#at += match[0].length
    if (match[3] !== undefined) return this.#referTo(match[3])
    const text = (match[1] ?? match[2]) as string
    const index = text.startsWith('-') ? this.#groups + 1 + Number(text) : text.startsWith('+') ? this.#groups + Number(text) : Number(text)
    this.#wanted.push(index)
    return { type: 'reference', index }
  }

  #referTo(name: string): Node {
    const index = this.#names.get(name)
    if (index === undefined) throw new RegexError(NO_GROUP)
    this.#wanted.push(index)
    return { type: 'reference', index }
  }

  #lineBreak(): Node {
    const set = (ranges: number[]): Node => ({
      type: 'set',
      set: new CharSet(ranges, '', { withoutNewline: this.#options.withoutNewline }),
    })
    const options: Node[] = [sequence([set([13, 13]), set([10, 10])]), set([...VERTICAL.ranges])]
    return { type: 'atomic', body: { type: 'choice', options } }
  }

  #grapheme(): Node {
    const any: Node = { type: 'set', set: this.#set([], '', true) }
    const mark: Node = { type: 'set', set: this.#set([0x200d, 0x200d], '\\p{M}', false) }
    return { type: 'atomic', body: sequence([any, { type: 'repeat', body: mark, min: 0, max: Infinity }]) }
  }

  #quoted(): readonly Node[] {
    const end = this.#source.indexOf('\\E', this.#at)
    const text = this.#source.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#source.length : end + 2
    return Array.from(text, (char) => this.#char(char.codePointAt(0) as number))
  }

  /** The property of `\p`, as RegExp writes it. */
  #property(): string {
    const found = /(?:\{(\^?)([\w ]+)\}|([A-Z]))/y
    found.lastIndex = this.#at
    const match = found.exec(this.#source)
    if (match === null) throw new RegexError('malformed \\P or \\p sequence')
    this.#at += match[0].length
    const name = (match[3] ?? match[2] ?? '').replaceAll(' ', '')
    if (name === 'Any') return '\\u{0}-\\u{10ffff}'
    const group = name === 'L&' ? 'LC' : name
    const sign = match[1] === '^' ? 'P' : 'p'
    for (const candidate of [group, `Script=${group}`]) {
      const property = `\\${sign}{${candidate}}`
      if (isProperty(property)) return property
    }
    throw new RegexError('unknown property after \\P or \\p')
  }

  #escapedPoint(char: string): number {
    const known = CONTROL.get(char)
    if (known !== undefined) return known
    if (char === '0') return this.#digits(/[0-7]{0,2}/y, 8)
    if (char === 'o') {
      const found = this.#match(/\{([0-7]+)\}/y)
      if (found === null) throw new RegexError('non-octal character in \\o{} (closing brace missing?)')
      return checkedPoint(Number.parseInt(found[1] as string, 8))
    }
    if (char === 'x') {
      const braced = this.#match(/\{([0-9a-fA-F]+)\}/y)
      return braced === null ? this.#digits(/[0-9a-fA-F]{0,2}/y, 16) : checkedPoint(Number.parseInt(braced[1] as string, 16))
    }
    if (char === 'c') {
      const next = this.#take()
      if (next === undefined) throw new RegexError('\\c at end of pattern')
      return next.toUpperCase().charCodeAt(0) ^ 64
    }
    if ('FLlUu'.includes(char)) throw new RegexError('PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u')
    if (/[A-Za-z]/.test(char)) throw new RegexError('unrecognized character follows \\')
    return char.codePointAt(0) as number
  }

  #group(): Node | null {
    this.#depth += 1
    if (this.#depth > 250) throw new RegexError('parentheses are too deeply nested')
    const node =
      this.#source[this.#at] === '?' ? this.#specialGroup() : this.#source.startsWith('*', this.#at) ? this.#verb() : this.#capture(null)
    this.#depth -= 1
    return node
  }

  #verb(): never {
    throw new RegexError('(*VERB) not recognized or malformed')
  }

  #capture(name: string | null): Node {
    this.#groups += 1
    const index = this.#groups
    if (name !== null) {
      if (this.#names.has(name)) throw new RegexError('two named subpatterns have the same name (PCRE2_DUPNAMES not set)')
      this.#names.set(name, index)
    }
    return { type: 'group', index, body: this.#body() }
  }

  /** What follows up to the closing parenthesis. */
  #body(): Node {
    const node = this.#alternatives()
    if (this.#source[this.#at] !== ')') throw new RegexError('missing closing parenthesis')
    this.#at += 1
    return node
  }

  #specialGroup(): Node | null {
    this.#at += 1
    if (this.#match(/#/y) !== null) {
      const end = this.#source.indexOf(')', this.#at)
      if (end < 0) throw new RegexError('missing ) after (?# comment')
      this.#at = end + 1
      return null
    }
    if (this.#match(/:/y) !== null) return this.#body()
    if (this.#match(/>/y) !== null) return { type: 'atomic', body: this.#body() }
    if (this.#match(/=/y) !== null) return { type: 'look', ahead: true, negated: false, body: this.#body() }
    if (this.#match(/!/y) !== null) return { type: 'look', ahead: true, negated: true, body: this.#body() }
    const behind = this.#match(/<([=!])/y)
    if (behind !== null) return this.#lookBehind(behind[1] === '!')
    const back = this.#match(/P=(\w+)\)/y)
    if (back !== null) return this.#referTo(back[1] as string)
    const name = this.#match(/(?:P?<|')(\w*)([>']?)/y)
    if (name !== null) {
      if (/^\d/.test(name[1] as string)) throw new RegexError('subpattern name must start with a non-digit')
      if (name[1] === '') throw new RegexError('subpattern name expected')
      if (name[2] === '') throw new RegexError('syntax error in subpattern name (missing terminator?)')
      return this.#capture(name[1] as string)
    }
    const callout = this.#match(/C\d*\)/y)
    if (callout !== null) return null
    if (this.#match(/(?:R|[-+]?\d+|&\w+|P>\w+|\||\()/y) !== null) {
      throw new RegexError('recursion, conditions and branch reset are not supported')
    }
    return this.#flags()
  }

  #lookBehind(negated: boolean): Node {
    const body = this.#body()
    if (!hasFixedAlternatives(body)) throw new RegexError('lookbehind assertion is not fixed length')
    return { type: 'look', ahead: false, negated, body }
  }

  #flags(): Node | null {
    const found = this.#match(/(\^?)([imsxnUJ]*)(?:-([imsxnUJ]*))?([:)])/y)
    if (found === null) {
      const isOpen = this.#match(/[imsxnUJ^-]*$/y) !== null
      throw new RegexError(isOpen ? 'missing closing parenthesis' : 'unrecognized character after (? or (?-')
    }
    const before = this.#mode
    let mode: Mode = found[1] === '^' ? { ignoreCase: false, multiline: false, dotAll: false, extended: false } : before
    for (const [letters, value] of [
      [found[2] ?? '', true],
      [found[3] ?? '', false],
    ] as const) {
      if (letters.includes('i')) mode = { ...mode, ignoreCase: value }
      if (letters.includes('m')) mode = { ...mode, multiline: value }
      if (letters.includes('s')) mode = { ...mode, dotAll: value }
      if (letters.includes('x')) mode = { ...mode, extended: value }
    }
    this.#mode = mode
    if (found[4] === ')') return null
    const body = this.#body()
    this.#mode = before
    return body
  }

  #bracket(): CharSet {
    const negated = this.#match(/\^/y) !== null
    const ranges: number[] = []
    let properties = ''
    for (let first = true; ; first = false) {
      const char = this.#source[this.#at]
      if (char === undefined) throw new RegexError('missing terminating ] for character class')
      if (char === ']' && !first) break
      const low = this.#classItem()
      if (typeof low === 'object') {
        ranges.push(...low.ranges)
        properties += low.properties
        if (this.#source[this.#at] === '-' && !/^-\]/.test(this.#source.slice(this.#at, this.#at + 2))) {
          throw new RegexError('invalid range in character class')
        }
        continue
      }
      if (this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']' || this.#at + 1 >= this.#source.length) {
        if (low >= 0) ranges.push(low, low)
        continue
      }
      this.#at += 1
      const high = this.#classItem()
      if (typeof high === 'object') throw new RegexError('invalid range in character class')
      if (high < low) throw new RegexError('range out of order in character class')
      ranges.push(low, high)
    }
    this.#at += 1
    return this.#set(ranges, properties, negated)
  }

  /** A character of a class, or a class in it; -1 for what stands for nothing. */
  #classItem(): number | ClassContent {
    const named = this.#match(/\[:(\^?)(\w*):\]/y)
    if (named !== null) {
      const known = perlClass(named[2] as string)
      if (known === undefined) throw new RegexError('unknown POSIX class name')
      return named[1] === '^' ? complement(known) : known
    }
    const char = this.#take() as string
    if (char !== '\\') return char.codePointAt(0) as number
    const escaped = this.#take()
    if (escaped === undefined) throw new RegexError('\\ at end of pattern')
    const short = SHORT_CLASSES.get(escaped.toLowerCase())
    if (short !== undefined) return escaped === escaped.toLowerCase() ? short : complement(short)
    if (escaped === 'p') return { ranges: [], properties: this.#property() }
    if (escaped === 'P')
      return { ranges: [], properties: this.#property().replace(/^\\(.)/, (_, letter: string) => (letter === 'p' ? '\\P' : '\\p')) }
    if (escaped === 'b') return 8
    if (escaped === 'E') return -1
    if (escaped >= '1' && escaped <= '7') {
      this.#at -= 1
      return this.#digits(/[0-7]{1,3}/y, 8)
    }
    return this.#escapedPoint(escaped)
  }

  #char(point: number): Node {
    return { type: 'set', set: this.#set([point, point], '', false) }
  }

  #set(ranges: readonly number[], properties: string, negated: boolean): CharSet {
    return new CharSet(ranges, properties, { ...this.#options, ignoreCase: this.#mode.ignoreCase, negated })
  }

  #take(): string | undefined {
    const point = this.#source.codePointAt(this.#at)
    if (point === undefined) return undefined
    const char = String.fromCodePoint(point)
    this.#at += char.length
    return char
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found !== null) this.#at += found[0].length
    return found
  }

  #digits(pattern: RegExp, radix: number): number {
    const text = this.#match(pattern)?.[0] ?? ''
    return text === '' ? 0 : Number.parseInt(text, radix)
  }
}

function wordBoundary(negated: boolean): Node {
  const word: Node = { type: 'set', set: new CharSet(WORD.ranges, '') }
  const look = (ahead: boolean, without: boolean): Node => ({ type: 'look', ahead, negated: without, body: word })
  const options = [sequence([look(false, false), look(true, !negated)]), sequence([look(false, true), look(true, negated)])]
  return { type: 'choice', options }
}

function perlClass(name: string): ClassContent | undefined {
  const known = name === 'ascii' ? { ranges: [0, 127] } : name === 'word' ? WORD : namedClass(name)
  // Without PCRE2_UCP the named classes hold ASCII characters alone.
  return known === undefined
    ? undefined
    : { ranges: known.ranges.slice(0, known.ranges.findLastIndex((point) => point < 128) + 1), properties: '' }
}

function complement(content: ClassContent): ClassContent {
  const ranges: number[] = []
  let next = 0
  for (let i = 0; i < content.ranges.length; i += 2) {
    const first = content.ranges[i] as number
    if (first > next) ranges.push(next, first - 1)
    next = (content.ranges[i + 1] as number) + 1
  }
  ranges.push(next, 0x10ffff)
  return { ranges, properties: '' }
}

function isProperty(property: string): boolean {
  try {
    new RegExp(property, 'u')
    return true
  } catch {
    return false
  }
}

function checkedPoint(point: number): number {
  if (point > 0x10ffff) throw new RegexError('character code point value in \\x{} or \\o{} is too large')
  return point
}

/** PCRE2 looks behind by a known number of characters, one for each alternative. */
function hasFixedAlternatives(node: Node): boolean {
  switch (node.type) {
    case 'repeat':
      return node.min === node.max && hasFixedAlternatives(node.body)
    case 'sequence':
      return node.parts.every(hasFixedAlternatives)
    case 'choice':
      return node.options.every(hasFixedAlternatives)
    case 'group':
    case 'atomic':
      return hasFixedAlternatives(node.body)
    case 'reference':
      return false
    default:
      return true
  }
}
