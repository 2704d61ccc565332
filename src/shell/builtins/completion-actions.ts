import { decode } from '../../bytes.ts'
import { codeOf } from '../../errors.ts'
import type { Dirent } from '../../fs/file-system.ts'
import { sortByBytes } from '../expand/byte-order.ts'
import { absolute } from '../machine/call.ts'
import type { Job } from '../machine/jobs.ts'
import { SET_OPTIONS, SHOPT_OPTIONS } from '../machine/options.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { Halt } from '../machine/process.ts'
import { signalName } from '../machine/signals.ts'
import { SPECIALS } from '../machine/specials.ts'
import { Attribute } from '../machine/variables.ts'
import { HELP } from './help.ts'

type Names = (process: Process, word: string) => Iterable<string> | Promise<readonly string[]>

/** Reserved words in bash's own order. */
const KEYWORDS: readonly string[] =
  'if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc'.split(' ')

const SIGNALS: readonly string[] = [
  'EXIT',
  ...Array.from({ length: 64 }, (_, i) => `SIG${signalName(i + 1) ?? `JUNK(${i + 1})`}`),
  'DEBUG',
  'ERR',
  'RETURN',
]

/** What each action gives, in the order in which several are put together. A directory comes last. */
const SOURCES: ReadonlyMap<string, Names> = new Map<string, Names>([
  ['alias', (process) => sorted(process.environment.aliases.keys())],
  ['arrayvar', (process) => variables(process, (attributes) => (attributes & (Attribute.array | Attribute.assoc)) !== 0)],
  ['binding', () => []],
  ['builtin', (process) => process.machine.runtime.builtinNames()],
  ['disabled', (process) => builtins(process, true)],
  ['enabled', (process) => builtins(process, false)],
  ['export', (process) => variables(process, (attributes) => (attributes & Attribute.exported) !== 0)],
  ['function', (process) => sorted(process.environment.functions.keys())],
  ['helptopic', () => sorted(HELP.keys())],
  ['hostname', (process) => hostNames(process)],
  ['job', (process) => jobs(process, () => true)],
  ['keyword', () => KEYWORDS],
  ['running', (process) => jobs(process, (halt) => (halt & (Halt.exited | Halt.stopped)) === 0)],
  ['setopt', () => SET_OPTIONS.map(([name]) => name)],
  ['shopt', () => SHOPT_OPTIONS],
  ['signal', () => SIGNALS],
  ['stopped', (process) => jobs(process, (halt) => (halt & Halt.stopped) !== 0)],
  ['variable', (process) => variables(process, () => true)],
  ['command', (process, word) => commands(process, word)],
  ['file', (process, word) => files(process, word, false)],
  ['user', (process) => firstFields(process, '/etc/passwd', ['root', 'user'])],
  ['group', (process) => firstFields(process, '/etc/group', ['root', 'user'])],
  ['service', (process) => firstFields(process, '/etc/services', [])],
  ['directory', (process, word) => files(process, word, true)],
])

/** The names that actions give for a word, each beginning with it; `path` is the word for those that look for files. */
export async function actionNames(process: Process, actions: readonly string[], word: string, path: string = word): Promise<string[]> {
  const found: string[] = []
  for (const [action, names] of SOURCES) {
    if (!actions.includes(action)) continue
    const start = action === 'file' || action === 'directory' ? path : word
    for (const name of await names(process, start)) if (name.startsWith(start)) found.push(name)
  }
  return found
}

function sorted(names: Iterable<string>): readonly string[] {
  return sortByBytes([...names])
}

function variables(process: Process, wanted: (attributes: number) => boolean): readonly string[] {
  const names: string[] = []
  for (const [name, { attributes, value }] of process.environment.variables.entries()) {
    if (!wanted(attributes)) continue
    const isSet = (attributes & Attribute.special) === 0 ? value !== undefined : SPECIALS.get(name)?.read(process) !== undefined
    if (isSet) names.push(name)
  }
  return sorted(names)
}

