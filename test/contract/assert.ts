/** What a contract case fails with. */
export class AssertionError extends Error {
  override readonly name: string = 'AssertionError'
}

/** Fails unless the condition holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** Fails unless both are the same by value: arrays, byte arrays, maps, sets and plain objects are compared by what they hold. */
export function assertEqual<T>(actual: T, expected: T, message = ''): void {
  if (isSame(actual, expected)) return
  throw new AssertionError(`${message === '' ? '' : `${message}: `}got ${show(actual)}, wanted ${show(expected)}`)
}

/** What `run` throws or rejects with; fails where it does neither. */
export async function assertFails(run: () => unknown, message = ''): Promise<unknown> {
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    return error
  }
  throw new AssertionError(`${message === '' ? '' : `${message}: `}wanted a failure, got ${show(result)}`)
}

/** Fails unless `run` throws or rejects with an error that has `code`; gives that error. */
export async function assertCode(run: () => unknown, code: string, message = ''): Promise<unknown> {
  const error = await assertFails(run, message === '' ? code : message)
  const found = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (found !== code) throw new AssertionError(`${message === '' ? '' : `${message}: `}wanted ${code}, got ${show(error)}`)
  return error
}

/** Fails unless both are the same value (`Object.is`). */
export function equal(actual: unknown, expected: unknown, message = ''): void {
  if (!Object.is(actual, expected))
    throw new AssertionError(`${message === '' ? '' : `${message}: `}got ${show(actual)}, wanted ${show(expected)}`)
}

/** As {@link assertEqual}, of values of any types. */
export function deepEqual(actual: unknown, expected: unknown, message = ''): void {
  assertEqual(actual, expected, message)
}

/** Fails unless the value is truthy. */
export function ok(value: unknown, message?: string): void {
  assert(Boolean(value), message ?? `got ${show(value)}, wanted something true`)
}

/** Fails unless the promise, or what the function does, fails with an error that has the code, or, for an abort, the name. */
export async function rejects(work: PromiseLike<unknown> | (() => unknown), code: string): Promise<void> {
  const error = await assertFails(() => (typeof work === 'function' ? work() : work), code)
  const { code: found, name } = error as { code?: unknown; name?: unknown }
  assert(found === code || name === code, `wanted ${code}, got ${show(error)}`)
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Uint8Array && b instanceof Uint8Array) return a.length === b.length && a.every((byte, i) => byte === b[i])
  if (Array.isArray(a) !== Array.isArray(b)) return false
  if (a instanceof Map && b instanceof Map) return isSame([...a], [...b])
  if (a instanceof Set && b instanceof Set) return isSame([...a], [...b])
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}${'code' in value ? ` ${String(value.code)}` : ''}: ${value.message}`
  if (value instanceof Uint8Array) return `bytes [${value.subarray(0, 40).join(' ')}${value.length > 40 ? ' …' : ''}] (${value.length})`
  if (value instanceof Map || value instanceof Set) return show([...value])
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
