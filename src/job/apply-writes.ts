import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import { type Steps, wait } from '../fs/maybe.ts'
import { basename, dirname, join } from '../fs/path.ts'
import type { MountPlan, Seen } from './apply-plan.ts'
import { stampAt, strangersIn } from './apply-plan.ts'
import { isStill } from './baseline.ts'
import type { NetChange } from './changes.ts'

/** How changes are written. */
export interface WriteSettings {
  /** What temporary names have in them. */
  readonly temporary: string
  /** What each path was at the look before; null where an earlier attempt was cut off anywhere, and what it did is not done again. */
  readonly seen: Seen | null
}

const TEMPORARY = '.mirage-apply-'
const PIECE = 1024 * 1024

/** Makes the changes in the target. CONFLICT at a path that was changed by somebody else meanwhile: what was made before it stays. */
export function* writeChanges(plan: MountPlan, settings: WriteSettings): Steps<void> {
  const { target, changes } = plan
  for (const change of changes.toReversed()) {
    const { before, after } = change
    // What has another type goes before what is to come; else the new replaces the old in one step.
    if (before.type === 'absent' || before.type === after.type) continue
    yield* removeOld(plan, change, settings)
  }
  const links = new Map<string, string>()
  for (const change of changes) {
    if (change.after.type === 'absent') continue
    if (settings.seen === null && (yield* isDone(target, change))) yield* noteLink(plan, change, links)
    else yield* putNew(plan, change, settings, links)
  }
}

/** Removes the temporary files that an attempt may have left. */
export function* removeTemporary({ target, changes }: MountPlan, temporary: string): Steps<void> {
  const directories = new Set(changes.map(({ inner }) => dirname(inner)))
  for (const directory of directories) {
    let names: readonly { readonly name: string }[] = []
    try {
      names = yield* wait(target.readdir(directory))
    } catch {
      // It is not there yet.
    }
    for (const { name } of names) if (name.startsWith(TEMPORARY + temporary)) yield* wait(target.unlink(join(directory, name)))
  }
}

function* removeOld({ target, staged }: MountPlan, change: NetChange, { seen }: WriteSettings): Steps<void> {
  const { inner, before } = change
  const now = yield* stampAt(target, inner)
  if (seen !== null) demandSeen(seen, change, now)
  else if (now === '' || (yield* isDone(target, change))) return
  else if (before.type !== 'directory' && !(yield* isStill(target, inner, before))) throw changedMeanwhile(change.path)
  if (before.type !== 'directory') {
    yield* wait(target.unlink(inner))
    return
  }
  if (seen === null) {
    const stat = yield* wait(target.lstat(inner))
    if (stat.type !== 'directory') throw changedMeanwhile(change.path)
    if ((yield* strangersIn(target, inner, staged)).length > 0) throw changedMeanwhile(change.path)
  }
  if (target.capabilities.trees) yield* wait(target.removeTree(inner))
  else yield* removeTree(target, inner)
}

function* removeTree(fs: FileSystem, directory: string): Steps<void> {
  for (const { name, type } of yield* wait(fs.readdir(directory))) {
    const path = join(directory, name)
    if (type === 'directory') yield* removeTree(fs, path)
    else yield* wait(fs.unlink(path))
  }
  yield* wait(fs.rmdir(directory))
}

function* isDone(target: FileSystem, { inner, after }: NetChange): Steps<boolean> {
  return yield* isStill(target, inner, after)
}

function* putNew(plan: MountPlan, change: NetChange, settings: WriteSettings, links: Map<string, string>): Steps<void> {
  const { target, staged } = plan
  const { inner, before, after } = change
  const { seen, temporary } = settings
  const now = yield* stampAt(target, inner)
  const wasRemoved = before.type === 'absent' || (before.type !== after.type && now === '')
  if (seen !== null && before.type === after.type) demandSeen(seen, change, now)
  else if (seen !== null && wasRemoved && now !== '') throw changedMeanwhile(change.path)
  else if (
    seen === null &&
    now !== '' &&
    !(yield* isStill(target, inner, before)) &&
    !(after.type === 'directory' && now.startsWith('directory:'))
  )
    throw changedMeanwhile(change.path)
  switch (after.type) {
    case 'directory':
      if (!now.startsWith('directory:')) yield* wait(target.mkdir(inner, after.mode))
      yield* setAttributes(target, inner, after.mode, null)
      return
    case 'symlink': {
      if (now === '') {
        yield* wait(target.symlink(after.target, inner))
        return
      }
      const name = temporaryName(inner, temporary)
      yield* wait(target.symlink(after.target, name))
      yield* wait(target.rename(name, inner))
      return
    }
    case 'file': {
      const stat = yield* wait(staged.overlay.lstat(inner))
      const first = links.get(`${stat.dev}:${stat.ino}`)
      // A back end of objects replaces a small file whole by itself.
      const isWhole = !target.capabilities.partialWrites && stat.size <= PIECE
      const name = isWhole && first === undefined ? inner : temporaryName(inner, temporary)
      if (first !== undefined && target.capabilities.hardLinks) yield* wait(target.link(first, name))
      else {
        yield* copyContent(staged.overlay, inner, target, name, stat.size)
        yield* setAttributes(target, name, after.mode, stat.mtimeMs)
      }
      if (name !== inner) yield* wait(target.rename(name, inner))
      if (stat.nlink > 1 && first === undefined) links.set(`${stat.dev}:${stat.ino}`, inner)
      return
    }
    case 'other':
      throw new WorkspaceError('ENOTSUP', `'${change.path}' is no file, directory or link: it can't be applied`)
    case 'absent':
      return
    default:
      after satisfies never
  }
}

function temporaryName(path: string, temporary: string): string {
  return join(dirname(path), `${TEMPORARY}${temporary}-${basename(path).slice(0, 60)}`)
}

function* noteLink({ staged }: MountPlan, { inner, after }: NetChange, links: Map<string, string>): Steps<void> {
  if (after.type !== 'file') return
  const stat = yield* wait(staged.overlay.lstat(inner))
  if (stat.nlink > 1) links.set(`${stat.dev}:${stat.ino}`, inner)
}

function* copyContent(from: FileSystem, path: string, to: FileSystem, name: string, size: number): Steps<void> {
  const first = yield* wait(from.read(path, 0, PIECE))
  yield* wait(to.write(name, first))
  if (size <= PIECE) return
  const gathered = yield* wait(to.gather?.(name))
  try {
    for (let at = first.length; at < size; ) {
      const bytes = yield* wait(from.read(path, at, PIECE))
      if (bytes.length === 0) break
      yield* wait(to.append(name, bytes))
      at += bytes.length
    }
  } finally {
    gathered?.()
  }
}

function* setAttributes(fs: FileSystem, path: string, mode: number, mtimeMs: number | null): Steps<void> {
  if (fs.capabilities.attributes) yield* wait(fs.setattr(path, { mode, ...(mtimeMs === null ? {} : { mtimeMs }) }))
}

function demandSeen(seen: Seen, { inner, path }: NetChange, now: string): void {
  if (seen.get(inner) !== now) throw changedMeanwhile(path)
}

function changedMeanwhile(path: string): WorkspaceError {
  return new WorkspaceError(
    'CONFLICT',
    `'${path}' was changed by somebody else while the changes were applied: what is there is not overwritten; apply again once that is settled`,
  )
}
