import { HttpError } from './http-error.ts'

/** Passes requests that bear the token: 401 for others, 503 where no token is set, since a shell for everybody is never what is wanted. */
export async function authorize(request: Request, token: string | undefined): Promise<void> {
  demandToken(token)
  const [, given] = /^Bearer +(.+?) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (given !== undefined && (await isSame(given, token))) return
  const why = given === undefined ? 'the request needs the header "Authorization: Bearer TOKEN"' : 'the bearer token is wrong'
  throw new HttpError(401, 'UNAUTHORIZED', why, { 'www-authenticate': 'Bearer' })
}

export function demandToken(token: string | undefined): asserts token is string {
  if (token !== undefined && token !== '') return
  throw new HttpError(503, 'MISCONFIGURED', 'the worker has no token and answers nobody: set one with "wrangler secret put TOKEN"')
}

/** Digests are compared, every byte of them, so that the time it takes says nothing about the token. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [one, two] = await Promise.all([digest(a), digest(b)])
  let difference = 0
  for (const [at, byte] of one.entries()) difference |= byte ^ (two[at] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
