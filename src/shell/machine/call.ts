import { decode } from '../../bytes.ts'
import type { Command } from '../../commands/command.ts'
import { BrokenPipe } from '../../commands/command.ts'
import { errorText, hasCode } from '../../errors.ts'
import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { AnyBuiltin, LazyBuiltin } from '../builtins/builtin.ts'
import { PENDING } from '../builtins/builtin.ts'
import { commandContext } from './context.ts'
import type { ShellFunction } from './environment.ts'
import { ShellFault } from './fault.ts'
import { NotLoaded } from './lazy.ts'
import type { InternalCommand, LazyInternalCommand } from './machine.ts'
import { asFault } from './machine.ts'
import { readText } from './parameters.ts'
import type { Process, Undo } from './process.ts'

/** Calls a function; `args[0]` is its name. */
export function callFunction(process: Process, shellFunction: ShellFunction, args: readonly string[]): void {
  if (process.frames.length > process.machine.limits.depth) throw tooDeep(process)
  const { environment } = process
  const nest = Number(readText(process, 'FUNCNEST') ?? 0)
  if (nest > 0 && process.frames.filter((frame) => frame.kind === 'function').length >= nest) {
    throw new ShellFault(`${shellFunction.name}: maximum function nesting level exceeded (${nest})`)
  }
  let { program } = shellFunction
  try {
    program ??= shellFunction.compile()
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error
    process.block(error.load(), shellFunction.name, () => callFunction(process, shellFunction, args))
    return
  }
  shellFunction.program = program
  const positional = environment.positional
  const line = process.line
  let savedTraps: Map<string, string> | null = null
  if (environment.traps.size > 0 && !shellFunction.traced) {
    savedTraps = hideTraps(process)
  }
  process.enter('function', program, {
    scope: {
      boundary: 'function',
      functionName: shellFunction.name,
      file: shellFunction.file,
      callLine: line,
      positional,
      hidden: [],
      savedOptions: null,
      savedTraps,
      optionIndex: environment.optionIndex,
      order: orderBefore(process),
    },
  })
  environment.positional = args.slice(1)
  // Under functrace the DEBUG trap runs once more, inside.
  const debug = environment.traps.size > 0 ? environment.traps.get('DEBUG') : undefined
  if (debug !== undefined && debug !== '' && !process.inTrap('DEBUG')) process.enterTrap('DEBUG', debug, line)
}

/** Number of the last binding that isn't one of the assignments before this very call. */
function orderBefore(process: Process): number {
  let order = process.bindings
  for (let i = process.undo.length - 1; i >= process.frame.undoHeight; i--) {
    const undo = process.undo[i] as Undo
    if (!('name' in undo) || undo.order !== order) break
    order -= 1
  }
  return order
}

/** DEBUG, RETURN and ERR don't hold inside functions unless functrace and errtrace say so. */
function hideTraps(process: Process): Map<string, string> | null {
  const { environment } = process
  const { options, traps } = environment
  const hidden = new Map<string, string>()
  for (const [name, action] of traps) {
    const hides = name === 'ERR' ? !options.has('errtrace') : (name === 'DEBUG' || name === 'RETURN') && !options.has('functrace')
    if (hides) hidden.set(name, action)
  }
  if (hidden.size === 0) return null
  environment.traps = new Map([...traps].filter(([name]) => !hidden.has(name)))
  return hidden
}

/** Builtins that take `--help` as any other argument. */
const PLAIN_ARGUMENTS: ReadonlySet<string> = new Set(['echo', 'test', '[', ':', 'true', 'false'])

/** Runs a builtin with its arguments (without its name). */
export function runBuiltin(process: Process, builtin: AnyBuiltin, name: string, args: string[]): void {
  if (!process.machine.allowed(name, builtin.control)) {
    refuse(process, name)
    return
  }
  if (args[0] === '--help' && !PLAIN_ARGUMENTS.has(name)) {
    showHelp(process, name)
    return
  }
  const ready = 'load' in builtin ? builtin.loaded : builtin
  if (ready === null) {
    const later = builtin as LazyBuiltin
    process.after(later.load(), name, (loaded) => {
      later.loaded = loaded
      runBuiltin(process, loaded, name, args)
    })
    return
  }
  try {
    const status = ready.run(process, args, name)
    if (typeof status === 'number') {
      if (status !== PENDING) process.status = status
      return
    }
    process.block(
      status.then(
        (value) => () => {
          if (value !== PENDING) process.status = value
        },
        (error: unknown) => () => {
          builtinFailed(process, name, error)
        },
      ),
      name,
      (settle) => settle(),
    )
  } catch (error) {
    if (error instanceof NotLoaded) process.block(error.load(), name, () => runBuiltin(process, ready, name, args))
    else builtinFailed(process, name, error)
  }
}

function showHelp(process: Process, name: string): void {
  const help = process.machine.runtime.builtin('help') as AnyBuiltin
  process.after('load' in help ? help.load() : help, 'help', (loaded) => {
    process.after(loaded.run(process, ['--', name], 'help'), 'help', () => {
      process.status = 2
    })
  })
}

