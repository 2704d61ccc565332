import { keepPipeStatus } from './control.ts'
import { FileDescription, Pipe, PipeDescription, SinkDescription } from './description.ts'
import { JobTable, reportDeath } from './jobs.ts'
import { bindingsOf } from './parameters.ts'
import type { Process, Scope } from './process.ts'
import type { Program } from './program.ts'
import { fixedProgram } from './program.ts'
import { indirection } from './report.ts'
import { calls } from './specials.ts'
import { substituted } from './substitution.ts'
import { Attribute, IndexedArray } from './variables.ts'

/** A child that runs the code at `entry` of the same program in a copied environment. It is ready to run. */
export function startChild(process: Process, entry: number, background = false): Process {
  const child = process.machine.fork(process)
  const { environment } = child
  environment.depth += 1
  resetTraps(child)
  child.outerCalls = calls(process)
  child.indirection = indirection(process)
  child.outerBindings = bindingsOf(process)
  child.bindings = process.bindings
  // What runs in the background has no view of its parent's jobs.
  if (process.jobs !== null && !background) child.jobs = process.jobs.copy()
  const inFunction = process.frames.some((frame) => frame.scope !== null && frame.scope.boundary !== 'source')
  const frame = child.enter('program', process.frame.program, inFunction ? { scope: subshellScope() } : undefined)
  frame.counter = entry
  process.machine.ready(child)
  return child
}

/** A scope that makes `local` and `return` work in a subshell made inside a function. */
export function subshellScope(): Scope {
  return {
    boundary: 'subshell',
    functionName: '',
    file: '',
    callLine: 0,
    positional: null,
    hidden: [],
    savedOptions: null,
    savedTraps: null,
    optionIndex: 1,
    order: 0,
  }
}

/** A subshell starts with the traps of its parent shown by `trap -p`, but not set; ignored signals stay ignored. */
export function resetTraps(child: Process): void {
  const { environment } = child
  const { traps, options } = environment
  if (traps.size === 0) return
  const kept = new Map<string, string>()
  for (const [name, action] of traps) {
    const inherited = name === 'ERR' ? options.has('errtrace') : (name === 'DEBUG' || name === 'RETURN') && options.has('functrace')
    if (action === '' || inherited) kept.set(name, action)
  }
  environment.inheritedTraps ??= traps
  environment.traps = kept
}

/** `$(…)`: starts the child; its pid is on the stack. */
export function startSubstitution(process: Process, entry: number): void {
  const child = startChild(process, entry)
  beginSubstitution(process, child)
}

function beginSubstitution(process: Process, child: Process): void {
  child.indirection = indirection(process) + 1
  const sink = new SinkDescription(process.machine.limits.substitutionBytes)
  process.machine.sinks.set(child.pid, sink)
  child.assign(1, sink)
  const { options } = child.environment
  if (options.errexit && !options.has('inherit_errexit') && !options.posix) options.set('errexit', false)
  process.push(child.pid)
}

/** A backquoted substitution: its text is parsed by the child. */
export function startTextSubstitution(process: Process, text: string, line: number): void {
  const child = process.machine.fork(process)
  child.environment.depth += 1
  resetTraps(child)
  child.outerCalls = calls(process)
  const inFunction = process.frames.some((frame) => frame.scope !== null && frame.scope.boundary !== 'source')
  if (inFunction) child.enter('program', LEAVE_PROGRAM, { scope: subshellScope() })
  process.machine.runtime.enterScript(child, text, 'line', line)
  beginSubstitution(process, child)
  process.machine.ready(child)
}

/** The end of a substitution: its pid on the stack becomes its text. */
export function awaitSubstitution(process: Process): void {
  const pid = process.stack.at(-1) as number
  const status = process.zombies.get(pid)
  if (status === undefined) {
    process.frame.counter -= 1
    process.machine.waitFor(process, [pid], false)
    return
  }
  process.zombies.delete(pid)
  process.stack.pop()
  const sink = process.machine.sinks.get(pid)
  process.machine.sinks.delete(pid)
  keepPipeStatus(process)
  process.status = status
  process.substitutionStatus = status
  process.push(sink === undefined || sink.chunks.length === 0 ? '' : substituted(process, sink.chunks))
}

/** `( … )`: starts the child; its pid is on the stack. */
export function startSubshell(process: Process, entry: number): void {
  process.push(startChild(process, entry).pid)
}

/** The end of a subshell: its status becomes the process's. */
export function awaitSubshell(process: Process, text: () => string): void {
  const pid = process.stack.at(-1) as number
  const status = process.zombies.get(pid)
  if (status === undefined) {
    process.frame.counter -= 1
    process.machine.waitFor(process, [pid], false)
    return
  }
  process.zombies.delete(pid)
  process.stack.pop()
  process.status = status
  if (status > 128) reportDeath(process, pid, text, true)
  process.environment.pipeStatus = null
}

/** True where the last stage of a pipeline runs in the shell itself. */
export function runsLastStage(process: Process): boolean {
  const { options } = process.environment
  return options.has('lastpipe') && !options.has('monitor')
}

