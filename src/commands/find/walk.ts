import { hasCode } from '../../errors.ts'
import type { Dirent, FileStat, FileType } from '../../fs/file-system.ts'
import { normalise } from '../../fs/path.ts'
import { isPromise } from '../../host.ts'
import { operandPath } from '../operand-path.ts'
import { quoted } from '../quoting.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import { isExpected } from '../utility.ts'
import type { Test } from './found-file.ts'
import { FoundFile } from './found-file.ts'
import type { FindRun } from './run.ts'

/** A directory being gone through. */
interface Level {
  readonly file: FoundFile
  readonly names: readonly Dirent[]
  at: number
  /** What stands before a name in what is printed, and in its path. */
  readonly shown: string
  readonly path: string
}

/** Files between two looks at whether the command is to end. */
const TURN = 256

/** Goes through an operand and all below it, asking `test` of each file. */
export function* walk(run: FindRun, operand: string, test: Test): Steps<void> {
  const start = yield* startOf(run, operand)
  if (start === null) return
  const device = run.oneDevice ? yield* wait(start.stat()) : null
  const levels: Level[] = []
  let turn = 0
  const { minDepth, maxDepth, depthFirst, following } = run

  let file: FoundFile | null = start
  for (;;) {
    if (file !== null) {
      if (!depthFirst && file.depth >= minDepth) {
        const holds = test(file)
        if (isPromise(holds)) yield* wait(holds)
        if (run.isOver) return
      }
      const level = file.type === 'directory' && file.depth < maxDepth && !file.isPruned ? yield* enter(run, file, device) : null
      if (level !== null) levels.push(level)
      else if (depthFirst && file.depth >= minDepth) {
        yield* wait(test(file))
        if (run.isOver) return
      }
      file = null
    }
    turn += 1
    if (turn === TURN) {
      turn = 0
      const paused = run.context.pause()
      if (paused !== undefined) yield* wait(paused)
    }
    const level = levels.at(-1)
    if (level === undefined) return
    const entry = level.names[level.at]
    level.at += 1
    if (entry === undefined) {
      levels.pop()
      if (depthFirst && level.file.depth >= minDepth) {
        yield* wait(test(level.file))
        if (run.isOver) return
      }
      continue
    }
    const { name, type } = entry
    const found = {
      shown: level.shown + name,
      path: level.path + name,
      name,
      root: operand,
      depth: level.file.depth + 1,
      ownType: type,
    }
    if (type !== 'symlink' || following !== 'always') file = new FoundFile(run, found, type)
    else file = yield* followed(run, found, levels)
  }
}

type Unfollowed = Pick<FoundFile, 'shown' | 'path' | 'name' | 'root' | 'depth' | 'ownType'>

function* startOf(run: FindRun, operand: string): Steps<FoundFile | null> {
  const { fs } = run.context
  const given = operandPath(run.context, operand)
  const path = /(?:^|\/)\.\.(?:\/|$)/.test(given) ? given : given && normalise(given)
  const name = operand.replace(/\/+$/, '').split('/').at(-1) || (operand.startsWith('/') ? '/' : '')
  try {
    const own = yield* wait(fs.lstat(given))
    const found = { shown: operand, path, name, root: operand, depth: 0, ownType: own.type }
    if (own.type !== 'symlink' || run.following === 'never') return new FoundFile(run, found, own.type, own)
    const target = yield* targetOf(run, path)
    return new FoundFile(run, found, (target ?? own).type, target ?? own)
  } catch (error) {
    yield* wait(run.failed(operand, error))
    return null
  }
}

/** What a link leads to; null for nothing. */
function* targetOf(run: FindRun, path: string): Steps<FileStat | null> {
  try {
    return yield* wait(run.context.fs.stat(path))
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null
    throw error
  }
}

/** A link as what it leads to; null where that can't be had, or is a directory the link lies in. */
function* followed(run: FindRun, found: Unfollowed, levels: readonly Level[]): Steps<FoundFile | null> {
  let target: FileStat | null
  try {
    target = yield* targetOf(run, found.path)
  } catch (error) {
    if (!isExpected(error)) throw error
    yield* wait(run.failed(found.shown, error))
    return null
  }
  if (target === null) return new FoundFile(run, found, 'symlink')
  if (target.type !== 'directory') return new FoundFile(run, found, target.type, target)
  for (const { file } of levels) {
    const stat = yield* wait(file.stat())
    if (stat === null || stat.ino !== target.ino || stat.dev !== target.dev) continue
    run.status = 1
    const { context } = run
    yield* wait(
      run.complain(
        `File system loop detected; ${quoted(context, found.shown)} is part of the same file system loop as ${quoted(context, file.shown)}.`,
      ),
    )
    return null
  }
  return new FoundFile(run, found, target.type as FileType, target)
}

function* enter(run: FindRun, file: FoundFile, device: FileStat | null): Steps<Level | null> {
  const { shown, path } = file
  if (device !== null) {
    const stat = yield* wait(file.stat())
    if (stat === null || stat.dev !== device.dev) return null
  }
  try {
    const names = yield* wait(run.context.fs.readdir(path))
    if (names.length === 0) return null
    return { file, names, at: 0, shown: shown.endsWith('/') ? shown : `${shown}/`, path: path === '/' ? path : `${path}/` }
  } catch (error) {
    if (!isExpected(error)) throw error
    if (!(run.ignoresRaces && hasCode(error, 'ENOENT'))) yield* wait(run.failed(shown, error))
    return null
  }
}
