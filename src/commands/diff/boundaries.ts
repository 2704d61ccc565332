/**
 * Moves runs of changed lines within one file: a run joins others where it can, then goes as far to the end as it can, or to
 * where the other file has a change too. `changed` and `other` have one entry more than there are lines at each end; a run
 * may move where the lines it leaves are like those it takes.
 */
export function slideChanges(changed: Uint8Array, other: Uint8Array, classes: Int32Array): void {
  // Entry n + 1 stands for line n.
  const end = classes.length
  let line = 0
  let there = 0
  for (;;) {
    while (line < end && changed[line + 1] === 0) {
      while (other[there + 1] === 1) there += 1
      there += 1
      line += 1
    }
    if (line === end) return

    let start = line
    while (changed[line + 1] === 1) line += 1
    while (other[there + 1] === 1) there += 1

    let length: number
    // Where the run last ended beside a change of the other file.
    let beside: number
    do {
      length = line - start
      while (start > 0 && classes[start - 1] === classes[line - 1]) {
        start -= 1
        line -= 1
        changed[start + 1] = 1
        changed[line + 1] = 0
        while (changed[start] === 1) start -= 1
        there -= 1
        while (other[there + 1] === 1) there -= 1
      }
      beside = other[there] === 1 ? line : end
      while (line !== end && classes[start] === classes[line]) {
        changed[start + 1] = 0
        changed[line + 1] = 1
        start += 1
        line += 1
        while (changed[line + 1] === 1) line += 1
        there += 1
        while (other[there + 1] === 1) {
          beside = line
          there += 1
        }
      }
    } while (length !== line - start)

    while (beside < line) {
      start -= 1
      line -= 1
      changed[start + 1] = 1
      changed[line + 1] = 0
      there -= 1
      while (other[there + 1] === 1) there -= 1
    }
  }
}
