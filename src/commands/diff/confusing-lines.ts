import type { LineClasses } from './line-classes.ts'

const NEEDED = 0
const DISCARDED = 1
/** Matches so many lines that it is discarded in company. */
const PROVISIONAL = 2

/**
 * Marks, for each file, the lines that comparing is better off without, with anything but 0: those that match nothing in the other
 * file, and among them some that match too much to mean anything.
 */
export function confusingLines({ of, count }: LineClasses): readonly [Uint8Array, Uint8Array] {
  const [first, second] = of
  const marks0 = firstMarks(first, frequencies(second, count))
  const marks1 = firstMarks(second, frequencies(first, count))
  settleProvisional(marks0)
  settleProvisional(marks1)
  return [marks0, marks1]
}

function frequencies(classes: Int32Array, count: number): Int32Array {
  const counts = new Int32Array(count)
  for (const one of classes) counts[one] = (counts[one] as number) + 1
  return counts
}

function firstMarks(classes: Int32Array, matches: Int32Array): Uint8Array {
  const marks = new Uint8Array(classes.length)
  // About five times the square root of an eighth of the lines.
  let many = 5
  for (let rest = Math.floor(classes.length / 64) >> 2; rest > 0; rest >>= 2) many *= 2
  for (let line = 0; line < classes.length; line++) {
    const found = matches[classes[line] as number] as number
    if (found === 0) marks[line] = DISCARDED
    else if (found > many) marks[line] = PROVISIONAL
  }
  return marks
}

/** A provisional mark stands only in a run of discarded lines, with others at both ends. */
function settleProvisional(marks: Uint8Array): void {
  for (let line = 0; line < marks.length; line++) {
    if (marks[line] === PROVISIONAL) marks[line] = NEEDED
    if (marks[line] !== DISCARDED) continue
    let end = line
    let provisional = 0
    for (; end < marks.length && marks[end] !== NEEDED; end++) if (marks[end] === PROVISIONAL) provisional += 1
    while (marks[end - 1] === PROVISIONAL) {
      marks[--end] = NEEDED
      provisional -= 1
    }
    if (provisional * 4 > end - line) {
      for (let at = line; at < end; at++) if (marks[at] === PROVISIONAL) marks[at] = NEEDED
      continue
    }
    settleRun(marks.subarray(line, end))
    line = end - 1
  }
}

function settleRun(run: Uint8Array): void {
  // About the square root of a quarter of the run: no more provisional lines in a row may stand.
  let least = 1
  for (let rest = run.length >> 4; rest > 0; rest >>= 2) least *= 2
  least += 1
  let from = 0
  while (from < run.length) {
    let to = from
    while (to < run.length && run[to] === PROVISIONAL) to += 1
    if (to - from >= least) run.fill(NEEDED, from, to)
    from = to + 1
  }
  settleEnd(run, 0, 1)
  settleEnd(run, run.length - 1, -1)
}

/** From an end of a run to three discarded lines in a row, or to the first after eight lines, nothing stays provisional. */
function settleEnd(run: Uint8Array, start: number, step: 1 | -1): void {
  let consecutive = 0
  for (let count = 0; count < run.length && consecutive < 3; count++) {
    const at = start + count * step
    if (count >= 8 && run[at] === DISCARDED) return
    consecutive = run[at] === DISCARDED ? consecutive + 1 : 0
    if (run[at] === PROVISIONAL) run[at] = NEEDED
  }
}
