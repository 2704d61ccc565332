import type { ReplaySite, ToolOutcome } from '../toolset.ts'
import { readText, refused, told, typeAt, writeText } from './files.ts'

/** One change of a file in a patch. */
type FileChange =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly moveTo: string | null; readonly hunks: readonly Hunk[] }

interface Hunk {
  /** Lines that have to come before it, somewhere. */
  readonly anchors: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** It is at the end of the file. */
  readonly isLast: boolean
}

/** A patch that can't be read or applied. */
class PatchFault extends Error {}

/**
 * Applies a patch as Codex writes it: `*** Begin Patch`, files with `*** Add File:`, `*** Delete File:`, `*** Update File:` (and `*** Move to:`), hunks that are
 * found by their lines instead of numbers, `*** End Patch`. All of it or nothing. `directory`: where its paths begin, when that is not the site's.
 */
export async function applyPatch(text: string, site: ReplaySite, directory?: string): Promise<ToolOutcome> {
  const place = (path: string): string => (directory === undefined || path.startsWith('/') ? path : `${directory}/${path}`)
  // What files hold after the changes so far; null where they are gone.
  const after = new Map<string, string | null>()
  const done: Readonly<Record<'A' | 'M' | 'D', string[]>> = { A: [], M: [], D: [] }
  try {
    for (const change of parsePatch(text)) {
      const path = place(change.path)
      if (change.type === 'add') {
        after.set(path, change.lines.map((line) => `${line}\n`).join(''))
        done.A.push(change.path)
        continue
      }
      const before = after.has(path) ? (after.get(path) ?? null) : await readText(site, path)
      if (before === null) throw new PatchFault(`Failed to read file to update ${change.path}: No such file or directory (os error 2)`)
      if (change.type === 'delete') {
        after.set(path, null)
        done.D.push(change.path)
        continue
      }
      const { moveTo } = change
      if (moveTo !== null) after.set(path, null)
      after.set(moveTo === null ? path : place(moveTo), patched(before, change.hunks, change.path))
      done.M.push(moveTo ?? change.path)
    }
  } catch (error) {
    if (error instanceof PatchFault) return { ...refused(error.message), status: 1 }
    throw error
  }
  for (const [path, held] of after) {
    if (held !== null) await writeText(site, path, held)
    else if ((await typeAt(site, path)) !== null) await site.fs.unlink(site.path(path))
  }
  const files = (['A', 'M', 'D'] as const).flatMap((mark) => done[mark].map((path) => `${mark} ${path}\n`))
  return told(`Success. Updated the following files:\n${files.join('')}`, { status: 0 })
}

function parsePatch(text: string): readonly FileChange[] {
  const lines = text.trim().split('\n')
  if (lines[0]?.trim() !== '*** Begin Patch') throw new PatchFault("Invalid patch: The first line of the patch must be '*** Begin Patch'")
  if (lines.at(-1)?.trim() !== '*** End Patch') throw new PatchFault("Invalid patch: The last line of the patch must be '*** End Patch'")
  const changes: FileChange[] = []
  for (let at = 1; at < lines.length - 1; ) {
    const [, verb, path] = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(lines[at] ?? '') ?? []
    if (verb === undefined || path === undefined) throw badHeader(lines, at)
    const head = at
    at += 1
    const body: string[] = []
    while (at < lines.length - 1 && !/^\*\*\* (?:Add|Delete|Update) File: /.test(lines[at] ?? '')) body.push(lines[at++] ?? '')
    if (verb === 'Update') {
      const moveTo = /^\*\*\* Move to: (.+)$/.exec(body[0] ?? '')?.[1] ?? null
      const hunks = moveTo === null ? hunksOf(body, head + 2) : hunksOf(body.slice(1), head + 3)
      if (hunks.length === 0) throw new PatchFault(`Invalid patch hunk on line ${head + 1}: Update file hunk for path '${path}' is empty`)
      changes.push({ type: 'update', path, moveTo, hunks })
      continue
    }
    const other = body.findIndex((line) => verb === 'Delete' || !line.startsWith('+'))
    if (other >= 0) throw badHeader(lines, head + 1 + other)
    changes.push(verb === 'Delete' ? { type: 'delete', path } : { type: 'add', path, lines: body.map((line) => line.slice(1)) })
  }
  if (changes.length === 0) throw new PatchFault('No files were modified.')
  return changes
}

