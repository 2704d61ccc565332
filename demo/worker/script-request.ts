import { bad, demandFields, envOf, stdinOf, textsOf } from './body-fields.ts'
import type { ScriptStart } from './scripts.ts'

const FIELDS: readonly string[] = ['script', 'id', 'cwd', 'env', 'args', 'stdin', 'stdinBase64', 'timeoutMs']

/** Checks every field of the body of `POST /scripts`: 400 for one that is unknown or can't be, saying what it may be. */
export function scriptStartOf(body: Readonly<Record<string, unknown>>): ScriptStart {
  demandFields(body, FIELDS)
  const { script, id, cwd, timeoutMs } = body
  if (typeof script !== 'string' || script.trim() === '') throw bad('"script" must be a text: the script to run')
  if (id !== undefined && typeof id !== 'string') throw bad('"id" must be a text')
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === '')) throw bad('"cwd" must be a path')
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 1))
    throw bad('"timeoutMs" must be a number of milliseconds')
  const env = envOf(body.env)
  const args = textsOf(body.args, 'args') ?? []
  const stdin = stdinOf(body)
  return {
    command: ['bash', '-c', script, 'bash', ...args],
    ...(id !== undefined && { id }),
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
    ...(stdin !== undefined && { stdin }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}
