import type { TerminalMode, TerminalSize } from '../../commands/command.ts'
import { BrokenPipe } from '../../commands/command.ts'
import type { CommandTable } from '../../commands/registry.ts'
import { codeOf, errorText, WorkspaceError } from '../../errors.ts'
import type { FileSystem } from '../../fs/file-system.ts'
import type { Host, MaybePromise } from '../../host.ts'
import type { SessionHistory } from '../../state/history.ts'
import type { AnyBuiltin } from '../builtins/builtin.ts'
import type { ShellSyntaxError } from '../syntax/parser.ts'
import type { SinkDescription } from './description.ts'
import { retain } from './description.ts'
import type { Environment } from './environment.ts'
import { ShellFault } from './fault.ts'
import type { CompoundElement } from './parameters.ts'
import type { Frame, Scope, Script } from './process.ts'
import { Halt, Process } from './process.ts'
import type { Instruction, Program } from './program.ts'
import { fixedProgram } from './program.ts'
import { signalNumber } from './signals.ts'

/** The line that runs, as the history will have it. */
export interface RunningLine {
  command: string
  /** When it was started, in milliseconds since the epoch. */
  readonly timestamp: number
  readonly agent: string | null
  /** It stays out of both views of the history. */
  hidden: boolean
  /** It has put a line of its own on the list (`history -s`). */
  added: boolean
}

/** What a machine may use up. */
export interface MachineLimits {
  /** Instructions of one line; Infinity for no limit. */
  readonly instructions: number
  /** Processes alive at once. */
  readonly processes: number
  /** Calls of functions, `eval`, `source` inside each other. */
  readonly depth: number
  /** Subshells and substitutions inside each other. */
  readonly subshellDepth: number
  /** UTF-16 units that one variable may hold. */
  readonly variableLength: number
  /** Bytes a command substitution may give. */
  readonly substitutionBytes: number
}

/** The limits of a machine that was given none. */
export const DEFAULT_LIMITS: MachineLimits = {
  instructions: Number.POSITIVE_INFINITY,
  processes: 16_384,
  depth: 20_000,
  subshellDepth: 1000,
  variableLength: 128 * 1024 * 1024,
  substitutionBytes: 256 * 1024 * 1024,
}

/** The parts of the shell that stand above the machine: it calls them through here. */
export interface Runtime {
  /** Runs a command whose words are expanded. */
  invoke(process: Process, args: string[]): void
  /** Starts running a text on top of what runs. */
  enterScript(process: Process, source: string, origin: Script['origin'], line?: number, scope?: Scope | null): Frame
  builtin(name: string): AnyBuiltin | undefined
  builtinNames(): readonly string[]
  /** Parses and evaluates `(…)`, the text of an array literal that came out of an expansion. */
  parseElements(process: Process, text: string): CompoundElement[]
  /** A command that is the machine's own, such as `sleep` and `bash`. */
  internal(name: string): InternalCommand | LazyInternalCommand | undefined
  /** Loads the part that has the machine's own code of a name, for a saved machine that runs it. */
  loadFixed(name: string): Promise<unknown> | undefined
  invokeMatched(process: Process, args: string[]): void
  /** Runs a program, never a function or builtin. */
  runExternal(process: Process, args: readonly string[], searchPath?: string): void
  /** Expands a text as inside double quotes; command substitutions in it aren't run. */
  expandText(process: Process, text: string): string
  /** Expands the subscript of an associative array. */
  expandSubscript(process: Process, text: string): string
}

/** A program that is the machine's own: it may block, and be saved while blocked. `args[0]` is its name. */
export type InternalCommand = (process: Process, args: readonly string[]) => MaybePromise<number>

/** A program of the machine's own that is loaded when it is first run. */
export interface LazyInternalCommand {
  readonly load: () => Promise<InternalCommand>
  loaded: InternalCommand | null
}

export interface MachineOptions {
  readonly fs: FileSystem
  readonly host: Host
  readonly commands: CommandTable
  readonly limits: MachineLimits
  readonly runtime: Runtime
  /** What the session's rules say of a command. `isControl`: it is a builtin that a shell can't do without. */
  allowed(name: string, isControl?: boolean): boolean
}

