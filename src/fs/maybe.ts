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

/** Work in steps, for what has many of them: `drive` runs it at once as long as nothing has to be waited for. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** In steps: `const stat = yield* wait(fs.stat(path))`. */
export function* wait<T>(value: MaybePromise<T>): Steps<T> {
  return isPromise(value) ? ((yield value) as T) : value
}

export function drive<T>(steps: Steps<T>): MaybePromise<T> {
  return resume(steps, () => steps.next())
}

function resume<T>(steps: Steps<T>, go: () => IteratorResult<Promise<unknown>, T>): MaybePromise<T> {
  const step = go()
  if (step.done === true) return step.value
  return step.value.then(
    (value) => resume(steps, () => steps.next(value)),
    (error: unknown) => resume(steps, () => steps.throw(error)),
  )
}
