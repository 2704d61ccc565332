import { escapePattern, hasPatternCharacters } from './pattern.ts'

/** A stretch of an expanded word. */
export interface WordPiece {
  readonly text: string
  /** From inside quotes: neither split nor a pattern, and it makes a field even where it is empty. */
  readonly quoted: boolean
  /** The result of an unquoted expansion: split at the characters of IFS. */
  readonly split: boolean
  /** A field starts here whatever IFS holds: the next element of "$@". */
  readonly breakBefore: boolean
}

/** One field. `pattern` is its pattern text (quoted characters escaped) where it has active pattern characters, else null. */
export interface Field {
  readonly text: string
  readonly pattern: string | null
}

/** Splits an expanded word into fields as bash does. `ifs` is the value of IFS, blank, tab and newline where it is unset. */
export function splitFields(pieces: readonly WordPiece[], ifs: string, extglob = true): readonly Field[] {
  const separators = separatorsOf(ifs)
  const builder = new FieldBuilder(extglob)
  for (const piece of pieces) {
    if (piece.breakBefore) builder.breakField()
    if (piece.quoted) builder.addQuoted(piece.text)
    else if (piece.split && separators.some) splitPiece(piece.text, separators, builder)
    else if (piece.text !== '') builder.add(piece.text)
  }
  builder.breakField()
  return builder.fields
}

/**
 * Splits a line (without its newline) as the `read` builtin does. Unless `raw`, a backslash keeps the next character from
 * separating and is dropped, together with a newline behind it. Gives `count` texts, the last one with all that is left; every field where
 * `count` is Infinity; the whole line where it is 0.
 */
export function readSplit(line: string, ifs: string, count: number, raw: boolean): readonly string[] {
  const input = raw || !line.includes('\\') ? { text: line, escaped: null } : dropBackslashes(line)
  if (count === 0) return [input.text]
  return new LineSplitter(input, separatorsOf(ifs)).split(count)
}

const PLAIN = 0
const SPACE = 1
const HARD = 2

interface Separators {
  readonly some: boolean
  readonly ascii: Uint8Array
  readonly other: ReadonlySet<number>
}

let last: { ifs: string; separators: Separators } | null = null

function separatorsOf(ifs: string): Separators {
  if (last !== null && last.ifs === ifs) return last.separators
  const ascii = new Uint8Array(128)
  const other = new Set<number>()
  for (const char of ifs) {
    const code = char.codePointAt(0) as number
    if (code >= 128) other.add(code)
    else ascii[code] = char === ' ' || char === '\t' || char === '\n' ? SPACE : HARD
  }
  const separators = { some: ifs !== '', ascii, other }
  last = { ifs, separators }
  return separators
}

/** What the character at `at` is. */
function kindAt(text: string, at: number, separators: Separators): number {
  const unit = text.charCodeAt(at)
  if (unit < 128) return separators.ascii[unit] as number
  return separators.other.size > 0 && separators.other.has(text.codePointAt(at) as number) ? HARD : PLAIN
}

function splitPiece(text: string, separators: Separators, builder: FieldBuilder): void {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kindAt(text, at, separators)
    if (kind === PLAIN) {
      // The second half of a character must not be taken for a separator of its own.
      if (isPair(text, at)) at += 1
      continue
    }
    if (at > start) builder.add(text.slice(start, at))
    if (kind === SPACE) builder.space()
    else builder.separator()
    if (isPair(text, at)) at += 1
    start = at + 1
  }
  if (start < text.length) builder.add(start === 0 ? text : text.slice(start))
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && (text.codePointAt(at) as number) > 0xffff
}

class FieldBuilder {
  readonly fields: Field[] = []
  readonly #extglob: boolean
  #text = ''
  /** The pattern text so far, null while it is the same as the text. */
  #pattern: string | null = null
  #started = false
  /** How the field before ended: a blank joins with one separator that follows. */
  #ended: 'start' | 'space' | 'separator' = 'start'

  constructor(extglob: boolean) {
    this.#extglob = extglob
  }

  add(text: string): void {
    this.#started = true
    this.#text += text
    if (this.#pattern !== null) this.#pattern += text
  }

  addQuoted(text: string): void {
    this.#started = true
    const pattern = escapePattern(text)
    if (pattern !== text || this.#pattern !== null) this.#pattern = (this.#pattern ?? this.#text) + pattern
    this.#text += text
  }

  space(): void {
    if (this.#started) this.#finish('space')
  }

  separator(): void {
    if (this.#started || this.#ended !== 'space') this.#finish('separator')
    this.#ended = 'separator'
  }

  breakField(): void {
    if (this.#started) this.#finish('start')
    this.#ended = 'start'
  }

  #finish(ended: 'start' | 'space' | 'separator'): void {
    const pattern = this.#pattern ?? this.#text
    this.fields.push({ text: this.#text, pattern: hasPatternCharacters(pattern, this.#extglob) ? pattern : null })
    this.#text = ''
    this.#pattern = null
    this.#started = false
    this.#ended = ended
  }
}

interface Line {
  readonly text: string
  /** 1 where the character had a backslash before it; null where none had. */
  readonly escaped: Uint8Array | null
}

function dropBackslashes(line: string): Line {
  const escaped = new Uint8Array(line.length)
  const pieces: string[] = []
  let length = 0
  let start = 0
  let at = line.indexOf('\\')
  while (at >= 0) {
    pieces.push(line.slice(start, at))
    length += at - start
    const newline = line[at + 1] === '\n'
    if (!newline) escaped[length] = 1
    start = newline ? at + 2 : at + 1
    at = line.indexOf('\\', newline ? start : start + 1)
  }
  pieces.push(line.slice(start))
  return { text: pieces.join(''), escaped }
}

class LineSplitter {
  readonly #text: string
  readonly #escaped: Uint8Array | null
  readonly #separators: Separators
  #at = 0

  constructor({ text, escaped }: Line, separators: Separators) {
    this.#text = text
    this.#escaped = escaped
    this.#separators = separators
  }

  split(count: number): readonly string[] {
    const fields: string[] = []
    if (this.#separators.some) this.#skipSpaces()
    while (fields.length < count - 1 && this.#at < this.#text.length) fields.push(this.#word())
    if (count === Number.POSITIVE_INFINITY) return fields
    fields.push(this.#rest())
    while (fields.length < count) fields.push('')
    return fields
  }

  #word(): string {
    const start = this.#at
    while (this.#at < this.#text.length && this.#kind(this.#at) === PLAIN) this.#at += isPair(this.#text, this.#at) ? 2 : 1
    const word = this.#text.slice(start, this.#at)
    const kind = this.#kind(this.#at)
    if (kind === HARD) this.#skipOne()
    this.#skipSpaces()
    if (kind === SPACE && this.#kind(this.#at) === HARD) {
      this.#skipOne()
      this.#skipSpaces()
    }
    return word
  }

  /** One word where no more is left, else all of it without the blanks at its end. */
  #rest(): string {
    const start = this.#at
    const word = this.#word()
    if (this.#at >= this.#text.length) return word
    let end = this.#text.length
    while (end > start && this.#kind(end - 1) === SPACE) end -= 1
    return this.#text.slice(start, end)
  }

  #skipSpaces(): void {
    while (this.#kind(this.#at) === SPACE) this.#at += 1
  }

  #skipOne(): void {
    this.#at += isPair(this.#text, this.#at) ? 2 : 1
  }

  #kind(at: number): number {
    if (at >= this.#text.length || this.#escaped?.[at] === 1) return PLAIN
    return kindAt(this.#text, at, this.#separators)
  }
}
