import { encode } from '../bytes.ts'
import { configurationFault, trajectoryFault } from './fault.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './json.ts'
import { parseJson } from './json-parse.ts'
import type { Span } from './json-spans.ts'
import { elementSpans, JsonFlaw, LINE_FEED, placeIn, skipSpace, skipValue } from './json-spans.ts'
import type { NativeFile } from './trajectory.ts'

/** One line of a file that has a JSON value a line. */
export interface SourceLine extends Span {
  /** From 1. */
  readonly number: number
  readonly value: JsonValue
}

/** Most bytes that a trajectory may have. */
export const LARGEST_TRAJECTORY: number = 256 * 1024 * 1024
/** Lines that show whose file it is. */
const HEAD_LINES = 20

/** What an array of a document is to have. */
export interface ArrayEdit {
  /** Keys that lead to it. */
  readonly path: readonly string[]
  /** How many of its elements stay. */
  readonly keep: number
  /** Other values for some of those, by their indices, in order. */
  readonly replaced: ReadonlyMap<number, JsonValue>
  /** What comes after them. */
  readonly added: readonly JsonValue[]
}

/** The bytes of a trajectory, and what they are: parsed once, and written back as they were. */
export class TrajectorySource {
  readonly bytes: Uint8Array
  #form: 'json' | 'lines' | 'zip' | null = null
  #json: JsonValue | undefined
  #lines: readonly SourceLine[] | undefined

  /** A `configuration_error` for more than 256 MiB. The caller leaves the bytes as they are. */
  constructor(bytes: Uint8Array) {
    if (bytes.length > LARGEST_TRAJECTORY)
      throw configurationFault(`the trajectory has ${bytes.length} bytes: at most ${LARGEST_TRAJECTORY} (256 MiB) can be read`)
    this.bytes = bytes
  }

  /** What it looks like: one JSON value, several with a line each, or a zip archive. A text with one value is both `json` and one line; its form is `json`. */
  get form(): 'json' | 'lines' | 'zip' {
    this.#form ??= formOf(this.bytes)
    return this.#form
  }

