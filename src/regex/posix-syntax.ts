import type { CharSetOptions } from './char-set.ts'
import { CharSet, namedClass } from './char-set.ts'
import type { AssertionKind, Node, Pattern } from './node.ts'
import { sequence } from './node.ts'
import { RegexError } from './regex-error.ts'

/** Where POSIX syntaxes differ. */
export interface Dialect {
  /** Groups are `( )`, not `\( \)`; likewise below. */
  readonly bareGroups: boolean
  readonly bareAlternation: boolean
  readonly barePlus: boolean
  /** How an interval is written; null where there are none. */
  readonly braces: 'bare' | 'escaped' | null
  /** `^` and `$` are anchors wherever they stand. */
  readonly anchorsAnywhere: boolean
  /** A repetition with nothing before it. */
  readonly leadingRepeat: 'error' | 'literal' | 'skip'
  /** `a**` and `a*\{2\}` are refused. */
  readonly oneRepeat: boolean
  /** `a{x}` stands for itself. */
  readonly looseIntervals: boolean
  /** `)` without `(` stands for itself. */
  readonly looseClose: boolean
  /** `[z-a]` holds nothing. */
  readonly emptyRanges: boolean
  /** `[:alpha:]` is refused as a slip. */
  readonly refuseBareClass: boolean
  /** `\w \W \s \S \b \B \< \> \` \'` mean something. */
  readonly gnuEscapes: boolean
}

/** What `regcomp` takes with REG_EXTENDED. */
export const EXTENDED: Dialect = {
  bareGroups: true,
  bareAlternation: true,
  barePlus: true,
  braces: 'bare',
  anchorsAnywhere: true,
  leadingRepeat: 'error',
  oneRepeat: false,
  looseIntervals: false,
  looseClose: true,
  emptyRanges: false,
  refuseBareClass: false,
  gnuEscapes: true,
}

/** What `regcomp` takes without it. */
export const BASIC: Dialect = {
  bareGroups: false,
  bareAlternation: false,
  barePlus: false,
  braces: 'escaped',
  anchorsAnywhere: false,
  leadingRepeat: 'literal',
  oneRepeat: true,
  looseIntervals: false,
  looseClose: false,
  emptyRanges: false,
  refuseBareClass: false,
  gnuEscapes: true,
}

/** How characters are taken while reading a pattern. */
export interface SyntaxOptions extends Omit<CharSetOptions, 'negated'> {
  readonly dialect: Dialect
  /** `.` and `[^…]` leave newline out, though a newline in the pattern matches one. */
  readonly newlineApart?: boolean
  /** Gets what a tool says of a repetition that is passed over for having nothing before it. */
  readonly warn?: (message: string) => void
}

/** Reads a basic or extended POSIX pattern with GNU's additions. Throws {@link RegexError}. */
export function parsePosix(source: string, options: SyntaxOptions): Pattern {
  return new PosixReader(source, options).read()
}

/** A pattern that is only text. */
export function literalPattern(text: string, options: Omit<CharSetOptions, 'negated'>): Pattern {
  const parts: Node[] = Array.from(text, (char) => ({ type: 'set', set: CharSet.of(char.codePointAt(0) as number, options) }))
  return { node: sequence(parts), groups: 0, references: false }
}

type Token =
  | {
      readonly type: 'end' | 'any' | 'bracket' | 'open' | 'close' | 'or' | 'star' | 'plus' | 'question' | 'interval'
      readonly length: number
    }
  | { readonly type: 'char'; readonly length: number; readonly point: number }
  | { readonly type: 'class'; readonly length: number; readonly name: 'word' | 'space'; readonly negated: boolean }
  | { readonly type: 'assertion'; readonly length: number; readonly kind: AssertionKind }
  | { readonly type: 'reference'; readonly length: number; readonly index: number }

type Repetition = { readonly min: number; readonly max: number }

const ESCAPED_ASSERTIONS = new Map<string, AssertionKind>([
  ['b', 'word-boundary'],
  ['B', 'no-word-boundary'],
  ['<', 'word-start'],
  ['>', 'word-end'],
  ['`', 'text-start'],
  ["'", 'text-end'],
])
const LARGEST_COUNT = 32_767
const UNMATCHED_BRACKET = 'Unmatched [, [^, [:, [., or [='
const BAD_REPEAT = 'Invalid preceding regular expression'

