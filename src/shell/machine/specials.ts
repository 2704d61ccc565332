import { SET_OPTIONS, SHOPT_OPTIONS } from './options.ts'
import type { Frame, Process } from './process.ts'
import type { Variable } from './variables.ts'
import { IndexedArray } from './variables.ts'

/** A variable whose value the shell makes when it is read. Without `write` an assignment is ignored. */
interface Special {
  read(process: Process): Variable['value']
  write?(process: Process, text: string): void
}

/** The variables that aren't simply stored, by name. */
export const SPECIALS: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['BASHPID', { read: (process) => process.pid }],
  ['BASH_ALIASES', { read: (process) => new Map(process.environment.aliases), write: () => undefined }],
  [
    'BASH_ARGV0',
    {
      read: (process) => process.environment.name,
      write: (process, text) => {
        process.environment.name = text
      },
    },
  ],
  ['BASH_CMDS', { read: (process) => new Map([...process.environment.hashed].map(([name, { path }]) => [name, path])) }],
  ['BASH_COMMAND', { read: (process) => process.commandText() }],
  ['BASH_EXECUTION_STRING', { read: (process) => process.environment.executionString ?? undefined }],
  ['BASH_LINENO', { read: (process) => IndexedArray.of(calls(process).map((call) => String(call.line))) }],
  ['BASH_SOURCE', { read: (process) => IndexedArray.of(calls(process).map((call) => call.file)) }],
  ['BASH_SUBSHELL', { read: (process) => process.environment.depth }],
  ['BASHOPTS', { read: (process) => SHOPT_OPTIONS.filter((name) => process.environment.options.has(name)).join(':') }],
  [
    'DIRSTACK',
    { read: (process) => IndexedArray.of([process.environment.cwd, ...process.environment.directories]), write: () => undefined },
  ],
  ['EPOCHREALTIME', { read: (process) => (process.machine.host.now() / 1000).toFixed(6) }],
  ['EPOCHSECONDS', { read: (process) => Math.floor(process.machine.host.now() / 1000) }],
  [
    'FUNCNAME',
    {
      read: (process) => {
        const names = calls(process).map((call) => call.name)
        return names.length === 0 || names.every((name) => name === 'main') ? undefined : IndexedArray.of(names)
      },
    },
  ],
  ['GROUPS', { read: () => IndexedArray.of(['1000']) }],
  ['HISTCMD', { read: () => 1 }],
  ['LINENO', { read: (process) => process.line, write: () => undefined }],
  ['PIPESTATUS', { read: (process) => IndexedArray.of((process.environment.pipeStatus ?? [process.status]).map(String)) }],
  [
    'RANDOM',
    {
      read: (process) => nextRandom(process),
      write: (process, text) => {
        process.environment.randomSeed = (Number.parseInt(text, 10) || 0) >>> 0
      },
    },
  ],
  [
    'SECONDS',
    {
      read: (process) => Math.floor((process.machine.host.now() - process.environment.startedAt) / 1000),
      write: (process, text) => {
        process.environment.startedAt = process.machine.host.now() - (Number.parseInt(text, 10) || 0) * 1000
      },
    },
  ],
  [
    'SHELLOPTS',
    {
      read: (process) =>
        SET_OPTIONS.map(([name]) => name)
          .filter((name) => process.environment.options.has(name))
          .join(':'),
    },
  ],
  [
    'SRANDOM',
    {
      read: (process) => {
        const bytes = new Uint8Array(4)
        process.machine.host.random(bytes)
        return new DataView(bytes.buffer).getUint32(0)
      },
    },
  ],
  [
    '_',
    {
      read: (process) => process.lastArgument,
      write: (process, text) => {
        process.lastArgument = text
      },
    },
  ],
])

/** A call under way: a function or a sourced file, and where it was called from. */
export interface Call {
  readonly name: string
  readonly file: string
  readonly line: number
}

/** The calls under way, innermost first; the script file a shell was started with last. */
export function calls(process: Process): Call[] {
  const list: Call[] = []
  for (let i = process.frames.length - 1; i >= 0; i--) {
    const { scope } = process.frames[i] as Frame
    if (scope === null || scope.boundary === 'subshell') continue
    list.push({ name: scope.functionName, file: scope.file, line: scope.callLine })
  }
  list.push(...process.outerCalls)
  return list
}

/** bash's own generator, so that `RANDOM=42` gives the same row of numbers. */
function nextRandom(process: Process): number {
  const { environment } = process
  const before = environment.randomSeed
  let seed = before
  let value: number
  do {
    const last = seed === 0 ? 123_459_876 : seed
    const high = Math.trunc(last / 127_773)
    const low = last - 127_773 * high
    const next = 16_807 * low - 2836 * high
    seed = next < 0 ? next + 0x7fff_ffff : next
    value = ((seed >>> 16) ^ (seed & 65_535)) & 32_767
  } while (seed === before)
  environment.randomSeed = seed
  return value
}

/** The file whose code runs: a sourced file's path, `main` for the shell's own lines, `environment` for `bash -c`. */
export function currentFile(process: Process): string {
  for (let i = process.frames.length - 1; i >= 0; i--) {
    const { scope } = process.frames[i] as Frame
    if (scope !== null && scope.boundary !== 'subshell') return scope.file
  }
  const outer = process.outerCalls[0]
  if (outer !== undefined) return outer.file
  return process.environment.executionString === null ? 'main' : 'environment'
}
