import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Change } from './comparison.ts'
import type { Hunk } from './hunks.ts'
import { hunkOf } from './hunks.ts'
import type { Page } from './page.ts'
import type { DiffSettings } from './settings.ts'
import type { TextFile } from './text-file.ts'

/** Two files that were compared, to be shown. */
export interface Report {
  readonly files: readonly [TextFile, TextFile]
  readonly changes: readonly Change[]
  readonly settings: DiffSettings
  readonly page: Page
  /** Writes what stands before the first thing shown; later calls do nothing. */
  begin(): void
}

/** Shows each change that isn't ignored by itself. */
export function* eachChange(report: Report, show: (hunk: Hunk) => void, changes: readonly Change[] = report.changes): Steps<void> {
  for (const change of changes) {
    const hunk = hunkOf([change], report.files, report.settings)
    if (hunk.kind === 'unchanged') continue
    report.begin()
    show(hunk)
    yield* wait(report.page.settle())
  }
}

/** Lines from 0 as people count them: `3,7`; `3` for one line, and for none the line before. */
export function lineRange(first: number, last: number, separator = ','): string {
  return last > first ? `${first + 1}${separator}${last + 1}` : String(last + 1)
}

/** The letter of a change in normal output and in scripts. */
export function changeLetter({ kind }: Hunk): string {
  return kind === 'new' ? 'a' : kind === 'old' ? 'd' : 'c'
}
