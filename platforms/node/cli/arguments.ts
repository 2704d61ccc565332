import { resolve } from 'node:path'
import type { MountMode } from '../../../src/index.ts'
import { impliesRun, isJobWord } from './job-words.ts'
import { UsageError } from './usage-error.ts'

/** What a command line asks for. */
export type CommandLine =
  | { readonly action: 'help' | 'version' }
  | { readonly action: 'interactive' | 'stdin'; readonly settings: Settings }
  | { readonly action: 'line'; readonly line: string; readonly args: readonly string[]; readonly settings: Settings }
  | { readonly action: 'script'; readonly path: string; readonly args: readonly string[]; readonly settings: Settings }
  | { readonly action: 'job'; readonly argv: readonly string[] }
  | { readonly action: 'sessions'; readonly settings: Settings }
  | { readonly action: 'history'; readonly count: number | null; readonly settings: Settings }

/** Which workspace is opened, and how a line runs in it. */
export interface Settings {
  readonly config?: string
  readonly root?: string
  readonly workspace?: string
  readonly session?: string
  readonly profile?: string
  readonly cwd?: string
  readonly mounts: readonly MountOption[]
  readonly json: boolean
  readonly record: boolean
}

/** `--mount PREFIX=DIR[:mode]`. */
export interface MountOption {
  readonly prefix: string
  /** Absolute path on this machine. */
  readonly folder: string
  readonly mode: MountMode | null
}

const TEXT_OPTIONS = ['config', 'root', 'workspace', 'session', 'profile', 'cwd'] as const
type TextOption = (typeof TEXT_OPTIONS)[number]
const FLAGS = ['json', 'no-record', 'help', 'version'] as const
const MODES = new Map<string, MountMode>([
  ['read', 'read'],
  ['r', 'read'],
  ['write', 'write'],
  ['rw', 'write'],
  ['exec', 'exec'],
  ['rwx', 'exec'],
])

/** Understands the arguments behind the program's name; options end at the first operand. Throws a {@link UsageError}. */
export function parseCommandLine(argv: readonly string[], terminal: boolean): CommandLine {
  if (impliesRun(argv[0] ?? '')) return { action: 'job', argv: ['run', ...argv] }
  const read = readOptions(argv)
  if (read.flags.has('help')) return { action: 'help' }
  if (read.flags.has('version')) return { action: 'version' }
  const { settings, line, operands } = read
  if (line !== null) return { action: 'line', line, args: operands, settings }
  const [first, ...rest] = operands
  // Behind '--' it is a script whatever its name.
  const isWord = argv[argv.length - operands.length - 1] !== '--'
  if (first !== undefined && isWord && isJobWord(first)) return jobLine(argv, operands)
  switch (first) {
    case undefined:
      return { action: terminal ? 'interactive' : 'stdin', settings }
    case 'sessions':
      return { action: 'sessions', settings: withoutOperands('sessions', settings, rest, 0).settings }
    case 'history': {
      const more = withoutOperands('history', settings, rest, 1)
      return { action: 'history', count: more.operands[0] === undefined ? null : lineCount(more.operands[0]), settings: more.settings }
    }
    default:
      return { action: 'script', path: first, args: rest, settings }
  }
}

/** Options of a workspace say nothing to a Job, which has its own behind the word. */
function jobLine(argv: readonly string[], operands: readonly string[]): CommandLine {
  const before = argv.slice(0, argv.length - operands.length)
  if (before.length > 0)
    throw new UsageError(`option '${before[0]}' does not go with ${operands[0]}: the options of ${operands[0]} come after it`)
  return { action: 'job', argv: operands }
}

interface ReadOptions {
  readonly flags: ReadonlySet<string>
  readonly line: string | null
  readonly operands: readonly string[]
  readonly settings: Settings
}

