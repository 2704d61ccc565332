import type { StructuredPatchHunk } from 'diff'
import { decode, encode } from '../bytes.ts'

/** One side of a comparison. */
export interface DiffSide {
  /** Type and permissions as git writes them, such as 100644; null where there is nothing. */
  readonly mode: string | null
  readonly bytes: Uint8Array
}

/** Lines of context round a change. */
const CONTEXT = 3
/** Where more lines than that differ, or looking for what they have in common takes longer, the whole of the one stands against the whole of the other. */
const MOST_EDITS = 2000
const LONGEST_MS = 1000

/**
 * What makes the one file of the other, in the form of `git diff`: `git apply` and `patch` understand it, too. Bytes that are not UTF-8 are in it as `decode` gives
 * them. Binary files are named only.
 */
export async function unifiedDiff(path: string, before: DiffSide, after: DiffSide): Promise<string> {
  const [a, b] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = `diff --git ${a} ${b}\n${modes(before.mode, after.mode)}`
  const [from, to] = [before.mode === null ? '/dev/null' : a, after.mode === null ? '/dev/null' : b]
  if (isBinary(before.bytes) || isBinary(after.bytes)) return `${head}Binary files ${from} and ${to} differ\n`
  const hunks = await hunksOf(decode(before.bytes), decode(after.bytes))
  return hunks.length === 0 ? head : `${head}--- ${from}\n+++ ${to}\n${hunks.map(hunkText).join('')}`
}

/** What makes the one text of the other, as hunks without a head; empty where they are the same. */
export async function textDiff(before: string, after: string): Promise<string> {
  return (await hunksOf(before, after)).map(hunkText).join('')
}

function modes(before: string | null, after: string | null): string {
  if (before === null) return `new file mode ${after}\n`
  if (after === null) return `deleted file mode ${before}\n`
  return before === after ? '' : `old mode ${before}\nnew mode ${after}\n`
}

async function hunksOf(before: string, after: string): Promise<readonly StructuredPatchHunk[]> {
  if (before === after) return []
  const { structuredPatch } = await import('diff')
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS, timeout: LONGEST_MS }
  return (structuredPatch('a', 'b', before, after, undefined, undefined, options) ?? { hunks: [replacement(before, after)] }).hunks
}

/** All of the one for all of the other. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const old = linesOf(before, '-')
  const now = linesOf(after, '+')
  const count = (lines: readonly string[]): number => lines.filter((line) => !line.startsWith('\\')).length
  return { oldStart: 1, oldLines: count(old), newStart: 1, newLines: count(now), lines: [...old, ...now] }
}

function linesOf(text: string, sign: string): string[] {
  if (text === '') return []
  const lines = text.split('\n').map((line) => sign + line)
  if (text.endsWith('\n')) return lines.slice(0, -1)
  return [...lines, '\\ No newline at end of file']
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map((line) => `${line}\n`).join('')}`
}

/** Where and how many lines; none are said to be behind the line before them. */
function range(start: number, lines: number): string {
  if (lines === 1) return String(start)
  return `${lines === 0 ? start - 1 : start},${lines}`
}

/** As git decides it: by a zero byte near the beginning. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

/** A name as git writes it: in quotes where it has what would be taken for something else. */
function quoted(name: string): string {
  if (!/[\0-\x1f"\\\x7f\udc80-\udcff]/.test(name)) return name
  let text = ''
  for (const byte of encode(name)) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte)
    else text += `\\${byte.toString(8).padStart(3, '0')}`
  }
  return `"${text}"`
}
