import { encode } from '../../bytes.ts'

const SURROGATE = /[\ud800-\udfff]/

/** Orders texts by their bytes, as C.UTF-8 collates; negative where `left` comes first. */
export function compareBytes(left: string, right: string): number {
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return left < right ? -1 : left > right ? 1 : 0
  const a = encode(left)
  const b = encode(right)
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number)
  return a.length - b.length
}

/** Sorts in place, by bytes. */
export function sortByBytes(texts: string[]): string[] {
  return texts.some((text) => SURROGATE.test(text)) ? texts.sort(compareBytes) : texts.sort()
}
