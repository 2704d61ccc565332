/** A time of this machine's zone, to the second, of milliseconds since the epoch. */
export function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}
