import { encode } from '../../bytes.ts'
import { FileSystemError } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { Description, Pipe } from './description.ts'
import { release, retain, writeTo } from './description.ts'
import type { Environment } from './environment.ts'
import type { JobTable } from './jobs.ts'
import type { Machine } from './machine.ts'
import type { Instruction, Program } from './program.ts'
import type { Call } from './specials.ts'
import type { Scalar, Variable } from './variables.ts'

/** A value of the operand stack: plain data. */
export type Operand = string | number | string[] | Fragments

/** A word half expanded: texts, and what each may still become. */
export interface Fragments {
  readonly texts: string[]
  readonly flags: number[]
}

/** A field that is a pattern, still to be matched with the files: where it stands among the fields, and the pattern. */
export interface PendingGlob {
  readonly at: number
  readonly pattern: string
}

/** A loop under way. */
export interface Loop {
  readonly next: number
  readonly end: number
  readonly stackHeight: number
  readonly undoHeight: number
  readonly conditionDepth: number
  /** What the loop's status is when it ends now. */
  status: number
  /** What `for` and `select` go over. */
  readonly items: readonly string[]
  index: number
}

/** What a function call puts aside and brings back. */
export interface Scope {
  /** What `return` ends here; a subshell made inside a function counts as one. */
  readonly boundary: 'function' | 'source' | 'subshell'
  readonly functionName: string
  readonly file: string
  readonly callLine: number
  readonly positional: readonly string[] | null
  /** Variables hidden by `local`, in the order they were hidden. */
  readonly hidden: Binding[]
  /** `local -`: the options to bring back. */
  savedOptions: readonly string[] | null
  /** DEBUG, ERR and RETURN traps that don't hold inside, to be brought back. */
  readonly savedTraps: ReadonlyMap<string, string> | null
  optionIndex: number
  /** Bindings with higher numbers belong to this call, those made for it by assignments before it too. */
  readonly order: number
}

/** A text being run, one complete command after another. */
export interface Script {
  readonly source: string
  /** Where the next complete command starts. */
  offset: number
  /** Number of the line at `offset`. */
  line: number
  /** What `source`, `eval`, a trap or the shell itself reads from; `stdin` grows as lines come. */
  readonly origin: 'line' | 'file' | 'eval' | 'trap' | 'stdin'
}

/** What a resumable builtin remembers between its steps. */
export interface BuiltinState {
  readonly builtin: string
  readonly [key: string]: unknown
}

export type FrameKind = 'program' | 'function' | 'script' | 'trap' | 'builtin'

/** One activation: where it is in its code, and what leaving it restores. */
export interface Frame {
  readonly kind: FrameKind
  readonly program: Program
  readonly code: readonly Instruction[]
  counter: number
  readonly stackHeight: number
  readonly undoHeight: number
  readonly conditionDepth: number
  loops: Loop[]
  readonly scope: Scope | null
  readonly script: Script | null
  state: BuiltinState | null
  /** For a trap: the status to bring back, and which trap. */
  trap: { readonly name: string; readonly status: number; readonly pipeStatus: readonly number[] | null } | null
}

/** A variable hidden by `local`, or by an assignment before a command: what comes back in its place. */
export interface Binding {
  readonly name: string
  readonly variable: Variable | undefined
  /** Later ones have higher numbers. */
  readonly order: number
  /** For an assignment before a command: the variable was made `local` by the function it stands before. */
  local?: boolean
  /** It was taken away by `unset`: nothing comes back. */
  gone?: boolean
}

/** What to put back: a descriptor as it was before (null: closed), or a variable hidden by an assignment before a command. */
export type Undo = { readonly descriptor: number; readonly description: Description | null } | Binding

/** What a process waits for, in words that can be written down. */
export type Waiting =
  | { readonly for: 'promise'; readonly what: string }
  | { readonly for: 'timer'; readonly until: number }
  | { readonly for: 'process'; readonly pids: readonly number[]; readonly any: boolean }
  | { readonly for: 'input'; readonly descriptor: number }
  | { readonly for: 'continue' }

export const Halt = { none: 0, blocked: 1, exited: 2, stopped: 4, signal: 8 } as const

