import type { RunBundle } from '../../../src/job/bundle.ts'
import type { RunState } from '../../../src/job/job-documents.ts'
import type { JobStatus } from '../../../src/job/job-status.ts'
import { shownPath } from '../../../src/job/shown-path.ts'
import { quoteReusable, quoteWord } from '../../../src/shell/expand/quote.ts'
import { localTime } from './local-time.ts'
import { table } from './table.ts'

/** What is said when a Job has ended here: a line for people, and what went wrong besides the command's own status. */
export function outcomeText(
  id: string,
  state: RunState,
  bundle: RunBundle | null,
  folder: string,
): { readonly summary: string; readonly fault: string | null } {
  const failure = bundle?.run.failure ?? null
  const suspended = state === 'suspended' ? `Job ${id} is suspended: mirage resume ${quoteWord(folder)} goes on with it` : null
  const fault = failure === null || (failure.kind === 'process_exit' && bundle?.run.exit_code !== null) ? suspended : failure.message
  const staged = bundle?.filesystem == null ? '' : `; ${stagedText(bundle.filesystem)}: mirage review ${quoteWord(folder)}`
  return { summary: `Job ${id}: ${stateText(state, bundle)}${staged}\n`, fault }
}

function stateText(state: RunState, bundle: RunBundle | null): string {
  const code = bundle?.run.exit_code
  return state === 'failed' && typeof code === 'number' ? `failed with exit status ${code}` : state
}

function stagedText({ changed_files, whiteouts }: { readonly changed_files: number; readonly whiteouts: number }): string {
  if (changed_files + whiteouts === 0) return 'nothing is staged'
  return `${changed_files} changed and ${whiteouts} deleted are staged`
}

/** `mirage status` without `--json`. */
export function statusText(status: JobStatus, folder: string): string {
  const { run, live, filesystem, checkpoint_capability: capability, checkpoints, apply_history } = status
  const rows: (readonly [name: string, text: string] | null)[] = [
    ['Job', run.run_id],
    run.name === null ? null : ['name', shownPath(run.name)],
    ['state', isStale(status) ? 'stale: its record says running, and nobody runs it; mirage kill settles that' : run.state],
    ['command', commandText(run)],
    ['executor', `${run.executor.name} (${run.executor.isolation})`],
    ['workspace', run.workspace],
    ['kept in', folder],
    ['started', `${localTime(run.started_at_unix_ms)}${live && run.pid !== null ? `, process ${run.pid}` : ''}`],
    run.finished_at_unix_ms === null ? null : ['ended', localTime(run.finished_at_unix_ms)],
    run.lineage === null ? null : ['forked from', [run.lineage.parent_run_id, run.lineage.checkpoint_id ?? 'its execution'].join(', ')],
    ['stage', filesystem === null ? 'none: changes were made at once' : `${filesystem.state}; ${stagedText(filesystem)}`],
    apply_history.length === 0 ? null : ['applied', `${apply_history.length} ${apply_history.length === 1 ? 'time' : 'times'}`],
    ['checkpoints', `${checkpoints.length}${capability.execution ? '; its running script can be saved, too' : ''}`],
  ]
  const samples = filesystem === null ? [] : filesystem.sample_paths.map((path) => `  ${shownPath(path)}\n`)
  return table(rows.flatMap((row) => (row === null ? [] : [[`${row[0]}:`, row[1]]]))) + samples.join('')
}

/** Its record says that it runs, and nobody runs it. */
function isStale({ run, live }: JobStatus): boolean {
  return run.state === 'running' && !live
}

/** The command as a line of shell. */
export function commandText({ command, command_line }: { readonly command: readonly string[]; readonly command_line: boolean }): string {
  return command_line ? (command[0] ?? '') : command.map(quoted).join(' ')
}

function quoted(word: string): string {
  return quoteWord(word) === word ? word : quoteReusable(word)
}
