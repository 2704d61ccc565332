import { decode } from '../../bytes.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Change } from './comparison.ts'
import type { Hunk } from './hunks.ts'
import { contextHunks, hunkOf } from './hunks.ts'
import type { Page } from './page.ts'
import type { Report } from './report.ts'
import { lineRange } from './report.ts'
import type { TextFile } from './text-file.ts'

/** Changes with the lines around them: in one piece with `+` and `-` where it is unified, else a piece of each file. */
export function* showContext(report: Report, unified: boolean): Steps<void> {
  const { files, changes, settings, page } = report
  if (settings.ignoreBlankLines || settings.ignoreLines !== null)
    for (const change of changes) change.ignorable = hunkOf([change], files, settings).kind === 'unchanged'
  const functions = new FunctionLines(report)
  for (const group of contextHunks(changes, settings.context)) {
    const bare = hunkOf(group, files, settings)
    if (bare.kind === 'unchanged') continue
    const hunk = {
      kind: bare.kind,
      first0: Math.max(bare.first0 - settings.context, 0),
      last0: Math.min(bare.last0 + settings.context, files[0].lines - 1),
      first1: Math.max(bare.first1 - settings.context, 0),
      last1: Math.min(bare.last1 + settings.context, files[1].lines - 1),
    }
    const title = functions.before(hunk.first0)
    report.begin()
    if (unified) showUnified(group, hunk, title, report)
    else showPieces(group, hunk, title, report)
    yield* wait(page.settle())
  }
}

function showUnified(changes: readonly Change[], hunk: Hunk, title: Title, { files, page }: Report): void {
  page.part('line')
  page.text(`@@ -${unifiedRange(hunk.first0, hunk.last0)} +${unifiedRange(hunk.first1, hunk.last1)} @@`)
  page.part('reset')
  writeTitle(title, page)
  let line = hunk.first0
  for (const change of changes) {
    for (; line < change.line0; line++) page.unifiedLine(' ', files[0], line)
    for (; line < change.line0 + change.deleted; line++) page.unifiedLine('-', files[0], line, 'deleted')
    for (let n = 0; n < change.inserted; n++) page.unifiedLine('+', files[1], change.line1 + n, 'added')
  }
  for (; line <= hunk.last0; line++) page.unifiedLine(' ', files[0], line)
}

function unifiedRange(first: number, last: number): string {
  if (last < first) return `${last + 1},0`
  return last === first ? String(last + 1) : `${first + 1},${last - first + 1}`
}

function showPieces(changes: readonly Change[], hunk: Hunk, title: Title, { files, page }: Report): void {
  page.text('***************')
  writeTitle(title, page)
  page.part('line')
  page.text(`*** ${lineRange(hunk.first0, hunk.last0)} ****`)
  page.part('reset')
  page.text('\n')
  if (hunk.kind !== 'new') {
    let at = 0
    for (let line = hunk.first0; line <= hunk.last0; line++) {
      while (at < changes.length && end0(changes[at] as Change) <= line) at += 1
      const change = changes[at]
      const flag = change === undefined || change.line0 > line ? ' ' : change.inserted > 0 ? '!' : '-'
      page.flaggedLine(flag, files[0], line, 'deleted')
    }
  }
  page.part('line')
  page.text(`--- ${lineRange(hunk.first1, hunk.last1)} ----`)
  page.part('reset')
  page.text('\n')
  if (hunk.kind !== 'old') {
    let at = 0
    for (let line = hunk.first1; line <= hunk.last1; line++) {
      while (at < changes.length && end1(changes[at] as Change) <= line) at += 1
      const change = changes[at]
      const flag = change === undefined || change.line1 > line ? ' ' : change.deleted > 0 ? '!' : '+'
      page.flaggedLine(flag, files[1], line, 'added')
    }
  }
}

function end0(change: Change): number {
  return change.line0 + change.deleted
}

function end1(change: Change): number {
  return change.line1 + change.inserted
}

/** What a hunk is headed with: part of a line. */
type Title = Uint8Array | null

const LONGEST_TITLE = 40

function writeTitle(title: Title, page: Page): void {
  if (title !== null) {
    page.byte(32)
    page.bytes(title, 0, title.length)
  }
  page.byte(10)
}

/** Finds the last line before a place that looks like the head of a function. */
class FunctionLines {
  readonly #file: TextFile
  readonly #report: Report
  #searched = 0
  #found = -1

  constructor(report: Report) {
    this.#report = report
    this.#file = report.files[0]
  }

  /** Places are asked for in rising order, so no line is looked at twice. */
  before(line: number): Title {
    const { functionLine } = this.#report.settings
    if (functionLine === null) return null
    const { bytes, starts } = this.#file
    for (let at = line - 1; at >= this.#searched; at--) {
      const text = decode(bytes.subarray(starts[at] as number, (starts[at + 1] as number) - 1))
      if (!functionLine.test(text)) continue
      this.#found = at
      break
    }
    this.#searched = line
    return this.#found < 0 ? null : titleOf(bytes, starts[this.#found] as number, (starts[this.#found + 1] as number) - 1)
  }
}

function titleOf(bytes: Uint8Array, lineStart: number, lineEnd: number): Uint8Array {
  let start = lineStart
  while (start < lineEnd && isSpace(bytes[start] as number)) start += 1
  let end = Math.min(start + LONGEST_TITLE, lineEnd)
  while (end > start && isSpace(bytes[end - 1] as number)) end -= 1
  return bytes.subarray(start, end)
}

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13)
}
