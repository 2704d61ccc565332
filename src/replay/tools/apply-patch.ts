import type { ReplaySite, ToolOutcome } from '../toolset.ts'
import { readText, refused, told, writeText } from './files.ts'

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
 * found by their lines instead of numbers, `*** End Patch`. All of it or nothing.
 */
export async function applyPatch(text: string, site: ReplaySite): Promise<ToolOutcome> {
  try {
    const changes = parsePatch(text)
    const writes: (() => Promise<void>)[] = []
    const told_: string[] = []
    for (const change of changes) {
      const before = await readText(site, change.path)
      if (change.type === 'add') {
        writes.push(() => writeText(site, change.path, `${change.lines.join('\n')}\n`))
        told_.push(`A ${change.path}`)
        continue
      }
      if (before === null) throw new PatchFault(`Failed to read file to update ${change.path}: No such file or directory (os error 2)`)
      if (change.type === 'delete') {
        writes.push(async () => site.fs.unlink(site.path(change.path)))
        told_.push(`D ${change.path}`)
        continue
      }
      const after = patched(before, change.hunks, change.path)
      const { moveTo } = change
      writes.push(async () => {
        await writeText(site, moveTo ?? change.path, after)
        if (moveTo !== null) await site.fs.unlink(site.path(change.path))
      })
      told_.push(`M ${moveTo ?? change.path}`)
    }
    for (const write of writes) await write()
    return told(`Success. Updated the following files:\n${told_.join('\n')}\n`, { status: 0 })
  } catch (error) {
    if (error instanceof PatchFault) return { ...refused(error.message), status: 1 }
    throw error
  }
}

function parsePatch(text: string): readonly FileChange[] {
  const lines = text.trim().split('\n')
  if (lines[0]?.trim() !== '*** Begin Patch') throw new PatchFault("Invalid patch: The first line of the patch must be '*** Begin Patch'")
  if (lines.at(-1)?.trim() !== '*** End Patch') throw new PatchFault("Invalid patch: The last line of the patch must be '*** End Patch'")
  const changes: FileChange[] = []
  for (let at = 1; at < lines.length - 1; ) {
    const [, verb, path] = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(lines[at] ?? '') ?? []
    if (verb === undefined || path === undefined)
      throw new PatchFault(`Invalid patch hunk on line ${at + 1}: '${lines[at]}' is not a valid hunk header`)
    at += 1
    const body: string[] = []
    while (at < lines.length - 1 && !/^\*\*\* (?:Add|Delete|Update) File: /.test(lines[at] ?? '')) body.push(lines[at++] ?? '')
    if (verb === 'Delete') changes.push({ type: 'delete', path })
    else if (verb === 'Add')
      changes.push({ type: 'add', path, lines: body.filter((line) => line.startsWith('+')).map((line) => line.slice(1)) })
    else {
      const moveTo = /^\*\*\* Move to: (.+)$/.exec(body[0] ?? '')?.[1] ?? null
      changes.push({ type: 'update', path, moveTo, hunks: hunksOf(moveTo === null ? body : body.slice(1)) })
    }
  }
  if (changes.length === 0) throw new PatchFault('No files were modified.')
  return changes
}

function hunksOf(body: readonly string[]): readonly Hunk[] {
  const hunks: { anchors: string[]; before: string[]; after: string[]; isLast: boolean }[] = []
  let hunk: (typeof hunks)[number] | null = null
  for (const line of body) {
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
      const same = line.startsWith(' ') ? line.slice(1) : line
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
    const at =
      before.length === 0 ? (anchors.length > 0 ? from : lines.length) : isLast ? findLast(lines, before, from) : find(lines, before, from)
    if (at < 0) throw new PatchFault(`Failed to find expected lines in ${path}:\n${before.join('\n')}`)
    lines.splice(at, before.length, ...after)
    from = at + after.length
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Where the lines are from an index on: as they are, else but for white space at their ends, else on both sides. */
function find(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of [(line: string) => line, (line: string) => line.trimEnd(), (line: string) => line.trim()]) {
    for (let at = from; at + wanted.length <= lines.length; at++)
      if (wanted.every((line, i) => form(lines[at + i] as string) === form(line))) return at
  }
  return -1
}

function findLast(lines: readonly string[], wanted: readonly string[], from: number): number {
  const at = lines.length - wanted.length
  return at >= from && find(lines, wanted, at) === at ? at : find(lines, wanted, from)
}
