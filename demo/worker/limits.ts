import type { Bindings } from './bindings.ts'
import { HttpError } from './http-error.ts'

/** What one request, or one agent, may take. */
export interface Limits {
  /** Bytes of the body of a request that runs a line. */
  readonly bodyBytes: number
  /** Bytes of a file that is put or got at once. */
  readonly fileBytes: number
  /** Bytes of output of a line, both streams together. */
  readonly outputBytes: number
  /** Milliseconds that a line may ask for. */
  readonly timeoutMs: number
  /** Lines of one agent that run or wait. */
  readonly lines: number
  /** Scripts of one agent that have not ended. */
  readonly scripts: number
  /** Milliseconds that a script runs at once. */
  readonly sliceMs: number
}

/** Milliseconds of a line that asks for none. */
export const DEFAULT_TIMEOUT_MS = 30_000

/** The limits that the worker's variables set, or else the defaults. */
export function limitsOf(env: Bindings): Limits {
  return {
    bodyBytes: limit(env, 'MAX_BODY_BYTES', 1 << 20),
    fileBytes: limit(env, 'MAX_FILE_BYTES', 16 << 20),
    outputBytes: limit(env, 'MAX_OUTPUT_BYTES', 8 << 20),
    timeoutMs: limit(env, 'MAX_TIMEOUT_MS', 300_000),
    lines: limit(env, 'MAX_LINES', 16),
    scripts: limit(env, 'MAX_SCRIPTS', 4),
    sliceMs: limit(env, 'SCRIPT_SLICE_MS', 20_000),
  }
}

function limit(env: Bindings, name: keyof Bindings & (`MAX_${string}` | 'SCRIPT_SLICE_MS'), otherwise: number): number {
  const given = env[name]
  if (given === undefined || given === '') return otherwise
  const value = Number(given)
  if (Number.isInteger(value) && value > 0) return value
  throw new HttpError(503, 'MISCONFIGURED', `the variable ${name} is ${JSON.stringify(given)}; it may be a whole number above 0`)
}
