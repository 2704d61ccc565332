import type { MaybePromise } from '../host.ts'

interface Waiter {
  readonly enter: () => void
}

/** Lets one through at a time, in the order they came. Who can pass at once waits for nothing. */
export class Turnstile {
  #taken = false
  readonly #waiting = new Set<Waiter>()

  get isTaken(): boolean {
    return this.#taken
  }

  /** Rejects with the signal's reason when it fires before the turn has come. */
  enter(signal?: AbortSignal): MaybePromise<void> {
    signal?.throwIfAborted()
    if (!this.#taken) {
      this.#taken = true
      return
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        },
      }
      const stop = (): void => {
        this.#waiting.delete(waiter)
        reject(signal?.reason)
      }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      next.enter()
      return
    }
    this.#taken = false
  }
}
