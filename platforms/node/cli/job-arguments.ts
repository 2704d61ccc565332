import { WorkspaceError } from '../../../src/errors.ts'
import type { Word, WordOption } from './job-words.ts'
import { WORDS } from './job-words.ts'
import { REFUSED_OPTIONS } from './refused-options.ts'
import { UsageError } from './usage-error.ts'

/** A word that works on Jobs, and what was given with it. */
export interface JobArguments {
  readonly word: Word
  /** Only its help is wanted. */
  readonly help: boolean
  readonly operands: readonly string[]
  /** What follows `--`; null where there is none. */
  readonly command: readonly string[] | null
  /** The value of an option, the last where it was given more than once. */
  text(name: string): string | undefined
  /** The value, if it is one of those; else a {@link UsageError}. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined
  texts(name: string): readonly string[]
  flag(name: string): boolean
}

/** Understands a word and what follows it. Throws a {@link UsageError}; CAPABILITY_UNSUPPORTED for an option that others have and can't be had here. */
export function parseJobArguments(argv: readonly string[]): JobArguments {
  const { word, rest } = wordOf(argv)
  const values = new Map<string, string[]>()
  const operands: string[] = []
  let command: readonly string[] | null = null
  let at = 0
  while (at < rest.length) {
    const argument = rest[at] as string
    at += 1
    if (argument === '--') {
      command = rest.slice(at)
      break
    }
    if (argument === '-' || !argument.startsWith('-')) {
      operands.push(argument)
      continue
    }
    const { name, attached } = split(argument)
    if (name === 'help' || name === 'h') return answer(word, new Map(), [], null, true)
    const option = word.options.find((one) => one.name === name || one.letter === name)
    if (option === undefined) throw unknown(word, argument, name)
    if (option.value === undefined) {
      if (attached !== null) throw new UsageError(`option '--${option.name}' takes no value`)
      values.set(option.name, [])
      continue
    }
    if (option.alone !== undefined && attached === null && !looksLikeVersion(rest[at])) {
      values.set(option.name, [option.alone])
      continue
    }
    const value = attached ?? rest[at]
    if (attached === null) at += 1
    if (value === undefined || (value === '' && option.mayBeEmpty !== true))
      throw new UsageError(`option '--${option.name}' needs a value: ${option.value}`)
    if (option.many === true) values.set(option.name, [...(values.get(option.name) ?? []), value])
    else values.set(option.name, [value])
  }
  check(word, operands, command)
  return answer(word, values, operands, command, false)
}

function wordOf(argv: readonly string[]): { word: Word; rest: readonly string[] } {
  const [first = '', second = ''] = argv
  const one = WORDS.find(({ name }) => name === first)
  if (one !== undefined) return { word: one, rest: argv.slice(1) }
  const two = WORDS.find(({ name }) => name === `${first} ${second}`)
  if (two !== undefined) return { word: two, rest: argv.slice(2) }
  const seconds = WORDS.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
  const may = `${seconds.slice(0, -1).join(', ')} or ${seconds.at(-1)}`
  throw new UsageError(second === '' ? `${first} needs a word: ${may}` : `${first} '${second}' is not known; it may be ${may}`)
}

function split(argument: string): { name: string; attached: string | null } {
  if (!argument.startsWith('--')) return { name: argument.slice(1, 2), attached: argument.length > 2 ? argument.slice(2) : null }
  const equals = argument.indexOf('=')
  return equals === -1
    ? { name: argument.slice(2), attached: null }
    : { name: argument.slice(2, equals), attached: argument.slice(equals + 1) }
}

function looksLikeVersion(word: string | undefined): boolean {
  return word !== undefined && /^v?\d/.test(word)
}

function unknown(word: Word, argument: string, name: string): Error {
  const reason = word.refused?.get(name) ?? REFUSED_OPTIONS.get(name)
  if (reason !== undefined) return new WorkspaceError('CAPABILITY_UNSUPPORTED', `option '--${name}': ${reason}`)
  const near = name.length < 2 ? undefined : word.options.find((known) => known.name.startsWith(name) || name.startsWith(known.name))
  return new UsageError(`unknown option '${argument}' of ${word.name}${near === undefined ? '' : ` (did you mean '--${near.name}'?)`}`)
}

function check(
  { name, usage, operands: [least, most], operand = 'JOB', takesCommand }: Word,
  operands: readonly string[],
  command: readonly string[] | null,
): void {
  const usageLine = `usage: mirage ${name} ${usage}`
  const extra = operands[most]
  if (extra !== undefined) {
    const hint = takesCommand === true ? "; a command comes after '--'" : ''
    throw new UsageError(`${name}: too many operands: '${extra}'${hint}; ${usageLine}`)
  }
  if (operands.length < least)
    throw new UsageError(`${name} needs ${least === 2 && operands.length === 1 ? 'the id of a checkpoint' : `a ${operand}`}; ${usageLine}`)
  if (command === null) return
  if (takesCommand !== true) throw new UsageError(`${name} takes no command; ${usageLine}`)
  if (command.length === 0 || command[0] === '') throw new UsageError(`${name}: no command follows '--'; ${usageLine}`)
}

function answer(
  word: Word,
  values: ReadonlyMap<string, readonly string[]>,
  operands: readonly string[],
  command: readonly string[] | null,
  help: boolean,
): JobArguments {
  const text = (name: string): string | undefined => values.get(name)?.at(-1)
  return {
    word,
    help,
    operands,
    command,
    text,
    choice: (name, choices) => {
      const given = text(name)
      return given === undefined ? undefined : oneOf(given, `option '--${name}'`, choices)
    },
    texts: (name) => values.get(name) ?? [],
    flag: (name) => values.has(name),
  }
}

/** A text that is one of the choices; else a {@link UsageError}. */
export function oneOf<T extends string>(text: string, where: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text)
  if (found === undefined) throw new UsageError(`${where} holds '${text}'; it may hold ${choices.join(' or ')}`)
  return found
}

/** What `--help` prints for a word. */
export function wordHelp({ name, usage, says, options, more }: Word): string {
  const width = Math.max(...options.map((option) => shown(option).length)) + 2
  const lines = [...options.map((option) => `  ${shown(option).padEnd(width)}${option.says}`), `  ${'-h, --help'.padEnd(width)}this text`]
  return `usage: mirage ${name} ${usage}\n\n${capital(says)}.\n\n${lines.join('\n')}\n${more === undefined ? '' : `\n${more}`}`
}

function shown({ name, letter, value, many, alone }: WordOption): string {
  const given = value === undefined ? '' : alone === undefined ? ` ${value}` : `[=${value}]`
  return `${letter === undefined ? '    ' : `-${letter}, `}--${name}${given}${many === true ? ' …' : ''}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
