/** Characters of a text beyond which nothing is compared: the time grows with the product of both. */
const LONGEST = 20_000
/** From that many characters on, those that make up more than a hundredth of the second text join no match. */
const POPULAR_FROM = 200

/**
 * How much two texts have in common, 0 to 1, white space being all the same: twice the characters that match, by the longest common runs found first, to all characters.
 * Null where both are empty, or one is too long to compare.
 */
export function textSimilarity(first: string, second: string): number | null {
  const a = first.split(/\s+/).filter(Boolean).join(' ')
  const b = second.split(/\s+/).filter(Boolean).join(' ')
  if (a.length + b.length === 0 || a.length > LONGEST || b.length > LONGEST) return null
  if (a === b) return 1
  const places = placesIn(b)
  let matching = 0
  const ranges: [aFrom: number, aTo: number, bFrom: number, bTo: number][] = [[0, a.length, 0, b.length]]
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [aFrom, aTo, bFrom, bTo] = range
    const run = longestRun(a, b, places, range)
    if (run.length === 0) continue
    matching += run.length
    if (aFrom < run.a && bFrom < run.b) ranges.push([aFrom, run.a, bFrom, run.b])
    if (run.a + run.length < aTo && run.b + run.length < bTo) ranges.push([run.a + run.length, aTo, run.b + run.length, bTo])
  }
  return (2 * matching) / (a.length + b.length)
}

/** Where each character is in a text, without the popular ones. */
function placesIn(text: string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (let i = 0; i < text.length; i++) {
    const known = places.get(text[i] as string)
    if (known === undefined) places.set(text[i] as string, [i])
    else known.push(i)
  }
  if (text.length < POPULAR_FROM) return places
  const most = Math.floor(text.length / 100) + 1
  for (const [character, all] of places) if (all.length > most) places.delete(character)
  return places
}

interface Run {
  readonly a: number
  readonly b: number
  readonly length: number
}

/** The longest run that both have within the bounds, the earliest of several; popular characters only lengthen it. */
function longestRun(
  a: string,
  b: string,
  places: ReadonlyMap<string, readonly number[]>,
  [aFrom, aTo, bFrom, bTo]: readonly [number, number, number, number],
): Run {
  let best: Run = { a: aFrom, b: bFrom, length: 0 }
  let lengths = new Map<number, number>()
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i] as string) ?? []) {
      if (j < bFrom) continue
      if (j >= bTo) break
      const length = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, length)
      if (length > best.length) best = { a: i - length + 1, b: j - length + 1, length }
    }
    lengths = next
  }
  let { a: atA, b: atB, length } = best
  while (atA > aFrom && atB > bFrom && a[atA - 1] === b[atB - 1]) {
    atA -= 1
    atB -= 1
    length += 1
  }
  while (atA + length < aTo && atB + length < bTo && a[atA + length] === b[atB + length]) length += 1
  return { a: atA, b: atB, length }
}
