import type { BundleChange } from '../../../src/job/bundle.ts'
import type { Review } from '../../../src/job/review-job.ts'
import { shownPath } from '../../../src/job/shown-path.ts'
import { quoteWord } from '../../../src/shell/expand/quote.ts'
import { commandText } from './job-text.ts'
import { table } from './table.ts'

const MOST_PATHS = 200

/** What `mirage review` prints without `--json`: how it ended, what kept it in bounds, what it would change, what to do next. */
export function reviewText(review: Review, folder: string): string {
  const { run, filesystem, safety, review_context: context } = review
  const rows: (readonly string[])[] = [
    ['Job:', `${run.run_id}${run.name === null ? '' : ` (${shownPath(run.name)})`}`],
    ['outcome:', outcome(review)],
    ['command:', commandText(run)],
    ...run.warnings.map((warning) => ['warning:', warning]),
    ['executor:', `${run.executor.name} (${run.executor.isolation})`],
    ...boundary(review),
    ...safety.warnings.map((warning) => ['note:', warning]),
    ...(filesystem === null ? [] : filesystem.access_policy.map((rule) => ['access:', rule])),
    ...(context.checkpoint_id === null ? [] : [['checkpoint:', context.checkpoint_id]]),
  ]
  return table(rows) + filesText(filesystem, folder)
}

function outcome({ run }: Review): string {
  const time = run.duration_ms === null ? '' : `, after ${(run.duration_ms / 1000).toFixed(1)} s`
  const status = run.exit_code === null ? '' : `, exit status ${run.exit_code}`
  const failure = run.failure === null || (run.failure.kind === 'process_exit' && run.exit_code !== null) ? '' : `: ${run.failure.message}`
  return `${run.state}${status}${time}${failure}`
}

function boundary({ executor_observations: { enforcement } }: Review): (readonly string[])[] {
  return Object.entries(enforcement.dimensions).map(([dimension, { level, mechanisms }], index) => [
    index === 0 ? 'boundary:' : '',
    `${dimension} ${level}${mechanisms.length === 0 ? '' : `: ${mechanisms.join(', ')}`}`,
  ])
}

function filesText(filesystem: Review['filesystem'], folder: string): string {
  if (filesystem === null) return '\nNothing was staged: changes were made at once.\n'
  const { changes, state, target } = filesystem
  if (changes.length === 0) return `\nThere is nothing to apply: the stage is ${state}.\n`
  const counts = Object.entries(CODES).flatMap(([kind, { says }]) => {
    const count = changes.filter((change) => change.kind === kind).length
    return count === 0 ? [] : [`${count} ${says}`]
  })
  const lines = changes.slice(0, MOST_PATHS).map(changeLine)
  const more = changes.length > MOST_PATHS ? `… and ${changes.length - MOST_PATHS} more, all of them with --json\n` : ''
  const job = quoteWord(folder)
  const next = table([
    [`  mirage apply ${job}`, 'take it over; with --path PATH a part of it'],
    [`  mirage inspect ${job} -- COMMAND`, 'look at the files'],
    [`  mirage drop ${job}`, 'throw it away'],
  ])
  return `\nchanges to ${target}: ${counts.join(', ')}\n${lines.join('')}${more}\nNext:\n${next}`
}

const CODES: Readonly<Record<BundleChange['kind'], { readonly code: string; readonly says: string }>> = {
  added: { code: 'A', says: 'added' },
  modified: { code: 'M', says: 'modified' },
  deleted: { code: 'D', says: 'deleted' },
  type_changed: { code: 'T', says: 'of another type' },
  opaque: { code: 'O', says: 'replaced' },
}

function changeLine({ kind, path, old_type, new_type, size_bytes, mode }: BundleChange): string {
  const type = new_type ?? old_type
  const details = [
    ...(kind === 'type_changed' ? [`${old_type} to ${new_type}`] : type === 'file' || type === undefined ? [] : [type]),
    ...(size_bytes === undefined ? [] : [`${size_bytes} bytes`]),
    ...(mode === undefined || (new_type === 'file' && (mode & 0o111) === 0) || new_type === 'directory'
      ? []
      : [`mode ${(mode & 0o7777).toString(8)}`]),
  ]
  return `  ${CODES[kind].code}  ${shownPath(path)}${details.length === 0 ? '' : `  (${details.join(', ')})`}\n`
}
