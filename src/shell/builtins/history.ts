import { concat, decode, encode } from '../../bytes.ts'
import { codeOf, errorText } from '../../errors.ts'
import { formatBashHistory, parseBashHistory } from '../../state/bash-history.ts'
import { BASH_HISTORY_PATH } from '../../state/bash-history-file.ts'
import { expandHistory, noExpansions } from '../../state/history-expansion.ts'
import { strftime } from '../../time/strftime.ts'
import { absolute } from '../machine/call.ts'
import type { ListedLine } from '../machine/environment.ts'
import { ShellFault } from '../machine/fault.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { readWhole } from '../machine/redirect.ts'
import { timeZone } from '../machine/time-zone.ts'
import type { Builtin, BuiltinOptions } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'
import { isExcludedLine } from './history-control.ts'
import type { HistoryList } from './history-list.ts'
import { firstShown, historyList, noteHistory, refusedHistory } from './history-list.ts'

const USAGE = 'history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]'
const NUMBER = /^[ \t]*[-+]?[0-9]+[ \t]*$/

/** `history`: shows the list of lines and changes it. The list and `/.bash_history` are two views of one record. */
export const historyBuiltin: Builtin = {
  async run(process, args) {
    const options = readOptions(process, 'history', args, 'acd:npsrw', USAGE)
    if (typeof options === 'number') return options
    const files = [...new Set(options.letters.map(({ letter }) => letter).filter((letter) => 'anrw'.includes(letter)))]
    if (files.length > 1) return fail(process, 'history', 'cannot use more than one of -anrw')
    const refused = await refusedHistory(process, 'history')
    if (refused !== null) return refused
    const list = historyList(process)
    if (options.has('c')) {
      await list.clear()
      if (options.operands.length === 0) return 0
    }
    return act(process, list, options, files[0])
  },
}

async function act(process: Process, list: HistoryList, options: BuiltinOptions, file: string | undefined): Promise<number> {
  const { operands } = options
  if (options.has('s')) return operands.length === 0 ? 0 : store(process, list, operands.join(' '))
  if (options.has('p')) return expand(process, list, operands)
  const offset = options.value('d')
  if (offset !== null) return remove(process, list, offset)
  if (file !== undefined) return useFile(process, list, file, operands[0])
  if (options.has('c')) return 0
  return show(process, list, operands)
}

/** The line that gives the order leaves the list: it holds what was stored instead. */
async function store(process: Process, list: HistoryList, command: string): Promise<number> {
  list.dropRunning()
  const { line, host } = process.machine
  if (line !== null && !list.hasRunning()) line.added = true
  if (!(await isExcludedLine(process, command, list))) await list.add([{ command, timestamp: host.now() }])
  return 0
}

async function expand(process: Process, list: HistoryList, texts: readonly string[]): Promise<number> {
  if (texts.length === 0) return 0
  list.dropRunning()
  const size = await list.size()
  const first = firstShown(process, size)
  const lines = (await list.range(first, size)).map(({ command }) => command)
  const characters = readText(process, 'histchars')
  let state = noExpansions
  let shown = ''
  let status = 0
  for (const text of texts) {
    const expansion = expandHistory(text, {
      lines,
      firstNumber: first + 1,
      extglob: process.environment.options.extglob,
      state,
      ...(characters === undefined ? {} : { characters }),
    })
    state = expansion.state
    if (expansion.kind === 'failed') {
      fail(process, 'history', `${text}: history expansion failed`)
      status = 1
    } else shown += `${expansion.kind === 'unchanged' ? text : expansion.line}\n`
  }
  return print(process, shown, status)
}

async function remove(process: Process, list: HistoryList, offset: string): Promise<number> {
  const size = await list.size()
  const first = firstShown(process, size)
  const dash = offset.indexOf('-', offset.startsWith('-') ? 1 : 0)
  const outOfRange = (text: string): number => fail(process, 'history', `${text}: history position out of range`)
  const position = (text: string): number => (Number(text) < 0 ? size + Number(text) : Number(text) - 1)
  if (dash < 0) {
    const at = NUMBER.test(offset) ? position(offset) : -1
    if (at < first || at >= size) return outOfRange(offset)
    await list.remove(at, at + 1)
    return 0
  }
  const start = offset.slice(0, dash)
  const end = offset.slice(dash + 1)
  if (!NUMBER.test(start) || !NUMBER.test(end)) return outOfRange(offset)
  const [from, to] = [position(start), position(end)]
  if (from < first || from >= size) return outOfRange(start)
  if (to < first || to >= size) return outOfRange(end)
  if (to < from) return 1
  await list.remove(from, to + 1)
  return 0
}

