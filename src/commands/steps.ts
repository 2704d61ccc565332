import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'

/**
 * Work that may have to wait, written as a generator: `yield* wait(something)` gives the thing itself, at once where it is at hand.
 * So a command whose input and output answer at once ends at once, without a promise, and reads as an async function does.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** Runs the work: its result where nothing had to be waited for, else a promise of it. */
export function proceed<T>(work: Steps<T>): MaybePromise<T> {
  const step = work.next()
  return step.done === true ? step.value : goOn(work, step.value)
}

/** Inside steps: the value, waited for where it is a promise. */
export function* wait<T>(value: MaybePromise<T>): Steps<T> {
  return isPromise(value) ? ((yield value) as T) : value
}

async function goOn<T>(work: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first
  for (;;) {
    // A step is an object that holds the next promise, so `then` doesn't wait for that one here.
    const step = await waiting.then(
      (value) => work.next(value),
      (error: unknown) => work.throw(error),
    )
    if (step.done === true) return step.value
    waiting = step.value
  }
}