function builtinFailed(process: Process, name: string, error: unknown): void {
  if (error instanceof BrokenPipe) throw error
  if (error instanceof ShellFault) {
    if (error.reach !== 'command' && error.reach !== 'assignment') throw error
    if (error.message !== '') process.complain(`${process.messagePrefix()}${error.message}\n`)
    process.status = error.status
    return
  }
  const fault = asFault(error)
  if (fault === null) throw error
  if (error instanceof Error && error.name === 'ArithmeticError') {
    // Only `let` goes on after one; a variable's arithmetic ends the line.
    if (name !== 'let') throw new ShellFault(`${name}: ${fault.message}`, 'reader')
    process.complain(`${process.messagePrefix()}${name}: ${fault.message}\n`)
    process.status = 1
    return
  }
  process.complain(`${process.messagePrefix()}${name}: write error: ${errorText(error)}\n`)
  process.status = 1
}

function refuse(process: Process, name: string): void {
  process.complain(`${process.messagePrefix()}${name}: not permitted by the session's profile\n`)
  process.status = 126
}

/** Runs a program: found on PATH, or by its path. */
export function runExternal(process: Process, args: readonly string[], searchPath?: string): void {
  const name = args[0] as string
  if (searchPath !== undefined || name.includes('/')) {
    process.after(findProgram(process, name, searchPath), name, (program) => runProgram(process, program, args))
    return
  }
  const { environment } = process
  const path = readText(process, 'PATH') ?? ''
  if (environment.hashedPath !== path) {
    if (environment.hashed.size > 0) environment.hashed = new Map()
    environment.hashedPath = path
  }
  const hashed = environment.hashed.get(name)
  if (hashed !== undefined) {
    hashed.hits += 1
    process.after(programAt(process, hashed.path), name, (program) => runProgram(process, program, args))
    return
  }
  process.after(findProgram(process, name), name, (program) => {
    if (program.type !== 'none') {
      if (environment.hashed.size === 0) environment.hashed = new Map()
      environment.hashed.set(name, { path: program.path, hits: 1 })
    }
    runProgram(process, program, args)
  })
}

/** What a name runs. */
export type Program =
  | { readonly type: 'command'; readonly name: string; readonly path: string }
  | { readonly type: 'script'; readonly path: string }
  | { readonly type: 'none'; readonly status: number; readonly message: string }

const SYSTEM = /^(?:\/usr)?\/bin\/([^/]+)$/

/** Finds a program as the shell does. */
export function findProgram(process: Process, name: string, searchPath?: string): MaybePromise<Program> {
  if (name.includes('/')) return programAt(process, name)
  const path = searchPath ?? readText(process, 'PATH') ?? '/usr/bin:/bin'
  const folders = path.split(':')
  const step = (from: number): MaybePromise<Program> => {
    for (let i = from; i < folders.length; i++) {
      const folder = folders[i] === '' ? '.' : (folders[i] as string)
      if ((folder === '/usr/bin' || folder === '/bin') && isCommand(process, name))
        return { type: 'command', name, path: `${folder}/${name}` }
      const candidate = `${folder}/${name}`
      const stat = statOrNull(process, candidate)
      if (isPromise(stat)) {
        return stat.then((known) => (isProgram(known) ? { type: 'script', path: candidate } : step(i + 1)))
      }
      if (isProgram(stat)) return { type: 'script', path: candidate }
    }
    return { type: 'none', status: 127, message: `${name}: command not found` }
  }
  return name === '' ? { type: 'none', status: 127, message: ': command not found' } : step(0)
}

/** True for a name that the workspace has a command for. */
export function isCommand(process: Process, name: string): boolean {
  return process.machine.commands.has(name) || process.machine.runtime.internal(name) !== undefined
}

function programAt(process: Process, path: string): MaybePromise<Program> {
  const system = SYSTEM.exec(path)
  if (system !== null && isCommand(process, system[1] as string)) return { type: 'command', name: system[1] as string, path }
  const judge = (stat: FileStat | null, reason?: string): Program => {
    if (stat === null)
      return { type: 'none', status: reason === undefined ? 127 : 126, message: `${path}: ${reason ?? 'No such file or directory'}` }
    if (stat.type === 'directory') return { type: 'none', status: 126, message: `${path}: Is a directory` }
    if ((stat.mode & 0o111) === 0) return { type: 'none', status: 126, message: `${path}: Permission denied` }
    return { type: 'script', path }
  }
  const failed = (error: unknown): Program => judge(null, hasCode(error, 'ENOENT') ? undefined : errorText(error))
  try {
    const stat = process.machine.fs.stat(absolute(process, path))
    return isPromise(stat) ? stat.then((known) => judge(known), failed) : judge(stat)
  } catch (error) {
    return failed(error)
  }
}

function isProgram(stat: FileStat | null): boolean {
  return stat !== null && stat.type === 'file' && (stat.mode & 0o111) !== 0
}

