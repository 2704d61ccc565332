import { WorkspaceError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import { loadCompiler } from './machine/compile-command.ts'
import type { Description } from './machine/description.ts'
import { PIPE_BOUND, StreamDescription, TextDescription } from './machine/description.ts'
import { Environment } from './machine/environment.ts'
import { initialVariables } from './machine/initial.ts'
import type { MachineOptions, MachineTerminal } from './machine/machine.ts'
import { DEFAULT_LIMITS, Machine } from './machine/machine.ts'
import type { Process } from './machine/process.ts'
import { Halt } from './machine/process.ts'
import { runtime } from './machine/runtime.ts'
import type { SavedMachine } from './machine/saved.ts'
import { Variables } from './machine/variables.ts'
import type { ShellSyntaxError } from './syntax/parser.ts'

/** Milliseconds that commands in flight have to end while all else is stopped. */
const DRAIN_MS = 50

/** Where a line reads and writes. */
export interface LineStreams {
  /** Bytes known beforehand, or what gives the next ones (null at the end). */
  readonly stdin: Uint8Array | (() => MaybePromise<Uint8Array | null>)
  readonly stdout: (bytes: Uint8Array) => MaybePromise<void>
  readonly stderr: (bytes: Uint8Array) => MaybePromise<void>
  /** The terminal that they are. */
  readonly terminal?: MachineTerminal | undefined
}

/** How a line ended. */
export interface LineEnd {
  readonly status: number
  /** Where the line, or a text it evaluated, doesn't parse. */
  readonly syntaxError: ShellSyntaxError | null
  /** `exit` was among its commands. */
  readonly exited: boolean
}

/** A running shell: it keeps its variables, functions, options and jobs from line to line. */
export class Shell {
  readonly machine: Machine
  process: Process
  #finish: ((end: LineEnd) => void) | null = null
  #ended: LineEnd | null = null
  /** Standard streams between lines: what jobs write then waits for the next line. */
  readonly #held: { stdout: Uint8Array[]; stderr: Uint8Array[] } = { stdout: [], stderr: [] }
  #heldBytes = 0
  /** Lets writers go on that have written more than is held. */
  readonly #heldBack: (() => void)[] = []
  #streams: LineStreams | null = null

  constructor(options: Omit<MachineOptions, 'runtime' | 'limits'> & { limits?: MachineOptions['limits'] }) {
    this.machine = new Machine({ ...options, runtime, limits: options.limits ?? DEFAULT_LIMITS })
    const environment = new Environment(new Variables(initialVariables()))
    this.process = this.machine.create(environment, 1)
    this.machine.shellPid = this.process.pid
    environment.shellPid = this.process.pid
    environment.startedAt = options.host.now()
    environment.history = { ...environment.history, since: environment.startedAt }
    environment.readsStandardInput = true
    const seed = new Uint8Array(4)
    options.host.random(seed)
    environment.randomSeed = new DataView(seed.buffer).getUint32(0) >>> 1
    this.process.assign(0, new TextDescription(new Uint8Array(0)))
    this.process.assign(1, this.#output('stdout'))
    this.process.assign(2, this.#output('stderr'))
    this.process.halt = Halt.blocked
    this.machine.onIdle = () => this.#idle()
  }

  /** Runs a text, or what `source` starts in the shell's process, to its end. One at a time. A fault of the library is thrown. */
  run(source: string | ((process: Process) => void), streams: LineStreams): MaybePromise<LineEnd> {
    const { machine, process } = this
    this.#streams = streams
    this.#ended = null
    machine.terminal = streams.terminal ?? null
    machine.failure = null
    machine.syntaxError = null
    machine.exited = false
    machine.startLine()
    process.exiting = false
    process.assign(0, this.#input(streams))
    this.#flushHeld(streams)
    process.halt = Halt.none
    process.waiting = null
    if (typeof source === 'string') machine.runtime.enterScript(process, source, 'line')
    else source(process)
    machine.ready(process)
    machine.run()
    const ended = this.#ended as LineEnd | null
    if (ended !== null) return this.#result(ended)
    return new Promise<LineEnd>((resolve) => {
      this.#finish = resolve
    }).then((end) => this.#result(end))
  }

  /** Ends what the line started, and the line with the given status. Jobs in the background go on. */
  interrupt(status: number): void {
    if (this.#ended !== null) return
    const { machine, process } = this
    for (const child of [...machine.processes.values()]) {
      if (child !== process && this.#isBackground(child)) continue
      // No trap holds up an interrupt.
      child.environment.traps = new Map()
      if (child !== process) machine.terminate(child, status)
    }
    machine.terminate(process, status)
  }

  /** Ends every process. */
  kill(): void {
    for (const child of [...this.machine.processes.values()]) if (child !== this.process) this.machine.terminate(child, 137)
    this.interrupt(137)
  }

  #isBackground(child: Process): boolean {
    for (let at: Process | undefined = child; at !== undefined; at = this.machine.processes.get(at.parent)) {
      if (at.background) return true
    }
    return false
  }

  /**
   * Stops the running line, and gives the machine as plain data: at the next instruction, once the commands in flight have ended, or, where those wait for what was
   * stopped, at the first instruction at which none is in flight. It stays stopped until {@link Shell.proceed} or {@link Shell.goOn}. EBUSY, and it runs on, where
   * that takes longer than `limitMs`; CONFLICT where the line ends first.
   */
  async suspend(limitMs = 10_000): Promise<SavedMachine> {
    const { machine } = this
    const { inFlight, saveMachine } = await import('./machine/save.ts')
    const { host } = machine
    const late = host.now() + limitMs
    const drained = host.now() + Math.min(limitMs, DRAIN_MS)
    machine.pause()
    while (inFlight(machine).length > 0 && host.now() < drained) {
      machine.drainPipes()
      await this.#settled(drained)
    }
    while (inFlight(machine).length > 0 && host.now() < late && this.#ended === null) {
      const stopped = this.#settled(late)
      machine.seekRest(() => inFlight(machine).length === 0)
      if (!machine.paused) await stopped
    }
    const running = inFlight(machine)
    if (running.length > 0) {
      machine.unpause()
      if (this.#ended !== null) throw new WorkspaceError('CONFLICT', 'cannot suspend: the line has ended')
      throw new WorkspaceError('EBUSY', `cannot suspend: after ${limitMs} ms still running are ${running.join(', ')}`)
    }
    machine.pause()
    for (const process of machine.processes.values()) settleFiles(process)
    await machine.fs.sync()
    return saveMachine(machine)
  }

  /** Goes on with a line that was suspended here; whoever waits for its end still does. */
  goOn(): void {
    this.machine.unpause()
  }

  /** Resolves when something in flight may have ended. */
  #settled(late: number): Promise<void> {
    const { machine } = this
    return new Promise((resolve) => {
      const stop = machine.host.timer(Math.max(0, late - machine.host.now()), resolve)
      machine.onPause = () => {
        stop()
        resolve()
      }
    })
  }

  /** Runs `steps` instructions of a line, then stops: gives the line's end where that came first. For tests and debuggers. */
  runSteps(source: string, streams: LineStreams, steps: number): MaybePromise<LineEnd> | null {
    this.machine.pause(steps)
    const end = this.run(source, streams)
    return this.machine.paused ? null : end
  }

  /** Goes on with a line that was suspended here, or restored, and stops after so many instructions; null streams keep those it has. */
  proceed(streams: LineStreams | null, steps?: number): MaybePromise<LineEnd> {
    if (streams !== null) {
      this.#streams = streams
      this.machine.terminal = streams.terminal ?? null
    }
    this.#ended = null
    this.machine.failure = null
    this.machine.startLine()
    this.machine.unpause(steps)
    const ended = this.#ended as LineEnd | null
    if (ended !== null) return this.#result(ended)
    return new Promise<LineEnd>((resolve) => {
      this.#finish = resolve
    }).then((end) => this.#result(end))
  }

  /** Takes over what another shell was doing; {@link Shell.proceed} goes on with it. */
  async restore(saved: SavedMachine, stdin: LineStreams['stdin'] = new Uint8Array(0)): Promise<void> {
    const { machine } = this
    const [{ restoreMachine }] = await Promise.all([import('./machine/restore.ts'), loadCompiler()])
    await Promise.all(saved.programs.map(({ kind, text }) => (kind === 'fixed' ? machine.runtime.loadFixed(text) : undefined)))
    machine.pause()
    restoreMachine(machine, saved, {
      stdin: inputStream(stdin),
      stdout: this.#output('stdout'),
      stderr: this.#output('stderr'),
    })
    this.process = machine.processes.get(saved.shellPid) as Process
  }

  #output(role: 'stdout' | 'stderr'): StreamDescription {
    return new StreamDescription({ sink: (bytes) => this.#write(role, bytes), role })
  }

  #input(streams: LineStreams): Description {
    if (typeof streams.stdin !== 'function') return new TextDescription(streams.stdin)
    return new StreamDescription({ source: streams.stdin, role: 'stdin' })
  }

  #write(which: 'stdout' | 'stderr', bytes: Uint8Array): MaybePromise<void> {
    if (this.#streams === null) {
      this.#held[which].push(bytes)
      this.#heldBytes += bytes.length
      // As a full pipe does, what is held keeps its writers waiting.
      return this.#heldBytes < PIPE_BOUND ? undefined : new Promise((resolve) => this.#heldBack.push(resolve))
    }
    return this.#streams[which](bytes)
  }

  #flushHeld(streams: LineStreams): void {
    for (const which of ['stdout', 'stderr'] as const) {
      for (const bytes of this.#held[which].splice(0)) {
        const written = streams[which](bytes)
        if (isPromise(written)) written.catch(() => undefined)
      }
    }
    this.#heldBytes = 0
    for (const goOn of this.#heldBack.splice(0)) goOn()
  }

  #idle(): void {
    const end: LineEnd = {
      status: this.process.status & 255,
      syntaxError: this.machine.syntaxError,
      exited: this.machine.exited || this.process.exiting,
    }
    this.#ended = end
    this.#streams = null
    // Whoever seeks a moment to suspend it has none any more.
    this.machine.onPause()
    const finish = this.#finish
    this.#finish = null
    finish?.(end)
  }

  #result(end: LineEnd): LineEnd {
    const { failure } = this.machine
    // Files that stay open from line to line.
    settleFiles(this.process)
    if (failure !== null) throw failure
    return end
  }
}

/** Input that is given anew: as a stream, so that what was read and not used comes before it. */
function inputStream(stdin: LineStreams['stdin']): StreamDescription {
  if (typeof stdin === 'function') return new StreamDescription({ source: stdin, role: 'stdin' })
  const stream = new StreamDescription({ source: () => null, role: 'stdin' })
  stream.unread(stdin)
  return stream
}

/** What was written to the process's files so far is complete for now. */
function settleFiles(process: Process): void {
  for (const description of process.descriptors.values()) if (description.kind === 'file') description.settle()
}
