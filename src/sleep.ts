import type { Host } from './host.ts'

/** Resolves after so many milliseconds; rejects with the signal's reason where that fires before. */
export function sleep(host: Pick<Host, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = host.timer(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}