function badHeader(lines: readonly string[], at: number): PatchFault {
  return new PatchFault(
    `Invalid patch hunk on line ${at + 1}: '${lines[at]}' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'`,
  )
}

/** `first`: number of the first line, for messages. */
function hunksOf(body: readonly string[], first: number): readonly Hunk[] {
  const hunks: { anchors: string[]; before: string[]; after: string[]; isLast: boolean }[] = []
  let hunk: (typeof hunks)[number] | null = null
  for (const [i, line] of body.entries()) {
    const anchor = /^@@(?: (.*))?$/.exec(line)
    if (anchor !== null || hunk === null) {
      const isNested: boolean = hunk !== null && anchor !== null && hunk.before.length + hunk.after.length === 0
      if (!isNested || hunk === null) {
        hunk = { anchors: [], before: [], after: [], isLast: false }
        hunks.push(hunk)
      }
      if (anchor?.[1] !== undefined && anchor[1] !== '') hunk.anchors.push(anchor[1])
      if (anchor !== null) continue
    }
    if (line === '*** End of File') hunk.isLast = true
    else if (line.startsWith('+')) hunk.after.push(line.slice(1))
    else if (line.startsWith('-')) hunk.before.push(line.slice(1))
    else {
      if (line !== '' && !line.startsWith(' '))
        throw new PatchFault(
          `Invalid patch hunk on line ${first + i}: Expected update hunk to start with a @@ context marker, got: '${line}'`,
        )
      const same = line.slice(1)
      hunk.before.push(same)
      hunk.after.push(same)
    }
  }
  return hunks
}

function patched(text: string, hunks: readonly Hunk[], path: string): string {
  const endsWithNewline = text === '' || text.endsWith('\n')
  let lines = (endsWithNewline ? text.slice(0, -1) : text).split('\n')
  if (text === '') lines = []
  let from = 0
  for (const { anchors, before, after, isLast } of hunks) {
    for (const anchor of anchors) {
      const at = find(lines, [anchor], from)
      if (at < 0) throw new PatchFault(`Failed to find context '${anchor}' in ${path}`)
      from = at + 1
    }
    const place = placeOf(lines, { before, after, isLast }, from)
    if (place === null) throw new PatchFault(`Failed to find expected lines in ${path}:\n${before.join('\n')}`)
    lines.splice(place.at, place.removed, ...place.added)
    from = place.at + place.added.length
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

interface HunkPlace {
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

function placeOf(lines: readonly string[], { before, after, isLast }: Omit<Hunk, 'anchors'>, from: number): HunkPlace | null {
  // Lines alone go to the end, whatever the anchor.
  if (before.length === 0) return { at: lines.length, removed: 0, added: after }
  const at = isLast ? findLast(lines, before, from) : find(lines, before, from)
  if (at >= 0) return { at, removed: before.length, added: after }
  // An empty last line may stand for the newline at the end of the file.
  if (before.length === 1 || before.at(-1) !== '') return null
  return placeOf(lines, { before: before.slice(0, -1), after: after.at(-1) === '' ? after.slice(0, -1) : after, isLast }, from)
}

const FORMS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  // Marks of print, for those of a keyboard.
  (line) =>
    line
      .trim()
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' '),
]

/** Where the lines are from an index on: in the first form in which they are there at all. */
function find(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of FORMS) {
    const formed = wanted.map(form)
    for (let at = from; at + wanted.length <= lines.length; at++)
      if (formed.every((line, i) => form(lines[at + i] as string) === line)) return at
  }
  return -1
}

function findLast(lines: readonly string[], wanted: readonly string[], from: number): number {
  const at = lines.length - wanted.length
  return at >= from && find(lines, wanted, at) === at ? at : find(lines, wanted, from)
}
