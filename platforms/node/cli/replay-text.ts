import { shownPath } from '../../../src/job/shown-path.ts'
import { textDiff } from '../../../src/job/unified-diff.ts'
import type { ObservationCounts, ReplayReport, ReportCall, ReportStep } from '../../../src/replay/documents.ts'
import { table } from './table.ts'

/** Lines of a difference, of a thought and of what a live call gave that are shown. */
const MOST_LINES = 40
const INDENT = '    '

/** A replay for people: how much came out the same, then step by step what was called, and how the fresh observation differs from the recorded one. */
export async function replayText(report: ReplayReport): Promise<string> {
  const { agent, run_id, job_id, counts, steps } = report
  const head = table([
    ['run:', run_id],
    ['Job:', `${job_id} (mirage review ${job_id})`],
    ['agent:', `${agent.name} ${agent.version}`],
    ['observations:', countsText(counts)],
    ...Object.entries(counts.missing_commands).map(([name, calls]) => [
      'missing:',
      `${shownPath(name)}, wanted by ${calls} ${calls === 1 ? 'call' : 'calls'}`,
    ]),
  ])
  const parts: string[] = [head]
  for (const step of steps) parts.push(await stepText(step))
  return parts.join('\n')
}

/** `3 exact, 1 differs`. */
function countsText({ exact, differs, unsupported, stale }: ObservationCounts): string {
  const all = [`${exact} exact`, `${differs} ${differs === 1 ? 'differs' : 'differ'}`, `${unsupported} unsupported`, `${stale} stale`]
  return all.filter((text, i) => i < 2 || !text.startsWith('0 ')).join(', ')
}

async function stepText({ ordinal, is_live, locator, text, calls, checkpoint_id }: ReportStep): Promise<string> {
  const marks = [is_live ? 'live' : (locator ?? ''), checkpoint_id === null ? '' : `checkpoint ${checkpoint_id}`].filter(
    (mark) => mark !== '',
  )
  const lines = [`step ${ordinal} (${marks.join(', ')})\n`]
  if (text.trim() !== '') lines.push(block(text.trim(), '  '))
  for (const call of calls) lines.push(await callText(call))
  return lines.join('')
}

async function callText(call: ReportCall): Promise<string> {
  const { class: kind, missing_commands: missing, fresh, recorded } = call
  const lacks = missing.length === 0 ? '' : `; there is no ${missing.map(shownPath).join(', ')}`
  const status = fresh === null || fresh.status === null ? '' : `; status ${fresh.status}`
  const head = `  ${kind ?? 'called'}${status}${lacks}: ${called(call)}\n`
  if (recorded === null) return fresh === null ? head : head + block(valueText(fresh.value), INDENT)
  if (kind === 'exact' || fresh === null) return head
  const [before, after] = [valueText(recorded.value), valueText(fresh.value)]
  const flag =
    recorded.is_error === fresh.is_error
      ? ''
      : `${INDENT}${recorded.is_error ? 'it was an error, and is none now' : 'it is an error now'}\n`
  return head + flag + block(await textDiff(before, after), INDENT)
}

/** A call as a line: what a tool with one text was given is that text. */
function called({ name, arguments: given }: ReportCall): string {
  const values = Object.values(given)
  const [only] = values
  const text = values.length === 1 && typeof only === 'string' ? only : JSON.stringify(given)
  return `${name} ${text}`.split('\n').map(shownPath).join(`\n${INDENT}`)
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function block(text: string, indent: string): string {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  if (text === '') return ''
  const more = lines.length > MOST_LINES ? [`… ${lines.length - MOST_LINES} more lines`] : []
  return [...lines.slice(0, MOST_LINES), ...more].map((line) => `${indent}${shownPath(line)}\n`).join('')
}