/** A terminal that a line runs on. */
export interface MachineTerminal extends TerminalSize {
  setMode?(mode: TerminalMode): void
}

/** How long the machine keeps the thread, in milliseconds. */
const TURN_MS = 8
/** Instructions between looks at the clock. */
const SLICE = 2048
/** The same, while a moment of rest is sought. */
const SHORT_SLICE = 8
/** Instructions after which the thread is given up whatever the clock says: some runtimes stop it while code runs. */
const TURN_INSTRUCTIONS = 400_000
/** The same for promises that settle without giving it up. */
const TURN_WAKES = 4096

/** Runs processes. One for each running session: its shell, and what the shell started. */
export class Machine {
  fs: FileSystem
  readonly host: Host
  readonly commands: CommandTable
  readonly runtime: Runtime
  limits: MachineLimits
  allowed: (name: string, isControl?: boolean) => boolean
  readonly processes: Map<number, Process> = new Map()
  /** What substitutions under way have written, by pid. */
  readonly sinks: Map<number, SinkDescription> = new Map()
  /** Processes that a signal ended, by pid: the signal's name. */
  readonly killed: Map<number, string> = new Map()
  /** Pids of process substitutions. */
  readonly substitutions: Set<number> = new Set()
  /** Processes that wait for others to end, by pid of those. */
  readonly #waiters: Map<number, Process[]> = new Map()
  #queue: Process[] = []
  #head = 0
  #running = false
  #breathing = false
  #scheduled = false
  #paused = false
  /** Says whether nothing is in flight: asked while a moment is sought at which that is so. */
  #isAtRest: (() => boolean) | null = null
  #stepsLeft = Number.POSITIVE_INFINITY
  #instructions = 0
  /** When the thread was taken, by the host's clock; below zero when it is free. */
  #turnStarted = -1
  #turnInstructions = 0
  /** Instructions of this turn when the clock was last looked at. */
  #looked = 0
  /** How often a promise let the machine go on in this turn. */
  #wakes = 0
  /** Processes that wait for a promise. */
  commandsInFlight = 0
  #nextPid: number
  /** A fault of the library or its host, to be thrown at whoever waits for the line. */
  failure: unknown = null
  /** The first syntax error of the line, for the host to see where it is. */
  syntaxError: ShellSyntaxError | null = null
  /** Told the name of each command that was called and isn't there. */
  onMissing: (name: string) => void = () => undefined
  /** Called when the shell has nothing left to do. */
  onIdle: (process: Process) => void = () => undefined
  shellPid = 0
  /** Called while paused, whenever something in flight has ended. */
  onPause: () => void = () => undefined
  /** The session's history, where there is one. */
  history: SessionHistory | null = null
  /** The line that runs, where it will be recorded. */
  line: RunningLine | null = null
  /** `exit` was given to an interactive shell. */
  exited = false
  /** The terminal that the line's own streams are; null where they are none. */
  terminal: MachineTerminal | null = null

  constructor(options: MachineOptions, firstPid = 100) {
    this.fs = options.fs
    this.host = options.host
    this.commands = options.commands
    this.limits = options.limits
    this.runtime = options.runtime
    this.allowed = options.allowed
    this.#nextPid = firstPid
  }

  get nextPid(): number {
    return this.#nextPid
  }

  /** Processes that can run, in their order. */
  queued(): Process[] {
    return this.#queue.slice(this.#head)
  }

  /** Numbers processes as a saved machine did. */
  adopt(shellPid: number, nextPid: number): void {
    for (const process of this.processes.values()) process.closeAll()
    this.processes.clear()
    this.#queue = []
    this.#head = 0
    this.shellPid = shellPid
    this.#nextPid = nextPid
  }

  /** A process of a saved machine. */
  revive(pid: number, parent: number, environment: Environment): Process {
    const process = new Process(this, pid, parent, environment)
    this.processes.set(pid, process)
    return process
  }

