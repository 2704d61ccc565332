import type { MaybePromise } from '../../host.ts'
import { compilePattern, escapePattern } from '../expand/pattern.ts'
import type { ListedLine } from '../machine/environment.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { HistoryList } from './history-list.ts'
import { historyList } from './history-list.ts'

/**
 * True for a line that HISTCONTROL or HISTIGNORE keep out of the history. They act, as in bash, with the values from before the line runs.
 * `erasedups` takes earlier lines like it out of the list. Answers at once where neither is set.
 */
export function isExcludedLine(process: Process, command: string, list: HistoryList = historyList(process)): MaybePromise<boolean> {
  const control = readText(process, 'HISTCONTROL') ?? ''
  const ignore = readText(process, 'HISTIGNORE') ?? ''
  if (control === '' && ignore === '') return false
  return judge(process, command, new Set(control.split(':')), ignore, list)
}

async function judge(process: Process, command: string, control: ReadonlySet<string>, ignore: string, list: HistoryList): Promise<boolean> {
  if ((control.has('ignorespace') || control.has('ignoreboth')) && command.startsWith(' ')) return true
  const ignoresRepeats = control.has('ignoredups') || control.has('ignoreboth')
  const last = ignoresRepeats || ignore.includes('&') ? await lastCommand(list) : null
  if (ignoresRepeats && last === command) return true
  if (ignore !== '' && isIgnored(process, command, ignore, last)) return true
  if (control.has('erasedups')) await eraseRepeats(list, command)
  return false
}

async function lastCommand(list: HistoryList): Promise<string | null> {
  const end = (await list.size()) - (list.hasRunning() ? 1 : 0)
  const [line] = end === 0 ? [] : await list.range(end - 1, end)
  return line?.command ?? null
}

/** Patterns match a whole line; `&` stands for the line before, `\&` for itself. */
function isIgnored(process: Process, command: string, ignore: string, last: string | null): boolean {
  const { extglob } = process.environment.options
  return ignore.split(':').some((item) => {
    const pattern = last === null ? item : item.replace(/\\?&/g, (found) => (found === '&' ? escapePattern(last) : '&'))
    return item !== '' && compilePattern(pattern, { extglob }).matches(command)
  })
}

async function eraseRepeats(list: HistoryList, command: string): Promise<void> {
  const lines: readonly ListedLine[] = await list.range(0, (await list.size()) - (list.hasRunning() ? 1 : 0))
  for (let at = lines.length - 1; at >= 0; at--) {
    if (lines[at]?.command !== command) continue
    let from = at
    while (lines[from - 1]?.command === command) from -= 1
    await list.remove(from, at + 1)
    at = from
  }
}
