import type { Session, ShellResult } from '../../../src/workspace.ts'
import type { Settings } from './arguments.ts'

/** A line, and what its `$0`, `$1` … are. */
export interface LineRequest {
  readonly line: string
  readonly args: readonly string[]
  readonly stdin: AsyncIterable<Uint8Array> | undefined
  readonly settings: Settings
}

/** Status of a line that a signal ended. */
const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const BROKEN_PIPE = 141

/** Runs a line, its output going out as it comes (or as one JSON document at the end); its exit status. Signals abort the line. */
export async function runLine(session: Session, request: LineRequest): Promise<number> {
  const { settings } = request
  const controller = new AbortController()
  let aborted = 0
  const abort = (status: number): void => {
    aborted ||= status
    controller.abort()
  }
  const handlers = Object.entries(STATUS).map(([name, status]) => [name, () => abort(status)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  const out = new Outlet(process.stdout, () => abort(BROKEN_PIPE))
  const errors = new Outlet(process.stderr, () => undefined)
  try {
    const result = await session.shell(request.line, {
      args: request.args,
      signal: controller.signal,
      record: settings.record,
      ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
      ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
      ...(settings.json ? {} : { onOutput: (bytes, stream) => (stream === 'stdout' ? out : errors).write(bytes) }),
    })
    if (settings.json) await out.write(Buffer.from(`${JSON.stringify(asJson(session, result))}\n`))
    else warn(result)
    return result.exitCode
  } catch (error) {
    if (controller.signal.aborted) return aborted
    throw error
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}

/** One of the process's own streams: a full one holds the writer back, a broken one says so once. */
class Outlet {
  readonly #stream: NodeJS.WriteStream
  #broken = false

  constructor(stream: NodeJS.WriteStream, onBroken: () => void) {
    this.#stream = stream
    stream.on('error', () => {
      this.#broken = true
      onBroken()
    })
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#broken || this.#stream.write(bytes)) return undefined
    return new Promise((resolve) => {
      const go = (): void => {
        this.#stream.off('drain', go)
        this.#stream.off('error', go)
        resolve()
      }
      this.#stream.on('drain', go)
      this.#stream.on('error', go)
    })
  }
}

function asJson(session: Session, result: ShellResult): Record<string, unknown> {
  return {
    session: session.id,
    exitCode: result.exitCode,
    ...textOrBase64('stdout', result.stdout),
    ...textOrBase64('stderr', result.stderr),
    durability: result.durability,
    conflicts: result.conflicts,
    ...(result.outdated && { outdated: true }),
    ...(result.syntaxError === undefined ? {} : { syntaxError: result.syntaxError }),
    ...(result.cause === undefined ? {} : { cause: result.cause.message }),
  }
}

/** Bytes as text where they are UTF-8; else beside a text with replacements in base64. */
function textOrBase64(name: string, bytes: Uint8Array): Record<string, string> {
  const text = Buffer.from(bytes).toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes)
    ? { [name]: text }
    : { [name]: text, [`${name}Base64`]: Buffer.from(bytes).toString('base64') }
}

function warn(result: ShellResult): void {
  const { cause, conflicts, outdated } = result
  if (cause !== undefined) process.stderr.write(`mirage: the session's state could not be written yet: ${cause.message}\n`)
  if (conflicts.length > 0) process.stderr.write(`mirage: changed by somebody else at the same time: ${conflicts.join(', ')}\n`)
  else if (outdated) process.stderr.write('mirage: somebody else changed the session at the same time\n')
}
