import { codeOf, WorkspaceError } from 'mirage-runtime'

/** A request that is answered with a status, a code to match on and a sentence. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** What went wrong, as it is told. What is neither an {@link HttpError} nor the library's own is logged and told as INTERNAL. */
export function errorFields(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof HttpError) return { code: error.code, message: error.message }
  if (error instanceof WorkspaceError) return { code: error.code, message: error.message }
  if (error instanceof DOMException && error.name === 'AbortError') return { code: 'ABORTED', message: 'the line was aborted' }
  console.error(error)
  return { code: 'INTERNAL', message: 'the worker failed; its log says why' }
}

export function errorResponse(error: unknown): Response {
  const fields = errorFields(error)
  const headers = error instanceof HttpError ? error.headers : {}
  return Response.json({ error: fields }, { status: statusOf(error), headers })
}

function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status
  return STATUS.get(codeOf(error) ?? '') ?? 500
}

const STATUS: ReadonlyMap<string, number> = new Map([
  ['CONFIG_INVALID', 400],
  ['EINVAL', 400],
  ['ENAMETOOLONG', 400],
  ['EACCES', 403],
  ['EPERM', 403],
  ['EROFS', 403],
  ['POLICY_DENIED', 403],
  ['ENOENT', 404],
  ['NOT_FOUND', 404],
  ['EBUSY', 409],
  ['EEXIST', 409],
  ['EISDIR', 409],
  ['ELOOP', 409],
  ['ENOTDIR', 409],
  ['ENOTEMPTY', 409],
  ['EFBIG', 413],
  ['LIMIT_EXCEEDED', 413],
  ['CAPABILITY_UNSUPPORTED', 501],
  ['CLOSED', 503],
  ['STORE_UNAVAILABLE', 503],
  ['ENOSPC', 507],
])
