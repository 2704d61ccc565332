/** How the characters of a set are to be taken. */
export interface CharSetOptions {
  /** Either case of a letter counts as both. */
  readonly ignoreCase?: boolean
  /** Stray bytes are characters like others; otherwise only a set that names one holds it. */
  readonly bytes?: boolean
  /** Newline is in no set at all. */
  readonly withoutNewline?: boolean
  readonly negated?: boolean
}

/** A set of characters, as one step of a pattern. */
export class CharSet {
  /** Pairs of first and last code point, sorted and apart from each other. */
  readonly ranges: readonly number[]
  /** Unicode properties besides, as text for a RegExp class: `\p{Alphabetic}`. */
  readonly properties: string
  /** The set holds what is in neither. */
  readonly negated: boolean
  readonly #bytes: boolean
  #test: RegExp | undefined
  #ascii: Uint8Array | undefined
  #source: string | undefined

  constructor(ranges: readonly number[], properties: string, options: CharSetOptions = {}) {
    const negated = options.negated === true
    let all = options.ignoreCase === true ? withBothCases(ranges) : ranges
    if (options.withoutNewline === true && negated) all = [...all, 10, 10]
    let merged = mergeRanges(all)
    if (options.withoutNewline === true && !negated) merged = without(merged, 10)
    this.ranges = merged
    this.properties =
      options.ignoreCase === true ? properties.replace(/\\p\{(Lowercase|Uppercase)\}/g, '\\p{Lowercase}\\p{Uppercase}') : properties
    this.negated = negated
    this.#bytes = options.bytes === true
  }

  /** One character, or both its cases. */
  static of(point: number, options: CharSetOptions = {}): CharSet {
    return new CharSet([point, point], '', options)
  }

  /** The set as a RegExp atom for unicode mode. Equal sets give equal texts. */
  get source(): string {
    this.#source ??= this.#write()
    return this.#source
  }

  has(point: number): boolean {
    return point < 128 ? this.ascii[point] === 1 : this.#holds(point)
  }

  /** One byte an ASCII character: 1 where the set holds it. */
  get ascii(): Uint8Array {
    if (this.#ascii === undefined) {
      this.#ascii = new Uint8Array(128)
      for (let point = 0; point < 128; point++) if (this.#holds(point)) this.#ascii[point] = 1
    }
    return this.#ascii
  }

  /** The one code point it holds, or -1. */
  get only(): number {
    return !this.negated && this.properties === '' && this.ranges.length === 2 && this.ranges[0] === this.ranges[1]
      ? (this.ranges[0] as number)
      : -1
  }

  #holds(point: number): boolean {
    const listed = inRanges(this.ranges, point)
    if (isStray(point)) return this.#bytes ? listed !== this.negated : listed && !this.negated
    return (listed || this.#hasProperty(point)) !== this.negated
  }

  #hasProperty(point: number): boolean {
    if (this.properties === '') return false
    this.#test ??= new RegExp(`[${this.properties}]`, 'u')
    return this.#test.test(String.fromCodePoint(point))
  }

  #write(): string {
    if (this.only >= 0) return escapePoint(this.only)
    let text = ''
    for (let i = 0; i < this.ranges.length; i += 2) {
      const first = this.ranges[i] as number
      const last = this.ranges[i + 1] as number
      text += first === last ? escapePoint(first) : `${escapePoint(first)}-${escapePoint(last)}`
    }
    text += this.properties
    if (!this.negated) return `[${text}]`
    return this.#bytes ? `[^${text}]` : `[^${text}\\udc80-\\udcff]`
  }
}

/** False where no character can be in both; true where one may be. */
export function mayOverlap(a: CharSet, b: CharSet): boolean {
  if (a.negated && b.negated) return true
  if (a.negated) return mayOverlap(b, a)
  if (b.negated) return a.properties !== '' ? a.properties !== b.properties : !covers(b.ranges, a.ranges)
  if (a.properties !== '' || b.properties !== '') return true
  for (let i = 0; i < a.ranges.length; i += 2) {
    for (let j = 0; j < b.ranges.length; j += 2) {
      if ((a.ranges[i] as number) <= (b.ranges[j + 1] as number) && (b.ranges[j] as number) <= (a.ranges[i + 1] as number)) return true
    }
  }
  return false
}

/** True where each character of `b` is certainly in `a`. */
export function includesAll(a: CharSet, b: CharSet): boolean {
  if (a.source === b.source) return true
  if (b.properties !== '') return a.negated && a.properties === '' && !b.negated && a.ranges.every((point) => !b.has(point))
  if (!a.negated) return !b.negated && covers(a.ranges, b.ranges)
  if (b.negated) return covers(b.ranges, a.ranges) && a.properties === ''
  return !mayOverlap(new CharSet(a.ranges, a.properties), b)
}

