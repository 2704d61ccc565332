import type { Agent } from './agent.ts'
import { deleteFile, getFile, putFile } from './files-routes.ts'
import { getHistory } from './history-route.ts'
import { HttpError } from './http-error.ts'
import type { Call, Handler } from './route.ts'
import { getScript, killScript, listScripts, startScript } from './scripts-routes.ts'
import { deleteSession, getSession, listSessions } from './sessions-routes.ts'
import { runLine } from './shell-route.ts'

interface Route {
  readonly path: RegExp
  readonly methods: ReadonlyMap<string, Handler>
}

const forgetAgent: Handler = {
  query: [],
  async run({ agent }) {
    await agent.forget()
    return new Response(null, { status: 204 })
  },
}

const ROUTES: readonly Route[] = [
  { path: /^\/$/, methods: new Map([['DELETE', forgetAgent]]) },
  { path: /^\/shell$/, methods: new Map([['POST', runLine]]) },
  { path: /^\/sessions$/, methods: new Map([['GET', listSessions]]) },
  {
    path: /^\/sessions\/([^/]+)$/,
    methods: new Map([
      ['GET', getSession],
      ['DELETE', deleteSession],
    ]),
  },
  {
    path: /^\/scripts$/,
    methods: new Map([
      ['GET', listScripts],
      ['POST', startScript],
    ]),
  },
  {
    path: /^\/scripts\/([^/]+)$/,
    methods: new Map([
      ['GET', getScript],
      ['DELETE', killScript],
    ]),
  },
  { path: /^\/history$/, methods: new Map([['GET', getHistory]]) },
  {
    path: /^\/files(|\/.*)$/,
    methods: new Map([
      ['GET', getFile],
      ['PUT', putFile],
      ['DELETE', deleteFile],
    ]),
  },
]

/** Finds who answers a request for an agent: 404, 405, or 400 for what stands in the query and means nothing. */
export function route(request: Request, agent: Agent): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  for (const { path, methods } of ROUTES) {
    const match = path.exec(pathname)
    if (match === null) continue
    const handler = methods.get(request.method)
    if (handler === undefined) {
      const allow = [...methods.keys()].join(', ')
      throw new HttpError(405, 'METHOD_NOT_ALLOWED', `${request.method} means nothing here: there is ${allow}`, { allow })
    }
    const call: Call = { request, agent, rest: match[1] ?? '', query: queryOf(searchParams, handler.query) }
    return handler.run(call)
  }
  throw new HttpError(404, 'NOT_FOUND', `there is nothing at ${pathname}: there are /shell, /scripts, /sessions, /history and /files`)
}

function queryOf(given: URLSearchParams, known: readonly string[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  for (const [key, value] of given) {
    if (key === 'agent') continue
    const places = known.length === 0 ? 'there is only agent' : `there are agent, ${known.join(', ')}`
    if (!known.includes(key)) throw new HttpError(400, 'BAD_REQUEST', `unknown key "${key}" in the query: ${places}`)
    if (query.has(key)) throw new HttpError(400, 'BAD_REQUEST', `"${key}" stands in the query twice`)
    query.set(key, value)
  }
  return query
}