  /** The whole as one JSON value. A `trajectory_error` naming line and column where it is none, is nested too deeply, or no UTF-8. */
  json(): JsonValue {
    if (this.#json === undefined) {
      const { bytes } = this
      if (bytes.length === 0) throw trajectoryFault('the trajectory is empty')
      this.#json = located(
        (at) => placeIn(bytes, at),
        () => parseJson(bytes, 0, bytes.length),
      )
    }
    return this.#json
  }

  /**
   * A JSON value a line. A `trajectory_error` naming the line where one is blank, no JSON or no UTF-8; a last line without a newline that is no JSON is left out where
   * `mayBeCut` says that the agent may have died while it wrote.
   */
  lines(mayBeCut = false): readonly SourceLine[] {
    this.#lines ??= linesOf(this.bytes, mayBeCut)
    return this.#lines
  }

  /**
   * The text with the first `keep` elements of the array at `path`, of which some are replaced, then `added`; all else is as it was, byte for byte.
   * The text must have been parsed.
   */
  withElements(path: readonly string[], keep: number, replaced: ReadonlyMap<number, JsonValue>, added: readonly JsonValue[]): NativeFile {
    return this.withArrays([{ path, keep, replaced, added }])
  }

  /** The same for several arrays, of which none is in another one. */
  withArrays(edits: readonly ArrayEdit[]): NativeFile {
    const { bytes } = this
    const found = located(
      (at) => placeIn(bytes, at),
      () => edits.map((edit) => ({ ...edit, ...elementSpans(bytes, edit.path) })),
    )
    const file: Uint8Array[] = []
    let from = 0
    for (const { array, elements, keep, replaced, added } of found.sort((a, b) => a.array.start - b.array.start)) {
      for (const [index, value] of replaced) {
        const { start, end } = elements[index] as Span
        file.push(bytes.subarray(from, start), encode(JSON.stringify(value)))
        from = end
      }
      file.push(bytes.subarray(from, elements[keep - 1]?.end ?? array.start + 1))
      added.forEach((value, i) => {
        file.push(encode((i === 0 && keep === 0 ? '' : ',\n') + JSON.stringify(value)))
      })
      // What comes after the last element: white space, the bracket, and the rest of the document.
      from = elements.at(-1)?.end ?? array.start + 1
    }
    file.push(bytes.subarray(from))
    return file
  }

  /** Lines at the beginning that are objects, up to one that is no JSON: what shows whose file it is, whatever the rest holds. */
  head(): readonly JsonObject[] {
    const { bytes } = this
    // Such a file is parsed but once.
    if (this.form === 'json') return this.#onlyLine()
    const found: JsonObject[] = []
    for (let start = 0; start < bytes.length && found.length < HEAD_LINES; ) {
      const next = bytes.indexOf(LINE_FEED, start)
      const end = next < 0 ? bytes.length : next
      try {
        const value = parseJson(bytes, start, end)
        if (!isObject(value)) break
        found.push(value)
      } catch {
        break
      }
      start = end + 1
    }
    return found
  }

  /** The object that is all of the file, on one line. */
  #onlyLine(): readonly JsonObject[] {
    const { bytes } = this
    const end = bytes.indexOf(LINE_FEED)
    if (end >= 0 && skipSpace(bytes, end) < bytes.length) return []
    try {
      const value = this.json()
      return isObject(value) ? [value] : []
    } catch {
      return []
    }
  }

  /** The first `keep` lines but those that are dropped, of which some are replaced (indices in order), then `added`; a line each. */
  withLines(
    keep: number,
    replaced: ReadonlyMap<number, JsonValue>,
    added: readonly JsonValue[],
    dropped: ReadonlySet<number> = new Set(),
  ): NativeFile {
    const { bytes } = this
    const lines = this.lines()
    const file: Uint8Array[] = []
    const newline = encode('\n')
    let from = 0
    for (const [index, value] of replaced) {
      const { start, end } = lines[index] as SourceLine
      file.push(bytes.subarray(from, start), encode(JSON.stringify(value)))
      from = end
    }
    for (const index of [...dropped].sort((a, b) => a - b)) {
      if (index >= keep) break
      const { start, end } = lines[index] as SourceLine
      file.push(bytes.subarray(from, start))
      from = end + 1
    }
    const end = lines[keep - 1]?.end ?? 0
    // The last line may be one that was replaced: it ends with a newline, too.
    if (from < end) file.push(bytes.subarray(from, end))
    if (from <= end && end > 0) file.push(newline)
    for (const value of added) file.push(encode(JSON.stringify(value)), newline)
    return file
  }
}

function formOf(bytes: Uint8Array): 'json' | 'lines' | 'zip' {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4) return 'zip'
  const start = skipSpace(bytes, 0)
  try {
    return skipSpace(bytes, skipValue(bytes, start)) === bytes.length ? 'json' : 'lines'
  } catch {
    return 'json'
  }
}

function linesOf(bytes: Uint8Array, mayBeCut: boolean): readonly SourceLine[] {
  const lines: SourceLine[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start)
    const end = found < 0 ? bytes.length : found
    const number = lines.length + 1
    if (skipSpace(bytes, start) >= end) throw trajectoryFault(`line ${number} is blank: each line has to be a JSON value`)
    try {
      const value = located(
        (at) => `line ${number}, column ${at - start + 1}`,
        () => parseJson(bytes, start, end),
      )
      lines.push({ number, start, end, value })
    } catch (error) {
      if (found < 0 && mayBeCut) break
      throw error
    }
    start = end + 1
  }
  if (lines.length === 0) throw trajectoryFault('the trajectory is empty')
  return lines
}

/** Does work, whose flaws are told with their place. */
function located<T>(place: (at: number) => string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof JsonFlaw) throw trajectoryFault(`${place(error.at)}: ${error.message}`)
    throw error
  }
}
