/** Fails unless both are the same value (`Object.is`). */
export function equal(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) fail(actual, expected, message)
}

/** Fails unless both have the same content: arrays, bytes, maps, sets and plain objects are compared part by part. */
export function deepEqual(actual: unknown, expected: unknown, message?: string): void {
  if (show(actual) !== show(expected)) fail(actual, expected, message)
}

export function ok(value: unknown, message?: string): void {
  if (!value) throw new Error(message ?? `expected something true, got ${show(value)}`)
}

/** Fails unless the promise, or what the function does, is rejected with an error that has the code (or, for an abort, the name). */
export async function rejects(work: PromiseLike<unknown> | (() => unknown), code: string): Promise<void> {
  let outcome: unknown
  try {
    outcome = await (typeof work === 'function' ? work() : work)
  } catch (error) {
    const { code: actual, name } = error as { code?: unknown; name?: unknown }
    if (actual === code || name === code) return
    throw new Error(`expected a rejection with ${code}, got ${String(actual ?? name)}`, { cause: error })
  }
  throw new Error(`expected a rejection with ${code}, got ${show(outcome)}`)
}

function fail(actual: unknown, expected: unknown, message: string | undefined): never {
  throw new Error(`${message === undefined ? '' : `${message}: `}expected ${show(expected)}, got ${show(actual)}`)
}

/** The content as text; the same for the same content. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  if (value instanceof Uint8Array) return `bytes[${value.join(' ')}]`
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`
  if (value instanceof Map) return `map{${Array.from(value, ([key, held]) => `${show(key)} => ${show(held)}`).join(', ')}}`
  if (value instanceof Set) return `set{${Array.from(value, show).join(', ')}}`
  if (value instanceof Error) return `${value.name}: ${value.message}`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, held]) => `${key}: ${show(held)}`).join(', ')}}`
}
