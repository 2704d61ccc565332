import { HttpError } from './http-error.ts'

/** Whose request it is, and its address within the agent. */
export interface Target {
  readonly agent: string
  /** `https://agent/` and what follows the agent, with the agent's name as `agent` in the query. */
  readonly address: string
}

const LONGEST_NAME = 200

/** Agents are named by the path, `/agents/NAME/shell`, or by the query, `/shell?agent=NAME`; the agent `main` where none is named. */
export function targetOf(url: URL): Target {
  const [, inPath, rest = ''] = /^\/agents\/([^/]*)\/?(.*)$/.exec(url.pathname) ?? []
  const inQuery = url.searchParams.get('agent')
  if (inPath !== undefined && inQuery !== null) {
    throw new HttpError(400, 'BAD_REQUEST', 'the agent is named by the path and by the query; one is enough')
  }
  const agent = inPath === undefined ? (inQuery ?? 'main') : decodeSegment(inPath)
  if (agent === '' || agent.length > LONGEST_NAME || /\p{Cc}/u.test(agent)) {
    throw new HttpError(400, 'BAD_REQUEST', `the name of an agent has 1 to ${LONGEST_NAME} characters, none of them a control character`)
  }
  const address = new URL('https://agent')
  address.pathname = inPath === undefined ? url.pathname : `/${rest}`
  address.search = url.search
  address.searchParams.set('agent', agent)
  return { agent, address: address.href }
}

/** What a segment of a path stands for. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new HttpError(400, 'BAD_REQUEST', `"${segment}" in the path is not percent-encoded UTF-8`)
  }
}
