import { shownPath } from '../../../src/job/shown-path.ts'
import type { ObservationCounts } from '../../../src/replay/documents.ts'
import type { FailureCategory } from '../../../src/replay/fault.ts'
import type { Fidelity } from './fidelity.ts'
import { table } from './table.ts'

export interface FidelityFile extends Fidelity {
  readonly path: string
}

/** A file that was not replayed. */
export interface FailedFile {
  readonly path: string
  readonly category: FailureCategory
  readonly message: string
}

interface Counts extends ObservationCounts {
  readonly calls: number
  /** Exact of those that can be compared; null where none can. */
  readonly exact_share: number | null
}

/** What `mirage fidelity --json` prints. */
export interface FidelityDocument {
  readonly schema_version: 'mirage.fidelity/v1'
  readonly files: readonly (Counts & {
    readonly path: string
    readonly agent: string
    readonly version: string
    readonly steps: number
    readonly replayed_steps: number
    readonly stopped: string | null
  })[]
  readonly total: Counts
  readonly failed: readonly FailedFile[]
}

export function fidelityDocument(files: readonly FidelityFile[], failed: readonly FailedFile[]): FidelityDocument {
  return {
    schema_version: 'mirage.fidelity/v1',
    files: files.map(({ path, agent, version, steps, replayed, stopped, calls, counts }) => ({
      path,
      agent,
      version,
      steps,
      replayed_steps: replayed,
      ...countsOf(calls, counts),
      stopped,
    })),
    total: totalOf(files),
    failed,
  }
}

/** The same for people: a table of the files, one of the commands that are missing, and what was not replayed. */
export function fidelityText({ files, total, failed }: FidelityDocument): string {
  const parts: string[] = []
  if (files.length > 0) {
    const rows = files.map((file) => [shownPath(file.path), file.agent, stepsText(file), ...countCells(file)])
    const sum = files.length === 1 ? [] : [[`${files.length} files`, '', '', ...countCells(total)]]
    parts.push(table([['FILE', 'AGENT', 'STEPS', 'CALLS', 'EXACT', 'DIFFERS', 'UNSUPPORTED', 'STALE', 'SHARE'], ...rows, ...sum]))
  }
  const missing = Object.entries(total.missing_commands).map(([name, calls]) => [shownPath(name), String(calls)])
  if (missing.length > 0) parts.push(table([['MISSING COMMAND', 'CALLS'], ...missing]))
  const rest = [
    ...files.flatMap(({ path, stopped }) => (stopped === null ? [] : [[shownPath(path), `ends at ${stopped}`]])),
    ...failed.map(({ path, category, message }) => [shownPath(path), `${category}: ${message}`]),
  ].map(([path = '', reason = '']) => [path, shownPath(reason)])
  if (rest.length > 0) parts.push(table([['NOT REPLAYED', 'REASON'], ...rest]))
  return parts.length === 0 ? 'there is no trajectory\n' : parts.join('\n')
}

function countsOf(calls: number, counts: ObservationCounts): Counts {
  const { exact, differs } = counts
  return { calls, ...counts, exact_share: exact + differs === 0 ? null : exact / (exact + differs) }
}

function totalOf(files: readonly FidelityFile[]): Counts {
  const sum = (count: (file: FidelityFile) => number): number => files.reduce((all, file) => all + count(file), 0)
  const missing = new Map<string, number>()
  for (const { counts } of files)
    for (const [name, calls] of Object.entries(counts.missing_commands)) missing.set(name, (missing.get(name) ?? 0) + calls)
  const byCount = [...missing].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return countsOf(
    sum(({ calls }) => calls),
    {
      exact: sum(({ counts }) => counts.exact),
      differs: sum(({ counts }) => counts.differs),
      unsupported: sum(({ counts }) => counts.unsupported),
      stale: sum(({ counts }) => counts.stale),
      missing_commands: Object.fromEntries(byCount),
    },
  )
}

function stepsText({ steps, replayed_steps }: FidelityDocument['files'][number]): string {
  return steps === replayed_steps ? String(steps) : `${replayed_steps} of ${steps}`
}

function countCells({ calls, exact, differs, unsupported, stale, exact_share }: Counts): readonly string[] {
  return [calls, exact, differs, unsupported, stale].map(String).concat(exact_share === null ? '-' : `${(exact_share * 100).toFixed(1)} %`)
}