class PosixReader {
  readonly #source: string
  readonly #options: SyntaxOptions
  readonly #dialect: Dialect
  /** Groups that a back-reference may name here: those closed, but for ones in other alternatives. */
  #closed: ReadonlySet<number> = new Set()
  readonly #sets = new Map<string, CharSet>()
  #at = 0
  #groups = 0
  #references = false
  #depth = 0
  /** Where a brace stands that opens no interval. */
  #plainBrace = -1

  constructor(source: string, options: SyntaxOptions) {
    this.#source = source
    this.#options = options
    this.#dialect = options.dialect
  }

  read(): Pattern {
    const node = this.#alternatives()
    return { node, groups: this.#groups, references: this.#references }
  }

  #alternatives(): Node {
    const before = this.#closed
    const options = [this.#branch()]
    let after = this.#closed
    for (;;) {
      const token = this.#peek(false)
      if (token.type !== 'or') break
      this.#at += token.length
      this.#closed = before
      options.push(this.#branch())
      after = new Set([...after, ...this.#closed])
    }
    this.#closed = after
    return options.length === 1 ? (options[0] as Node) : { type: 'choice', options }
  }

  #branch(): Node {
    const parts: Node[] = []
    for (let first = true; ; first = false) {
      const token = this.#peek(first)
      if (token.type === 'end' || token.type === 'or' || (token.type === 'close' && this.#depth > 0)) return sequence(parts)
      this.#at += token.length
      const atom = this.#atom(token)
      if (atom === null) continue
      // glibc lets no repetition follow an anchor: what looks like one then stands first.
      parts.push(atom.type === 'assertion' ? atom : this.#repeated(atom))
    }
  }

  /** The node a token stands for; null where it stands for nothing. The token has been passed. */
  #atom(token: Token): Node | null {
    switch (token.type) {
      case 'char':
        return this.#set(token.point)
      case 'any':
        return { type: 'set', set: this.#make(this.#options.newlineApart === true ? [10, 10] : [], '', true) }
      case 'bracket':
        return this.#bracket()
      case 'class': {
        const known = namedClass(token.name)
        return { type: 'set', set: this.#make(known?.ranges ?? [], known?.properties ?? '', token.negated) }
      }
      case 'assertion':
        return { type: 'assertion', kind: token.kind }
      case 'reference':
        if (!this.#closed.has(token.index)) throw new RegexError('Invalid back reference')
        this.#references = true
        return { type: 'reference', index: token.index }
      case 'open':
        return this.#group()
      case 'close':
        if (!this.#dialect.looseClose) throw new RegexError('Unmatched ) or \\)')
        return this.#literal()
      case 'star':
      case 'plus':
      case 'question':
      case 'interval':
        return this.#leadingRepeat(token)
      default:
        throw new RegexError('Invalid regular expression')
    }
  }

  #leadingRepeat(token: Token): Node | null {
    const { leadingRepeat, oneRepeat, looseIntervals } = this.#dialect
    if (token.type === 'interval') {
      if (leadingRepeat === 'error' || oneRepeat) throw new RegexError(BAD_REPEAT)
      if (leadingRepeat === 'skip') {
        const before = this.#at
        if (this.#interval() !== null) return this.#passOver('{...}')
        this.#at = before
      }
      if (looseIntervals || leadingRepeat === 'literal') return this.#literal()
      throw new RegexError(BAD_REPEAT)
    }
    if (leadingRepeat === 'error') throw new RegexError(BAD_REPEAT)
    return leadingRepeat === 'skip' ? this.#passOver(this.#source[this.#at - 1] as string) : this.#literal()
  }

  #passOver(what: string): null {
    this.#options.warn?.(`${what} at start of expression`)
    return null
  }

  /** The last character passed, for itself. */
  #literal(): Node {
    return this.#set(this.#source.charCodeAt(this.#at - 1))
  }

  #group(): Node {
    this.#groups += 1
    const index = this.#groups
    this.#depth += 1
    if (this.#depth > 1000) throw new RegexError('Regular expression too big')
    const body = this.#alternatives()
    this.#depth -= 1
    const token = this.#peek(false)
    if (token.type !== 'close') throw new RegexError('Unmatched ( or \\(')
    this.#at += token.length
    this.#closed = new Set([...this.#closed, index])
    return { type: 'group', index, body }
  }

  #repeated(atom: Node): Node {
    let node = atom
    for (;;) {
      const token = this.#peek(false)
      const start = this.#at
      let repetition: Repetition | null
      if (token.type === 'star') repetition = { min: 0, max: Infinity }
      else if (token.type === 'plus') repetition = { min: 1, max: Infinity }
      else if (token.type === 'question') repetition = { min: 0, max: 1 }
      else if (token.type === 'interval') {
        this.#at += token.length
        repetition = this.#interval()
        if (repetition === null) {
          this.#at = start
          this.#plainBrace = start
          return node
        }
      } else return node
      if (token.type !== 'interval') this.#at += token.length
      node = { type: 'repeat', body: node, ...repetition }
      const next = this.#peek(false)
      if (this.#dialect.oneRepeat && (next.type === 'star' || next.type === 'interval')) throw new RegexError(BAD_REPEAT)
    }
  }

  /** What stands in braces, the opening one passed; null (and nothing passed) where it is no interval and needn't be. */
  #interval(): Repetition | null {
    const start = this.#at
    const close = this.#dialect.braces === 'bare' ? '}' : '\\}'
    const end = this.#source.indexOf(close, start)
    const text = end < 0 ? this.#source.slice(start) : this.#source.slice(start, end)
    const found = /^(\d*)(?:(,)(\d*))?$/.exec(text)
    if (end < 0 || found === null || (found[1] === '' && found[2] === undefined)) {
      if (this.#dialect.looseIntervals) return null
      throw new RegexError(end < 0 && text !== '' ? 'Unmatched \\{' : 'Invalid content of \\{\\}')
    }
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])
    if (min > max) throw new RegexError('Invalid content of \\{\\}')
    if (min > LARGEST_COUNT || (max !== Infinity && max > LARGEST_COUNT)) throw new RegexError('Regular expression too big')
    this.#at = end + close.length
    return { min, max }
  }

  #peek(first: boolean): Token {
    const source = this.#source
    const at = this.#at
    if (at >= source.length) return { type: 'end', length: 0 }
    const char = String.fromCodePoint(source.codePointAt(at) as number)
    const dialect = this.#dialect
    if (char === '\\') return this.#peekEscape()
    if (char === '*') return { type: 'star', length: 1 }
    if (char === '.') return { type: 'any', length: 1 }
    if (char === '[') return { type: 'bracket', length: 1 }
    if (char === '^' && (dialect.anchorsAnywhere || first)) return { type: 'assertion', kind: 'line-start', length: 1 }
    if (char === '$' && (dialect.anchorsAnywhere || this.#endsBranch(at + 1))) return { type: 'assertion', kind: 'line-end', length: 1 }
    if (dialect.bareGroups && char === '(') return { type: 'open', length: 1 }
    if (dialect.bareGroups && char === ')') return { type: 'close', length: 1 }
    if (dialect.bareAlternation && char === '|') return { type: 'or', length: 1 }
    if (dialect.barePlus && char === '+') return { type: 'plus', length: 1 }
    if (dialect.barePlus && char === '?') return { type: 'question', length: 1 }
    if (dialect.braces === 'bare' && char === '{' && at !== this.#plainBrace) return { type: 'interval', length: 1 }
    return { type: 'char', point: char.codePointAt(0) as number, length: char.length }
  }

  #peekEscape(): Token {
    const at = this.#at + 1
    if (at >= this.#source.length) throw new RegexError('Trailing backslash')
    const char = String.fromCodePoint(this.#source.codePointAt(at) as number)
    const dialect = this.#dialect
    if (!dialect.bareGroups && char === '(') return { type: 'open', length: 2 }
    if (!dialect.bareGroups && char === ')') return { type: 'close', length: 2 }
    if (!dialect.bareAlternation && char === '|') return { type: 'or', length: 2 }
    if (!dialect.barePlus && char === '+') return { type: 'plus', length: 2 }
    if (!dialect.barePlus && char === '?') return { type: 'question', length: 2 }
    if (dialect.braces === 'escaped' && char === '{' && this.#at !== this.#plainBrace) return { type: 'interval', length: 2 }
    if (char >= '1' && char <= '9') return { type: 'reference', index: Number(char), length: 2 }
    if (dialect.gnuEscapes) {
      if (char === 'w' || char === 'W') return { type: 'class', name: 'word', negated: char === 'W', length: 2 }
      if (char === 's' || char === 'S') return { type: 'class', name: 'space', negated: char === 'S', length: 2 }
      const kind = ESCAPED_ASSERTIONS.get(char)
      if (kind !== undefined) return { type: 'assertion', kind, length: 2 }
    }
    return { type: 'char', point: char.codePointAt(0) as number, length: 1 + char.length }
  }

  /** A `$` that ends here is an anchor where anchors depend on their place. */
  #endsBranch(at: number): boolean {
    const rest = this.#source.slice(at, at + 2)
    if (rest === '') return true
    const { bareGroups, bareAlternation } = this.#dialect
    return rest.startsWith(bareGroups ? ')' : '\\)') || rest.startsWith(bareAlternation ? '|' : '\\|')
  }

  #bracket(): Node {
    const source = this.#source
    const negated = source[this.#at] === '^'
    if (negated) this.#at += 1
    const start = this.#at
    const ranges: number[] = []
    let properties = ''
    let plain = true
    for (let first = true; ; first = false) {
      if (this.#at >= source.length) throw new RegexError(UNMATCHED_BRACKET)
      if (source[this.#at] === ']' && !first) break
      if (source.startsWith('[:', this.#at)) {
        const name = this.#named(':')
        const known = namedClass(name)
        if (known === undefined || name === 'word') throw new RegexError('Invalid character class name')
        if (source[this.#at] === '-' && source[this.#at + 1] !== ']') throw new RegexError('Invalid range end')
        const folded = this.#options.ignoreCase === true && (name === 'upper' || name === 'lower') ? namedClass('alpha') : known
        ranges.push(...(folded?.ranges ?? []))
        properties += known.properties
        plain = false
        continue
      }
      const isEquivalence = source.startsWith('[=', this.#at)
      const low = this.#element(first)
      if (source[this.#at] !== '-' || this.#at + 1 >= source.length || source[this.#at + 1] === ']') {
        ranges.push(low, low)
        continue
      }
      this.#at += 1
      if (isEquivalence || source.startsWith('[:', this.#at) || source.startsWith('[=', this.#at)) throw new RegexError('Invalid range end')
      const high = this.#element(true)
      plain = false
      if (low <= high) ranges.push(low, high)
      else if (!this.#dialect.emptyRanges) throw new RegexError('Invalid range end')
    }
    const text = source.slice(start, this.#at)
    if (this.#dialect.refuseBareClass && plain && !negated && text.length > 2 && /^:.*[^:].*:$/.test(text)) {
      throw new RegexError('character class syntax is [[:space:]], not [:space:]')
    }
    this.#at += 1
    if (negated && this.#options.newlineApart === true) ranges.push(10, 10)
    return { type: 'set', set: this.#make(ranges, properties, negated) }
  }

  /** One character of a bracket expression, however written. A hyphen may only stand first, last, or as the end of a range. */
  #element(hyphenAllowed: boolean): number {
    const source = this.#source
    if (source.startsWith('[.', this.#at) || source.startsWith('[=', this.#at)) {
      const text = this.#named(source[this.#at + 1] as string)
      const point = text.codePointAt(0)
      if (point === undefined || text.length !== String.fromCodePoint(point).length) throw new RegexError('Invalid collation character')
      return point
    }
    const point = source.codePointAt(this.#at)
    if (point === undefined) throw new RegexError(UNMATCHED_BRACKET)
    if (point === 0x2d && !hyphenAllowed && source[this.#at + 1] !== ']' && source[this.#at + 1] !== '-')
      throw new RegexError('Invalid range end')
    this.#at += point > 0xffff ? 2 : 1
    return point
  }

  /** The text in `[:…:]`, `[=…=]`, `[.….]`. */
  #named(mark: string): string {
    const start = this.#at + 2
    const end = this.#source.indexOf(`${mark}]`, mark === '.' || mark === '=' ? start + 1 : start)
    if (end < 0) throw new RegexError(UNMATCHED_BRACKET)
    this.#at = end + 2
    return this.#source.slice(start, end)
  }

  #set(point: number): Node {
    return { type: 'set', set: this.#make([point, point], '', false) }
  }

  #make(ranges: readonly number[], properties: string, negated: boolean): CharSet {
    const set = new CharSet(ranges, properties, { ...this.#options, negated })
    const known = this.#sets.get(set.source)
    if (known !== undefined) return known
    this.#sets.set(set.source, set)
    return set
  }
}
