import { encode } from '../../bytes.ts'
import type { CommandContext } from '../command.ts'
import { argumentBytes, COMMAND_LINE_BYTES } from '../command-line.ts'
import type { OptionTable, ParsedOptions } from '../options.ts'
import { UsageError } from '../options.ts'
import { CommandFailure } from '../utility.ts'

/** Everything the options of xargs say. */
export interface XargsSettings {
  readonly argv: readonly string[]
  /** Null: standard input. */
  readonly file: string | null
  /** The byte that ends an item; null where blanks and quotes apart them. */
  readonly delimiter: number | null
  readonly end: string | null
  readonly replace: string | null
  readonly maxLines: number
  readonly maxArgs: number
  readonly maxBytes: number
  readonly maxProcesses: number
  readonly exitWhenTooLong: boolean
  readonly runIfEmpty: boolean
  readonly trace: boolean
  readonly ask: boolean
  readonly openTerminal: boolean
  readonly slotVariable: string | null
  /** Said before anything is read. */
  readonly messages: readonly string[]
}

/** In GNU's order, which shows where an abbreviation is ambiguous. */
export const XARGS_OPTIONS: OptionTable = {
  '0|null': 'none',
  'a|arg-file': 'required',
  'd|delimiter': 'required',
  E: 'required',
  'e|eof': 'optional',
  I: 'required',
  'i|replace': 'optional',
  L: 'required',
  'l|max-lines': 'optional',
  'n|max-args': 'required',
  'o|open-tty': 'none',
  'p|interactive': 'none',
  'r|no-run-if-empty': 'none',
  's|max-chars': 'required',
  't|verbose': 'none',
  'show-limits': 'none',
  'x|exit': 'none',
  'P|max-procs': 'required',
  'process-slot-var': 'required',
}

const LONGEST = 2_097_152
const SPARE = 2048
const MOST_PROCESSES = 0x7fff_ffff

/** Reads the options. Throws a UsageError or CommandFailure for what makes no sense. */
export function xargsSettings({ options, operands }: ParsedOptions, { env }: CommandContext): XargsSettings {
  const messages: string[] = []
  let environmentBytes = 0
  for (const [name, value] of env) environmentBytes += argumentBytes(name) + argumentBytes(value)
  const upper = LONGEST - SPARE - environmentBytes
  let file: string | null = null
  let delimiter: number | null = null
  let end: string | null = null
  let replace: string | null = null
  let maxLines = 0
  let maxArgs = 0
  let maxBytes = Math.min(COMMAND_LINE_BYTES, upper)
  let maxProcesses = 1
  let exitWhenTooLong = false
  let slotVariable: string | null = null
  const given = new Set<string>()
  /** The three ways to say how much goes into a command exclude each other: the last one counts. */
  const only = (option: string, ...others: readonly (readonly [boolean, string])[]): void => {
    for (const [isSet, name] of others) {
      if (isSet) {
        messages.push(`warning: options ${name} and ${option} are mutually exclusive, ignoring previous ${name} value`)
      }
    }
  }
  for (const { name, value } of options) {
    given.add(name)
    switch (name) {
      case '0':
        delimiter = 0
        break
      case 'a':
        file = value
        break
      case 'd':
        delimiter = delimiterOf(value ?? '')
        break
      case 'E':
      case 'e':
        end = value === '' ? null : value
        break
      case 'I':
      case 'i':
        only('--replace/-I/-i', [maxLines > 0, '--max-lines'], [maxArgs > 0, '--max-args'])
        replace = value ?? '{}'
        maxLines = 0
        maxArgs = 0
        break
      case 'L':
      case 'l':
        only(name === 'L' ? '-L' : '--max-lines/-l', [replace !== null, '--replace'], [maxArgs > 0, '--max-args'])
        maxLines = value === null ? 1 : numberOf(value, name, 1)
        replace = null
        maxArgs = 0
        break
      case 'n': {
        const number = numberOf(value ?? '', name, 1)
        // One at a time is what replacing does anyway.
        if (number === 1 && replace !== null) break
        only('--max-args/-n', [maxLines > 0, '--max-lines'], [replace !== null, '--replace'])
        maxArgs = number
        maxLines = 0
        replace = null
        break
      }
      case 's': {
        const number = numberOf(value ?? '', name, Number.NEGATIVE_INFINITY)
        if (number < 1) messages.push(`value ${value} for -s option should be >= 1`)
        if (number > upper) messages.push(`value ${value} for -s option should be <= ${upper}`)
        maxBytes = Math.min(Math.max(number, 1), upper)
        break
      }
      case 'x':
        exitWhenTooLong = true
        break
      case 'P':
        maxProcesses = numberOf(value ?? '', name, 0)
        if (maxProcesses > MOST_PROCESSES) throw outOfRange(value ?? '', name, '<=', MOST_PROCESSES)
        break
      case 'process-slot-var':
        slotVariable = value ?? ''
        if (slotVariable.includes('=')) {
          throw new CommandFailure("option --process-slot-var may not be set to a value which includes `='")
        }
        if (slotVariable === '') throw new CommandFailure('failed to unset environment variable : Invalid argument')
        break
    }
  }
  if (delimiter !== null && end !== null) messages.push('warning: the -E option has no effect if -0 or -d is used.\n')
  if (given.has('show-limits')) messages.push(limits(environmentBytes, upper, maxBytes))
  return {
    argv: operands.length === 0 ? ['echo'] : operands,
    file,
    delimiter,
    end: delimiter === null ? end : null,
    replace,
    maxLines,
    maxArgs,
    maxBytes,
    maxProcesses: maxProcesses === 0 ? MOST_PROCESSES : maxProcesses,
    exitWhenTooLong: exitWhenTooLong || maxLines > 0 || replace !== null,
    runIfEmpty: !given.has('r') && replace === null,
    trace: given.has('t') || given.has('p'),
    ask: given.has('p'),
    openTerminal: given.has('o'),
    slotVariable,
    messages,
  }
}

