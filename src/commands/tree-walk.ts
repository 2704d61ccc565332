import type { FileStat, FileType } from '../fs/file-system.ts'
import { isPromise } from '../host.ts'
import type { CommandContext } from './command.ts'
import { nameOrder } from './name-order.ts'
import { operandPath } from './operand-path.ts'
import type { TreeOptions } from './tree-options.ts'
import { isExpected } from './utility.ts'
import { compareVersions } from './version-compare.ts'

/** One name of the tree. */
export interface TreeNode {
  /** The operand itself for a root. */
  readonly name: string
  readonly path: string
  /** The path as shown by `-f`. */
  readonly fullName: string
  readonly type: FileType
  readonly stat: FileStat | null
  readonly link: string | null
  /** What the link leads to; null where it leads nowhere. */
  readonly target: FileStat | null
  /** Counts as a directory: one, or a link to one. */
  readonly isDirectory: boolean
  /** What the directory holds; null where it isn't looked into. */
  children: TreeNode[] | null
  /** Why it wasn't looked into, in brackets after the name. */
  failure: string | null
  /** With `--du`: bytes of all that it holds. */
  bytes: number
}

/** Reads all that is to be drawn of one operand. */
export async function walkTree(name: string, options: TreeOptions, context: CommandContext): Promise<TreeNode> {
  const path = operandPath(context, name)
  const node = await lookAt(name, path, name, null, options, context, true)
  if (node === null) return { ...missing(name, path), failure: '[error opening dir]' }
  if (!node.isDirectory) return { ...node, failure: '[error opening dir]' }
  const ancestors = new Set<string>()
  await fill(node, 1, options, context, ancestors, node.stat?.dev ?? 0)
  return node
}

function missing(name: string, path: string): TreeNode {
  return {
    name,
    path,
    fullName: name,
    type: 'directory',
    stat: null,
    link: null,
    target: null,
    isDirectory: false,
    children: null,
    failure: null,
    bytes: 0,
  }
}

async function lookAt(
  name: string,
  path: string,
  fullName: string,
  known: FileType | null,
  options: TreeOptions,
  context: CommandContext,
  isRoot = false,
): Promise<TreeNode | null> {
  const { fs } = context
  const needsStat = known === null || needsAttributes(options)
  let stat: FileStat | null = null
  let link: string | null = null
  let target: FileStat | null = null
  let type = known ?? 'file'
  try {
    if (needsStat) {
      const answer = fs.lstat(path)
      stat = isPromise(answer) ? await answer : answer
      type = stat.type
    }
    if (type === 'symlink') {
      link = await fs.readlink(path)
      try {
        target = await fs.stat(path)
      } catch (error) {
        if (!isExpected(error)) throw error
      }
      if (isRoot && target !== null) {
        stat = target
        type = target.type
      }
    }
  } catch (error) {
    if (!isExpected(error)) throw error
    return null
  }
  const isDirectory = type === 'directory' || target?.type === 'directory'
  return { name, path, fullName, type, stat, link, target, isDirectory, children: null, failure: null, bytes: stat?.size ?? 0 }
}

function needsAttributes(options: TreeOptions): boolean {
  return (
    options.inodes ||
    options.device ||
    options.permissions ||
    options.users ||
    options.groups ||
    options.sizes !== 'none' ||
    options.date !== null ||
    options.classify ||
    options.oneFileSystem ||
    options.followLinks ||
    options.colors !== null ||
    options.sort === 'mtime' ||
    options.sort === 'ctime' ||
    options.sort === 'size'
  )
}

async function fill(
  node: TreeNode,
  level: number,
  options: TreeOptions,
  context: CommandContext,
  ancestors: Set<string>,
  device: number,
): Promise<void> {
  if (level > options.levels) return
  const { fs } = context
  const itself = options.followLinks ? (node.target ?? node.stat) : null
  const key = itself === null ? null : `${itself.dev}:${itself.ino}`
  if (key !== null) {
    if (ancestors.has(key)) {
      node.failure = '[recursive, not followed]'
      return
    }
    ancestors.add(key)
  }
  let names: readonly { readonly name: string; readonly type: FileType }[]
  try {
    const read = fs.readdir(node.path)
    names = isPromise(read) ? await read : read
  } catch (error) {
    if (!isExpected(error)) throw error
    node.failure = '[error opening dir]'
    return
  }
  const prefix = node.path.endsWith('/') ? node.path : `${node.path}/`
  const fullPrefix = node.fullName.endsWith('/') ? node.fullName : `${node.fullName}/`
  const children: TreeNode[] = []
  for (const { name, type } of names) {
    if (!options.all && name.startsWith('.')) continue
    if (options.ignored.some((matches) => matches(name))) continue
    const child = await lookAt(name, prefix + name, fullPrefix + name, type, options, context)
    if (child === null) continue
    if (options.directoriesOnly && !child.isDirectory) continue
    const isJudged = options.included.length > 0 && (child.type !== 'directory' || options.matchDirectories)
    if (isJudged && !options.included.some((matches) => matches(name))) {
      if (child.type !== 'directory') continue
      if (options.matchDirectories && !options.prune) continue
    }
    children.push(child)
  }
  if (children.length > options.fileLimit) {
    node.failure = `[${children.length} entries exceeds filelimit, not opening dir]`
    return
  }
  const pause = context.pause()
  if (pause !== undefined) await pause
  for (const child of children) {
    const isEntered = child.type === 'directory' || (options.followLinks && child.isDirectory)
    if (!isEntered || (options.oneFileSystem && child.stat !== null && child.stat.dev !== device)) continue
    // A directory that matches by itself is listed whole.
    const isWhole = options.matchDirectories && options.included.some((matches) => matches(child.name))
    await fill(child, level + 1, isWhole ? { ...options, included: [] } : options, context, ancestors, device)
  }
  if (key !== null) ancestors.delete(key)
  node.children = options.prune ? children.filter((child) => !isBare(child)) : children
  sortChildren(node.children, options)
  if (options.usage) for (const child of node.children) node.bytes += child.bytes
}

function isBare(node: TreeNode): boolean {
  return node.type === 'directory' && node.failure === null && (node.children?.length ?? 0) === 0
}

function sortChildren(children: TreeNode[], { sort, reverse, first }: TreeOptions): void {
  const byName = nameOrder(children)
  const compare = (a: TreeNode, b: TreeNode): number => {
    switch (sort) {
      case 'none':
        return 0
      case 'name':
        return byName(a.name, b.name)
      case 'version':
        return compareVersions(a.name, b.name)
      case 'mtime':
        return (a.stat?.mtimeMs ?? 0) - (b.stat?.mtimeMs ?? 0) || byName(a.name, b.name)
      case 'ctime':
        return (a.stat?.ctimeMs ?? 0) - (b.stat?.ctimeMs ?? 0) || byName(a.name, b.name)
      case 'size':
        return b.bytes - a.bytes || byName(a.name, b.name)
      default:
        return sort satisfies never
    }
  }
  children.sort((a, b) => {
    if (first !== null && a.isDirectory !== b.isDirectory) return a.isDirectory === (first === 'directories') ? -1 : 1
    return reverse ? compare(b, a) : compare(a, b)
  })
}
