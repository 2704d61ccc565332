import { FileSystemError, hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'

/** What must exist of a path that is made canonical. */
export type Existing = 'all' | 'all but the last' | 'none'

const MOST_LINKS = 40

/**
 * The absolute path without `.`, `..` and symbolic links that names the same file. `keepLinks` leaves links as they are;
 * `logical` takes `..` away before links are followed. Fails with ENOENT, ENOTDIR or ELOOP.
 */
export async function canonicalPath(
  context: CommandContext,
  name: string,
  existing: Existing,
  { keepLinks = false, logical = false }: { keepLinks?: boolean; logical?: boolean } = {},
): Promise<string> {
  if (name === '') throw new FileSystemError('ENOENT', name)
  const { fs } = context
  const whole = operandPath(context, name)
  const pending = names(logical ? withoutDots(whole) : whole)
  const mustBeDirectory = /\/\.{0,2}$/.test(name)
  let links = 0
  let path = ''
  while (pending.length > 0) {
    const part = pending.pop() as string
    if (part === '.') continue
    if (part === '..') {
      path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
      continue
    }
    const next = `${path}/${part}`
    const isLast = pending.length === 0
    let stat: FileStat
    try {
      stat = await fs.lstat(next)
    } catch (error) {
      const mayBeMissing = existing === 'none' || (existing === 'all but the last' && isLast)
      const isMissing =
        hasCode(error, 'ENOENT') ||
        (existing === 'none' && (hasCode(error, 'ENOTDIR') || hasCode(error, 'EACCES') || hasCode(error, 'ELOOP')))
      if (!isMissing || !mayBeMissing) throw error
      path = next
      continue
    }
    if (stat.type === 'symlink' && !keepLinks) {
      links += 1
      if (links > MOST_LINKS) {
        if (existing !== 'none') throw new FileSystemError('ELOOP', whole)
        path = next
        continue
      }
      const target = await fs.readlink(next)
      if (target.startsWith('/')) path = ''
      pending.push(...names(target))
      continue
    }
    const isFile = stat.type !== 'directory' && stat.type !== 'symlink'
    if (isFile && existing !== 'none' && (!isLast || mustBeDirectory)) throw new FileSystemError('ENOTDIR', whole)
    path = next
  }
  return path === '' ? '/' : path
}

/** The way from one canonical directory to a path: `../b`. */
export function relativePath(path: string, directory: string): string {
  const from = directory.split('/').filter((part) => part !== '')
  const to = path.split('/').filter((part) => part !== '')
  let common = 0
  while (common < from.length && common < to.length && from[common] === to[common]) common += 1
  const parts = [...from.slice(common).map(() => '..'), ...to.slice(common)]
  return parts.length === 0 ? '.' : parts.join('/')
}

/** In reverse, so that the next one can be taken off the end. */
function names(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .reverse()
}

function withoutDots(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