async function show(process: Process, list: HistoryList, operands: readonly string[]): Promise<number> {
  const [count] = operands
  if (count !== undefined && !NUMBER.test(count)) return fail(process, 'history', `${count}: numeric argument required`)
  if (operands.length > 1) throw new ShellFault('history: too many arguments', 'shell')
  const size = await list.size()
  const first = Math.max(firstShown(process, size), count === undefined ? 0 : size - Math.abs(Number(count)))
  const lines = await list.range(first, size)
  const format = readText(process, 'HISTTIMEFORMAT') ?? ''
  const zone = timeZone(process)
  let text = ''
  for (const [i, { command, timestamp }] of lines.entries()) {
    const time = format === '' ? '' : timestamp === null ? '??' : strftime(format, timestamp, zone)
    text += `${String(first + i + 1).padStart(5)}  ${time}${command}\n`
  }
  return print(process, text)
}

/**
 * `-a -n -r -w`. Without a file and without HISTFILE a session has nothing to do: its record is kept with every line. A shell of another kind
 * then uses `~/.history`, as bash does.
 */
async function useFile(process: Process, list: HistoryList, letter: string, operand: string | undefined): Promise<number> {
  const { environment, machine } = process
  let file = operand ?? readText(process, 'HISTFILE') ?? ''
  if (file === '') {
    if (machine.history !== null && environment.shellPid === machine.shellPid) return 0
    file = `${readText(process, 'HOME') ?? '/'}/.history`
  }
  try {
    if (letter === 'r' || letter === 'n') return await readFile(process, list, file, letter === 'n')
    return letter === 'w' ? await writeFile(process, list, file) : await appendFile(process, list, file)
  } catch (error) {
    // Bash says nothing of a file that it can't read or write as a whole.
    if (letter === 'a' || absolute(process, file) === BASH_HISTORY_PATH)
      return fail(process, 'history', `${file}: ${unwritable(letter, error)}`)
    if (codeOf(error) !== undefined) return 1
    throw error
  }
}

function unwritable(letter: string, error: unknown): string {
  return letter === 'a' ? `cannot create: ${errorText(error)}` : errorText(error)
}

async function readFile(process: Process, list: HistoryList, file: string, newOnly: boolean): Promise<number> {
  const path = absolute(process, file)
  const bytes = path.startsWith('/dev/') ? concat(await readWhole(process, file)) : await process.machine.fs.read(path)
  const known = newOnly ? process.environment.history.fileLines : 0
  const lines = linesOf(process, file, bytes)
  const before = await list.size()
  if (lines.length > known) await list.add(lines.slice(known))
  const { saved } = process.environment.history
  noteHistory(process, { fileLines: lines.length, ...(saved >= before ? { saved: await list.size() } : {}) })
  return 0
}

/** A command has several lines only where the file has times and HISTTIMEFORMAT is set; in bash, too, a file is read line by line otherwise. */
function linesOf(process: Process, file: string, bytes: Uint8Array): readonly ListedLine[] {
  const now = process.machine.host.now()
  if (writesTimes(process) || absolute(process, file) === BASH_HISTORY_PATH) {
    return parseBashHistory(bytes)
      .filter(({ command }) => command !== '')
      .map(({ command, seconds }) => ({ command, timestamp: seconds === null ? now : seconds * 1000 }))
  }
  const lines: ListedLine[] = []
  let timestamp = now
  for (const line of decode(bytes).split('\n')) {
    if (/^#[0-9]/.test(line)) {
      timestamp = Number.parseInt(line.slice(1), 10) * 1000
      continue
    }
    if (line === '') continue
    lines.push({ command: line, timestamp })
    timestamp = now
  }
  return lines
}

function writesTimes(process: Process): boolean {
  return readText(process, 'HISTTIMEFORMAT') !== undefined
}

function fileText(process: Process, lines: readonly ListedLine[]): Uint8Array {
  if (!writesTimes(process)) return encode(lines.map(({ command }) => `${command}\n`).join(''))
  return formatBashHistory(lines.map(({ command, timestamp }) => ({ command, timestamp: timestamp ?? 0 })))
}

async function writeFile(process: Process, list: HistoryList, file: string): Promise<number> {
  const size = await list.size()
  const lines = await list.range(firstShown(process, size), size)
  await process.machine.fs.write(absolute(process, file), fileText(process, lines), { mode: 0o600 })
  return 0
}

/** Appends what this shell has run or stored and not appended yet. */
async function appendFile(process: Process, list: HistoryList, file: string): Promise<number> {
  const { saved, since, fileLines } = process.environment.history
  const size = await list.size()
  const from = Math.max(saved, firstShown(process, size))
  const lines = (from >= size ? [] : await list.range(from, size)).filter(({ timestamp }) => timestamp === null || timestamp >= since)
  if (lines.length === 0) return 0
  await process.machine.fs.append(absolute(process, file), fileText(process, lines), { mode: 0o600 })
  noteHistory(process, { saved: size, fileLines: fileLines + lines.length })
  return 0
}
