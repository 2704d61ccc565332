import type { TextFile } from './text-file.ts'
import { lineStarts } from './text-file.ts'

/** What counts as the same line. */
export interface Likeness {
  readonly ignoreCase: boolean
  readonly whiteSpace: WhiteSpace
  readonly tabSize: number
  /** A last line without newline is like one with it. */
  readonly completes: boolean
}

/** What of white space is ignored, what ignores more last. */
export type WhiteSpace = 'nothing' | 'tabs' | 'trailing' | 'amount' | 'all'

/** Lines by number: the same number, the same line. */
export interface LineClasses {
  /** Of the lines that are compared of each file. */
  readonly of: readonly [Int32Array, Int32Array]
  readonly count: number
}

/** Numbers the lines of both files from `start` to `ends`. */
export function lineClasses(
  files: readonly [TextFile, TextFile],
  start: number,
  ends: readonly [number, number],
  likeness: Likeness,
): LineClasses {
  const table = new ClassTable(ends[0] + ends[1] - 2 * start)
  const apart = !likeness.completes && !ignoresTrailing(likeness.whiteSpace)
  const classesOf = (file: TextFile, end: number): Int32Array => {
    const { bytes, starts } = comparable(file, start, end, likeness)
    const classes = new Int32Array(end - start)
    for (let line = 0; line < classes.length; line++) {
      const incomplete = apart && file.incomplete && start + line === file.lines - 1
      classes[line] = table.classOf(bytes, starts[line] as number, starts[line + 1] as number, incomplete ? 1 : 0)
    }
    return classes
  }
  const of = [classesOf(files[0], ends[0]), classesOf(files[1], ends[1])] as const
  return { of, count: table.count }
}

/** True where white space at the end of a line is ignored, among others. */
export function ignoresTrailing(whiteSpace: WhiteSpace): boolean {
  return whiteSpace !== 'nothing' && whiteSpace !== 'tabs'
}

/** Lines seen, in a hash table with as many places free as taken. */
class ClassTable {
  count = 0
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  readonly #sources: Uint8Array[] = []
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #marks: Uint8Array
  readonly #mask: number

  constructor(lines: number) {
    let size = 16
    while (size < lines * 2) size *= 2
    this.#mask = size - 1
    this.#slots = new Int32Array(size)
    this.#hashes = new Int32Array(lines)
    this.#starts = new Int32Array(lines)
    this.#ends = new Int32Array(lines)
    this.#marks = new Uint8Array(lines)
  }

  /** The number of the line `bytes[start, end)`; lines with different marks are different. */
  classOf(bytes: Uint8Array, start: number, end: number, mark: number): number {
    let hash = mark
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 0x01000193) ^ (bytes[at] as number)) | 0
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash ^= hash >>> 13
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const known = (this.#slots[slot] as number) - 1
      if (known < 0) {
        this.#slots[slot] = this.count + 1
        this.#hashes[this.count] = hash
        this.#sources.push(bytes)
        this.#starts[this.count] = start
        this.#ends[this.count] = end
        this.#marks[this.count] = mark
        return this.count++
      }
      if (this.#hashes[known] === hash && this.#marks[known] === mark && this.#equals(known, bytes, start, end)) return known
    }
  }

  #equals(known: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[known] as number
    if ((this.#ends[known] as number) - from !== end - start) return false
    const source = this.#sources[known] as Uint8Array
    for (let at = start, other = from; at < end; at++, other++) if (bytes[at] !== source[other]) return false
    return true
  }
}

/** The lines from `start` to `end` in a form in which like lines are equal. */
function comparable(file: TextFile, start: number, end: number, likeness: Likeness): { bytes: Uint8Array; starts: Int32Array } {
  const { ignoreCase, whiteSpace, tabSize } = likeness
  if (!ignoreCase && whiteSpace === 'nothing') return { bytes: file.bytes, starts: file.starts.subarray(start, end + 1) }
  const given = file.bytes.subarray(file.starts[start] as number, file.starts[end] as number)
  let bytes = ignoreCase ? given.map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)) : given
  if (whiteSpace === 'tabs') bytes = expanded(bytes, tabSize)
  else if (whiteSpace !== 'nothing') bytes = squeezed(bytes, whiteSpace)
  return { bytes, starts: lineStarts(bytes) }
}

function expanded(bytes: Uint8Array, tabSize: number): Uint8Array<ArrayBuffer> {
  const parts: number[] = []
  let column = 0
  for (const byte of bytes) {
    if (byte === 9) {
      const spaces = tabSize - (column % tabSize)
      for (let n = 0; n < spaces; n++) parts.push(32)
      column += spaces
      continue
    }
    parts.push(byte)
    if (byte === 8) column = Math.max(column - 1, 0)
    else if (byte === 10 || byte === 13) column = 0
    else column += 1
  }
  return Uint8Array.from(parts)
}

function squeezed(bytes: Uint8Array, what: 'trailing' | 'amount' | 'all'): Uint8Array<ArrayBuffer> {
  const kept = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (!isBlank(byte)) {
      kept[length++] = byte
      continue
    }
    const from = at
    while (isBlank(bytes[at + 1] as number)) at += 1
    if (what === 'all' || bytes[at + 1] === 10) continue
    if (what === 'amount') kept[length++] = 32
    else for (let copied = from; copied <= at; copied++) kept[length++] = bytes[copied] as number
  }
  return kept.subarray(0, length)
}

/** White space within a line. */
function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || (byte >= 11 && byte <= 13)
}
