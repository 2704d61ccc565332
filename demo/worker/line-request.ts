import { HttpError } from './http-error.ts'
import type { Limits } from './limits.ts'
import { DEFAULT_TIMEOUT_MS } from './limits.ts'

/** What the body of `POST /shell` asks for. */
export interface LineRequest {
  readonly line: string
  readonly session: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly stdin?: string | Uint8Array
  readonly record?: boolean
  readonly timeoutMs: number
}

/** Checks every field of the body: 400 for one that is unknown or can't be, saying what it may be. */
export function lineRequestOf(body: Readonly<Record<string, unknown>>, limits: Limits): LineRequest {
  for (const key of Object.keys(body)) {
    if (!FIELDS.includes(key)) throw bad(`unknown field "${key}" in the body: there are ${FIELDS.join(', ')}`)
  }
  const { line, session = 'main', cwd, env, args, record } = body
  if (typeof line !== 'string') throw bad('"line" must be a text: the line to run')
  if (typeof session !== 'string' || session === '') throw bad('"session" must be a text that is not empty')
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === '')) throw bad('"cwd" must be a path')
  if (env !== undefined && !isTexts(env)) throw bad('"env" must be an object of texts')
  if (args !== undefined && !(Array.isArray(args) && args.every(isText))) throw bad('"args" must be an array of texts')
  if (record !== undefined && typeof record !== 'boolean') throw bad('"record" must be true or false')
  const stdin = stdinOf(body)
  return {
    line,
    session,
    timeoutMs: timeoutOf(body.timeoutMs, limits.timeoutMs),
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
    ...(args !== undefined && { args }),
    ...(record !== undefined && { record }),
    ...(stdin !== undefined && { stdin }),
  }
}

const FIELDS: readonly string[] = ['line', 'session', 'cwd', 'env', 'args', 'stdin', 'stdinBase64', 'record', 'timeoutMs']

function stdinOf({ stdin, stdinBase64 }: Readonly<Record<string, unknown>>): string | Uint8Array | undefined {
  if (stdin !== undefined && stdinBase64 !== undefined) throw bad('"stdin" and "stdinBase64" exclude each other')
  if (stdin !== undefined && typeof stdin !== 'string') throw bad('"stdin" must be a text')
  if (stdinBase64 === undefined) return stdin
  try {
    return Uint8Array.from(atob(stdinBase64 as string), (character) => character.charCodeAt(0))
  } catch {
    throw bad('"stdinBase64" must be bytes in base64')
  }
}

function timeoutOf(given: unknown, most: number): number {
  if (given === undefined) return Math.min(DEFAULT_TIMEOUT_MS, most)
  if (typeof given === 'number' && given >= 1 && given <= most) return given
  throw bad(`"timeoutMs" is ${JSON.stringify(given)}; it may be a number from 1 to ${most}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
}

function bad(message: string): HttpError {
  return new HttpError(400, 'BAD_REQUEST', message)
}
