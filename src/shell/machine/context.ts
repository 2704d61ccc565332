import type { ByteReader, ByteWriter, CommandContext, RunOptions } from '../../commands/command.ts'
import { FileSystemError } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { Description, FileDescription } from './description.ts'
import { readFrom, release, retain, StreamDescription, unreadTo, writeTo } from './description.ts'
import type { Environment } from './environment.ts'
import { initialVariables } from './initial.ts'
import { isTerminal } from './is-terminal.ts'
import type { Process } from './process.ts'
import type { Program } from './program.ts'
import { fixedProgram } from './program.ts'
import { openFile } from './redirect.ts'
import { Attribute, scalarText, Variables } from './variables.ts'

/** How long a command works before others get their turn, in milliseconds. */
const TURN_MS = 8
/** Calls of `pause` after which a command gives up the thread whatever the clock says. */
const TURN_CALLS = 32

/** What a command run by a process sees, how to end it, and what to call once it has ended. */
export function commandContext(process: Process, name: string): { context: CommandContext; cancel: () => void; ended: () => void } {
  const { environment, machine } = process
  let abort: AbortController | null = null
  let cancelled = false
  const waits = new Set<(reason: unknown) => void>()
  const created: FileDescription[] = []
  let turnStarted = machine.host.elapsed()
  let calls = 0
  let exported: ReadonlyMap<string, string> | null = null

  const cancelledError = (): Error => new DOMException('the command was ended', 'AbortError')
  // What was ended may still run for a while; by then the process's descriptors are another command's.
  const demandCurrent = (): void => {
    if (cancelled) throw cancelledError()
  }
  const current = (descriptor: number): Description => {
    demandCurrent()
    return process.description(descriptor)
  }
  const context: CommandContext = {
    name,
    stdin: reader(() => current(0), waits, false),
    stdout: writer(() => current(1), false),
    stderr: messages(process, demandCurrent),
    get inputFile() {
      return filePath(process, 0)
    },
    get outputFile() {
      return filePath(process, 1)
    },
    fs: machine.fs,
    cwd: environment.cwd,
    get env() {
      exported ??= exportedVariables(environment)
      return exported
    },
    umask: environment.umask,
    host: machine.host,
    get signal() {
      abort ??= new AbortController()
      if (cancelled) abort.abort(cancelledError())
      return abort.signal
    },
    // An empty operand names nothing: it must not become the working directory.
    resolve: (path) => (path === '' || path.startsWith('/') ? path : environment.cwd === '/' ? `/${path}` : `${environment.cwd}/${path}`),
    open(path) {
      const opened = openFile(process, path, 'read')
      const use = (description: Description): MaybePromise<ByteReader> => {
        if (description.kind !== 'file') return reader(() => description, waits, true, retain(description))
        const stat = machine.fs.stat(description.path)
        const check = (type: string): ByteReader => {
          if (type === 'directory') throw new FileSystemError('EISDIR', path)
          return reader(() => description, waits, true)
        }
        return isPromise(stat) ? stat.then((known) => check(known.type)) : check(stat.type)
      }
      return isPromise(opened) ? opened.then(use) : use(opened)
    },
    create(path, options) {
      const opened = openFile(process, path, options?.append === true ? 'append' : options?.exclusive === true ? 'create' : 'write')
      const use = (description: Description): ByteWriter => {
        if (description.kind === 'file') created.push(description)
        return writer(() => description, true, retain(description))
      }
      return isPromise(opened) ? opened.then(use) : use(opened)
    },
    run: (argv, options) => runNested(process, argv, options ?? {}),
    pause() {
      if (cancelled) throw cancelledError()
      calls += 1
      if (calls < TURN_CALLS && machine.host.elapsed() - turnStarted < TURN_MS) return undefined
      calls = 0
      return machine.host.breathe().then(() => {
        turnStarted = machine.host.elapsed()
        if (cancelled) throw cancelledError()
      })
    },
    isTerminal: (descriptor) => isTerminal(process, descriptor),
    get terminal() {
      return machine.terminal
    },
  }
  // What was written is as complete as it gets, also where the command didn't close it.
  const ended = (): void => {
    for (const description of created.splice(0)) description.settle()
  }
  return {
    context,
    ended,
    cancel() {
      ended()
      cancelled = true
      abort?.abort(cancelledError())
      for (const reject of waits) reject(cancelledError())
      waits.clear()
    },
  }
}

