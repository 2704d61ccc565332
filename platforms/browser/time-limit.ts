import type { Host } from '../../src/host.ts'

/** What `work` gives; rejects with what `late` makes when it has not settled after `ms` milliseconds. It then goes on unheard. */
export function withTimeLimit<T>(host: Host, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = host.timer(ms, () => reject(late()))
    work.then(resolve, reject).finally(cancel)
  })
}
