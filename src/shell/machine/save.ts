import { concat } from '../../bytes.ts'
import { WorkspaceError } from '../../errors.ts'
import { toBase64 } from './base64.ts'
import type { Description, Pipe } from './description.ts'
import type { Environment } from './environment.ts'
import type { Machine } from './machine.ts'
import type { Binding, Frame, Process, Undo } from './process.ts'
import { Halt } from './process.ts'
import type { Program } from './program.ts'
import type {
  SavedBinding,
  SavedDescription,
  SavedEnvironment,
  SavedFrame,
  SavedMachine,
  SavedPipe,
  SavedProcess,
  SavedProgram,
  SavedUndo,
  SavedVariable,
} from './saved.ts'
import { SAVED_VERSION } from './saved.ts'
import type { Variable } from './variables.ts'
import { IndexedArray } from './variables.ts'

/** Fields of an environment that are plain data. */
export const ENVIRONMENT_FIELDS: readonly (keyof Environment)[] = [
  'cwd',
  'umask',
  'name',
  'shellPid',
  'positional',
  'pipeStatus',
  'lastBackground',
  'depth',
  'directories',
  'hashedPath',
  'history',
  'randomSeed',
  'optionLetter',
  'optionIndex',
  'executionString',
  'interactive',
  'login',
  'readsStandardInput',
]

/** Fields of a process that are plain data. */
export const PROCESS_FIELDS: readonly (keyof Process)[] = [
  'status',
  'conditionDepth',
  'signals',
  'debugged',
  'errorTrapped',
  'exiting',
  'substitutionStatus',
  'background',
  'keepRedirections',
  'bindings',
  'trapDepth',
  'lastArgument',
  'indirection',
  'traced',
  'skipping',
  'skipped',
  'standsFor',
]

/** What keeps a machine from being saved now: commands in flight, and what else waits for the host. Empty when it is at rest. */
export function inFlight(machine: Machine): string[] {
  const names: string[] = []
  for (const process of machine.processes.values()) {
    if (process.waiting?.for === 'promise') names.push(process.command ?? process.waiting.what)
    else if (process.hasResume) names.push(process.command ?? 'a step')
  }
  return names
}

/** A machine at rest as plain data. Fails with EBUSY where something is in flight. */
export function saveMachine(machine: Machine): SavedMachine {
  const busy = inFlight(machine)
  if (busy.length > 0) throw new WorkspaceError('EBUSY', `cannot save the machine: still running are ${busy.join(', ')}`)
  return new Saver(machine).save()
}

class Saver {
  readonly #machine: Machine
  readonly #programs = new Places<Program>()
  readonly #pipes = new Places<Pipe>()
  readonly #descriptions = new Places<Description>()

  constructor(machine: Machine) {
    this.#machine = machine
  }