/** A process of the machine: a shell, a subshell, a stage of a pipeline, a command. */
export class Process {
  readonly machine: Machine
  readonly pid: number
  readonly parent: number
  /** Pid of the first process of its job. */
  group: number
  environment: Environment
  readonly descriptors: Map<number, Description> = new Map()
  frames: Frame[] = []
  frame: Frame = NO_FRAME
  stack: Operand[] = []
  undo: Undo[] = []
  /** `$?` */
  status = 0
  /** How many conditions (`if`, `while`, `&&`, `!`) surround what runs: errexit and ERR look away while it isn't 0. */
  conditionDepth = 0
  /** Bits of {@link Halt}; 0 while it runs. */
  halt = 0
  waiting: Waiting | null = null
  /** Signals to act on at the next step. */
  signals: string[] = []
  /** They came while it waited for a command, and wait for that, too. */
  signalsWait = false
  /** The DEBUG trap has run for the command that comes next. */
  debugged = false
  /** The ERR trap has run for the command that failed last. */
  errorTrapped = false
  /** Under extdebug the DEBUG trap has failed: the command that comes next is left out. */
  skipping = false
  skipped = false
  exiting = false
  /** Status of the substitutions in the command being built, null when there were none. */
  substitutionStatus: number | null = null
  /** The redirections of the command that ran just now stay: it was `exec`. */
  keepRedirections = false
  /** Fields of the command being built that are patterns still to be matched; only within one instruction. */
  globs: PendingGlob[] = []
  /** Calls that were under way where this subshell was made. */
  outerCalls: readonly Call[] = NO_CALLS
  /** Variables that were hidden where this subshell was made, latest last. */
  outerBindings: readonly Binding[] = NO_BINDINGS
  /** Number of the latest binding. */
  bindings = 0
  /** How deep in substitutions and evaluated texts this subshell was made: what `set -x` shows. */
  indirection = 0
  jobs: JobTable | null = null
  /** Statuses of children that have ended and were not waited for. */
  readonly zombies: Map<number, number> = new Map()
  /** It was started by `&`. */
  background = false
  /** For the process of a `<(…)` or `>(…)`: its pipe. */
  substitution: Pipe | null = null
  /** It stands in the queue of those that can run. */
  queued = false
  /** Actions of signals and traps are under way: how many. */
  trapDepth = 0
  /** What the command in flight is called, while one is. */
  command: string | null = null
  cancelCommand: (() => void) | null = null
  /** Cancels the timer it waits for: one that nobody waits for would keep a runtime from ending. */
  cancelTimer: (() => void) | null = null
  /** Text of the command being run: BASH_COMMAND. */
  commandText: () => string = NO_TEXT
  /** Pid of the shell that this process runs as a program and waits for; 0 while there is none. */
  standsFor = 0
  /** The command about to run has been shown by `set -x`. */
  traced = false
  /** `$_` */
  lastArgument = ''
  onExit: ((status: number) => void)[] = []
  #resume: (() => void) | null = null

  constructor(machine: Machine, pid: number, parent: number, environment: Environment) {
    this.machine = machine
    this.pid = pid
    this.parent = parent
    this.group = pid
    this.environment = environment
  }

