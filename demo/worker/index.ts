import { authorize, demandToken } from './authorization.ts'
import type { Bindings } from './bindings.ts'
import { corsHeaders, preflight } from './cors.ts'
import { errorResponse, HttpError } from './http-error.ts'
import { targetOf } from './target.ts'

export { AgentShell } from './agent-shell.ts'

/** Gives each agent a durable shell: passes what is authorized to the agent's Durable Object. */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const cors = corsHeaders(request, env.CORS_ORIGINS)
    if (request.method === 'OPTIONS' && cors !== null) return preflight(cors)
    const response = await answer(request, env).catch(errorResponse)
    if (cors === null) return response
    const headers = new Headers(response.headers)
    for (const [name, value] of Object.entries(cors)) headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  },
}

async function answer(request: Request, env: Bindings): Promise<Response> {
  const url = new URL(request.url)
  if (url.pathname === '/health') return health(request, env)
  await authorize(request, env.TOKEN)
  const { agent, address } = targetOf(url)
  return env.AGENTS.get(env.AGENTS.idFromName(agent)).fetch(new Request(address, request))
}

/** Whether the worker could do its work. Needs no token. */
function health(request: Request, env: Bindings): Response {
  if (request.method !== 'GET') throw new HttpError(405, 'METHOD_NOT_ALLOWED', '/health answers GET', { allow: 'GET' })
  demandToken(env.TOKEN)
  return Response.json({ status: 'ok' })
}
