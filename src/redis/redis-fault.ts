import type { ErrorCode } from '../errors.ts'
import { WorkspaceError } from '../errors.ts'
import type { RedisOutcome, RedisRefusal } from './redis-link.ts'

/** What is to be done about errors of Redis that have to be said in words. */
const IN_WORDS: Readonly<Record<string, string>> = {
  CLUSTERDOWN: 'the cluster is down',
  CROSSSLOT: 'the server is a cluster, and the keys lie on several of its nodes',
  LOADING: 'the server is still loading its data',
  MASTERDOWN: 'the server has lost its master',
  MISCONF: 'the server cannot save to its disk, so it takes no writes',
  MOVED: 'the server is a node of a cluster, which can only be reached through something that knows where keys are',
  NOAUTH: 'the server asks for a password, and none was given',
  NOPERM: 'the user may not do this',
  NOREPLICAS: 'the server has too few replicas to take writes',
  OOM: 'the server is out of memory',
  READONLY: 'the server is a replica that takes no writes',
  WRONGPASS: 'the token or password is wrong',
  WRONGTYPE: 'a key holds data of another program',
}
/** These end by themselves. */
const PASSING: ReadonlySet<string> = new Set(['BUSY', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN', 'READONLY', 'TRYAGAIN'])
const TOO_LONG = /max request size exceeded|max single record size exceeded|string exceeds maximum allowed size/i

/** Whether another attempt may end in another way. */
export function isPassing(outcome: Exclude<RedisOutcome, { type: 'reply' }>): boolean {
  if (outcome.type === 'lost') return true
  const { status, code } = outcome
  return PASSING.has(code) || status === 408 || status === 429 || (status !== null && status >= 500)
}

/** Whether a script has to be sent whole. Not every server words that as Redis does. */
export function isUnknownScript({ code, text }: RedisRefusal): boolean {
  return code === 'NOSCRIPT' || (code === 'ERR' && text.startsWith('NOSCRIPT'))
}

/** The error for a request that was given up. What was sent is not in it, nor what the server said about that. */
export function redisError(
  address: string,
  outcome: Exclude<RedisOutcome, { type: 'reply' }>,
  { tries, ms }: { readonly tries: number; readonly ms: number },
): WorkspaceError {
  const given = tries === 1 ? '' : `; given up after ${tries} attempts in ${Math.round(ms / 100) / 10} s`
  if (outcome.type === 'lost') return new WorkspaceError('STORE_UNAVAILABLE', `Redis at ${address}: ${outcome.why}${given}`)
  return new WorkspaceError(codeOf(outcome), `Redis at ${address}: ${words(outcome)}${given}`)
}

function codeOf({ code, text, status }: RedisRefusal): ErrorCode {
  if (status === 413 || TOO_LONG.test(text)) return 'LIMIT_EXCEEDED'
  return code === 'WRONGTYPE' ? 'CORRUPT' : 'STORE_UNAVAILABLE'
}

function words({ code, text, status, size }: RedisRefusal): string {
  if (status === 413 || TOO_LONG.test(text)) {
    const limit = /limit: *(\d+)/i.exec(text)?.[1]
    return `a request of ${size} bytes is too long for it${limit === undefined ? '' : `; it takes ${limit} bytes`}`
  }
  const http = status === null || status === 200 || status === 400 ? '' : `HTTP ${status}`
  if (/max (\w+ )?requests? limit exceeded/i.test(text)) return named(http || code, 'its limit of requests is used up')
  if (status === 401 || status === 403) return named([http, code].filter(Boolean).join(' '), IN_WORDS[code] ?? 'the token is wrong')
  if (code === '') return http || 'an answer that is not of Redis'
  return named([http, code].filter(Boolean).join(' '), IN_WORDS[code] ?? withoutArguments(text))
}

function named(code: string, why: string): string {
  return code === '' ? why : `${code}, ${why}`
}

/** Some messages of Redis repeat the arguments, in quotes. */
function withoutArguments(text: string): string {
  const plain = /^[^'"`\n]*/.exec(text)?.[0] ?? ''
  return plain.replace(/,? *(with args beginning with:? *)?$/, '').slice(0, 200)
}
