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

/** Between half of a time and all of it, by chance, so that those who wait for each other don't come back together. */
export function jittered(host: Pick<Host, 'random'>, ms: number): number {
  const chance = new Uint8Array(1)
  host.random(chance)
  return ms * (0.5 + (chance[0] ?? 0) / 512)
}