function builtins(process: Process, disabled: boolean): readonly string[] {
  return process.machine.runtime.builtinNames().filter((name) => process.environment.disabledBuiltins.has(name) === disabled)
}

/** First words of the jobs, the latest first. */
function jobs(process: Process, wanted: (halt: number) => boolean): readonly string[] {
  const all: Job[] = [...(process.jobs?.jobs.values() ?? [])].reverse()
  return all
    .filter(({ pids }) => pids.some((pid) => wanted(process.machine.processes.get(pid)?.halt ?? Halt.exited)))
    .map(({ text }) => /^\S*/.exec(text)?.[0] ?? '')
}

async function commands(process: Process, word: string): Promise<readonly string[]> {
  if (word.includes('/')) {
    const found: string[] = []
    for (const name of await files(process, word, false)) if (await isRunnable(process, name, true)) found.push(name)
    return found
  }
  const { environment } = process
  const names = [...sorted(environment.aliases.keys()), ...KEYWORDS, ...sorted(environment.functions.keys()), ...builtins(process, false)]
  const programs = new Set<string>()
  for (const folder of (readText(process, 'PATH') ?? '').split(':')) {
    for (const { name } of await entries(process, folder === '' ? '.' : folder)) {
      if (name.startsWith(word) && !programs.has(name) && (await isRunnable(process, `${folder}/${name}`, false))) programs.add(name)
    }
  }
  return [...names, ...sorted(programs)]
}

async function isRunnable(process: Process, path: string, orDirectory: boolean): Promise<boolean> {
  try {
    const { type, mode } = await process.machine.fs.stat(absolute(process, path))
    return type === 'directory' ? orDirectory : (mode & 0o111) !== 0
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}

/** The paths that begin with a word. A `~/` in front stays as it is written. */
async function files(process: Process, word: string, directoriesOnly: boolean): Promise<readonly string[]> {
  const slash = word.lastIndexOf('/') + 1
  const folder = word.slice(0, slash)
  const place = folder.startsWith('~/') ? `${readText(process, 'HOME') ?? ''}${folder.slice(1)}` : folder === '' ? '.' : folder
  const found: string[] = []
  for (const entry of await entries(process, place)) {
    if (!entry.name.startsWith(word.slice(slash))) continue
    if (directoriesOnly && !(await isDirectory(process, place, entry))) continue
    found.push(folder + entry.name)
  }
  return sorted(found)
}

async function isDirectory(process: Process, folder: string, { name, type }: Dirent): Promise<boolean> {
  if (type !== 'symlink') return type === 'directory'
  try {
    return (await process.machine.fs.stat(absolute(process, `${folder}/${name}`))).type === 'directory'
  } catch (error) {
    // A link that leads nowhere is no directory.
    if (codeOf(error) === undefined) throw error
    return false
  }
}

async function entries(process: Process, folder: string): Promise<readonly Dirent[]> {
  try {
    return await process.machine.fs.readdir(absolute(process, folder))
  } catch (error) {
    // A directory that can't be read completes nothing.
    if (codeOf(error) === undefined) throw error
    return []
  }
}

async function hostNames(process: Process): Promise<readonly string[]> {
  const lines = await fileLines(process, readText(process, 'HOSTFILE') ?? '/etc/hosts')
  if (lines === null) return [readText(process, 'HOSTNAME') ?? 'localhost']
  return [...new Set(lines.flatMap((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1)))]
}

async function firstFields(process: Process, path: string, otherwise: readonly string[]): Promise<readonly string[]> {
  const lines = await fileLines(process, path)
  return lines === null ? otherwise : lines.flatMap((line) => /^[^\s:#]+/.exec(line) ?? [])
}

async function fileLines(process: Process, path: string): Promise<readonly string[] | null> {
  try {
    return decode(await process.machine.fs.read(absolute(process, path))).split('\n')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return null
  }
}
