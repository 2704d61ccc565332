import { HttpError } from './http-error.ts'
import type { Handler } from './route.ts'
import { existingSession } from './sessions-routes.ts'

const USUAL = 100
const MOST = 10_000

/** `GET /history`: the last lines, oldest first, of one session or of all. */
export const getHistory: Handler = {
  query: ['session', 'limit'],
  async run(call) {
    const limit = limitOf(call.query.get('limit'))
    const id = call.query.get('session')
    const entries =
      id === undefined ? (await call.agent.workspace.history()).slice(-limit) : await (await existingSession(call, id)).history(limit)
    return Response.json({ entries })
  },
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return USUAL
  const limit = Number(given)
  if (/^\d+$/.test(given) && limit >= 1 && limit <= MOST) return limit
  throw new HttpError(400, 'BAD_REQUEST', `limit is "${given}"; it may be a whole number from 1 to ${MOST}`)
}
