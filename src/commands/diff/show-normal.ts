import type { Steps } from '../steps.ts'
import type { Report } from './report.ts'
import { changeLetter, eachChange, lineRange } from './report.ts'

/** The usual output: `2c3`, then the lines with `<` and `>`. */
export function showNormal(report: Report): Steps<void> {
  const { files, page } = report
  return eachChange(report, (hunk) => {
    const { first0, last0, first1, last1 } = hunk
    page.part('line')
    page.text(`${lineRange(first0, last0)}${changeLetter(hunk)}${lineRange(first1, last1)}`)
    page.part('reset')
    page.text('\n')
    if (hunk.kind !== 'new') for (let line = first0; line <= last0; line++) page.flaggedLine('<', files[0], line, 'deleted')
    if (hunk.kind === 'changed') page.text('---\n')
    if (hunk.kind !== 'old') for (let line = first1; line <= last1; line++) page.flaggedLine('>', files[1], line, 'added')
  })
}
