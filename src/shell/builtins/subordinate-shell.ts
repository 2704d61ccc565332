import { concat, decode } from '../../bytes.ts'
import { errorText, hasCode } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { exportedVariables } from '../machine/context.ts'
import { retain } from '../machine/description.ts'
import { Environment } from '../machine/environment.ts'
import { initialVariables } from '../machine/initial.ts'
import { reportDeath } from '../machine/jobs.ts'
import { isSetOption, isShoptOption, SET_OPTIONS } from '../machine/options.ts'
import type { Process } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { readWhole } from '../machine/redirect.ts'
import { functionFromText } from '../machine/script.ts'
import { Attribute, Variables } from '../machine/variables.ts'
import { PENDING, print } from './builtin.ts'

/** `bash` and `sh`: a shell of its own, which inherits what is exported. */
export function shell(process: Process, args: readonly string[]): MaybePromise<number> {
  const request = readArguments(process, args)
  if (typeof request === 'number' || request instanceof Promise) return request
  const child = process.machine.create(shellEnvironment(process, args[0] as string, request), process.pid)
  for (const [descriptor, description] of process.descriptors) child.descriptors.set(descriptor, retain(description))
  process.push(child.pid)
  process.standsFor = child.pid
  process.enter('program', WAIT_FOR_CHILD)
  process.frame.counter = 0
  const run = (source: string): number => {
    child.outerCalls = request.file === null ? [] : [{ name: 'main', file: request.file, line: 0 }]
    process.machine.runtime.enterScript(child, source, request.command === null ? 'file' : 'line')
    process.machine.ready(child)
    return PENDING
  }
  if (request.command !== null) return run(request.command)
  const failed = (error: unknown): number => {
    child.environment.traps = new Map()
    process.complain(`${args[0]}: ${request.file}: ${errorText(error)}\n`)
    process.machine.exit(child, hasCode(error, 'ENOENT') ? 127 : 126)
    return PENDING
  }
  try {
    const chunks = readScript(process, request.file)
    return isPromise(chunks) ? chunks.then((read) => run(decode(concat(read))), failed) : run(decode(concat(chunks)))
  } catch (error) {
    return failed(error)
  }
}

function readScript(process: Process, file: string | null): MaybePromise<Uint8Array[]> {
  if (file === null) return readWhole(process, '/dev/stdin')
  const path = file.startsWith('/') ? file : `${process.environment.cwd}/${file}`
  const nothing = process.machine.fs.read(path, 0, 0)
  return isPromise(nothing) ? nothing.then(() => readWhole(process, file)) : readWhole(process, file)
}

interface ShellRequest {
  readonly command: string | null
  readonly file: string | null
  readonly name: string | null
  readonly positional: readonly string[]
  readonly on: readonly string[]
  readonly off: readonly string[]
  readonly interactive: boolean
  readonly login: boolean
}

function readArguments(process: Process, args: readonly string[]): ShellRequest | number | Promise<number> {
  const on: string[] = args[0] === 'sh' || args[0]?.endsWith('/sh') === true ? ['posix'] : []
  const off: string[] = []
  let command = false
  let stdin = false
  let interactive = false
  let login = false
  let at = 1
  for (; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--' || arg === '-') {
      at += 1
      break
    }
    if (arg === '--help')
      return print(
        process,
        'Usage: bash [options] [script [arguments]] or bash [options] -c command [name [arguments]]\nOptions: those of set (-e -u -x …), -o NAME, -O NAME, -c, -s, -i, -l, --posix, --norc, --noprofile, --login.\n',
      )
    if (arg === '--version') return print(process, 'GNU bash compatible shell, version 5.2.15(1)-release (mirage-runtime)\n')
    if (arg.startsWith('--')) {
      if (arg === '--posix') on.push('posix')
      else if (arg === '--login') login = true
      else if (arg === '--verbose') on.push('verbose')
      else if (arg === '--rcfile' || arg === '--init-file') at += 1
      else if (!['--norc', '--noprofile', '--noediting', '--restricted', '--debugger'].includes(arg)) {
        process.complain(`${args[0]}: ${arg}: invalid option\n`)
        return 2
      }
      continue
    }
    if (arg.length < 2 || (arg[0] !== '-' && arg[0] !== '+')) break
    const enable = arg[0] === '-'
    for (const letter of arg.slice(1)) {
      if (letter === 'c') command = true
      else if (letter === 's') stdin = true
      else if (letter === 'i') interactive = true
      else if (letter === 'l') login = true
      else if (letter === 'o' || letter === 'O') {
        at += 1
        const name = args[at]
        if (name === undefined) break
        if (letter === 'o' ? !isSetOption(name) : !isShoptOption(name)) {
          process.complain(`${args[0]}: ${name}: invalid ${letter === 'o' ? 'option name' : 'shell option name'}\n`)
          return 2
        }
        ;(enable ? on : off).push(name)
      } else {
        const name = SET_OPTIONS.find(([, short]) => short === letter)?.[0]
        if (name === undefined) {
          process.complain(`${args[0]}: ${arg[0]}${letter}: invalid option\n`)
          return 2
        }
        ;(enable ? on : off).push(name)
      }
    }
  }
  const rest = args.slice(at)
  if (command) {
    const [text, name, ...positional] = rest
    if (text === undefined) {
      process.complain(`${args[0]}: -c: option requires an argument\n`)
      return 2
    }
    return { command: text, file: null, name: name ?? null, positional, on, off, interactive, login }
  }
  const [file, ...positional] = rest
  if (stdin || file === undefined)
    return { command: null, file: null, name: null, positional: stdin ? rest : [], on, off, interactive, login }
  return { command: null, file, name: file, positional, on, off, interactive, login }
}