/** Starts the stages of a pipeline, joined by pipes; their pids are on the stack. Under `lastpipe` the process itself goes on with the last. */
export function startPipeline(process: Process, entries: readonly number[], errorsToo: readonly boolean[], text: () => string): void {
  const inline = runsLastStage(process)
  const pids: string[] = []
  let input: PipeDescription | null = null
  let group = 0
  for (const [i, entry] of entries.entries()) {
    if (inline && i === entries.length - 1) break
    const child = startChild(process, entry)
    if (group === 0) group = child.pid
    child.group = group
    child.commandText = text
    pids.push(String(child.pid))
    if (input !== null) child.assign(0, input)
    input = null
    if (i < entries.length - 1) {
      const pipe = new Pipe()
      const output = new PipeDescription(pipe, 'write')
      input = new PipeDescription(pipe, 'read')
      child.assign(1, output)
      if (errorsToo[i] === true) child.assign(2, output)
    }
  }
  process.push(pids)
  if (input !== null) {
    process.push(process.undo.length)
    process.redirect(0, input)
    process.frame.counter = entries.at(-1) as number
  }
}

/** The last stage of a pipeline has run: a child ends, the process itself puts its status beside the pids and goes on at `join`. */
export function endLastStage(process: Process, join: number): void {
  if (process.stack.length === process.frame.stackHeight) {
    process.leave()
    return
  }
  process.restore(process.pop() as number)
  const pids = process.pop() as string[]
  process.push([...pids, `${STATUS}${process.status}`])
  process.frame.counter = join
}

/** Marks a status among pids. */
const STATUS = '='

/** The end of a pipeline: sets `$?` and PIPESTATUS. */
export function awaitPipeline(process: Process): void {
  const stages = process.stack.at(-1) as string[]
  const inline = stages.at(-1)?.startsWith(STATUS) === true
  const pids = (inline ? stages.slice(0, -1) : stages).map(Number)
  const missing = pids.filter((pid) => !process.zombies.has(pid))
  if (missing.length > 0) {
    process.frame.counter -= 1
    process.machine.waitFor(process, missing.slice(0, 1), false)
    return
  }
  process.stack.pop()
  const statuses = pids.map((pid) => process.zombies.get(pid) as number)
  for (const pid of pids) process.zombies.delete(pid)
  if (inline) statuses.push(Number((stages.at(-1) as string).slice(STATUS.length)))
  process.environment.pipeStatus = statuses
  process.status = process.environment.options.pipefail ? (statuses.findLast((status) => status !== 0) ?? 0) : (statuses.at(-1) as number)
}

/** `… &` */
export function startBackground(process: Process, entry: number, text: () => string): void {
  const child = startChild(process, entry, true)
  child.background = true
  child.conditionDepth = 0
  child.commandText = text
  // What a stage of a pipeline starts reads on from the stage's pipe.
  if (!process.environment.options.has('monitor') && process.descriptors.get(0)?.kind !== 'pipe') {
    child.assign(0, new FileDescription(process.machine.fs, '/dev/null', { readable: true, writable: false, append: false }))
  }
  addJob(process, [child.pid], text())
  process.status = 0
}

function addJob(process: Process, pids: readonly number[], text: string): void {
  process.jobs ??= new JobTable()
  const job = process.jobs.add(pids, text)
  process.environment.lastBackground = pids.at(-1) as number
  if (process.environment.interactive) process.complain(`[${job.id}] ${pids.at(-1)}\n`)
}

/** `coproc`: two pipes, their ends in an array, and a job. */
export function startCoprocess(process: Process, entry: number, name: string, text: () => string): void {
  const child = startChild(process, entry)
  child.background = true
  const toChild = new Pipe()
  const fromChild = new Pipe()
  child.assign(0, new PipeDescription(toChild, 'read'))
  child.assign(1, new PipeDescription(fromChild, 'write'))
  const read = freeDescriptor(process, 63)
  process.assign(read, new PipeDescription(fromChild, 'read'))
  const write = freeDescriptor(process, 60)
  process.assign(write, new PipeDescription(toChild, 'write'))
  const { variables } = process.environment
  variables.put(name, variables.make(IndexedArray.of([String(read), String(write)]), Attribute.array))
  variables.put(`${name}_PID`, variables.make(String(child.pid)))
  addJob(process, [child.pid], text())
  process.status = 0
}

/** The highest descriptor at or below `from` that is free. */
function freeDescriptor(process: Process, from: number): number {
  let descriptor = from
  while (process.descriptors.has(descriptor)) descriptor -= 1
  return descriptor
}

/** `<(…)` and `>(…)`: starts the child and gives the path that stands for the pipe. The descriptor goes with the command's redirections. */
export function startProcessSubstitution(process: Process, entry: number, direction: '<' | '>'): string {
  const child = startChild(process, entry)
  child.background = true
  const pipe = new Pipe()
  child.substitution = pipe
  process.machine.substitutions.add(child.pid)
  const descriptor = freeDescriptor(process, 63)
  if (direction === '<') {
    child.assign(1, new PipeDescription(pipe, 'write'))
    process.redirect(descriptor, new PipeDescription(pipe, 'read'))
  } else {
    child.assign(0, new PipeDescription(pipe, 'read'))
    process.redirect(descriptor, new PipeDescription(pipe, 'write'))
  }
  process.environment.lastBackground = child.pid
  return `/dev/fd/${descriptor}`
}

/** Code that only leaves its frame. */
export const LEAVE_PROGRAM: Program = fixedProgram('leave', [(process): void => process.leave()])
