import { decode } from '../../bytes.ts'
import type { Regex } from '../../regex/regex.ts'
import type { Change } from './comparison.ts'
import type { WhiteSpace } from './line-classes.ts'
import { ignoresTrailing } from './line-classes.ts'
import type { TextFile } from './text-file.ts'

/** The lines some changes are about, first and last of each file; a last line before the first one: none. */
export interface Hunk {
  readonly first0: number
  readonly last0: number
  readonly first1: number
  readonly last1: number
  readonly kind: HunkKind
}

export type HunkKind = 'unchanged' | 'old' | 'new' | 'changed'

/** Which changes are passed over. */
export interface Ignored {
  readonly ignoreBlankLines: boolean
  readonly ignoreLines: Regex | null
  readonly whiteSpace: WhiteSpace
}

/** Puts changes together. `unchanged` where all their lines are ignored. */
export function hunkOf(changes: readonly Change[], files: readonly [TextFile, TextFile], ignored: Ignored): Hunk {
  const first = changes[0] as Change
  const last = changes.at(-1) as Change
  const places = {
    first0: first.line0,
    last0: last.line0 + last.deleted - 1,
    first1: first.line1,
    last1: last.line1 + last.inserted - 1,
  }
  if ((ignored.ignoreBlankLines || ignored.ignoreLines !== null) && changes.every((change) => isIgnored(change, files, ignored)))
    return { ...places, kind: 'unchanged' }
  const old = changes.some(({ deleted }) => deleted > 0)
  const added = changes.some(({ inserted }) => inserted > 0)
  return { ...places, kind: old ? (added ? 'changed' : 'old') : added ? 'new' : 'unchanged' }
}

/** Groups of changes that are near enough to be shown together, with `context` lines around each; an ignored one must be nearer to what is before it. */
export function* contextHunks(changes: readonly Change[], context: number): Generator<readonly Change[], void> {
  let from = 0
  for (let at = 0; at < changes.length; at++) {
    const change = changes[at] as Change
    const next = changes[at + 1]
    const threshold = next?.ignorable === true ? context : 2 * context + 1
    if (next !== undefined && next.line0 - change.line0 - change.deleted < threshold) continue
    yield changes.slice(from, at + 1)
    from = at + 1
  }
}

function isIgnored(change: Change, [a, b]: readonly [TextFile, TextFile], ignored: Ignored): boolean {
  for (let line = change.line0; line < change.line0 + change.deleted; line++) if (!isLineIgnored(a, line, ignored)) return false
  for (let line = change.line1; line < change.line1 + change.inserted; line++) if (!isLineIgnored(b, line, ignored)) return false
  return true
}

function isLineIgnored({ bytes, starts }: TextFile, line: number, { ignoreBlankLines, ignoreLines, whiteSpace }: Ignored): boolean {
  const start = starts[line] as number
  const end = (starts[line + 1] as number) - 1
  if (ignoreBlankLines) {
    if (start === end) return true
    if (ignoresTrailing(whiteSpace) && isBlank(bytes, start, end)) return true
  }
  return ignoreLines?.test(decode(bytes.subarray(start, end))) ?? false
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte !== 32 && (byte < 9 || byte > 13)) return false
  }
  return true
}
