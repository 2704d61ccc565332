import type { Steps } from '../steps.ts'
import type { Report } from './report.ts'
import { changeLetter, eachChange, lineRange } from './report.ts'
import type { TextFile } from './text-file.ts'

/** A script for `ed`, the last change first. */
export function showEdScript(report: Report): Steps<void> {
  const { files, page } = report
  const show: Parameters<typeof eachChange>[1] = (hunk) => {
    page.text(`${lineRange(hunk.first0, hunk.last0)}${changeLetter(hunk)}\n`)
    if (hunk.kind === 'old') return
    let inserting = true
    for (let line = hunk.first1; line <= hunk.last1; line++) {
      if (!inserting) page.text('a\n')
      inserting = !isDot(files[1], line)
      // A dot alone would end the insertion: two are put in, and one is taken away again.
      if (inserting) page.plainLine(files[1], line)
      else page.text('..\n.\ns/.//\n')
    }
    if (inserting) page.text('.\n')
  }
  return eachChange(report, show, report.changes.toReversed())
}

/** As a script for `ed`, but the first change first, so that `ed` can't use it. */
export function showForwardScript(report: Report): Steps<void> {
  const { files, page } = report
  return eachChange(report, (hunk) => {
    page.text(`${changeLetter(hunk)}${lineRange(hunk.first0, hunk.last0, ' ')}\n`)
    if (hunk.kind === 'old') return
    for (let line = hunk.first1; line <= hunk.last1; line++) page.plainLine(files[1], line)
    page.text('.\n')
  })
}

/** The form of RCS: where lines are deleted and added, and how many. */
export function showRcsScript(report: Report): Steps<void> {
  const { files, page } = report
  return eachChange(report, ({ kind, first0, last0, first1, last1 }) => {
    if (kind !== 'new') page.text(`d${first0 + 1} ${Math.max(last0 - first0 + 1, 1)}\n`)
    if (kind === 'old') return
    page.text(`a${last0 + 1} ${Math.max(last1 - first1 + 1, 1)}\n`)
    for (let line = first1; line <= last1; line++) page.plainLine(files[1], line)
  })
}

function isDot({ bytes, starts }: TextFile, line: number): boolean {
  const start = starts[line] as number
  return bytes[start] === 46 && bytes[start + 1] === 10
}