function filePath(process: Process, descriptor: number): string | null {
  const description = process.descriptors.get(descriptor)
  return description?.kind === 'file' ? description.path : null
}

function reader(find: () => Description, waits: Set<(reason: unknown) => void>, owned: boolean, held?: Description): ByteReader {
  const read = (): MaybePromise<Uint8Array | null> => {
    const description = find()
    const bytes = readFrom(description)
    if (bytes === 'wait') return waitForInput(description, waits).then(read)
    if (isPromise(bytes)) return bytes.then((chunk) => (chunk === 'wait' ? read() : chunk))
    return bytes
  }
  return {
    read,
    unread: (bytes) => unreadTo(find(), bytes),
    close() {
      if (owned && held !== undefined) release(held)
    },
  }
}

function waitForInput(description: Description, waits: Set<(reason: unknown) => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (description.kind !== 'pipe') {
      resolve()
      return
    }
    waits.add(reject)
    description.pipe.onReadable(() => {
      waits.delete(reject)
      resolve()
    })
  })
}

/** Standard error; where it is closed, what is written is lost. */
function messages(process: Process, demandCurrent: () => void): ByteWriter {
  return {
    write(bytes) {
      demandCurrent()
      const description = process.descriptors.get(2)
      return description === undefined ? undefined : writeTo(description, bytes)
    },
    close: () => undefined,
  }
}

function writer(find: () => Description, owned: boolean, held?: Description): ByteWriter {
  return {
    write: (bytes) => writeTo(find(), bytes),
    close() {
      if (owned && held !== undefined) release(held)
    },
  }
}

/** The exported variables as a program sees them. */
export function exportedVariables(environment: Environment): ReadonlyMap<string, string> {
  const exported = new Map<string, string>()
  for (const [name, variable] of environment.variables.entries()) {
    if ((variable.attributes & Attribute.exported) === 0 || typeof variable.value === 'object') continue
    const text = scalarText(variable.value)
    if (text !== undefined) exported.set(name, text)
  }
  for (const [name, shellFunction] of environment.functions) {
    if (shellFunction.exported) exported.set(`BASH_FUNC_${name}%%`, `() ${shellFunction.source.slice(shellFunction.source.indexOf('{'))}`)
  }
  return exported
}

/** Runs one program in a process of its own, for a command. */
function runNested(process: Process, argv: readonly string[], options: RunOptions): Promise<number> {
  const { machine } = process
  const environment = process.environment.fork()
  environment.traps = new Map()
  environment.inheritedTraps = null
  environment.functions = new Map([...environment.functions].filter(([, shellFunction]) => shellFunction.exported))
  if (options.env !== undefined) {
    const variables = new Variables(initialVariables())
    for (const [name, text] of options.env) variables.put(name, variables.make(text, Attribute.exported))
    environment.variables = variables
  }
  if (options.cwd !== undefined) environment.cwd = options.cwd
  const child = machine.create(environment, process.pid)
  for (const [descriptor, description] of process.descriptors) child.descriptors.set(descriptor, retain(description))
  if (options.stdin !== undefined) child.assign(0, streamReader(options.stdin))
  if (options.stdout !== undefined) child.assign(1, streamWriter(options.stdout))
  if (options.stderr !== undefined) child.assign(2, streamWriter(options.stderr))
  child.stack.push([...argv])
  child.enter('program', EXTERNAL)
  return new Promise((resolve) => {
    const abort = (): void => machine.terminate(child, 143)
    child.onExit.push((status) => {
      options.signal?.removeEventListener('abort', abort)
      process.zombies.delete(child.pid)
      resolve(status)
    })
    if (options.signal?.aborted === true) abort()
    else options.signal?.addEventListener('abort', abort, { once: true })
    machine.ready(child)
  })
}

function streamReader(from: ByteReader): StreamDescription {
  return new StreamDescription({ source: () => from.read() })
}

function streamWriter(to: ByteWriter): StreamDescription {
  return new StreamDescription({ sink: (bytes) => to.write(bytes) })
}

/** Code of a process that runs one program, whose words are on its stack, and ends. */
const EXTERNAL: Program = fixedProgram('external', [
  (process) => process.machine.runtime.runExternal(process, process.pop() as string[]),
  (process) => process.leave(),
])
