import { characterWidth } from '../character-width.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import { characterAt } from '../utf8-characters.ts'
import { hunkOf } from './hunks.ts'
import type { Page } from './page.ts'
import type { Report } from './report.ts'
import type { DiffSettings } from './settings.ts'
import type { TextFile } from './text-file.ts'

/** Both files side by side, with a mark between them where they differ. */
export function* showColumns(report: Report, byteCharacters: boolean): Steps<void> {
  const { files, changes, settings, page } = report
  const { leftColumn, suppressCommon } = settings
  const columns = new Columns(page, settings, byteCharacters)
  report.begin()
  let next0 = 0
  let next1 = 0

  function* common(end0: number, end1: number): Steps<void> {
    if (!suppressCommon) {
      if (!leftColumn) {
        for (; next0 < end0 && next1 < end1; next0++, next1++) {
          columns.row({ file: files[0], line: next0 }, ' ', { file: files[1], line: next1 })
          yield* wait(page.settle())
        }
        for (; next1 < end1; next1++) columns.row(null, ')', { file: files[1], line: next1 })
      }
      for (; next0 < end0; next0++) columns.row({ file: files[0], line: next0 }, '(', null)
    }
    next0 = end0
    next1 = end1
  }

  for (const change of changes) {
    const hunk = hunkOf([change], files, settings)
    if (hunk.kind === 'unchanged') continue
    yield* common(hunk.first0, hunk.first1)
    for (; next0 <= hunk.last0 && next1 <= hunk.last1; next0++, next1++)
      columns.row({ file: files[0], line: next0 }, '|', { file: files[1], line: next1 })
    for (; next1 <= hunk.last1; next1++) columns.row(null, '>', { file: files[1], line: next1 })
    for (; next0 <= hunk.last0; next0++) columns.row({ file: files[0], line: next0 }, '<', null)
    yield* wait(page.settle())
  }
  yield* common(files[0].lines, files[1].lines)
}

interface Side {
  readonly file: TextFile
  readonly line: number
}

const LEAST_GUTTER = 3

class Columns {
  readonly #page: Page
  readonly #expandTabs: boolean
  readonly #tabSize: number
  readonly #byteCharacters: boolean
  /** How wide each side may be. */
  readonly #half: number
  /** Where the right side starts. */
  readonly #right: number

  constructor(page: Page, { expandTabs, tabSize, width }: DiffSettings, byteCharacters: boolean) {
    this.#page = page
    this.#expandTabs = expandTabs
    this.#tabSize = tabSize
    this.#byteCharacters = byteCharacters
    // The right side starts at a tab stop, that tabs in it come out right.
    const stop = expandTabs ? 1 : tabSize
    const unaligned = Math.floor(width / 2) + Math.floor((stop + LEAST_GUTTER) / 2) + (width & (stop + LEAST_GUTTER) & 1)
    const start = unaligned - (unaligned % stop)
    this.#half = Math.max(0, Math.min(start - LEAST_GUTTER, width - start))
    this.#right = this.#half > 0 ? start : width
  }

  row(left: Side | null, separator: string, right: Side | null): void {
    const page = this.#page
    page.part(separator === '<' ? 'deleted' : separator === '>' ? 'added' : 'reset')
    const leftEnds = left !== null && !page.lacksNewline(left.file, left.line)
    const rightEnds = right !== null && !page.lacksNewline(right.file, right.line)
    let column = left === null ? 0 : this.#side(left, 0)
    if (separator !== ' ') {
      column = this.#blank(column, Math.floor((this.#half + this.#right - 1) / 2)) + 1
      page.text(separator === '|' && leftEnds !== rightEnds ? (leftEnds ? '/' : '\\') : separator)
    }
    if (right !== null && right.file.bytes[right.file.starts[right.line] as number] !== 10) {
      column = this.#blank(column, this.#right)
      this.#side(right, column)
    }
    if (leftEnds || rightEnds) page.byte(10)
    page.part('reset')
  }

  /** White space from one column to another, by tabs where they may be used. */
  #blank(from: number, to: number): number {
    let at = from
    if (!this.#expandTabs) {
      for (let stop = at + this.#tabSize - (at % this.#tabSize); stop <= to; stop += this.#tabSize) {
        this.#page.byte(9)
        at = stop
      }
    }
    for (; at < to; at++) this.#page.byte(32)
    return to
  }

  /** As much of a line as there is room for; the column it ends in. */
  #side({ file: { bytes, starts }, line }: Side, indent: number): number {
    const page = this.#page
    const bound = this.#half
    const end = (starts[line + 1] as number) - 1
    let inside = 0
    let outside = 0
    for (let at = starts[line] as number; at < end; ) {
      const byte = bytes[at] as number
      if (byte === 9) {
        const spaces = this.#tabSize - (inside % this.#tabSize)
        if (inside === outside) {
          const stop = outside + spaces
          if (this.#expandTabs) for (; outside < Math.min(stop, bound); outside++) page.byte(32)
          else if (stop < bound) {
            outside = stop
            page.byte(9)
          }
        }
        inside += spaces
      } else if (byte === 13) {
        page.byte(13)
        this.#blank(0, indent)
        inside = 0
        outside = 0
      } else if (byte === 8) {
        if (inside !== 0 && --inside < bound) {
          if (outside <= inside) for (; outside < inside; outside++) page.byte(32)
          else {
            outside = inside
            page.byte(8)
          }
        }
      } else if (byte < 32 || byte >= 127) {
        const character = this.#byteCharacters ? -1 : characterAt(bytes, at)
        if (character >= 0) {
          inside += Math.max(characterWidth(character >> 3), 0)
          const length = character & 7
          if (inside <= bound) {
            outside = inside
            page.bytes(bytes, at, at + length)
          }
          at += length
          continue
        }
        if (inside++ < bound) {
          outside = inside
          page.byte(byte)
        }
      } else if (inside++ < bound) {
        outside = inside
        page.byte(byte)
      }
      at += 1
    }
    return outside
  }
}
