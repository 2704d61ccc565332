import { WorkspaceError } from '../../errors.ts'
import { fromBase64 } from './base64.ts'
import type { Description, StreamDescription } from './description.ts'
import { ClosedDescription, FileDescription, Pipe, PipeDescription, retain, SinkDescription, TextDescription } from './description.ts'
import { Environment } from './environment.ts'
import { JobTable } from './jobs.ts'
import type { Machine } from './machine.ts'
import { isWaitBuiltin } from './machine.ts'
import type { Binding, BuiltinState, Frame, Loop, Process, Scope, Undo } from './process.ts'
import { Halt, NO_FRAME, NO_LOOPS } from './process.ts'
import type { Program } from './program.ts'
import { findFixedProgram } from './program.ts'
import { ENVIRONMENT_FIELDS, PROCESS_FIELDS } from './save.ts'
import type {
  SavedBinding,
  SavedDescription,
  SavedEnvironment,
  SavedFrame,
  SavedMachine,
  SavedProcess,
  SavedProgram,
  SavedVariable,
} from './saved.ts'
import { SAVED_VERSION } from './saved.ts'
import { compileProgram, functionFromText } from './script.ts'
import type { Variable } from './variables.ts'
import { IndexedArray, Variables } from './variables.ts'

/** The line's own streams, given anew. */
export type LineDescriptions = Readonly<Record<'stdin' | 'stdout' | 'stderr', StreamDescription | TextDescription>>

/**
 * Fills a machine that has run nothing with what was saved of another; its processes go on when it runs. VERSION_UNSUPPORTED for a state
 * of a newer build, CORRUPT for one that doesn't fit together.
 */
export function restoreMachine(machine: Machine, saved: SavedMachine, streams: LineDescriptions): void {
  if (saved.version !== SAVED_VERSION) {
    throw new WorkspaceError(
      'VERSION_UNSUPPORTED',
      `cannot restore a machine of version ${String(saved.version)}; this build knows ${SAVED_VERSION}`,
    )
  }
  new Restorer(machine, saved, streams).restore()
}

class Restorer {
  readonly #machine: Machine
  readonly #saved: SavedMachine
  readonly #streams: LineDescriptions
  readonly #programs: readonly Program[]
  readonly #pipes: readonly Pipe[]
  readonly #descriptions: readonly Description[]
  /** How much later it is than when the machine was saved. */
  readonly #shift: number

  constructor(machine: Machine, saved: SavedMachine, streams: LineDescriptions) {
    this.#machine = machine
    this.#saved = saved
    this.#streams = streams
    this.#shift = machine.host.now() - saved.savedAt
    this.#programs = saved.programs.map(program)
    this.#pipes = saved.pipes.map(({ content }) => pipeWith(fromBase64(content)))
    this.#descriptions = saved.descriptions.map((description) => this.#description(description))
  }

