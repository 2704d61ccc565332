import { concat, decode } from '../../bytes.ts'
import { errorText, hasCode } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { absolute, findProgram, runBuiltin, runExternal, runProgram } from '../machine/call.ts'
import { ShellFault } from '../machine/fault.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { readWhole } from '../machine/redirect.ts'
import { Attribute } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, PENDING, readOptions } from './builtin.ts'

/** `eval [words]` */
export const evalBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    if (words[0] !== undefined && args[0] !== '--' && /^-./.test(words[0])) {
      process.complain(`${process.messagePrefix()}eval: ${words[0].slice(0, 2)}: invalid option\neval: usage: eval [arg ...]\n`)
      return 2
    }
    const text = words.join(' ')
    if (text.trim() === '') return 0
    process.status = 0
    process.machine.runtime.enterScript(process, text, 'eval', process.line)
    return PENDING
  },
}

/** `. file [args]`, `source file [args]` */
export const sourceBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args, name) {
    const words = args[0] === '--' ? args.slice(1) : args
    const [file, ...positional] = words
    if (file === undefined) {
      process.complain(`${process.messagePrefix()}${name}: filename argument required\n${name}: usage: ${name} filename [arguments]\n`)
      return 2
    }
    const found = findSource(process, file)
    return isPromise(found)
      ? found.then((path) => read(process, name, file, path, positional))
      : read(process, name, file, found, positional)
  },
}

function findSource(process: Process, file: string): MaybePromise<string> {
  if (file.includes('/')) return file
  const path = process.environment.options.has('sourcepath') ? (readText(process, 'PATH') ?? '') : ''
  const folders = path === '' ? [] : path.split(':')
  const step = (at: number): MaybePromise<string> => {
    for (let i = at; i < folders.length; i++) {
      const candidate = `${folders[i] === '' ? '.' : folders[i]}/${file}`
      const is = isFile(process, candidate)
      if (isPromise(is)) return is.then((yes) => (yes ? candidate : step(i + 1)))
      if (is) return candidate
    }
    return file
  }
  return step(0)
}

function isFile(process: Process, path: string): MaybePromise<boolean> {
  try {
    const stat = process.machine.fs.stat(absolute(process, path))
    return isPromise(stat)
      ? stat.then(
          (known) => known.type === 'file',
          () => false,
        )
      : stat.type === 'file'
  } catch {
    // A folder of PATH that isn't there is no error.
    return false
  }
}

function read(process: Process, name: string, shown: string, path: string, positional: readonly string[]): MaybePromise<number> {
  const failed = (error: unknown): number => {
    if (process.environment.options.posix) process.machine.exit(process, 1)
    const why = hasCode(error, 'EISDIR') ? `${name}: ${shown}: is a directory` : `${shown}: ${errorText(error)}`
    process.complain(`${process.messagePrefix()}${why}\n`)
    return 1
  }
  const run = (chunks: readonly Uint8Array[]): number => {
    enter(process, path, decode(concat(chunks)), positional)
    return PENDING
  }
  try {
    const nothing = path.startsWith('/dev/') ? undefined : process.machine.fs.read(absolute(process, path), 0, 0)
    const load = (): MaybePromise<number> => {
      const chunks = readWhole(process, path)
      return isPromise(chunks) ? chunks.then(run) : run(chunks)
    }
    return isPromise(nothing) ? nothing.then(load).catch(failed) : load()
  } catch (error) {
    if (error instanceof ShellFault) throw error
    return failed(error)
  }
}

function enter(process: Process, path: string, text: string, positional: readonly string[]): void {
  const { environment } = process
  process.status = 0
  process.machine.runtime.enterScript(process, text, 'file', 1, {
    boundary: 'source',
    functionName: 'source',
    file: path,
    callLine: process.line,
    positional: positional.length > 0 ? environment.positional : null,
    hidden: [],
    savedOptions: null,
    savedTraps: null,
    optionIndex: 1,
    order: process.bindings,
  })
  if (positional.length > 0) environment.positional = positional
}

/** `exec [-cl] [-a name] [command [args]]` */
export const execBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const options = readOptions(process, 'exec', args, 'cla:', 'exec [-cl] [-a name] [command [argument ...]] [redirection ...]')
    if (typeof options === 'number') return options
    const { operands } = options
    if (operands.length === 0) {
      process.keepRedirections = true
      return 0
    }
    const found = findProgram(process, operands[0] as string)
    const replace = (program: Awaited<ReturnType<typeof findProgram>>): number => {
      if (program.type === 'none') {
        const subject =
          operands[0]?.includes('/') === true ? absolute(process, program.message.replace(/^\.\//, '')) : `exec: ${program.message}`
        process.complain(`${process.messagePrefix()}${subject.replace('command not found', 'not found')}\n`)
        const { depth, interactive, options: shell } = process.environment
        if (depth > 0 || !(interactive || shell.has('execfail'))) process.machine.exit(process, program.status)
        return program.status
      }
      process.keepRedirections = true
      process.environment.traps = new Map([...process.environment.traps].filter(([name]) => name !== 'EXIT'))
      if (options.has('c')) clearExported(process)
      process.push([program.path, options.value('a') ?? (operands[0] as string), ...operands.slice(1)])
      process.enter('program', EXEC)
      return PENDING
    }
    return isPromise(found) ? found.then(replace) : replace(found)
  },
}

function clearExported(process: Process): void {
  const { variables } = process.environment
  for (const [name, { attributes }] of [...variables.entries()]) {
    if ((attributes & Attribute.exported) !== 0) variables.writable(name).attributes &= ~Attribute.exported
  }
}

/** Runs a program and ends with it. */
const EXEC: Program = fixedProgram('exec', [
  (process) => {
    const [path, ...args] = process.stack.splice(process.frame.stackHeight - 1, 1)[0] as string[]
    process.after(findProgram(process, path as string), args[0] as string, (program) => runProgram(process, program, args))
  },
  (process) => process.machine.exit(process, process.status),
])

/** `builtin [name [args]]` */
export const builtinBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const [name, ...rest] = args[0] === '--' ? args.slice(1) : args
    if (name === undefined) return 0
    const builtin = process.machine.runtime.builtin(name)
    if (builtin === undefined) return fail(process, 'builtin', `${name}: not a shell builtin`)
    runBuiltin(process, builtin, name, rest)
    return PENDING
  },
}

/** `command [-pVv] name [args]`; `-v` and `-V` are in type.ts. */
export function runCommandBuiltin(process: Process, args: readonly string[], standardPath: boolean): number {
  const [name] = args
  if (name === undefined) return 0
  const builtin = process.machine.runtime.builtin(name)
  if (builtin !== undefined && !process.environment.disabledBuiltins.has(name)) {
    runBuiltin(process, builtin, name, args.slice(1))
    return PENDING
  }
  runExternal(process, args, standardPath ? '/usr/bin:/bin' : undefined)
  return PENDING
}