function readOptions(argv: readonly string[], earlier: Settings | null = null): ReadOptions {
  const flags = new Set<string>()
  const texts: Partial<Record<TextOption, string>> = {}
  const mounts: MountOption[] = []
  let line: string | null = null
  let at = 0
  while (at < argv.length) {
    const arg = argv[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (arg === '-' || !arg.startsWith('-')) break
    at += 1
    const { name, attached } = split(arg)
    const value = (): string => {
      if (attached !== null) return attached
      const next = argv[at]
      if (next === undefined) throw new UsageError(`option '${shown(name)}' needs a value`)
      at += 1
      return next
    }
    if (name === 'c') line = value()
    else if (name === 'mount') mounts.push(mountOption(value()))
    else if (isTextOption(name)) texts[name] = required(name, value())
    else if (isFlag(name) && attached === null) flags.add(name)
    else if (isFlag(name)) throw new UsageError(`option '--${name}' takes no value`)
    else throw new UsageError(`unknown option '${arg}'${guess(name)}`)
  }
  const settings: Settings = {
    ...earlier,
    ...texts,
    mounts: [...(earlier?.mounts ?? []), ...mounts],
    json: flags.has('json') || earlier?.json === true,
    record: !flags.has('no-record') && earlier?.record !== false,
  }
  return { flags, line, operands: argv.slice(at), settings }
}

/** Options may follow a subcommand, too. */
function withoutOperands(
  name: string,
  settings: Settings,
  argv: readonly string[],
  most: number,
): { settings: Settings; operands: readonly string[] } {
  const operands: string[] = []
  let held = settings
  let rest = argv
  while (rest.length > 0) {
    const read = readOptions(rest, held)
    if (read.line !== null) throw new UsageError(`option '-c' does not go with ${name}`)
    held = read.settings
    operands.push(...read.operands.slice(0, 1))
    rest = read.operands.slice(1)
  }
  if (operands.length > most) throw new UsageError(`${name}: too many operands: '${operands[most]}'`)
  return { settings: held, operands }
}

function split(arg: string): { name: string; attached: string | null } {
  if (!arg.startsWith('--')) {
    const name = { h: 'help', V: 'version' }[arg[1] as string] ?? (arg[1] as string)
    return arg.length > 2 && name === 'c'
      ? { name, attached: arg.slice(2) }
      : { name: arg.length > 2 ? arg.slice(1) : name, attached: null }
  }
  const equals = arg.indexOf('=')
  return equals === -1 ? { name: arg.slice(2), attached: null } : { name: arg.slice(2, equals), attached: arg.slice(equals + 1) }
}

function mountOption(text: string): MountOption {
  const equals = text.indexOf('=')
  const prefix = text.slice(0, equals)
  if (equals === -1 || !isNormalPath(prefix))
    throw new UsageError(`option '--mount' holds '${text}'; it may hold PREFIX=DIR[:mode], such as /code=./src:read`)
  const colon = text.lastIndexOf(':')
  const mode = colon > equals ? MODES.get(text.slice(colon + 1)) : undefined
  const folder = mode === undefined ? text.slice(equals + 1) : text.slice(equals + 1, colon)
  if (folder === '') throw new UsageError(`option '--mount' holds '${text}', which names no folder`)
  return { prefix, folder: resolve(folder), mode: mode ?? null }
}

function isNormalPath(path: string): boolean {
  return path === '/' || /^(\/(?!\.{1,2}(\/|$))[^/]+)+$/.test(path)
}

function required(name: string, value: string): string {
  if (value === '') throw new UsageError(`option '--${name}' needs a value that is not empty`)
  return value
}

function lineCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`history: '${text}' is not a number of lines`)
  return Number(text)
}

function isTextOption(name: string): name is TextOption {
  return (TEXT_OPTIONS as readonly string[]).includes(name)
}

function isFlag(name: string): boolean {
  return (FLAGS as readonly string[]).includes(name)
}

function shown(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}

function guess(name: string): string {
  const near =
    name.length < 2 ? undefined : [...TEXT_OPTIONS, ...FLAGS, 'mount'].find((known) => known.startsWith(name) || name.startsWith(known))
  return near === undefined ? '' : ` (did you mean '--${near}'?)`
}
