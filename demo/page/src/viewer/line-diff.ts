/** A line of one side. */
export interface DiffLine {
  /** Counted from 1. */
  readonly number: number
  readonly parts: readonly DiffPart[]
  /** The text ends here, without a line feed. */
  readonly unended: boolean
}

/** Part of a line; what differs within a line that both sides have is marked. */
export interface DiffPart {
  readonly text: string
  readonly marked: boolean
}

/** Two sides of one row; null where a side has no such line. */
export interface DiffRow {
  readonly same: boolean
  readonly left: DiffLine | null
  readonly right: DiffLine | null
}

/** Milliseconds that a comparison may take, and lines that may differ. */
const TIMEOUT = 1500
const MAX_EDITS = 20_000
/** Characters of a line that is compared by words. */
const WORDS_WITHIN = 400
/** Ends a line without a line feed; no text that is compared has one. */
const UNENDED = '\0'

/** Lines beside each other; null where there are too many differences to find them in time. */
export async function lineDiff(before: string, after: string): Promise<readonly DiffRow[] | null> {
  const { diffArrays, diffWordsWithSpace } = await import('diff')
  const left = linesOf(before)
  const right = linesOf(after)
  const found = diffArrays(left, right, { timeout: TIMEOUT, maxEditLength: MAX_EDITS })
  if (found === undefined) return null
  const words = (a: string, b: string): readonly [DiffPart[], DiffPart[]] => {
    const whole: readonly [DiffPart[], DiffPart[]] = [[{ text: a, marked: false }], [{ text: b, marked: false }]]
    if (a.length > WORDS_WITHIN || b.length > WORDS_WITHIN) return whole
    const parts = diffWordsWithSpace(a, b)
    const shared = parts.reduce((sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length), 0)
    // Lines that have next to nothing in common are other lines.
    if (shared * 3 < Math.min(a.length, b.length)) return whole
    return [
      parts.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, marked: removed })),
      parts.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, marked: added })),
    ]
  }
  const rows: DiffRow[] = []
  let leftAt = 0
  let rightAt = 0
  let gone: readonly string[] = []
  const settle = (come: readonly string[]): void => {
    for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
      const a = gone[index]
      const b = come[index]
      const [aParts, bParts] = a !== undefined && b !== undefined ? words(shown(a), shown(b)) : [null, null]
      rows.push({
        same: false,
        left: a === undefined ? null : lineOf((leftAt += 1), a, aParts),
        right: b === undefined ? null : lineOf((rightAt += 1), b, bParts),
      })
    }
    gone = []
  }
  for (const { value, added, removed } of found) {
    if (removed) gone = value
    else if (added) settle(value)
    else {
      settle([])
      for (const text of value) {
        rows.push({ same: true, left: lineOf((leftAt += 1), text, null), right: lineOf((rightAt += 1), text, null) })
      }
    }
  }
  settle([])
  return rows
}

/** The lines of a text. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, last + UNENDED]
}

function lineOf(number: number, line: string, parts: readonly DiffPart[] | null): DiffLine {
  return { number, parts: parts ?? [{ text: shown(line), marked: false }], unended: line.endsWith(UNENDED) }
}

/** A line as it is shown: with a mark for a carriage return. */
function shown(line: string): string {
  return (line.endsWith(UNENDED) ? line.slice(0, -1) : line).replace(/\r$/, '\u240d')
}
