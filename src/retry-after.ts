/** Milliseconds that a header `Retry-After`, seconds or a date, asks to wait; null where it asks nothing. `now` is since the epoch. */
export function retryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