function numberOf(text: string, option: string, least: number): number {
  if (!/^[ \t\n\v\f\r]*[-+]?[0-9]+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${option} option`)
  const number = Number(text)
  if (number < least) throw outOfRange(text, option, '>=', least)
  return number
}

function outOfRange(text: string, option: string, relation: string, bound: number): UsageError {
  return new UsageError(`value ${text} for -${option} option should be ${relation} ${bound}`)
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
])

function delimiterOf(text: string): number {
  const bytes = encode(text)
  if (bytes.length === 1) return bytes[0] as number
  if (!text.startsWith('\\')) {
    throw new CommandFailure(
      `Invalid input delimiter specification ${text}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    )
  }
  const known = text.length === 2 ? ESCAPES.get(text[1] as string) : undefined
  if (known !== undefined) return known
  const [, digits = '', rest = ''] = (text[1] === 'x' ? /^\\x([\da-fA-F]*)(.*)$/s : /^\\([0-7]+)(.*)$/s).exec(text) ?? []
  if (digits === '' && text[1] !== 'x') {
    throw new CommandFailure(`Invalid escape sequence ${text} in input delimiter specification.`)
  }
  const value = digits === '' ? 0 : Number.parseInt(digits, text[1] === 'x' ? 16 : 8)
  if (value > 255) {
    const most = text[1] === 'x' ? 'ff' : '377'
    throw new CommandFailure(`Invalid escape sequence ${text} in input delimiter specification; character values must not exceed ${most}.`)
  }
  if (rest !== '') {
    throw new CommandFailure(
      `Invalid escape sequence ${text} in input delimiter specification; trailing characters ${rest} not recognised.`,
    )
  }
  return value
}

function limits(environmentBytes: number, upper: number, used: number): string {
  return `\0Your environment variables take up ${environmentBytes} bytes
POSIX upper limit on argument length (this system): ${upper}
POSIX smallest allowable upper limit on argument length (all systems): 4096
Maximum length of command we could actually use: ${upper - environmentBytes}
Size of command buffer we are actually using: ${used}
Maximum parallelism (--max-procs must be no greater): ${MOST_PROCESSES}`
}
