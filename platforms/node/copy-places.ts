import { isWithin } from '../../src/fs/path.ts'

/** Where the parts of a Job's files are: in its copy, and where they came from. */
export interface CopyPlaces {
  /** The text that a link has in the copy. */
  toCopy(target: string): string
  /** The text that a link of the copy has where it came from. */
  fromCopy(target: string): string
}

/** A folder of the host, by the names that links may use, and where its copy is. */
export interface CopyPlace {
  readonly from: readonly string[]
  readonly copy: string
}

/**
 * Links with absolute texts lead into the copy as long as they are there: what is done through them is done to the copy. Where they came from they
 * lead to the same names again, as if the process had run there.
 */
export function copyPlaces(places: readonly CopyPlace[]): CopyPlaces {
  const inward = places.flatMap(({ from, copy }) => from.map((place): Move => ({ from: place, to: copy }))).sort(longestFirst)
  const outward = places.map(({ from, copy }): Move => ({ from: copy, to: from.at(-1) as string })).sort(longestFirst)
  return {
    toCopy: (target) => moved(target, inward),
    fromCopy: (target) => moved(target, outward),
  }
}

interface Move {
  readonly from: string
  readonly to: string
}

function longestFirst(a: Move, b: Move): number {
  return b.from.length - a.from.length
}

function moved(target: string, moves: readonly Move[]): string {
  const move = moves.find(({ from }) => isWithin(target, from))
  if (move === undefined) return target
  const rest = move.from === '/' ? target : target.slice(move.from.length)
  const moved = (move.to === '/' ? '' : move.to) + rest
  return moved === '' ? '/' : moved
}
