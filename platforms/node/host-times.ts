/** What a number of this size can hold anyway. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** Milliseconds as the host's calls take them, which cut times to whole microseconds: a bit more than the nearest one, so that it is the nearest one that they keep. */
export function hostSeconds(ms: number): number {
  return (Math.round(ms * 1000) + 0.3) / 1e6
}
