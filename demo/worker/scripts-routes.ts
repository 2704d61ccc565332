import type { Job } from 'mirage-runtime'
import { readObject } from './request-body.ts'
import type { Handler } from './route.ts'
import { scriptStartOf } from './script-request.ts'
import { decodeSegment } from './target.ts'

/** `POST /scripts`: starts a script that goes on by itself until it ends; 202 when it is written down. */
export const startScript: Handler = {
  query: [],
  async run({ request, agent }) {
    const job = await agent.scripts.start(scriptStartOf(await readObject(request, agent.limits.bodyBytes)))
    return Response.json(await stateOf(job), { status: 202 })
  },
}

/** `GET /scripts`: the ids of the scripts, latest last. */
export const listScripts: Handler = {
  query: [],
  async run({ agent }) {
    return Response.json({ scripts: await agent.scripts.list() })
  },
}

/** `GET /scripts/ID`: how a script stands, and what it has written so far. */
export const getScript: Handler = {
  query: [],
  async run({ agent, rest }) {
    const job = await agent.scripts.find(decodeSegment(rest))
    const { stdout, stderr, stdoutTruncated, stderrTruncated } = await job.output()
    return Response.json({
      ...(await stateOf(job)),
      stdout: text(stdout),
      stderr: text(stderr),
      ...(stdoutTruncated && { stdoutTruncated }),
      ...(stderrTruncated && { stderrTruncated }),
    })
  },
}

/** `DELETE /scripts/ID`: ends a script. */
export const killScript: Handler = {
  query: [],
  async run({ agent, rest }) {
    await agent.scripts.kill(decodeSegment(rest))
    return new Response(null, { status: 204 })
  },
}

/** One that is suspended goes on by itself: to whoever asks, it is running. */
async function stateOf(job: Job): Promise<Readonly<Record<string, unknown>>> {
  const { run } = await job.status()
  const isOver = run.state !== 'running' && run.state !== 'suspended'
  const exitCode = isOver ? (await job.review()).run.exit_code : null
  return {
    id: job.id,
    state: isOver ? run.state : 'running',
    exitCode,
    startedAt: run.started_at_unix_ms,
    finishedAt: run.finished_at_unix_ms,
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