  /** Stops running instructions, at once or after some more; what is in flight still ends. */
  pause(after = 0): void {
    this.#stepsLeft = after
    this.#paused = after === 0
    this.#isAtRest = null
  }

  /** Goes on, and stops at the first moment at which nothing is in flight. */
  seekRest(isAtRest: () => boolean): void {
    this.unpause()
    this.#isAtRest = isAtRest
    this.run()
  }

  /** Goes on after a pause, until so many instructions have run. */
  unpause(steps: number = Number.POSITIVE_INFINITY): void {
    this.#paused = false
    this.#isAtRest = null
    this.#stepsLeft = steps
    this.run()
  }

  /** Lets every writer that waits for room go on: for the drain before a save. */
  drainPipes(): void {
    for (const process of this.processes.values()) {
      for (const description of process.descriptors.values()) if (description.kind === 'pipe') description.pipe.wakeWriters()
    }
  }

  get paused(): boolean {
    return this.#paused
  }

  /** A new process that runs nothing yet. Fails when there are too many. */
  create(environment: Environment, parent: number): Process {
    if (this.processes.size >= this.limits.processes) {
      throw new ShellFault('fork: retry: Resource temporarily unavailable', 'line', 254)
    }
    const process = new Process(this, this.#nextPid, parent, environment)
    this.#nextPid += 1
    this.processes.set(process.pid, process)
    return process
  }

  /** A copy of a process as fork(2) makes it: same descriptors, own environment. It runs nothing yet. */
  fork(parent: Process): Process {
    if (parent.environment.depth >= this.limits.subshellDepth) {
      throw new ShellFault(`maximum nesting level of ${this.limits.subshellDepth} subshells exceeded`)
    }
    const child = this.create(parent.environment.fork(), parent.pid)
    for (const [descriptor, description] of parent.descriptors) child.descriptors.set(descriptor, retain(description))
    child.status = parent.status
    child.conditionDepth = parent.conditionDepth
    child.lastArgument = parent.lastArgument
    child.commandText = parent.commandText
    child.group = child.pid
    return child
  }

  /** The process can go on. */
  ready(process: Process): void {
    if (process.queued) return
    process.queued = true
    this.#queue.push(process)
    this.#schedule()
  }

  /** Starts counting a new line's instructions. */
  startLine(): void {
    this.#instructions = 0
    this.#newTurn()
  }

  /** Runs whatever can run until nothing can, or others have to get their turn. */
  run(): void {
    if (this.#running) return
    this.#running = true
    if (this.#turnStarted < 0) this.#turnStarted = this.host.elapsed()
    while (this.#head < this.#queue.length) {
      if (this.#isAtRest?.() === true) this.pause()
      if (this.#paused) {
        this.#settleAll()
        break
      }
      const process = this.#queue[this.#head] as Process
      this.#head += 1
      if (this.#head > 1024) {
        this.#queue = this.#queue.slice(this.#head)
        this.#head = 0
      }
      process.queued = false
      this.#turnInstructions += this.#slice(process)
      if (this.#turnInstructions - this.#looked < SLICE || this.#head === this.#queue.length) continue
      this.#looked = this.#turnInstructions
      this.#running = false
      this.#scheduled = true
      if (this.#turnInstructions >= TURN_INSTRUCTIONS || this.host.elapsed() - this.#turnStarted >= TURN_MS) {
        this.#breathe()
        return
      }
      if (this.commandsInFlight > 0) {
        // Commands written in JavaScript go on in microtasks.
        queueMicrotask(() => this.#goOn())
        return
      }
      this.#running = true
      this.#scheduled = false
    }
    if (!this.#paused) {
      this.#queue = []
      this.#head = 0
      if (this.#isAtRest?.() === true) {
        this.pause()
        this.onPause()
      }
    }
    this.#running = false
  }

  #newTurn(): void {
    this.#turnStarted = -1
    this.#turnInstructions = 0
    this.#looked = 0
    this.#wakes = 0
  }

  #breathe(): void {
    // A line that begins while the turn of an aborted one still ends must not take turns beside it.
    if (this.#breathing) return
    this.#breathing = true
    this.host.breathe().then(() => {
      this.#breathing = false
      this.#newTurn()
      this.#goOn()
    })
  }

  #goOn(): void {
    this.#scheduled = false
    this.run()
  }

  /** While paused: takes what settled promises gave, and nothing more. */
  #settleAll(): void {
    for (const process of this.queued()) {
      const resume = process.takeResume()
      if (resume === null) continue
      try {
        resume()
      } catch (error) {
        this.fault(process, error)
      }
      if (process.halt !== 0) {
        this.#queue = this.queued().filter((other) => other !== process)
        this.#head = 0
        process.queued = false
      }
    }
    this.onPause()
  }

  #schedule(): void {
    if (this.#running || this.#scheduled) return
    this.#scheduled = true
    // Promises that settle in microtasks alone must not keep the thread either.
    this.#wakes += 1
    const isLong = this.#wakes >= TURN_WAKES || (this.#turnStarted >= 0 && this.host.elapsed() - this.#turnStarted >= TURN_MS)
    if (isLong) this.#breathe()
    else queueMicrotask(() => this.#goOn())
  }

  /** Runs one process for a while; how many instructions that took. */
  #slice(process: Process): number {
    const slice = Math.min(this.#isAtRest === null ? SLICE : SHORT_SLICE, this.#stepsLeft)
    let left = slice
    for (;;) {
      try {
        const resume = process.takeResume()
        if (resume !== null) resume()
        if (process.signalsWait && process.halt === 0) this.#endWait(process)
        while (process.halt === 0 && left > 0) {
          left -= 1
          const { frame } = process
          const instruction = frame.code[frame.counter] as Instruction
          frame.counter += 1
          instruction(process)
        }
        if ((process.halt & Halt.signal) === 0 || (process.halt & (Halt.exited | Halt.stopped)) !== 0) break
        this.#takeSignals(process)
      } catch (error) {
        this.fault(process, error)
      }
    }
    const used = slice - left
    if (this.#stepsLeft !== Number.POSITIVE_INFINITY) {
      this.#stepsLeft -= used
      if (this.#stepsLeft <= 0) this.#paused = true
    }
    this.#instructions += used
    if (this.#instructions > this.limits.instructions) {
      this.#instructions = 0
      this.fault(process, new ShellFault(`instruction limit of ${this.limits.instructions} exceeded`, 'shell', 137))
    }
    if (process.halt === 0) this.ready(process)
    return used + 1
  }

  /** Something went wrong in a process: says so and unwinds as far as it reaches. */
  fault(process: Process, error: unknown): void {
    if ((process.halt & Halt.exited) !== 0) return
    process.halt &= ~Halt.blocked
    process.waiting = null
    if (error instanceof BrokenPipe) {
      this.terminate(process, 141)
      return
    }
    if (isAbort(error)) {
      this.terminate(process, 130)
      return
    }
    const fault = asFault(error)
    if (fault === null) {
      this.failure ??= error
      this.terminate(process, 1)
      return
    }
    if (fault.message !== '') process.complain(`${process.messagePrefix()}${fault.message}\n`)
    process.status = fault.status
    process.environment.pipeStatus = null
    const { interactive, options, executionString } = process.environment
    if (!interactive && (fault.reach === 'shell' || (fault.reach === 'assignment' && options.posix))) {
      // bash -c gives 127 for what ends it, a script 1.
      this.exit(process, fault.status === 1 && fault.reach === 'shell' && executionString !== null ? 127 : fault.status)
      return
    }
    if (fault.reach === 'reader' && executionString !== null) {
      this.exit(process, fault.status)
      return
    }
    this.discard(process, fault.reach === 'reader')
  }

  /** Gives up the complete command being run; what reads commands goes on with the next. */
  discard(process: Process, outermost = false): void {
    const reads = (frame: Frame): boolean => frame.kind === 'script'
    const script = outermost ? process.frames.findIndex(reads) : process.frames.findLastIndex(reads)
    if (script < 0) {
      this.exit(process, process.status)
      return
    }
    const { status } = process
    while (process.frames.length > script + 1) process.leave()
    process.stack.length = process.frame.stackHeight
    process.conditionDepth = process.frame.conditionDepth
    if (process.undo.length > process.frame.undoHeight) process.restore(process.frame.undoHeight)
    process.status = status
    if (process.environment.options.errexit) this.exit(process, status)
  }

  /** Ends a process: its EXIT trap runs, then it is gone. */
  exit(process: Process, status: number): void {
    if ((process.halt & Halt.exited) !== 0) return
    process.status = status
    process.exiting = true
    if (process.frames.length === 0) {
      this.finish(process)
      return
    }
    while (process.frames.length > 1) process.leave()
    process.status = status
    const bottom = process.frames[0] as Frame
    if (bottom.trap !== null) bottom.trap = { ...bottom.trap, status }
    process.leave()
  }

  /** A process has no frame left. */
  finish(process: Process): void {
    if ((process.halt & Halt.exited) !== 0) return
    const { environment } = process
    const trap = environment.traps.get('EXIT')
    if (trap !== undefined && trap !== '' && environment.inheritedTraps === null) {
      environment.traps = without(environment.traps, 'EXIT')
      process.enterTrap('EXIT', trap)
      return
    }
    if (process.pid === this.shellPid) {
      if (this.#substitutionFor(process) !== undefined) {
        process.enter('program', AWAIT_SUBSTITUTIONS)
        return
      }
      process.halt |= Halt.blocked
      this.onIdle(process)
      return
    }
    process.halt |= Halt.exited
    process.halt &= ~(Halt.blocked | Halt.signal)
    process.closeAll()
    environment.variables.release()
    this.processes.delete(process.pid)
    this.processes.get(process.parent)?.zombies.set(process.pid, process.status)
    const waiters = this.#waiters.get(process.pid)
    if (waiters !== undefined) {
      this.#waiters.delete(process.pid)
      for (const waiter of waiters) if (waiter.waiting?.for === 'process') waiter.wake()
    }
    for (const notify of process.onExit) notify(process.status)
    const parent = this.processes.get(process.parent)
    if (parent?.environment.traps.has('CHLD') === true && process.background) this.signal(parent, 'CHLD')
  }

  /** A process substitution of the line that is still writing, and doesn't wait for the shell itself. */
  #substitutionFor(process: Process): number | undefined {
    for (const pid of this.substitutions) {
      const child = this.processes.get(pid)
      if (child === undefined) {
        this.substitutions.delete(pid)
        continue
      }
      const held = [...process.descriptors.values()].some(
        (description) => description.kind === 'pipe' && description.pipe === child.substitution,
      )
      if (!held && child.parent === process.pid && !process.exiting) return pid
    }
    return undefined
  }

  /** Waits until the line's process substitutions have ended. */
  awaitSubstitutions(process: Process): void {
    const pid = this.#substitutionFor(process)
    if (pid === undefined) {
      process.leave()
      return
    }
    process.frame.counter = 0
    this.waitFor(process, [pid], false)
  }

  /** Ends a process at once, as a signal does. */
  terminate(process: Process, status: number): void {
    if ((process.halt & Halt.exited) !== 0) return
    process.cancelCommand?.()
    process.cancelCommand = null
    process.command = null
    process.dropTimer()
    process.takeResume()
    process.waiting = null
    process.halt &= ~(Halt.blocked | Halt.stopped)
    this.exit(process, status)
    if (process.halt === 0) this.ready(process)
  }

  /** Waits until processes have ended (all of them, or any), then runs the asking instruction again. */
  waitFor(process: Process, pids: readonly number[], any: boolean): void {
    process.wait({ for: 'process', pids, any })
    for (const pid of pids) {
      const waiters = this.#waiters.get(pid)
      if (waiters === undefined) this.#waiters.set(pid, [process])
      else waiters.push(process)
    }
  }

  /** Waits until a moment, then runs the asking step again. */
  waitUntil(process: Process, until: number): void {
    process.wait({ for: 'timer', until })
    const waiting = process.waiting
    process.cancelTimer = this.host.timer(Math.max(0, until - this.host.now()), () => {
      if (process.waiting === waiting) process.wake()
    })
  }

  /** Delivers a signal by name (`INT`, `TERM` …). */
  signal(process: Process, name: string): void {
    if ((process.halt & Halt.exited) !== 0) return
    const { environment } = process
    if (name === 'CONT') {
      if ((process.halt & Halt.stopped) !== 0) {
        process.halt &= ~Halt.stopped
        if ((process.halt & Halt.blocked) === 0) this.ready(process)
      }
    }
    const action = name === 'KILL' || name === 'STOP' ? undefined : environment.traps.get(name)
    if (action === '') return
    if (action !== undefined && environment.inheritedTraps === null) {
      process.signals.push(name)
      // The action waits for the command that the shell waits for, unless that is `wait`.
      if (process.waiting?.for === 'process' && !isWaitBuiltin(process)) return
      process.halt |= Halt.signal
      if (process.waiting?.for === 'process' || process.waiting?.for === 'timer' || process.waiting?.for === 'input') process.wake()
      else if ((process.halt & Halt.blocked) === 0) this.ready(process)
      return
    }
    switch (name) {
      case 'CHLD':
      case 'CONT':
      case 'URG':
      case 'WINCH':
        return
      case 'STOP':
      case 'TSTP':
      case 'TTIN':
      case 'TTOU':
        process.halt |= Halt.stopped
        return
      default:
        if (process.standsFor !== 0 && process.background) {
          // A shell started as a job of its own is the job.
          const shell = this.processes.get(process.standsFor)
          if (shell !== undefined) this.signal(shell, name)
          return
        }
        if (environment.interactive && (name === 'TERM' || name === 'INT' || name === 'QUIT')) return
        if (process.pid !== this.shellPid) this.killed.set(process.pid, name)
        this.terminate(process, 128 + signalNumber(name))
    }
  }

  /** Runs the instruction that waited for a command; signals that came meanwhile have their turn when it has got what it waited for. */
  #endWait(process: Process): void {
    process.signalsWait = false
    const { frame } = process
    const instruction = frame.code[frame.counter] as Instruction
    frame.counter += 1
    instruction(process)
    if ((process.halt & Halt.blocked) === 0) process.halt |= Halt.signal
  }

  #takeSignals(process: Process): void {
    process.halt &= ~Halt.signal
    for (const name of process.signals.splice(0).reverse()) {
      const action = process.environment.traps.get(name)
      if (action === undefined || action === '') continue
      // A wait that a signal ends gives 128 and the signal's number.
      if (isWaitBuiltin(process)) {
        process.leave()
        process.status = 128 + signalNumber(name)
      }
      process.enterTrap(name, action)
    }
  }
}

/** True for a process whose `wait` a signal ends. */
export function isWaitBuiltin({ frame }: Process): boolean {
  return frame.kind === 'builtin' && frame.state?.builtin === 'wait'
}

/** Code that waits for the line's process substitutions. */
export const AWAIT_SUBSTITUTIONS: Program = fixedProgram('substitutions', [(process) => process.machine.awaitSubstitutions(process)])

/** An error as the script hears of it; null for a fault that isn't the script's. */
export function asFault(error: unknown): ShellFault | null {
  if (error instanceof ShellFault) return error
  if (!(error instanceof Error)) return null
  if (error.name === 'ArithmeticError') return new ShellFault(error.message)
  if (error.name === 'BraceLimitError' || error.name === 'PatternError' || error.name === 'ShellSyntaxError')
    return new ShellFault(error.message)
  if (error instanceof RangeError) return new ShellFault(`out of memory: ${error.message}`)
  if (error instanceof WorkspaceError || codeOf(error) !== undefined) return new ShellFault(errorText(error))
  return null
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const copy = new Map(map)
  copy.delete(key)
  return copy
}
