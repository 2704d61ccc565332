import { encode } from './bytes.ts'
import { codeOf } from './errors.ts'
import type { Host, MaybePromise } from './host.ts'
import { isPromise } from './host.ts'
import { variableEntries } from './option-checks.ts'
import type { SessionShell } from './session-shell.ts'
import type { Shell } from './shell/shell.ts'
import type { LineOutcome } from './shell-result.ts'
import type { SessionFields } from './state/session-fields.ts'
import type { LineTerminal, ShellOptions } from './workspace-options.ts'

/** How a line ended: what it gave, and where the session stands now. */
export interface EndedLine extends LineOutcome {
  readonly fields: SessionFields
  /** Its signal fired. */
  readonly aborted: boolean
  /** What the host or the library failed with while it ran; null where nothing did. */
  readonly failure: { readonly error: unknown } | null
}

/** What a line is run with, besides the options of the call. */
export interface LineSettings {
  readonly host: Host
  /** Bytes of output that end the line. */
  readonly outputBytes: number
  /** The directory of this line alone, absolute. */
  readonly cwd: string | undefined
  /** Makes COLUMNS and LINES follow a line's terminal; null where the line has none. */
  readonly followTerminal: ((shell: Shell, terminal: LineTerminal) => () => void) | null
  /** Waits until what the line wrote to files is kept. */
  readonly sync: () => MaybePromise<void>
}

/** Runs a line on a session's shell, which must stand at the session's fields. Never fails. */
export async function runLine(session: SessionShell, line: string, options: ShellOptions, settings: LineSettings): Promise<EndedLine> {
  const { signal, timeoutMs, onOutput } = options
  const stdout: Uint8Array[] = []
  const stderr: Uint8Array[] = []
  let size = 0
  let isOver = false
  let aborted = false
  /** Why the line was ended: the last of its output. */
  let notice: Uint8Array | null = null
  /** Lets writers go on whom the host holds back. */
  const held = new Set<() => void>()
  const end = (status: number, message?: string): void => {
    if (isOver) return
    if (message !== undefined) notice ??= encode(`bash: ${message}\n`)
    session.interrupt(status)
    for (const go of held) go()
  }
  // The writer waits meanwhile: nothing is ended in the middle of an instruction.
  const endSoon = (status: number, message?: string): Promise<void> => Promise.resolve().then(() => end(status, message))
  const write = (chunks: Uint8Array[], stream: 'stdout' | 'stderr', bytes: Uint8Array): MaybePromise<void> => {
    if (size > settings.outputBytes || isOver) return undefined
    if (options.keepOutput !== false) {
      size += bytes.length
      if (size > settings.outputBytes) return endSoon(137, `output limit of ${settings.outputBytes} bytes exceeded`)
      chunks.push(bytes)
    }
    if (onOutput === undefined) return undefined
    const taken = onOutput(bytes.slice(), stream)
    if (aborted) return endSoon(130)
    return isPromise(taken) ? untilTaken(taken, held) : taken
  }
  const onAbort = (): void => {
    aborted = true
    void endSoon(130)
  }
  const stopTimer =
    timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY
      ? null
      : settings.host.timer(timeoutMs, () => end(124, `timed out after ${timeoutMs} ms`))
  const isAside = settings.cwd !== undefined || options.env !== undefined
  const bringBack = isAside ? session.setAside({ cwd: settings.cwd, env: variableEntries(options.env, 'env') }) : null
  const takeBackArguments = giveArguments(session, options.args)
  const { terminal } = options
  const leaveTerminal = terminal === undefined ? undefined : settings.followTerminal?.(session.shell, terminal)
  const input = inputOf(options.stdin)
  signal?.addEventListener('abort', onAbort, { once: true })
  let outcome: Omit<LineOutcome, 'stdout' | 'stderr'> = { exitCode: 1, syntaxError: null, exited: false }
  let failure: EndedLine['failure'] = null
  try {
    const running = session.shell.run(line, {
      stdin: input.stdin,
      stdout: (bytes) => write(stdout, 'stdout', bytes),
      stderr: (bytes) => write(stderr, 'stderr', bytes),
      terminal,
    })
    const { status, syntaxError, exited } = isPromise(running) ? await running : running
    outcome = { exitCode: status, syntaxError, exited }
    if (notice !== null) {
      if (options.keepOutput !== false) stderr.push(notice)
      const taken = onOutput?.(notice, 'stderr')
      // The line is over: it waits for nobody.
      if (isPromise(taken)) taken.catch(() => undefined)
    }
    // An abort waits for nothing; the next line hears of what was lost.
    const lost = aborted ? null : await unkept(settings.sync)
    if (lost !== null) {
      await write(stderr, 'stderr', encode(`bash: not everything that was written is kept: ${lost}\n`))
      outcome = { ...outcome, exitCode: status === 0 ? 1 : status }
    }
  } catch (error) {
    failure = { error }
  }
  isOver = true
  stopTimer?.()
  signal?.removeEventListener('abort', onAbort)
  input.close()
  leaveTerminal?.()
  takeBackArguments()
  bringBack?.()
  return { ...outcome, stdout, stderr, fields: session.capture(), aborted, failure }
}

/** Why what was written to files could not be kept; null where it is. */
async function unkept(sync: () => MaybePromise<void>): Promise<string | null> {
  try {
    await sync()
    return null
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return (error as Error).message
  }
}

/** Waits until the host has taken some output, or the line is ended. */
function untilTaken(taken: Promise<void>, held: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    held.add(resolve)
    const done = (settle: () => void): void => {
      held.delete(resolve)
      settle()
    }
    taken.then(
      () => done(resolve),
      (error: unknown) => done(() => reject(error)),
    )
  })
}

/** Gives a line its `$0`, `$1` …; what is given back brings those of the session. */
function giveArguments(session: SessionShell, args: ShellOptions['args']): () => void {
  if (args === undefined || args.length === 0) return () => undefined
  const { environment } = session.shell.process
  const { name, positional } = environment
  const [own = name, ...rest] = args
  environment.name = own
  environment.positional = rest
  return () => {
    environment.name = name
    environment.positional = positional
  }
}

const NOTHING = new Uint8Array(0)

interface Input {
  readonly stdin: Uint8Array | (() => MaybePromise<Uint8Array | null>)
  /** Tells where the chunks come from that no more are read. */
  close(): void
}

function inputOf(given: ShellOptions['stdin']): Input {
  if (given === undefined) return NO_INPUT
  if (typeof given === 'string') return { stdin: encode(given), close: nothing }
  if (given instanceof Uint8Array) return { stdin: given.slice(), close: nothing }
  let chunks: AsyncIterator<Uint8Array> | null = given[Symbol.asyncIterator]()
  const stdin = async (): Promise<Uint8Array | null> => {
    while (chunks !== null) {
      const next = await chunks.next()
      if (next.done === true) chunks = null
      else if (next.value.length > 0) return next.value.slice()
    }
    return null
  }
  const close = (): void => {
    // What fails here has nobody left to hear of it.
    if (chunks?.return !== undefined) void Promise.resolve(chunks.return()).catch(nothing)
    chunks = null
  }
  return { stdin, close }
}

function nothing(): void {}

const NO_INPUT: Input = { stdin: NOTHING, close: nothing }
