import { encode } from '../bytes.ts'
import type { FileSystem } from '../fs/file-system.ts'
import type { NetChange } from './changes.ts'
import type { ChangedType } from './job-documents.ts'
import { shownPath } from './shown-path.ts'
import type { StagedMount } from './stage.ts'
import type { DiffSide } from './unified-diff.ts'
import { unifiedDiff } from './unified-diff.ts'

/** How much a diff shows. */
export interface DiffLimits {
  /** Bytes of the whole; 256 KiB when left out. What comes then is named only. */
  readonly maxBytes?: number
  /** Bytes of a file; 1 MiB when left out. A larger one is named only. */
  readonly maxFileBytes?: number
}

const MOST_BYTES = 256 * 1024
const MOST_FILE_BYTES = 1024 * 1024
const MOST_NAMES = 200
/** No diff of a file is smaller. */
const LEAST_PART = 40

/** What a stage would change in its lower layers as they are now, in the form of `git diff`. Directories, and what is too large, are comments in it. */
export async function stageDiff(
  stage: ReadonlyMap<string, StagedMount>,
  changes: readonly NetChange[],
  { maxBytes = MOST_BYTES, maxFileBytes = MOST_FILE_BYTES }: DiffLimits = {},
): Promise<string> {
  let text = ''
  let room = maxBytes
  const left: string[] = []
  for (const change of changes) {
    const staged = stage.get(change.mount)
    if (staged === undefined) continue
    if (room < LEAST_PART) {
      left.push(change.path)
      continue
    }
    const part = await changeDiff(staged, change, maxFileBytes)
    // No text has more characters than bytes.
    const size = part.length > room ? room + 1 : encode(part).length
    if (size > room) {
      left.push(change.path)
      continue
    }
    room -= size
    text += part
  }
  if (left.length === 0) return text
  const names = left.slice(0, MOST_NAMES).map((path) => `#   ${shownPath(path)}\n`)
  const more = left.length > MOST_NAMES ? `#   and ${left.length - MOST_NAMES} more\n` : ''
  return `${text}# not shown, since all of it is longer than ${maxBytes} bytes:\n${names.join('')}${more}`
}

async function changeDiff({ lower, overlay }: StagedMount, change: NetChange, maxFileBytes: number): Promise<string> {
  const { path, inner, old_type, new_type } = change
  const kinds: readonly (ChangedType | undefined)[] = [old_type, new_type]
  const notes = kinds.includes('directory') || kinds.includes('other') ? `# ${noteOf(change)}\n` : ''
  const before = await sideOf(lower, inner, old_type, maxFileBytes)
  const after = await sideOf(overlay, inner, new_type, maxFileBytes)
  if (before === 'large' || after === 'large') return `${notes}# ${shownPath(path)} ${verbOf(change)}: larger than ${maxFileBytes} bytes\n`
  if (before.mode === null && after.mode === null) return notes
  // Git has no change of a type: the one goes, the other comes.
  const isOther = before.mode !== null && after.mode !== null && before.mode.slice(0, 3) !== after.mode.slice(0, 3)
  if (isOther) return `${notes}${await unifiedDiff(path, before, NOTHING)}${await unifiedDiff(path, NOTHING, after)}`
  return notes + (await unifiedDiff(path, before, after))
}

const NOTHING: DiffSide = { mode: null, bytes: new Uint8Array(0) }

async function sideOf(fs: FileSystem, path: string, type: ChangedType | undefined, maxBytes: number): Promise<DiffSide | 'large'> {
  if (type === 'symlink') return { mode: '120000', bytes: encode(await fs.readlink(path)) }
  if (type !== 'file') return NOTHING
  const { size, mode } = await fs.lstat(path)
  return size > maxBytes ? 'large' : { mode: (mode & 0o111) === 0 ? '100644' : '100755', bytes: await fs.read(path) }
}

function noteOf(change: NetChange): string {
  const { path, old_type, new_type, kind } = change
  if (kind === 'added') return `${new_type} ${shownPath(path)} added`
  if (kind === 'deleted') return `${old_type} ${shownPath(path)} deleted${old_type === 'directory' ? ' with what was in it' : ''}`
  if (kind === 'opaque') return `directory ${shownPath(path)} replaced with all that was in it`
  return old_type === new_type
    ? `${new_type} ${shownPath(path)} has another mode`
    : `${shownPath(path)} was a ${old_type} and is a ${new_type}`
}

function verbOf({ kind }: NetChange): string {
  return kind === 'added' || kind === 'deleted' ? kind : 'changed'
}
