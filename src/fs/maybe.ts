import { isPromise, type MaybePromise } from '../host.ts'

/** What `use` makes of the value: at once where both are at hand. */
export function chain<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(use) : use(value)
}

/** What `run` gives, or what `handle` makes of the error that it throws or rejects with. */
export function rescue<T>(run: () => MaybePromise<T>, handle: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  let result: MaybePromise<T>
  try {
    result = run()
  } catch (error) {
    return handle(error)
  }
  return isPromise(result) ? result.catch(handle) : result
}
