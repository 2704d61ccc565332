import { bad, demandFields, envOf, stdinOf, textsOf } from './body-fields.ts'
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
  demandFields(body, FIELDS)
  const { line, session = 'main', cwd, record } = body
  if (typeof line !== 'string') throw bad('"line" must be a text: the line to run')
  if (typeof session !== 'string' || session === '') throw bad('"session" must be a text that is not empty')
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === '')) throw bad('"cwd" must be a path')
  const env = envOf(body.env)
  const args = textsOf(body.args, 'args')
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

function timeoutOf(given: unknown, most: number): number {
  if (given === undefined) return Math.min(DEFAULT_TIMEOUT_MS, most)
  if (typeof given === 'number' && given >= 1 && given <= most) return given
  throw bad(`"timeoutMs" is ${JSON.stringify(given)}; it may be a number from 1 to ${most}`)
}