function statOrNull(process: Process, path: string): MaybePromise<FileStat | null> {
  try {
    const stat = process.machine.fs.stat(absolute(process, path))
    return isPromise(stat) ? stat.catch(() => null) : stat
  } catch {
    // A folder of PATH that isn't there is no error.
    return null
  }
}

/** A path made absolute by the working directory. */
export function absolute(process: Process, path: string): string {
  if (path.startsWith('/')) return path
  const { cwd } = process.environment
  return cwd === '/' ? `/${path}` : `${cwd}/${path}`
}

/** Runs what was found. */
export function runProgram(process: Process, program: Program, args: readonly string[]): void {
  switch (program.type) {
    case 'none':
      commandNotFound(process, program, args)
      return
    case 'script':
      runScriptFile(process, program.path, args)
      return
    case 'command':
      if (!process.machine.allowed(program.name)) {
        refuse(process, program.name)
        return
      }
      runCommand(process, program.name, args)
      return
    default:
      program satisfies never
  }
}

function commandNotFound(process: Process, program: Extract<Program, { type: 'none' }>, args: readonly string[]): void {
  if (program.status === 127) process.machine.onMissing(args[0] as string)
  const handler = process.environment.functions.get('command_not_found_handle')
  if (program.status === 127 && handler !== undefined && !(args[0] as string).includes('/')) {
    callFunction(process, handler, ['command_not_found_handle', ...args])
    return
  }
  process.complain(`${process.messagePrefix()}${program.message}\n`)
  process.status = program.status
}

function runCommand(process: Process, name: string, args: readonly string[]): void {
  const internal = process.machine.runtime.internal(name)
  if (internal !== undefined) {
    runInternal(process, internal, args)
    return
  }
  const source = process.machine.commands.get(name)
  if (source === undefined) throw new ShellFault(`${name}: command not found`, 'command', 127)
  if (typeof source === 'function') process.after(source(), name, (command) => start(process, command, args))
  else start(process, source, args)
}

function runInternal(process: Process, internal: InternalCommand | LazyInternalCommand, args: readonly string[]): void {
  if (typeof internal !== 'function') {
    if (internal.loaded !== null) runInternal(process, internal.loaded, args)
    else {
      process.after(internal.load(), args[0] as string, (loaded) => {
        internal.loaded = loaded
        runInternal(process, loaded, args)
      })
    }
    return
  }
  process.after(internal(process, args), args[0] as string, (value) => {
    if (value !== PENDING) process.status = value
  })
}

/** Starts a command; the process waits for it. */
function start(process: Process, command: Command, args: readonly string[]): void {
  const { context, cancel, ended } = commandContext(process, args[0] as string)
  process.command = args[0] as string
  process.cancelCommand = cancel
  const done = (): void => {
    process.command = null
    process.cancelCommand = null
    ended()
  }
  const failed = (error: unknown): void => {
    done()
    if (error instanceof BrokenPipe) {
      process.status = 141
      return
    }
    const fault = asFault(error)
    if (fault === null) throw error
    process.complain(`${args[0]}: ${fault.message}\n`)
    process.status = 1
  }
  try {
    const status = command.run(args.slice(1), context)
    if (!isPromise(status)) {
      done()
      process.status = status & 255
      return
    }
    process.block(
      status.then(
        (value) => () => {
          done()
          process.status = value & 255
        },
        (error: unknown) => () => failed(error),
      ),
      args[0] as string,
      (settle) => settle(),
    )
  } catch (error) {
    failed(error)
  }
}

/** Runs a file as a program: its shebang names what reads it, a shell where there is none. */
function runScriptFile(process: Process, path: string, args: readonly string[]): void {
  const head = process.machine.fs.read(absolute(process, path), 0, 512)
  process.after(head, path, (bytes) => {
    const line = /^#![ \t]*([^\n]*)/.exec(decode(bytes))?.[1]?.trim() ?? '/bin/sh'
    if (!decode(bytes).startsWith('#!') && bytes.includes(0)) {
      process.complain(`${process.messagePrefix()}${path}: cannot execute binary file: Exec format error\n`)
      process.status = 126
      return
    }
    const match = /^(\S+)(?:[ \t]+(.*))?$/.exec(line)
    const interpreter = match?.[1] ?? '/bin/sh'
    const argument = match?.[2]
    const full = path.includes('/') ? path : `./${path}`
    const next = argument === undefined ? [interpreter, full] : [interpreter, argument, full]
    process.after(findProgram(process, interpreter), interpreter, (program) => {
      if (program.type === 'command') {
        runProgram(process, program, [program.name, ...next.slice(1), ...args.slice(1)])
        return
      }
      process.complain(`${process.messagePrefix()}${path}: cannot execute: required file not found\n`)
      process.status = 127
    })
  })
}

/** What a script hears when it calls too deep. */
export function tooDeep(process: Process): ShellFault {
  return new ShellFault(`maximum nesting level of ${process.machine.limits.depth} exceeded`, 'line', 1)
}
