/**
 * What the library takes from the world, as arguments: time, chance, timers. {@link webHost} gives the web-standard ones;
 * a test gives its own.
 */
export interface Host {
  /** Milliseconds since the epoch, fractions allowed. */
  now(): number
  /** Milliseconds of a clock that never goes back; only differences mean anything. May stand still while code runs (workerd). */
  elapsed(): number
  /** Fills the array with random bytes. */
  random(bytes: Uint8Array): void
  /** Calls `ring` once after `ms` milliseconds; what it returns cancels that. */
  timer(ms: number, ring: () => void): () => void
  /** Resolves in a later macrotask, so that timers, rendering and aborts get their turn. */
  breathe(): Promise<void>
}

/** A value, or a promise of it. What can answer at once does; `await` takes both. */
export type MaybePromise<T> = T | Promise<T>

/** True for a promise, false for a plain value. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** The host made of web standards alone. */
export const webHost: Host = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: (bytes) => {
    // getRandomValues refuses more than 65,536 bytes at once.
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  },
  timer: (ms, ring) => {
    const id = setTimeout(ring, Math.min(ms, 0x7fff_ffff))
    return () => clearTimeout(id)
  },
  breathe: macrotask(),
}

/** A name that no other has: as many random bytes, in hexadecimal digits. */
export function randomId(host: Pick<Host, 'random'>, bytes = 8): string {
  const random = new Uint8Array(bytes)
  host.random(random)
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function macrotask(): () => Promise<void> {
  // In workerd messages go round without letting timers ring; this waits there, and is nowhere else.
  if (typeof scheduler !== 'undefined' && typeof scheduler.wait === 'function') return () => scheduler.wait(0)
  // setTimeout is throttled to 4 ms in pages when nested; a message is not.
  if (typeof MessageChannel === 'undefined') return () => new Promise((resolve) => setTimeout(resolve, 0))
  return () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        port1.close()
        resolve()
      }
      port2.postMessage(null)
    })
}
