import { CommandFailure } from '../utility.ts'
import { numberTest } from './comparison.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 512],
  ['c', 1],
  ['w', 2],
  ['k', 1024],
  ['M', 1024 ** 2],
  ['G', 1024 ** 3],
])

/** `-size`: a test of a size in bytes, which is rounded up to the unit given. */
export function sizeTest(text: string): (bytes: number) => boolean {
  if (text === '') throw new CommandFailure('invalid null argument to -size')
  const last = text.at(-1) as string
  const isBare = /[0-9]/.test(last)
  const unit = isBare ? 512 : UNITS.get(last)
  if (unit === undefined) throw new CommandFailure(`invalid -size type \`${last}'`)
  const test = numberTest(isBare ? text : text.slice(0, -1))
  if (test === null) throw new CommandFailure(`Invalid argument \`${text}' to -size`)
  return (bytes) => test(Math.ceil(bytes / unit))
}
