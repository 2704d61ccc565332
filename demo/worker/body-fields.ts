import { HttpError } from './http-error.ts'

type Body = Readonly<Record<string, unknown>>

/** 400 for a field that is not among those known. */
export function demandFields(body: Body, known: readonly string[]): void {
  for (const key of Object.keys(body)) {
    if (!known.includes(key)) throw bad(`unknown field "${key}" in the body: there are ${known.join(', ')}`)
  }
}

/** Variables by name; 400 for anything else. */
export function envOf(env: unknown): Readonly<Record<string, string>> | undefined {
  if (env === undefined || isTexts(env)) return env
  throw bad('"env" must be an object of texts')
}

/** A list of texts; 400 for anything else. */
export function textsOf(given: unknown, key: string): readonly string[] | undefined {
  if (given === undefined || (Array.isArray(given) && given.every(isText))) return given
  throw bad(`"${key}" must be an array of texts`)
}

/** What `stdin` or `stdinBase64` says. */
export function stdinOf({ stdin, stdinBase64 }: Body): string | Uint8Array | undefined {
  if (stdin !== undefined && stdinBase64 !== undefined) throw bad('"stdin" and "stdinBase64" exclude each other')
  if (stdin !== undefined && typeof stdin !== 'string') throw bad('"stdin" must be a text')
  if (stdinBase64 === undefined) return stdin
  try {
    return Uint8Array.from(atob(stdinBase64 as string), (character) => character.charCodeAt(0))
  } catch {
    throw bad('"stdinBase64" must be bytes in base64')
  }
}

export function bad(message: string): HttpError {
  return new HttpError(400, 'BAD_REQUEST', message)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
}
