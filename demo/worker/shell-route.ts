import type { Agent } from './agent.ts'
import { errorFields } from './http-error.ts'
import type { LineEvent } from './line-events.ts'
import { formatFor } from './line-events.ts'
import type { LineRequest } from './line-request.ts'
import { lineRequestOf } from './line-request.ts'
import { OutputPieces } from './output-pieces.ts'
import { readObject } from './request-body.ts'
import { ResponseStream } from './response-stream.ts'
import type { Handler } from './route.ts'

/** `POST /shell`: runs a line and streams its output. A client that goes away ends the line. */
export const runLine: Handler = {
  query: [],
  async run({ request, agent }) {
    const format = formatFor(request.headers.get('accept') ?? '*/*')
    const asked = lineRequestOf(await readObject(request, agent.limits.bodyBytes), agent.limits)
    const endLine = agent.beginLine()
    const stream = new ResponseStream(format.alive)
    request.signal.addEventListener('abort', () => stream.leave(), { once: true })
    const done = run(asked, agent, stream.left, (event) => stream.send(format.encode(event))).finally(() => {
      endLine()
      stream.end()
    })
    // Nobody waits for the line but the stream, which is told how it ended.
    done.catch(() => undefined)
    return new Response(stream.body, { headers: { 'content-type': format.type, 'cache-control': 'no-store' } })
  },
}

async function run(
  { session, ...asked }: LineRequest,
  { workspace }: Agent,
  signal: AbortSignal,
  send: (event: LineEvent) => Promise<void> | undefined,
): Promise<void> {
  const pieces = { stdout: new OutputPieces(), stderr: new OutputPieces() }
  try {
    const { line, ...options } = asked
    // Only the line itself waits for a client that reads slowly: how it ended is left in the stream.
    const result = await workspace.shell(line, {
      ...options,
      sessionId: session,
      signal,
      onOutput: (bytes, stream) => {
        const piece = pieces[stream].take(bytes)
        return piece === null ? undefined : send({ kind: 'output', fields: { stream, ...piece } })
      },
    })
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = pieces[stream].rest()
      if (rest !== null) send({ kind: 'output', fields: { stream, ...rest } })
    }
    const { exitCode, durability, conflicts, cause } = result
    send({ kind: 'exit', fields: { exitCode, durability, ...(cause !== undefined && { cause: errorFields(cause) }), conflicts } })
  } catch (error) {
    send({ kind: 'error', fields: { error: errorFields(error) } })
  }
}
