import type { Session, ShellResult } from '../../../src/workspace.ts'
import type { Settings } from './arguments.ts'
import { endings } from './endings.ts'

/** A line, and what its `$0`, `$1` … are. */
export interface LineRequest {
  readonly line: string
  readonly args: readonly string[]
  readonly stdin: AsyncIterable<Uint8Array> | undefined
  readonly settings: Settings
}

/** Runs a line, its output going out as it comes (or as one JSON document at the end); its exit status. Signals abort the line. */
export async function runLine(session: Session, request: LineRequest): Promise<number> {
  const { settings } = request
  const ending = endings()
  const { out, errors } = ending
  try {
    const result = await session.shell(request.line, {
      args: request.args,
      signal: ending.signal,
      record: settings.record,
      ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
      ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
      ...(settings.json ? {} : { onOutput: (bytes, stream) => (stream === 'stdout' ? out : errors).write(bytes) }),
    })
    if (settings.json) await out.write(Buffer.from(`${JSON.stringify(asJson(session, result))}\n`))
    else warn(result)
    return result.exitCode
  } catch (error) {
    if (ending.signal.aborted) return ending.status
    throw error
  } finally {
    ending.stop()
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