/** What a POSIX character class holds in C.UTF-8, as ranges and properties; undefined for a name that is none. */
export function namedClass(name: string): { readonly ranges: readonly number[]; readonly properties: string } | undefined {
  return CLASSES.get(name)
}

const DIGIT = [0x30, 0x39]
const UPPER = [0x41, 0x5a]
const LOWER = [0x61, 0x7a]
const WIDE_BLANK = [0x1680, 0x1680, 0x2000, 0x2006, 0x2008, 0x200a, 0x205f, 0x205f, 0x3000, 0x3000]
const PRINTED = '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}'

const CLASSES = new Map<string, { ranges: readonly number[]; properties: string }>([
  ['alpha', { ranges: [...UPPER, ...LOWER], properties: '\\p{Alphabetic}' }],
  ['digit', { ranges: DIGIT, properties: '' }],
  ['alnum', { ranges: [...DIGIT, ...UPPER, ...LOWER], properties: '\\p{Alphabetic}\\p{Nd}' }],
  ['upper', { ranges: UPPER, properties: '\\p{Uppercase}' }],
  ['lower', { ranges: LOWER, properties: '\\p{Lowercase}' }],
  ['space', { ranges: [9, 13, 32, 32, ...WIDE_BLANK, 0x2028, 0x2029], properties: '' }],
  ['blank', { ranges: [9, 9, 32, 32, ...WIDE_BLANK], properties: '' }],
  ['cntrl', { ranges: [0, 31, 127, 159, 0x2028, 0x2029], properties: '' }],
  ['punct', { ranges: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e], properties: '\\p{P}\\p{S}' }],
  ['xdigit', { ranges: [...DIGIT, 0x41, 0x46, 0x61, 0x66], properties: '' }],
  ['graph', { ranges: [0x21, 0x7e], properties: PRINTED }],
  ['print', { ranges: [0x20, 0x7e, 0x3000, 0x3000], properties: `${PRINTED}\\p{Zs}` }],
  ['word', { ranges: [...DIGIT, ...UPPER, 0x5f, 0x5f, ...LOWER], properties: '\\p{Alphabetic}\\p{Nd}' }],
])

/** What counts as part of a word: letters, digits, underscore. */
export const WORD: CharSet = new CharSet([...DIGIT, ...UPPER, 0x5f, 0x5f, ...LOWER], '\\p{Alphabetic}\\p{Nd}')

function isStray(point: number): boolean {
  return point >= 0xdc80 && point <= 0xdcff
}

function inRanges(ranges: readonly number[], point: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) if (point >= (ranges[i] as number) && point <= (ranges[i + 1] as number)) return true
  return false
}

/** Whether each of `inner` lies within one of `outer`; both merged. */
function covers(outer: readonly number[], inner: readonly number[]): boolean {
  for (let i = 0; i < inner.length; i += 2) {
    let found = false
    for (let j = 0; j < outer.length && !found; j += 2) {
      found = (outer[j] as number) <= (inner[i] as number) && (inner[i + 1] as number) <= (outer[j + 1] as number)
    }
    if (!found) return false
  }
  return true
}

function mergeRanges(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] as number, ranges[i + 1] as number])
  pairs.sort((a, b) => a[0] - b[0])
  const merged: number[] = []
  for (const [first, last] of pairs) {
    const end = merged.at(-1)
    if (end !== undefined && first <= end + 1) merged[merged.length - 1] = Math.max(end, last)
    else merged.push(first, last)
  }
  return merged
}

function without(ranges: readonly number[], point: number): number[] {
  const rest: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i] as number
    const last = ranges[i + 1] as number
    if (point < first || point > last) {
      rest.push(first, last)
      continue
    }
    if (first < point) rest.push(first, point - 1)
    if (last > point) rest.push(point + 1, last)
  }
  return rest
}

/** Ranges wider than this are taken to hold both cases already, but for ASCII. */
const FOLDED_RANGE = 4096

function withBothCases(ranges: readonly number[]): number[] {
  const all = [...ranges]
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i] as number
    const last = Math.min(ranges[i + 1] as number, first + FOLDED_RANGE)
    for (let point = first; point <= last; point++) {
      const text = String.fromCodePoint(point)
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        const code = other.codePointAt(0) as number
        if (code !== point && other.length === String.fromCodePoint(code).length) all.push(code, code)
      }
    }
  }
  return all
}

function escapePoint(point: number): string {
  if ((point >= 0x30 && point <= 0x39) || (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a))
    return String.fromCharCode(point)
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
}