function shellEnvironment(process: Process, name: string, request: ShellRequest): Environment {
  const { host } = process.machine
  const environment = new Environment(new Variables(initialVariables()))
  const { variables } = environment
  const functions = new Map<string, ReturnType<typeof functionFromText>>()
  for (const [key, text] of exportedVariables(process.environment)) {
    const exported = /^BASH_FUNC_(.*)%%$/.exec(key)
    if (exported !== null) {
      const function_ = exported[1] as string
      functions.set(function_, functionFromText(function_, `${function_} ${text}`, { exported: true, readonly: false }))
      continue
    }
    const known = variables.get(key)
    if (known !== undefined && (known.attributes & (Attribute.readonly | Attribute.special)) !== 0) continue
    variables.put(key, variables.make(text, Attribute.exported))
  }
  const level = Number(variables.get('SHLVL')?.value ?? 0)
  variables.put('SHLVL', variables.make(String((Number.isFinite(level) ? level : 0) + 1), Attribute.exported))
  variables.put('IFS', variables.make(' \t\n'))
  variables.put('OPTIND', variables.make('1'))
  const pwd = variables.get('PWD')
  variables.put('PWD', variables.make(process.environment.cwd, pwd?.attributes ?? Attribute.exported))
  environment.functions = functions
  environment.cwd = process.environment.cwd
  environment.umask = process.environment.umask
  environment.name = request.name ?? name
  environment.positional = request.positional
  environment.startedAt = host.now()
  environment.executionString = request.command
  environment.readsStandardInput = request.command === null && request.file === null
  environment.shellPid = process.machine.nextPid
  environment.traps = new Map([...process.environment.traps].filter(([, action]) => action === ''))
  environment.login = request.login
  const seed = new Uint8Array(4)
  host.random(seed)
  environment.randomSeed = new DataView(seed.buffer).getUint32(0) >>> 1
  for (const option of request.on) environment.options.set(option, true)
  for (const option of request.off) environment.options.set(option, false)
  if (request.interactive) {
    environment.interactive = true
    environment.options.set('expand_aliases', true)
    environment.options.set('emacs', true)
  }
  return environment
}

/** Waits for the shell that was started, whose pid is on the stack. */
const WAIT_FOR_CHILD: Program = fixedProgram('shell', [
  (process) => {
    const pid = process.stack.at(-1) as number
    const status = process.zombies.get(pid)
    if (status === undefined) {
      process.frame.counter = 0
      process.machine.waitFor(process, [pid], false)
      return
    }
    process.zombies.delete(pid)
    process.standsFor = 0
    const { killed } = process.machine
    const signal = killed.get(pid)
    if (signal !== undefined && process.background) killed.set(process.pid, signal)
    if (process.background) killed.delete(pid)
    else reportDeath(process, pid, process.commandText, true)
    process.leave()
    process.stack.pop()
    process.status = status
  },
])
