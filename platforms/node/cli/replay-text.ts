import { shownPath } from '../../../src/job/shown-path.ts'
import { textDiff } from '../../../src/job/unified-diff.ts'
import type { ObservationCounts, ReplayReport, ReportCall, ReportStep } from '../../../src/replay/documents.ts'
import { table } from './table.ts'

/** Lines that are shown of a thought, of one thing that a call was given or gave, and of a difference. */
const MOST_LINES = { thought: 12, text: 20, difference: 60 } as const
/** Lines that are shown of those that follow each other and are gone, or are new: what came instead is seen, too. */
const MOST_OF_A_RUN = 12
/** Characters of a line. */
const LONGEST_LINE = 400
const INDENT = '    '

/** How a replay is written. */
export interface ReplayTextOptions {
  /** For a terminal that shows colours; none when left out. */
  readonly colour?: boolean
}

type Paint = 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'cyan'
type Painter = (text: string, ...how: readonly Paint[]) => string

const CODES: Readonly<Record<Paint, number>> = { bold: 1, faint: 2, red: 31, green: 32, yellow: 33, cyan: 36 }
const VERDICTS = { exact: 'green', differs: 'red', unsupported: 'yellow', stale: 'faint' } as const

/**
 * A replay for people: how much came out the same, then step by step what was called, and how the fresh observation differs from the recorded one.
 * Long texts are cut, and it says how much is left out.
 */
export async function replayText(report: ReplayReport, { colour = false }: ReplayTextOptions = {}): Promise<string> {
  const { agent, run_id, job_id, counts, steps } = report
  const paint: Painter = colour ? (text, ...how) => `\x1b[${how.map((one) => CODES[one]).join(';')}m${text}\x1b[0m` : (text) => text
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
  for (const step of steps) parts.push(await stepText(step, paint))
  return parts.join('\n')
}

/** `3 exact, 1 differs`. */
function countsText({ exact, differs, unsupported, stale }: ObservationCounts): string {
  const all = [`${exact} exact`, `${differs} ${differs === 1 ? 'differs' : 'differ'}`, `${unsupported} unsupported`, `${stale} stale`]
  return all.filter((text, i) => i < 2 || !text.startsWith('0 ')).join(', ')
}

async function stepText({ ordinal, is_live, locator, text, calls, checkpoint_id }: ReportStep, paint: Painter): Promise<string> {
  const marks = [is_live ? 'live' : (locator ?? ''), checkpoint_id === null ? '' : `checkpoint ${checkpoint_id}`].filter(
    (mark) => mark !== '',
  )
  const lines = [`${paint(`step ${ordinal}`, 'bold')} ${paint(`(${marks.join(', ')})`, 'faint')}\n`]
  if (text.trim() !== '') lines.push(block(linesOf(text.trim()), MOST_LINES.thought, '  '))
  for (const call of calls) lines.push(await callText(call, paint))
  return lines.join('')
}

async function callText(call: ReportCall, paint: Painter): Promise<string> {
  const { class: kind, missing_commands: missing, fresh, recorded } = call
  const lacks = missing.length === 0 ? '' : `; there is no ${missing.map(shownPath).join(', ')}`
  const status = fresh === null || fresh.status === null ? '' : `; status ${fresh.status}`
  const verdict = kind === null ? 'called' : paint(kind, VERDICTS[kind], 'bold')
  const head = `  ${verdict}${status}${lacks}: ${called(call)}`
  if (recorded === null) return fresh === null ? head : head + block(linesOf(gaveText(fresh)), MOST_LINES.text, INDENT)
  if (kind === 'exact' || fresh === null) return head
  const [before, after] = [valueText(recorded.value), valueText(fresh.value)]
  const flag =
    recorded.is_error === fresh.is_error
      ? ''
      : `${INDENT}${recorded.is_error ? 'it was an error, and is none now' : 'it is an error now'}\n`
  return head + flag + block(shortRuns(linesOf(await textDiff(before, after))), MOST_LINES.difference, INDENT, diffPainter(paint))
}

/** What a tool was given: where that is one text, behind the name of the tool, else each value behind its own name. */
function called({ name, arguments: given }: ReportCall): string {
  const entries = Object.entries(given)
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string') {
    const [first = '', ...rest] = linesOf(only[1])
    return `${shownPath(name)} ${shownLine(first)}\n${block(rest, MOST_LINES.text - 1, INDENT)}`
  }
  return `${shownPath(name)}\n${entries.map(([key, value]) => argumentText(shownPath(key), value)).join('')}`
}

function argumentText(name: string, value: unknown): string {
  const lines = typeof value === 'string' ? linesOf(value) : [JSON.stringify(value)]
  if (lines.length === 1) return `${INDENT}${name}: ${shownLine(lines[0] ?? '')}\n`
  return `${INDENT}${name}:${lines.length === 0 ? ' ""' : ''}\n${block(lines, MOST_LINES.text, `${INDENT}  `)}`
}

/** What a live call gave; where that is no text, what the model was shown of it. */
function gaveText({ value, text }: NonNullable<ReportCall['fresh']>): string {
  return typeof value === 'string' ? value : text
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function block(lines: readonly string[], most: number, indent: string, shown: (line: string) => string = shownLine): string {
  const left = lines.length - most
  const more = left > 0 ? [leftOut(left)] : []
  return [...lines.slice(0, most).map(shown), ...more].map((line) => `${indent}${line}\n`).join('')
}

function shownLine(line: string): string {
  const left = line.length - LONGEST_LINE
  return left > 0 ? `${shownPath(line.slice(0, LONGEST_LINE))}… ${left} more ${left === 1 ? 'character' : 'characters'}` : shownPath(line)
}

function leftOut(lines: number): string {
  return `… ${lines} more ${lines === 1 ? 'line' : 'lines'}`
}

/** The lines of a difference, of each run of those that are gone or new but the first. */
function shortRuns(lines: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (let from = 0; from < lines.length; ) {
    const sign = lines[from]?.[0]
    let to = from + 1
    while (to < lines.length && lines[to]?.[0] === sign) to += 1
    const most = sign === '-' || sign === '+' ? MOST_OF_A_RUN : to - from
    kept.push(...lines.slice(from, Math.min(to, from + most)))
    if (to - from > most) kept.push(`${sign}${leftOut(to - from - most)}`)
    from = to
  }
  return kept
}

function diffPainter(paint: Painter): (line: string) => string {
  const colours: Readonly<Record<string, Paint>> = { '-': 'red', '+': 'green', '@': 'cyan' }
  return (line) => {
    const how = colours[line.slice(0, 1)]
    return how === undefined ? shownLine(line) : paint(shownLine(line), how)
  }
}
