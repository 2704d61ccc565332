/** A line of one side. */
export interface DiffLine {
  /** Counted from 1. */
  readonly number: number
  /** The text ends here, without a line feed. */
  readonly unended: boolean
  parts(): readonly DiffPart[]
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

type Package = typeof import('diff')

/** Milliseconds that a comparison may take. */
const TIMEOUT = 700
/** Characters of a line that is compared by words. */
const WORDS_WITHIN = 400
/** Ends a line without a line feed; no text that is compared has one. */
const UNENDED = '\0'

/** Lines beside each other. Where it would take long to find which are the same, those at the start and the end are. */
export async function lineDiff(before: string, after: string): Promise<readonly DiffRow[]> {
  const library = await import('diff')
  const left = linesOf(before)
  const right = linesOf(after)
  const found = library.diffArrays(left, right, { timeout: TIMEOUT }) ?? endsOnly(left, right)
  const rows: DiffRow[] = []
  let leftAt = 0
  let rightAt = 0
  let gone: readonly string[] = []
  const settle = (come: readonly string[]): void => {
    for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
      const a = gone[index]
      const b = come[index]
      const pair = a === undefined || b === undefined ? null : pairOf(library, shown(a), shown(b))
      rows.push({
        same: false,
        left: a === undefined ? null : lineOf((leftAt += 1), a, pair?.left),
        right: b === undefined ? null : lineOf((rightAt += 1), b, pair?.right),
      })
    }
    gone = []
  }
  for (const { value, added, removed } of found) {
    if (removed) gone = value
    else if (added) settle(value)
    else {
      settle([])
      for (const text of value) rows.push({ same: true, left: lineOf((leftAt += 1), text), right: lineOf((rightAt += 1), text) })
    }
  }
  settle([])
  return rows
}

interface Run {
  readonly value: readonly string[]
  readonly added: boolean
  readonly removed: boolean
}

function endsOnly(left: readonly string[], right: readonly string[]): readonly Run[] {
  const most = Math.min(left.length, right.length)
  let head = 0
  while (head < most && left[head] === right[head]) head += 1
  let tail = 0
  while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1
  return [
    { value: left.slice(0, head), added: false, removed: false },
    { value: left.slice(head, left.length - tail), added: false, removed: true },
    { value: right.slice(head, right.length - tail), added: true, removed: false },
    { value: left.slice(left.length - tail), added: false, removed: false },
  ]
}

type Parts = () => readonly DiffPart[]

/** The parts of two lines, one in place of the other, compared when they are first shown. */
function pairOf({ diffWordsWithSpace }: Package, a: string, b: string): { readonly left: Parts; readonly right: Parts } {
  let known: ReturnType<Package['diffWordsWithSpace']> | null = null
  const compared = (): NonNullable<typeof known> => {
    known ??= a.length > WORDS_WITHIN || b.length > WORDS_WITHIN ? [] : diffWordsWithSpace(a, b)
    const shared = known.reduce((sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length), 0)
    // Lines that have next to nothing in common are other lines.
    if (shared * 3 < Math.min(a.length, b.length)) known = []
    return known
  }
  const side = (text: string, marked: 'added' | 'removed', other: 'added' | 'removed'): Parts => {
    return () => {
      const parts = compared().filter((part) => !part[other])
      return parts.length === 0 ? [{ text, marked: false }] : parts.map((part) => ({ text: part.value, marked: part[marked] }))
    }
  }
  return { left: side(a, 'removed', 'added'), right: side(b, 'added', 'removed') }
}

/** The lines of a text. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, last + UNENDED]
}

function lineOf(number: number, line: string, parts: Parts = () => [{ text: shown(line), marked: false }]): DiffLine {
  return { number, unended: line.endsWith(UNENDED), parts }
}

/** A line as it is shown: with a mark for a carriage return. */
function shown(line: string): string {
  return (line.endsWith(UNENDED) ? line.slice(0, -1) : line).replace(/\r$/, '\u240d')
}
