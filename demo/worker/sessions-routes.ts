import type { Session } from 'mirage-runtime'
import { HttpError } from './http-error.ts'
import type { Call, Handler } from './route.ts'
import { decodeSegment } from './target.ts'

/** `GET /sessions`: the ids of the sessions. */
export const listSessions: Handler = {
  query: [],
  async run({ agent }) {
    return Response.json({ sessions: await agent.workspace.listSessions() })
  },
}

/** `GET /sessions/ID`: where a session stands. */
export const getSession: Handler = {
  query: [],
  async run(call) {
    const session = await existingSession(call, decodeSegment(call.rest))
    const { cwd, umask, variables, functions, aliases } = session.fields
    return Response.json({
      id: session.id,
      createdAt: session.createdAt,
      cwd,
      umask: umask.toString(8).padStart(4, '0'),
      variables: Object.fromEntries(Array.from(variables, ([name, { value }]) => [name, value])),
      functions: Object.fromEntries(Array.from(functions, ([name, { source }]) => [name, source])),
      aliases: Object.fromEntries(aliases),
    })
  },
}

/** `DELETE /sessions/ID`: ends what the session runs and drops it; its history stays. */
export const deleteSession: Handler = {
  query: [],
  async run({ agent, rest }) {
    await agent.workspace.closeSession(decodeSegment(rest))
    return new Response(null, { status: 204 })
  },
}

/** The session of an id; 404 rather than a new one. */
export async function existingSession({ agent }: Call, id: string): Promise<Session> {
  const ids = await agent.workspace.listSessions()
  if (!ids.includes(id)) throw new HttpError(404, 'NOT_FOUND', `there is no session "${id}"`)
  return agent.workspace.session(id)
}