  /** Line of the instruction being run. */
  get line(): number {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const frame = this.frames[i] as Frame
      if (frame.kind !== 'builtin') return frame.program.lines[Math.max(0, frame.counter - 1)] ?? 1
    }
    return 1
  }

  push(operand: Operand): void {
    this.stack.push(operand)
  }

  pop(): Operand {
    return this.stack.pop() as Operand
  }

  popText(): string {
    return this.stack.pop() as string
  }

  /** Starts running a program on top of what runs. */
  enter(kind: FrameKind, program: Program, more?: Partial<Pick<Frame, 'scope' | 'script' | 'state' | 'trap'>>): Frame {
    const frame: Frame = {
      kind,
      program,
      code: program.code,
      counter: 0,
      stackHeight: this.stack.length,
      undoHeight: this.undo.length,
      conditionDepth: this.conditionDepth,
      loops: NO_LOOPS,
      scope: more?.scope ?? null,
      script: more?.script ?? null,
      state: more?.state ?? null,
      trap: more?.trap ?? null,
    }
    this.frames.push(frame)
    this.frame = frame
    return frame
  }

  /** Ends the innermost frame: puts back what it changed. The process ends with its last frame. */
  leave(): void {
    const frame = this.frames.pop() as Frame
    this.frame = this.frames.at(-1) ?? NO_FRAME
    if (this.undo.length > frame.undoHeight) this.restore(frame.undoHeight)
    this.stack.length = frame.stackHeight
    this.conditionDepth = frame.conditionDepth
    const returned = frame.scope === null ? null : this.#leaveScope(frame.scope)
    if (frame.kind === 'function' || frame.script?.origin === 'eval' || frame.script?.origin === 'file') this.environment.pipeStatus = null
    if (frame.trap !== null) {
      this.trapDepth -= 1
      if (frame.trap.name === 'DEBUG' && this.status !== 0 && this.environment.options.has('extdebug')) this.skipping = true
      this.status = frame.trap.status
      this.environment.pipeStatus = frame.trap.pipeStatus
    }
    if (this.frames.length === 0) this.machine.finish(this)
    else if (returned !== null) this.enterTrap('RETURN', returned)
  }

  /** Runs a trap's action; `$?` is what it was afterwards. */
  enterTrap(name: string, action: string, line: number = this.line): void {
    const { status } = this
    this.trapDepth += 1
    const { pipeStatus } = this.environment
    this.machine.runtime.enterScript(this, action, 'trap', line).trap = { name, status, pipeStatus }
  }

  /** True while a trap's action runs. */
  inTrap(name: string): boolean {
    return this.trapDepth > 0 && this.frames.some((frame) => frame.trap?.name === name)
  }

  /** Brings back what the scope put aside; the RETURN trap to run, where there is one. */
  #leaveScope(scope: Scope): string | null {
    const { environment } = this
    for (let i = scope.hidden.length - 1; i >= 0; i--) {
      const { name, variable, gone } = scope.hidden[i] as Binding
      if (gone !== true) environment.variables.put(name, variable)
    }
    if (scope.positional !== null) environment.positional = scope.positional
    if (scope.savedOptions !== null) environment.options.restore(scope.savedOptions)
    if (scope.boundary === 'subshell') return null
    const action = environment.traps.size > 0 && !this.exiting ? (environment.traps.get('RETURN') ?? null) : null
    if (scope.savedTraps !== null) environment.traps = new Map([...environment.traps, ...scope.savedTraps])
    return action === '' ? null : action
  }

  /** Waits for a promise, then goes on with what it gives. Nothing else of the process runs meanwhile. */
  block<T>(promise: Promise<T>, what: string, use: (value: T) => void): void {
    this.halt |= Halt.blocked
    const waiting: Waiting = { for: 'promise', what }
    this.waiting = waiting
    this.machine.commandsInFlight += 1
    promise.then(
      (value) => this.#settle(waiting, () => use(value)),
      (error: unknown) =>
        this.#settle(waiting, () => {
          throw error
        }),
    )
  }

  /** A value now or later: `use` gets it, at once where it is there. */
  after<T>(value: MaybePromise<T>, what: string, use: (value: T) => void): void {
    if (isPromise(value)) this.block(value, what, use)
    else use(value)
  }

  #settle(waiting: Waiting, go: () => void): void {
    this.machine.commandsInFlight -= 1
    // Who was ended, or gave up, waits for something else by now, or for nothing.
    if ((this.halt & Halt.exited) !== 0 || this.waiting !== waiting) return
    this.#resume = go
    this.wake()
  }

  /** A settled promise has left something to do before the next instruction. */
  get hasResume(): boolean {
    return this.#resume !== null
  }

  /** What a settled promise left to do before the next instruction. */
  takeResume(): (() => void) | null {
    const resume = this.#resume
    this.#resume = null
    return resume
  }

  /** Waits for something named; the instruction or builtin step that asked is run again when it comes. */
  wait(waiting: Waiting): void {
    this.halt |= Halt.blocked
    this.waiting = waiting
  }

  dropTimer(): void {
    if (this.cancelTimer === null) return
    this.cancelTimer()
    this.cancelTimer = null
  }

  wake(): void {
    if ((this.halt & Halt.exited) !== 0) return
    this.halt &= ~Halt.blocked
    if (this.signals.length > 0 && (this.halt & Halt.signal) === 0) this.signalsWait = true
    this.waiting = null
    this.dropTimer()
    if ((this.halt & Halt.stopped) === 0) this.machine.ready(this)
  }

  /** What a descriptor points to; fails with EBADF when it is closed. */
  description(descriptor: number): Description {
    const description = this.descriptors.get(descriptor)
    if (description === undefined) throw new FileSystemError('EBADF', String(descriptor))
    return description
  }

  /** Points a descriptor somewhere else (null closes it) and remembers what it was. */
  redirect(descriptor: number, description: Description | null): void {
    const before = this.descriptors.get(descriptor) ?? null
    this.undo.push({ descriptor, description: before })
    if (description === null) this.descriptors.delete(descriptor)
    else this.descriptors.set(descriptor, retain(description))
  }

  /** Points a descriptor somewhere else for good. */
  assign(descriptor: number, description: Description | null): void {
    const before = this.descriptors.get(descriptor)
    if (description === null) this.descriptors.delete(descriptor)
    else this.descriptors.set(descriptor, retain(description))
    if (before !== undefined) release(before)
  }

  /** Puts back what was changed since the undo list was `height` long. */
  restore(height: number): void {
    while (this.undo.length > height) {
      const undo = this.undo.pop() as Undo
      if ('name' in undo) {
        if (undo.gone !== true) this.environment.variables.put(undo.name, undo.variable)
        continue
      }
      const now = this.descriptors.get(undo.descriptor)
      if (undo.description === null) this.descriptors.delete(undo.descriptor)
      else this.descriptors.set(undo.descriptor, undo.description)
      if (now !== undefined) release(now)
    }
  }

  /** Lets what was changed since `height` stay for good. */
  keep(height: number): void {
    while (this.undo.length > height) {
      const undo = this.undo.pop() as Undo
      if ('name' in undo) {
        if (undo.gone !== true) this.environment.variables.put(undo.name, undo.variable)
      } else if (undo.description !== null) release(undo.description)
    }
  }

  closeAll(): void {
    this.keep(0)
    for (const description of this.descriptors.values()) release(description)
    this.descriptors.clear()
  }

  /** Writes text to a descriptor. */
  write(descriptor: number, text: string): MaybePromise<void> {
    return writeTo(this.description(descriptor), encode(text))
  }

  /** Writes a message to standard error; a closed one is nobody's loss. */
  complain(text: string): void {
    const description = this.descriptors.get(2)
    if (description === undefined) return
    try {
      const written = writeTo(description, encode(text))
      if (isPromise(written)) written.catch(() => undefined)
    } catch {
      // There is nowhere to report that standard error can't be written.
    }
  }

  /** What precedes a message: `bash: line 3: `. */
  messagePrefix(): string {
    const { environment } = this
    return environment.interactive ? `${environment.name}: ` : `${this.scriptName()}: line ${this.line}: `
  }

  /** What messages call the script whose code runs: the path of a sourced file, else the shell's name. */
  scriptName(): string {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const { scope } = this.frames[i] as Frame
      if (scope !== null && scope.boundary !== 'subshell') return this.#named(scope.file)
    }
    return this.#named(this.outerCalls[0]?.file ?? '')
  }

  #named(file: string): string {
    return file === '' || file === 'main' || file === 'environment' ? this.environment.name : file
  }

  /** Text of a value. */
  static text(value: Scalar): string {
    return typeof value === 'string' ? value : String(value)
  }
}

const NO_CALLS: readonly Call[] = []
const NO_BINDINGS: readonly Binding[] = []
export const NO_LOOPS: Loop[] = []
const NO_TEXT = (): string => ''

/** Stands where a process has no frame. */
export const NO_FRAME: Frame = {
  kind: 'program',
  program: { text: NO_TEXT, kind: 'fixed', settings: { extglob: false, posix: false, braceexpand: true }, code: [], lines: [] },
  code: [],
  counter: 0,
  stackHeight: 0,
  undoHeight: 0,
  conditionDepth: 0,
  loops: NO_LOOPS,
  scope: null,
  script: null,
  state: null,
  trap: null,
}