  restore(): void {
    const machine = this.#machine
    const saved = this.#saved
    machine.adopt(saved.shellPid, saved.nextPid)
    const processes = new Map(saved.processes.map((process) => [process.pid, this.#process(process)]))
    for (const [pid, place] of saved.sinks) {
      const sink = at(this.#descriptions, place)
      if (sink.kind === 'sink') machine.sinks.set(pid, sink)
    }
    for (const pid of saved.substitutions) machine.substitutions.add(pid)
    // Whoever waits looks again for itself: first those that could run, in their order.
    for (const pid of saved.queue) start(machine, processes.get(pid))
    for (const process of processes.values()) start(machine, process)
  }

  #process(saved: SavedProcess): Process {
    const machine = this.#machine
    const process = machine.revive(saved.pid, saved.parent, this.#environment(saved.environment))
    process.group = saved.group
    for (const [descriptor, place] of saved.descriptors) process.descriptors.set(descriptor, retain(at(this.#descriptions, place)))
    process.frames = saved.frames.map((frame) => this.#frame(frame))
    process.frame = process.frames.at(-1) ?? NO_FRAME
    process.stack = [...saved.stack]
    process.undo = saved.undo.map((undo): Undo => {
      if ('binding' in undo) return binding(undo.binding, process.environment.variables)
      const { descriptor, description } = undo
      return { descriptor, description: description === null ? null : retain(at(this.#descriptions, description)) }
    })
    process.halt = saved.stopped ? Halt.stopped : saved.frames.length === 0 ? Halt.blocked : Halt.none
    for (const [pid, status] of saved.zombies) process.zombies.set(pid, status)
    if (saved.jobs !== null) {
      process.jobs = new JobTable()
      for (const job of saved.jobs.jobs) process.jobs.jobs.set(job.id, { ...job })
      process.jobs.order = [...saved.jobs.order]
    }
    process.outerCalls = saved.outerCalls
    process.outerBindings = saved.outerBindings.map((one) => binding(one, process.environment.variables))
    process.commandText = () => saved.commandText
    process.substitution = saved.substitution === null ? null : at(this.#pipes, saved.substitution)
    assignFields(process, PROCESS_FIELDS, saved.plain)
    if (process.signals.length > 0) {
      if (saved.waiting?.for === 'process' && !isWaitBuiltin(process)) process.signalsWait = true
      else process.halt |= Halt.signal
    }
    return process
  }

  #environment(saved: SavedEnvironment): Environment {
    const variables = new Variables()
    for (const one of saved.variables) variables.put(one.name, variable(one, variables))
    const environment = new Environment(variables)
    assignFields(environment, ENVIRONMENT_FIELDS, saved.plain)
    environment.functions = new Map(
      saved.functions.map(({ name, source, exported, readonly, traced, file, line, lines }) => {
        const made = functionFromText(name, source, { exported, readonly })
        return [name, { ...made, compile: () => withLines(made.compile(), lines), traced, file, line }]
      }),
    )
    environment.aliases = new Map(saved.aliases)
    environment.options.restore(saved.options)
    environment.traps = new Map(saved.traps)
    environment.inheritedTraps = saved.inheritedTraps === null ? null : new Map(saved.inheritedTraps)
    environment.hashed = new Map(saved.hashed.map(([name, entry]) => [name, { ...entry }]))
    environment.disabledBuiltins = new Set(saved.disabledBuiltins)
    environment.limits = new Map(saved.limits)
    environment.completions = new Map(saved.completions)
    environment.startedAt = this.#machine.host.now() - saved.age
    return environment
  }

  #frame(saved: SavedFrame): Frame {
    const { kind, counter, stackHeight, undoHeight, conditionDepth } = saved
    const code = at(this.#programs, saved.program)
    return {
      kind,
      program: code,
      code: code.code,
      counter,
      stackHeight,
      undoHeight,
      conditionDepth,
      loops: saved.loops.length === 0 ? NO_LOOPS : (saved.loops.map((loop) => ({ ...(loop as Loop) })) as Loop[]),
      scope: saved.scope === null ? null : this.#scope(saved.scope),
      script: saved.script === null ? null : { ...saved.script },
      state: this.#state(saved.state as BuiltinState | null),
      trap: saved.trap as Frame['trap'],
    }
  }

  #scope(saved: NonNullable<SavedFrame['scope']>): Scope {
    const variables = new Variables()
    return {
      ...(saved.plain as unknown as Scope),
      hidden: saved.hidden.map((one) => binding(one, variables)),
      savedTraps: saved.savedTraps === null ? null : new Map(saved.savedTraps),
    }
  }

  /** Deadlines are as far away as they were. */
  #state(state: BuiltinState | null): BuiltinState | null {
    if (state === null) return null
    const { until } = state
    return typeof until === 'number' && until > 0 ? { ...state, until: until + this.#shift } : { ...state }
  }

  #description(saved: SavedDescription): Description {
    switch (saved.kind) {
      case 'file': {
        const description = new FileDescription(this.#machine.fs, saved.path, saved)
        description.offset = saved.offset
        return description
      }
      case 'pipe':
        return new PipeDescription(at(this.#pipes, saved.pipe), saved.end)
      case 'text': {
        const description = new TextDescription(fromBase64(saved.content))
        description.offset = saved.offset
        return description
      }
      case 'sink': {
        const description = new SinkDescription(saved.limit)
        const bytes = fromBase64(saved.content)
        if (bytes.length > 0) description.write(bytes)
        return description
      }
      case 'stream':
        return this.#streams[saved.role]
      case 'closed':
        return new ClosedDescription()
      default:
        return saved satisfies never
    }
  }
}

function start(machine: Machine, process: Process | undefined): void {
  if (process !== undefined && (process.halt & ~Halt.signal) === Halt.none) machine.ready(process)
}

function at<T>(list: readonly T[], place: number): T {
  const thing = list[place]
  if (thing === undefined) throw new WorkspaceError('CORRUPT', `the saved machine names place ${place} of a list of ${list.length}`)
  return thing
}

function program(saved: SavedProgram): Program {
  if (saved.kind === 'fixed') {
    const known = findFixedProgram(saved.text)
    if (known === undefined)
      throw new WorkspaceError('VERSION_UNSUPPORTED', `the saved machine runs "${saved.text}", which this build lacks`)
    return known
  }
  const made = compileProgram(saved.kind, saved.text, saved.settings)
  if (made.code.length !== saved.lines.length) {
    throw new WorkspaceError(
      'CORRUPT',
      `a program of the saved machine has ${saved.lines.length} instructions, its text gives ${made.code.length}`,
    )
  }
  // Lines are those of the script it came from.
  return { ...made, lines: saved.lines }
}

/** A program with the lines of the script that it came from, where those are known. */
function withLines(made: Program, lines: readonly number[] | undefined): Program {
  return lines?.length === made.code.length ? { ...made, lines } : made
}

function pipeWith(bytes: Uint8Array): Pipe {
  const pipe = new Pipe()
  if (bytes.length > 0) pipe.add(bytes)
  return pipe
}

function variable({ attributes, value }: SavedVariable, variables: Variables): Variable {
  if (value === null) return variables.make(undefined, attributes)
  if (typeof value !== 'object') return variables.make(value, attributes)
  if ('map' in value) return variables.make(new Map(value.map), attributes)
  const array = new IndexedArray()
  for (const [index, text] of value.array) array.set(index, text)
  return variables.make(array, attributes)
}

function binding(saved: SavedBinding, variables: Variables): Binding {
  const { name, order, local, gone } = saved
  return {
    name,
    order,
    variable: saved.variable === null ? undefined : variable(saved.variable, variables),
    ...(local === true ? { local } : {}),
    ...(gone === true ? { gone } : {}),
  }
}

function assignFields(target: object, fields: readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (const field of fields) if (Object.hasOwn(values, field)) Object.assign(target, { [field]: values[field] })
}