  save(): SavedMachine {
    const machine = this.#machine
    const processes = [...machine.processes.values()].map((process) => this.#process(process))
    const sinks = [...machine.sinks].map(([pid, sink]): [number, number] => [pid, this.#descriptions.of(sink)])
    // Descriptions name pipes, so they come first.
    const descriptions = this.#descriptions.all((description) => this.#description(description))
    return {
      version: SAVED_VERSION,
      savedAt: machine.host.now(),
      shellPid: machine.shellPid,
      nextPid: machine.nextPid,
      programs: this.#programs.all(savedProgram),
      pipes: this.#pipes.all(savedPipe),
      descriptions,
      processes,
      queue: machine.queued().map((process) => process.pid),
      sinks,
      substitutions: [...machine.substitutions],
    }
  }

  #process(process: Process): SavedProcess {
    return {
      pid: process.pid,
      parent: process.parent,
      group: process.group,
      environment: savedEnvironment(process.environment, this.#machine.host.now()),
      descriptors: [...process.descriptors].map(([descriptor, description]) => [descriptor, this.#descriptions.of(description)]),
      frames: process.frames.map((frame) => this.#frame(frame)),
      stack: process.stack,
      undo: process.undo.map((undo) => this.#undo(undo)),
      stopped: (process.halt & Halt.stopped) !== 0,
      waiting: process.waiting,
      zombies: [...process.zombies],
      jobs: process.jobs === null ? null : { jobs: [...process.jobs.jobs.values()], order: process.jobs.order },
      outerCalls: process.outerCalls,
      outerBindings: process.outerBindings.map(savedBinding),
      commandText: process.commandText(),
      substitution: process.substitution === null ? null : this.#pipes.of(process.substitution),
      plain: Object.fromEntries(PROCESS_FIELDS.map((field) => [field, process[field]])),
    }
  }

  #frame(frame: Frame): SavedFrame {
    const { kind, counter, stackHeight, undoHeight, conditionDepth, loops, script, state, trap, scope } = frame
    return {
      kind,
      program: this.#programs.of(frame.program),
      counter,
      stackHeight,
      undoHeight,
      conditionDepth,
      loops,
      script,
      state,
      trap,
      scope: scope === null ? null : savedScope(scope),
    }
  }

  #undo(undo: Undo): SavedUndo {
    if ('name' in undo) return { binding: savedBinding(undo) }
    return { descriptor: undo.descriptor, description: undo.description === null ? null : this.#descriptions.of(undo.description) }
  }

  #description(description: Description): SavedDescription {
    switch (description.kind) {
      case 'file': {
        const { path, readable, writable, append, offset } = description
        return { kind: 'file', path, readable, writable, append, offset }
      }
      case 'pipe':
        return { kind: 'pipe', pipe: this.#pipes.of(description.pipe), end: description.end }
      case 'text':
        return { kind: 'text', content: toBase64(description.bytes), offset: description.offset }
      case 'sink':
        return { kind: 'sink', content: toBase64(concat(description.chunks)), limit: description.limit }
      case 'stream':
        return description.role === null ? { kind: 'closed' } : { kind: 'stream', role: description.role }
      case 'closed':
        return { kind: 'closed' }
      default:
        return description satisfies never
    }
  }
}

/** Gives each thing a place in a list when it is first met. */
class Places<T> {
  readonly #places = new Map<T, number>()

  of(thing: T): number {
    const known = this.#places.get(thing)
    if (known !== undefined) return known
    const place = this.#places.size
    this.#places.set(thing, place)
    return place
  }

  all<R>(save: (thing: T) => R): R[] {
    return [...this.#places.keys()].map(save)
  }
}

function savedProgram(program: Program): SavedProgram {
  return { kind: program.kind, text: program.text(), settings: program.settings, lines: program.kind === 'fixed' ? [] : program.lines }
}

function savedPipe(pipe: Pipe): SavedPipe {
  return { content: toBase64(pipe.content()) }
}

function savedEnvironment(environment: Environment, now: number): SavedEnvironment {
  return {
    variables: [...environment.variables.entries()].map(([name, variable]) => savedVariable(name, variable)),
    functions: [...environment.functions.values()].map(({ name, source, exported, readonly, traced, file, line, program, compile }) => ({
      name,
      source,
      exported,
      readonly,
      traced,
      file,
      line,
      lines: (program ?? compile()).lines,
    })),
    aliases: [...environment.aliases],
    options: environment.options.names(),
    traps: [...environment.traps],
    inheritedTraps: environment.inheritedTraps === null ? null : [...environment.inheritedTraps],
    hashed: [...environment.hashed],
    disabledBuiltins: [...environment.disabledBuiltins],
    limits: [...environment.limits],
    completions: [...environment.completions],
    plain: Object.fromEntries(ENVIRONMENT_FIELDS.map((field) => [field, environment[field]])),
    age: now - environment.startedAt,
  }
}

function savedVariable(name: string, { attributes, value }: Variable): SavedVariable {
  if (value === undefined) return { name, attributes, value: null }
  if (value instanceof IndexedArray) {
    return { name, attributes, value: { array: value.keys().map((key): [number, string] => [key, value.get(key) as string]) } }
  }
  if (value instanceof Map) return { name, attributes, value: { map: [...value] } }
  return { name, attributes, value }
}

function savedBinding(binding: Binding): SavedBinding {
  return {
    name: binding.name,
    variable: binding.variable === undefined ? null : savedVariable(binding.name, binding.variable),
    order: binding.order,
    ...(binding.local === true ? { local: true } : {}),
    ...(binding.gone === true ? { gone: true } : {}),
  }
}

function savedScope(scope: NonNullable<Frame['scope']>): NonNullable<SavedFrame['scope']> {
  const { hidden, savedTraps, ...plain } = scope
  return { plain, hidden: hidden.map(savedBinding), savedTraps: savedTraps === null ? null : [...savedTraps] }
}
