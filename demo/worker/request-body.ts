import { HttpError } from './http-error.ts'

/** The body's bytes: 413 when there are more than `limit`, of which no more is read. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const tooLong = new HttpError(413, 'LIMIT_EXCEEDED', `the body has more than ${limit} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLong
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    size += part.value.length
    if (size > limit) {
      await reader?.cancel(tooLong)
      throw tooLong
    }
    chunks.push(part.value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The body as a JSON object: 400 where it is none. */
export async function readObject(request: Request, limit: number): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBody(request, limit)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new HttpError(400, 'BAD_REQUEST', `the body is not JSON: ${why}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  throw new HttpError(400, 'BAD_REQUEST', 'the body is JSON, but not an object')
}
