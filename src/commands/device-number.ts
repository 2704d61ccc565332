import { basename } from '../fs/path.ts'

const MEMORY_DEVICES: Readonly<Record<string, readonly [number, number]>> = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
  tty: [5, 0],
  console: [5, 1],
}

/** Major and minor number that Linux gives the device of that name; 0, 0 for one it doesn't know. */
export function deviceNumber(path: string): readonly [major: number, minor: number] {
  return MEMORY_DEVICES[basename(path)] ?? [0, 0]
}
