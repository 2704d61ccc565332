import type { ListedLine } from '../machine/environment.ts'
import { ShellFault } from '../machine/fault.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, invalidOption, PENDING, print } from './builtin.ts'
import type { HistoryList } from './history-list.ts'
import { firstShown, historyList, refusedHistory } from './history-list.ts'

const USAGE = 'fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]'
/** Lines that `fc -l` shows. */
const LISTED = 16

/** `fc`: lists lines of the history (`-l`) or runs one again (`-s`). There is no editor here, so the form that would start one is refused. */
export const fcBuiltin: Builtin = {
  async run(process, args) {
    const request = readArguments(process, args)
    if (typeof request === 'number') return request
    const refused = await refusedHistory(process, 'fc')
    if (refused !== null) return refused
    const list = historyList(process)
    if (request.again) return runAgain(process, list, request.operands)
    if (!request.list) return fail(process, 'fc', 'there is no editor in this shell: list lines with -l, or run one again with -s')
    return show(process, list, request)
  },
}

interface Request {
  readonly list: boolean
  readonly numbers: boolean
  readonly reverse: boolean
  readonly again: boolean
  readonly operands: readonly string[]
}

/** A word like `-5` is no option. */
function readArguments(process: Process, args: readonly string[]): Request | number {
  const letters = new Set<string>()
  let editor = ''
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (arg.length < 2 || !arg.startsWith('-') || /^-[0-9]+$/.test(arg)) break
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] as string
      if (!'elnrs'.includes(letter)) return invalidOption(process, 'fc', `-${letter}`, USAGE)
      letters.add(letter)
      if (letter !== 'e') continue
      const value = arg.slice(i + 1) || args[++at]
      if (value === undefined) {
        process.complain(`${process.messagePrefix()}fc: -e: option requires an argument\nfc: usage: ${USAGE}\n`)
        return 2
      }
      editor = value
      break
    }
  }
  return {
    list: letters.has('l'),
    numbers: !letters.has('n'),
    reverse: letters.has('r'),
    again: letters.has('s') || editor === '-',
    operands: args.slice(at),
  }
}

/** The lines that can be named: those before the one that runs. */
interface Lines {
  readonly first: number
  /** Position of the last. */
  readonly last: number
  /** Position of the last of all, the one that runs included. */
  readonly realLast: number
}

async function linesOf(process: Process, list: HistoryList): Promise<Lines> {
  const size = await list.size()
  const first = firstShown(process, size)
  return { first, last: Math.max(first, size - (list.hasRunning() ? 2 : 1)), realLast: size - 1 }
}

async function runAgain(process: Process, list: HistoryList, operands: readonly string[]): Promise<number> {
  const substitutions: [from: string, to: string][] = []
  let at = 0
  for (; at < operands.length; at++) {
    const operand = operands[at] as string
    const equals = operand.indexOf('=')
    if (equals < 0) break
    substitutions.push([operand.slice(0, equals), operand.slice(equals + 1)])
  }
  const lines = await linesOf(process, list)
  const position = lines.realLast < lines.first ? null : await find(list, lines, operands[at], 'run')
  const [line] = typeof position === 'number' ? await list.range(position, position + 1) : []
  if (line === undefined) return fail(process, 'fc', 'no command found')
  let { command } = line
  for (const [from, to] of substitutions) if (from !== '') command = command.replaceAll(from, () => to)
  process.complain(`${command}\n`)
  list.replaceRunning(command)
  if (process.frames.filter(({ script }) => script?.origin === 'eval').length >= process.machine.limits.depth) {
    throw new ShellFault(`maximum nesting level of ${process.machine.limits.depth} exceeded`, 'line')
  }
  process.status = 0
  process.machine.runtime.enterScript(process, command, 'eval', process.line)
  return PENDING
}

async function show(process: Process, list: HistoryList, { operands, numbers, reverse }: Request): Promise<number> {
  const lines = await linesOf(process, list)
  if (lines.realLast < lines.first) return 0
  const [firstOperand, lastOperand] = operands
  let from: number | null
  let to: number | null = lines.last
  if (firstOperand === undefined) from = Math.max(lines.first, lines.last - LISTED + 1)
  else {
    from = await find(list, lines, firstOperand, 'first')
    if (lastOperand !== undefined) to = await find(list, lines, lastOperand, 'last')
    else if (from === lines.realLast) to = from
  }
  if (from === null || to === null) return fail(process, 'fc', 'no command found')
  const [low, high] = from <= to ? [from, to] : [to, from]
  const shown = (await list.range(low, high + 1)).map((line, i) => (numbers ? `${low + i + 1}\t ` : '\t ').concat(line.command, '\n'))
  if (reverse || from > to) shown.reverse()
  return print(process, shown.join(''))
}

/** Position of the line that a word names: a number, a number back from the last line, the beginning of a line. */
async function find(list: HistoryList, lines: Lines, word: string | undefined, use: 'run' | 'first' | 'last'): Promise<number | null> {
  const { first, last, realLast } = lines
  if (word === undefined) return last
  const number = /^(-?)([0-9]+)/.exec(word)
  if (number === null) return findText(list, lines, word)
  const value = Number(number[2])
  if (value === 0) return number[1] === '-' && use !== 'run' ? realLast : last
  if (number[1] === '-') return Math.max(first, last + 1 - value)
  const at = value - 1
  return at >= first && at <= last ? at : use === 'first' ? first : last
}

/** Lines looked through at once. */
const PAGE = 512

async function findText(list: HistoryList, { first, last }: Lines, text: string): Promise<number | null> {
  for (let end = last + 1; end > first; end -= PAGE) {
    const start = Math.max(first, end - PAGE)
    const page: readonly ListedLine[] = await list.range(start, end)
    const found = page.findLastIndex(({ command }) => command.startsWith(text))
    if (found >= 0) return start + found
  }
  return null
}
