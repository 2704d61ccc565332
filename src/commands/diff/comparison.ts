import type { CommandContext } from '../command.ts'
import type { Steps } from '../steps.ts'
import { slideChanges } from './boundaries.ts'
import { commonEnds } from './common-ends.ts'
import { confusingLines } from './confusing-lines.ts'
import type { Likeness } from './line-classes.ts'
import { lineClasses } from './line-classes.ts'
import type { Vector } from './mark-differences.ts'
import { markDifferences } from './mark-differences.ts'
import type { TextFile } from './text-file.ts'

/** Lines of the one file in place of lines of the other. Lines are counted from 0. */
export interface Change {
  /** The first line taken away, or the one before which lines are put. */
  readonly line0: number
  readonly line1: number
  readonly deleted: number
  readonly inserted: number
  /** Nobody cares for the lines of this one. */
  ignorable: boolean
}

/** How lines are compared, and how hard. */
export interface ComparisonSettings extends Likeness {
  /** A last line without newline is like one with it. */
  readonly completes: boolean
  /** Lines of the common start and end that take part all the same. */
  readonly horizon: number
  /** The fewest changes whatever it takes. */
  readonly minimal: boolean
  /** Give up looking for the fewest where changes are small and scattered. */
  readonly hasty: boolean
}

/** What makes one file of the other, in the order of the lines. */
export function* compareLines(
  files: readonly [TextFile, TextFile],
  settings: ComparisonSettings,
  context: CommandContext,
): Steps<Change[]> {
  const { start, ends } = commonEnds(files, settings)
  const classes = lineClasses(files, start, ends, settings)
  // One entry more than there are lines at each end: never a change.
  const changed = [new Uint8Array(classes.of[0].length + 2), new Uint8Array(classes.of[1].length + 2)] as const
  const [discarded0, discarded1] = settings.minimal ? [null, null] : confusingLines(classes)
  const vector0 = vectorOf(classes.of[0], discarded0, changed[0])
  const vector1 = vectorOf(classes.of[1], discarded1, changed[1])
  yield* markDifferences(vector0, vector1, settings, context)
  slideChanges(changed[0], changed[1], classes.of[0])
  slideChanges(changed[1], changed[0], classes.of[1])
  return changesOf(changed[0], changed[1], start)
}

/** The lines worth comparing; those that are discarded count as changed. */
function vectorOf(classes: Int32Array, discarded: Uint8Array | null, changed: Uint8Array): Vector {
  const values = new Int32Array(classes.length)
  const places = new Int32Array(classes.length)
  let count = 0
  for (let line = 0; line < classes.length; line++) {
    if (discarded !== null && discarded[line] !== 0) {
      changed[line + 1] = 1
      continue
    }
    values[count] = classes[line] as number
    places[count++] = line
  }
  return { values: values.slice(0, count), places: places.subarray(0, count), changed }
}

function changesOf(changed0: Uint8Array, changed1: Uint8Array, start: number): Change[] {
  const changes: Change[] = []
  const end0 = changed0.length - 2
  const end1 = changed1.length - 2
  let i = 0
  let j = 0
  while (i < end0 || j < end1) {
    if (changed0[i + 1] === 1 || changed1[j + 1] === 1) {
      const from0 = i
      const from1 = j
      while (changed0[i + 1] === 1) i += 1
      while (changed1[j + 1] === 1) j += 1
      changes.push({ line0: from0 + start, line1: from1 + start, deleted: i - from0, inserted: j - from1, ignorable: false })
    }
    i += 1
    j += 1
  }
  return changes
}
