import { encode } from '../bytes.ts'
import { FileSystemError, type PosixCode, WorkspaceError } from '../errors.ts'
import { type Host, webHost } from '../host.ts'
import { checkNames } from '../option-checks.ts'
import { ContentWriter, readContent } from './content.ts'
import { checkName, missingName } from './file-name.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  LinkMet,
} from './file-system.ts'
import {
  copyDirectory,
  copyFile,
  copySymlink,
  copyTreeVersion,
  DirectoryNode,
  type Entry,
  FileNode,
  type Leaf,
  LinkedNode,
  type Node,
  type RareAttributes,
  SymlinkNode,
  saltOf,
  Tree,
  type TreeVersion,
} from './memory-nodes.ts'
import { deleteName, eachName, emptyNames, getName, type Owner, setName } from './name-map.ts'
import { dirname, isWithin, join, normalise } from './path.ts'

/** What a {@link RAMFileSystem} starts with and how far it may grow. */
export interface RAMFileSystemOptions {
  /** Contents by path. Directories on the way are made; a path that ends with a slash is a directory. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Bytes that all files together may hold, ENOSPC beyond; no limit when left out. Holes count as bytes. */
  readonly maxBytes?: number
  /** Names that all directories together may hold, ENOSPC beyond; no limit when left out. */
  readonly maxNames?: number
  /** Who owns what is made: 1000 when left out. */
  readonly uid?: number
  readonly gid?: number
  /** Where times come from. */
  readonly host?: Pick<Host, 'now'>
}

const OPTION_NAMES: readonly string[] = ['files', 'maxBytes', 'maxNames', 'uid', 'gid', 'host']

/**
 * A version of a {@link RAMFileSystem} that doesn't change any more. Holding it costs nothing; what was changed since is kept twice.
 */
export type RAMSnapshot = TreeVersion

/**
 * Files in memory. Every answer is immediate, what callers hand in is copied, and a version of the whole tree is one pointer: `snapshot`,
 * `restore`, `fork`, `copyTree` and `removeTree` cost the same for any size. (With hard links, `copyTree` and `removeTree` look at each name below.)
 * What is read must not be changed: it may be a view of the file's bytes.
 *
 * @example
 * const fs = new RAMFileSystem({ files: { '/notes.txt': 'hello\n' } })
 * const before = fs.snapshot()
 * fs.unlink('/notes.txt')
 * fs.restore(before)
 */
export class RAMFileSystem implements FileSystem {
  readonly capabilities: FileSystemCapabilities = CAPABILITIES
  readonly #host: Pick<Host, 'now'>
  readonly #maxBytes: number
  readonly #maxNames: number
  readonly #uid: number
  readonly #gid: number
  readonly #writer = new ContentWriter()
  #tree: Tree
  /**
   * Nodes made under it are changed in place, others copied first. It is replaced whenever nodes become shared. A node of this
   * owner has only directories of this owner above it.
   */
  #owner: Owner
  #nextIno: number
  #copies = 0
  /** The way the last `#enter` took: directories from the root down and the names between them. */
  readonly #trail: DirectoryNode[] = []
  readonly #names: string[] = []
  #depth = 0
  /** Its last name, and the sum of the salts on the way. */
  #name = ''
  #salt = 0

  /** CONFIG_INVALID for an unknown option. */
  constructor(options: RAMFileSystemOptions = {}) {
    checkNames(options, OPTION_NAMES, 'RAMFileSystem')
    this.#host = options.host ?? webHost
    this.#maxBytes = options.maxBytes ?? Number.MAX_SAFE_INTEGER
    this.#maxNames = options.maxNames ?? Number.MAX_SAFE_INTEGER
    this.#uid = options.uid ?? USER_ID
    this.#gid = options.gid ?? USER_ID
    this.#owner = {}
    this.#tree = new Tree(this.#owner, new DirectoryNode(this.#owner, 1, 0o755, this.#host.now(), emptyNames(this.#owner)))
    this.#nextIno = 2
    for (const [path, content] of Object.entries(options.files ?? {})) this.#seed(path, content)
  }

  /** The tree as it is now. */
  snapshot(): RAMSnapshot {
    const tree = this.#ownTree()
    tree.nextIno = this.#nextIno
    tree.copies = this.#copies
    this.#owner = {}
    return tree
  }

  /** Makes the tree what it was at `snapshot`, taken from this file system or another one. */
  restore(snapshot: RAMSnapshot): void {
    if (!(snapshot instanceof Tree)) throw new WorkspaceError('CORRUPT', 'restore: this is no snapshot of a RAM file system')
    this.#tree = snapshot
    this.#owner = {}
    this.#nextIno = Math.max(this.#nextIno, snapshot.nextIno)
    this.#copies = Math.max(this.#copies, snapshot.copies)
  }

  /** Another file system with the same tree, limits and clock; changes in one don't show in the other. */
  fork(): RAMFileSystem {
    const fork = new RAMFileSystem({ host: this.#host, maxBytes: this.#maxBytes, maxNames: this.#maxNames, uid: this.#uid, gid: this.#gid })
    fork.restore(this.snapshot())
    return fork
  }

  stat(path: string): FileStat {
    const entry = this.#find(path)
    if (entry.type === 'symlink' || (entry.type === 'linked' && entry.kind === 'symlink')) throw met(path, this.#resolve(entry))
    return this.#stat(entry)
  }

  lstat(path: string): FileStat {
    return this.#stat(this.#find(path))
  }

  readdir(path: string): readonly Dirent[] {
    const node = this.#node(path)
    if (node.type === 'symlink') throw met(path, node)
    if (node.type !== 'directory') throw failure('ENOTDIR', path)
    const entries: Dirent[] = []
    eachName(node.children, (entry, name) => {
      entries.push({ name, type: entry.type === 'linked' ? entry.kind : entry.type })
    })
    return entries
  }

  read(path: string, offset = 0, length: number = Number.MAX_SAFE_INTEGER): Uint8Array {
    const file = this.#file(path)
    if (offset < 0 || length < 0) throw failure('EINVAL', path)
    try {
      return readContent(file, offset, Math.min(file.size, offset + length))
    } catch (cause) {
      // More than one array can hold.
      if (cause instanceof RangeError) throw new FileSystemError('EFBIG', path, { cause })
      throw cause
    }
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): void {
    const file = this.#fileToWrite(path, options)
    if (file === undefined) {
      this.#create(path, data, options)
      return
    }
    this.#change(path, file, data.length, (own) => this.#writer.set(own, data, this.#owner))
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): void {
    const file = this.#fileToWrite(path, options)
    if (file === undefined) {
      this.#create(path, data, options)
      return
    }
    if (data.length === 0) return
    this.#change(path, file, file.size + data.length, (own) => this.#writer.append(own, data, this.#owner))
  }

  writeAt(path: string, offset: number, data: Uint8Array): void {
    const file = this.#file(path)
    if (offset < 0) throw failure('EINVAL', path)
    if (data.length === 0) return
    const size = Math.max(file.size, offset + data.length)
    this.#change(path, file, size, (own) => this.#writer.writeAt(own, offset, data, this.#owner))
  }

  truncate(path: string, size: number): void {
    const file = this.#file(path)
    if (size < 0) throw failure('EINVAL', path)
    this.#change(path, file, size, (own) => this.#writer.resize(own, size, this.#owner))
  }

  mkdir(path: string, mode = 0o777): void {
    this.#enterToCreate(path)
    const now = this.#host.now()
    this.#attach(new DirectoryNode(this.#owner, this.#nextIno++, mode & MODE_BITS, now, emptyNames(this.#owner)), now)
  }

  rmdir(path: string): void {
    const entry = this.#find(path)
    if (path === '/') throw failure('EBUSY', path)
    if (entry.type !== 'directory') throw failure('ENOTDIR', path)
    if (entry.names > 0) throw failure('ENOTEMPTY', path)
    this.#detach(entry, this.#host.now())
  }

  unlink(path: string): void {
    const entry = this.#find(path)
    if (entry.type === 'directory') throw failure('EISDIR', path)
    const now = this.#host.now()
    this.#detach(entry, now)
    if (entry.type === 'linked') this.#addLinks(entry.key, -1, now)
  }

  rename(from: string, to: string): void {
    const origin = this.#enter(from)
    const name = this.#name
    const salt = this.#salt
    const directory = this.#enter(to)
    if (name === '' || this.#name === '') throw failure('EBUSY', name === '' ? from : to)
    const entry = getName(origin.children, name)
    if (entry === undefined) throw missingName(name, from)
    if (from === to) return
    if (isWithin(to, from)) throw failure('EINVAL', to)
    const replaced = getName(directory.children, this.#name)
    if (replaced === undefined) checkName(this.#name, to)
    else if (isWithin(from, to)) throw failure('ENOTEMPTY', to)
    else if (sameLink(entry, replaced)) return
    else checkReplaceable(entry, replaced, to)
    const moved = this.#resalted(entry, salt, this.#salt)

    const now = this.#host.now()
    if (replaced !== undefined) {
      this.#detach(replaced, now)
      if (replaced.type === 'linked') this.#addLinks(replaced.key, -1, now)
    }
    this.#enter(from)
    this.#detach(entry, now)
    this.#enter(to)
    this.#attach(moved, now)
    if (moved.type === 'linked') this.#addLinks(moved.key, 0, now)
    else changed(moved, now)
  }

  link(existing: string, path: string): void {
    const entry = this.#find(existing)
    this.#enterToCreate(path)
    if (entry.type === 'directory') throw failure('EPERM', existing)
    const now = this.#host.now()
    const linked = entry.type === 'linked' ? entry : this.#intoTable(existing, entry)
    this.#addLinks(linked.key, 1, now)
    this.#enter(path)
    this.#attach(new LinkedNode(linked.key, linked.kind), now)
  }

  symlink(target: string, path: string): void {
    if (target === '') throw failure('ENOENT', path)
    this.#enterToCreate(path)
    const size = encode(target).length
    this.#reserve(size, 1, path)
    const now = this.#host.now()
    this.#attach(new SymlinkNode(this.#owner, this.#nextIno++, target, size, now), now)
  }

  readlink(path: string): string {
    const node = this.#node(path)
    if (node.type !== 'symlink') throw failure('EINVAL', path)
    return node.target
  }

  setattr(path: string, attributes: FileAttributes): void {
    const node = this.#node(path)
    if (node.type === 'symlink') throw met(path, node)
    const own = node.type === 'directory' ? this.#ownDirectory(path) : (this.#ownLeaf(node) as FileNode)
    const ctimeMs = this.#host.now()
    const { mode, mtimeMs, atimeMs, uid, gid } = attributes
    const rare = rareOf(own)
    own.rare = { ...rare, ctimeMs, atimeMs: atimeMs ?? rare.atimeMs, uid: uid ?? rare.uid, gid: gid ?? rare.gid }
    if (mode !== undefined) own.mode = mode & MODE_BITS
    if (mtimeMs !== undefined) own.mtimeMs = mtimeMs
  }

  copyTree(from: string, to: string): void {
    const entry = this.#find(from)
    const node = this.#resolve(entry)
    if (node.type === 'symlink') throw met(from, node)
    if (entry.type === 'directory' && isWithin(to, from)) throw failure('EINVAL', to)
    this.#enterToCreate(to)
    const linked = entry.type === 'directory' && this.#tree.linkCount > 0 ? linksBelow(entry) : []
    this.#reserve(bytesOf(node) + this.#bytesOfLinks(linked), node.type === 'directory' ? node.namesBelow + 1 : 1, to)

    const now = this.#host.now()
    // From here on the nodes belong to both trees.
    this.#owner = {}
    this.#attach(this.#twin(node, now), now)
    for (const [path, link] of linked) this.#separate(to + path, link)
  }

  removeTree(path: string): void {
    const entry = this.#find(path)
    if (path === '/') throw failure('EBUSY', path)
    const now = this.#host.now()
    this.#detach(entry, now)
    if (entry.type === 'linked') this.#addLinks(entry.key, -1, now)
    if (entry.type !== 'directory' || this.#tree.linkCount === 0) return
    for (const [, link] of linksBelow(entry)) this.#addLinks(link.key, -1, now)
  }

  space(path: string): FileSystemSpace {
    this.#find(path)
    return { total: this.#maxBytes, free: Math.max(0, this.#maxBytes - this.#tree.bytes) }
  }

  sync(): void {}

  close(): void {}

  #seed(path: string, content: string | Uint8Array): void {
    const whole = normalise(path)
    const made: string[] = []
    for (let at = path.endsWith('/') ? whole : dirname(whole); at !== '/'; at = dirname(at)) made.push(at)
    for (const directory of made.reverse()) {
      const entry = getName(this.#enter(directory).children, this.#name)
      if (entry === undefined) this.mkdir(directory, 0o755)
    }
    if (!path.endsWith('/')) this.write(whole, typeof content === 'string' ? encode(content) : content, { mode: 0o644 })
  }

  /** Walks to the directory that holds the last name of `path`. */
  #enter(path: string): DirectoryNode {
    const trail = this.#trail
    let directory = this.#tree.root
    let depth = 0
    let salt = directory.salt
    let from = 1
    trail[0] = directory
    for (let slash = path.indexOf('/', 1); slash >= 0; slash = path.indexOf('/', from)) {
      const name = path.slice(from, slash)
      const entry = getName(directory.children, name)
      if (entry === undefined) throw missingName(name, path)
      if (entry.type !== 'directory') throw this.#blocked(entry, path, slash)
      this.#names[depth] = name
      directory = entry
      depth += 1
      trail[depth] = directory
      if (directory.salt !== 0) salt = (salt + directory.salt) % INODES
      from = slash + 1
    }
    this.#name = path.slice(from)
    this.#depth = depth
    this.#salt = salt
    return directory
  }

  #blocked(entry: Entry, path: string, end: number): Error {
    const node = this.#resolve(entry)
    return node.type === 'symlink' ? new LinkMet(path.slice(0, end), node.target) : failure('ENOTDIR', path)
  }

  #find(path: string): Entry {
    const directory = this.#enter(path)
    if (this.#name === '') return directory
    const entry = getName(directory.children, this.#name)
    if (entry === undefined) throw missingName(this.#name, path)
    return entry
  }

  #resolve(entry: Entry): Node {
    return entry.type === 'linked' ? (getName(this.#tree.links, entry.key) as Leaf) : entry
  }

  #node(path: string): Node {
    return this.#resolve(this.#find(path))
  }

  #file(path: string): FileNode {
    const node = this.#node(path)
    if (node.type === 'symlink') throw met(path, node)
    if (node.type === 'directory') throw failure('EISDIR', path)
    return node
  }

  /** Undefined where there is none yet. */
  #fileToWrite(path: string, options: CreateOptions | undefined): FileNode | undefined {
    const directory = this.#enter(path)
    if (this.#name === '') throw failure(options?.exclusive ? 'EEXIST' : 'EISDIR', path)
    const entry = getName(directory.children, this.#name)
    if (entry === undefined) {
      checkName(this.#name, path)
      return undefined
    }
    if (options?.exclusive) throw failure('EEXIST', path)
    const node = this.#resolve(entry)
    if (node.type === 'symlink') throw met(path, node)
    if (node.type === 'directory') throw failure('EISDIR', path)
    return node
  }

  #enterToCreate(path: string): void {
    const directory = this.#enter(path)
    if (this.#name === '' || getName(directory.children, this.#name) !== undefined) throw failure('EEXIST', path)
    checkName(this.#name, path)
    this.#reserve(0, 1, path)
  }

  #create(path: string, data: Uint8Array, options: CreateOptions | undefined): void {
    this.#reserve(data.length, 1, path)
    const now = this.#host.now()
    const file = new FileNode(this.#owner, this.#nextIno++, (options?.mode ?? 0o666) & MODE_BITS, now)
    if (data.length > 0) this.#writer.set(file, data, this.#owner)
    this.#attach(file, now)
  }

  /** Changes the bytes of the file that the walk ended at. */
  #change(path: string, file: FileNode, size: number, apply: (own: FileNode) => void): void {
    if (size > Number.MAX_SAFE_INTEGER) throw failure('EFBIG', path)
    const growth = size - file.size
    if (growth > 0) this.#reserve(growth, 0, path)
    const own = this.#ownLeaf(file) as FileNode
    apply(own)
    modified(own, this.#host.now())
    if (growth === 0) return
    if (own.rare !== null && own.rare.nlink > 0) this.#ownTree().linkedBytes += growth
    else this.#account(growth, 0)
  }

  #reserve(bytes: number, names: number, path: string): void {
    const tree = this.#tree
    if (tree.bytes + bytes > this.#maxBytes || tree.names + names > this.#maxNames) throw failure('ENOSPC', path)
  }

  /** Puts an entry where the walk ended. */
  #attach(entry: Entry, now: number): void {
    const directory = this.#ownTrail()
    directory.children = setName(directory.children, this.#name, entry, this.#owner)
    directory.names += 1
    if (entry.type === 'directory') directory.directories += 1
    modified(directory, now)
    this.#account(bytesOf(entry), namesOf(entry))
  }

  /** Takes away the entry that the walk ended at. */
  #detach(entry: Entry, now: number): void {
    const directory = this.#ownTrail()
    directory.children = deleteName(directory.children, this.#name, this.#owner)
    directory.names -= 1
    if (entry.type === 'directory') directory.directories -= 1
    modified(directory, now)
    this.#account(-bytesOf(entry), -namesOf(entry))
  }

  #account(bytes: number, names: number): void {
    for (let i = 0; i <= this.#depth; i++) {
      const directory = this.#trail[i] as DirectoryNode
      directory.bytesBelow += bytes
      directory.namesBelow += names
    }
  }

  #ownTree(): Tree {
    if (this.#tree.owner !== this.#owner) this.#tree = copyTreeVersion(this.#tree, this.#owner)
    return this.#tree
  }

  /** Makes the directories of the walk changeable; the last of them. */
  #ownTrail(): DirectoryNode {
    const trail = this.#trail
    const last = trail[this.#depth] as DirectoryNode
    if (last.owner === this.#owner) return last
    let above: DirectoryNode | undefined
    for (let i = 0; i <= this.#depth; i++) {
      let directory = trail[i] as DirectoryNode
      if (directory.owner !== this.#owner) {
        directory = copyDirectory(directory, this.#owner)
        trail[i] = directory
        if (above === undefined) this.#ownTree().root = directory
        else above.children = setName(above.children, this.#names[i - 1] as string, directory, this.#owner)
      }
      above = directory
    }
    return above as DirectoryNode
  }

  /** The directory the walk to `path` ended at, changeable. */
  #ownDirectory(path: string): DirectoryNode {
    const parent = this.#ownTrail()
    if (path === '/') return parent
    const directory = getName(parent.children, this.#name) as DirectoryNode
    if (directory.owner === this.#owner) return directory
    const own = copyDirectory(directory, this.#owner)
    parent.children = setName(parent.children, this.#name, own, this.#owner)
    return own
  }

  /** The file or link the walk ended at, changeable. */
  #ownLeaf(node: Leaf): Leaf {
    const parent = this.#ownTrail()
    if (node.owner === this.#owner) return node
    const own = node.type === 'file' ? copyFile(node, this.#owner, node.ino) : copySymlink(node, this.#owner, node.ino)
    if (own.rare !== null && own.rare.nlink > 0) {
      const tree = this.#ownTree()
      tree.links = setName(tree.links, String(own.ino), own, this.#owner)
    } else parent.children = setName(parent.children, this.#name, own, this.#owner)
    return own
  }

  /** Moves the node at `path` to the table of links. */
  #intoTable(path: string, node: Leaf): LinkedNode {
    this.#enter(path)
    const ino = this.#salt === 0 ? node.ino : (node.ino + this.#salt) % INODES
    const own = node.type === 'file' ? copyFile(node, this.#owner, ino) : copySymlink(node, this.#owner, ino)
    own.rare = { ...rareOf(own), nlink: 1 }
    const linked = new LinkedNode(String(ino), node.type)
    const parent = this.#ownTrail()
    parent.children = setName(parent.children, this.#name, linked, this.#owner)
    this.#account(-own.size, 0)
    const tree = this.#ownTree()
    tree.links = setName<Leaf>(tree.links, linked.key, own, this.#owner)
    tree.linkCount += 1
    tree.linkedBytes += own.size
    return linked
  }

  #addLinks(key: string, count: number, now: number): void {
    const tree = this.#ownTree()
    const node = getName(tree.links, key) as Leaf
    const rare = rareOf(node)
    if (rare.nlink + count === 0) {
      tree.links = deleteName(tree.links, key, this.#owner)
      tree.linkCount -= 1
      tree.linkedBytes -= node.size
      return
    }
    const own = node.type === 'file' ? copyFile(node, this.#owner, node.ino) : copySymlink(node, this.#owner, node.ino)
    own.rare = { ...rare, nlink: rare.nlink + count, ctimeMs: now }
    tree.links = setName<Leaf>(tree.links, key, own, this.#owner)
  }

  #bytesOfLinks(linked: readonly (readonly [string, LinkedNode])[]): number {
    let bytes = 0
    for (const [, link] of linked) bytes += (this.#resolve(link) as Leaf).size
    return bytes
  }

  /** A node that is a copy of `node`, sharing what is below. */
  #twin(node: Node & { type: 'file' | 'directory' }, now: number): DirectoryNode | FileNode {
    if (node.type === 'directory') {
      const twin = copyDirectory(node, this.#owner)
      this.#copies += 1
      twin.salt = saltOf(this.#copies)
      changed(twin, now)
      return twin
    }
    const twin = copyFile(node, this.#owner, this.#nextIno++)
    twin.rare = { ...rareOf(node), ctimeMs: now, nlink: 0 }
    return twin
  }

  /** Gives a copied name of a linked node a node of its own. */
  #separate(path: string, link: LinkedNode): void {
    const node = this.#resolve(link) as Leaf
    this.#enter(path)
    const ino = this.#nextIno++
    const own = node.type === 'file' ? copyFile(node, this.#owner, ino) : copySymlink(node, this.#owner, ino)
    own.rare = { ...rareOf(node), nlink: 0 }
    const parent = this.#ownTrail()
    parent.children = setName(parent.children, this.#name, own, this.#owner)
    this.#account(own.size, 0)
  }

  /** The entry with the same inode numbers in a place whose salts sum up to `to` instead of `from`, and changeable. */
  #resalted(entry: Entry, from: number, to: number): Entry {
    const shift = (from - to + INODES) % INODES
    switch (entry.type) {
      case 'linked':
        return entry
      case 'file':
        return copyFile(entry, this.#owner, (entry.ino + shift) % INODES)
      case 'symlink':
        return copySymlink(entry, this.#owner, (entry.ino + shift) % INODES)
      case 'directory': {
        const own = entry.owner === this.#owner ? entry : copyDirectory(entry, this.#owner)
        own.salt = (own.salt + shift) % INODES
        return own
      }
      default:
        return entry satisfies never
    }
  }

  #stat(entry: Entry): FileStat {
    const node = this.#resolve(entry)
    const rare = node.rare
    let salt = entry.type === 'linked' ? 0 : this.#salt
    if (node.type === 'directory' && this.#name !== '') salt = (salt + node.salt) % INODES
    return {
      type: node.type,
      size: node.type === 'directory' ? DIRECTORY_SIZE : node.size,
      mode: node.mode,
      mtimeMs: node.mtimeMs,
      atimeMs: rare === null ? node.birthtimeMs : rare.atimeMs,
      ctimeMs: rare === null ? node.mtimeMs : rare.ctimeMs,
      birthtimeMs: node.birthtimeMs,
      dev: 1,
      ino: salt === 0 ? node.ino : (node.ino + salt) % INODES,
      nlink: node.type === 'directory' ? 2 + node.directories : rare === null ? 1 : Math.max(1, rare.nlink),
      uid: rare?.uid ?? this.#uid,
      gid: rare?.gid ?? this.#gid,
    }
  }
}

const CAPABILITIES: FileSystemCapabilities = {
  symlinks: true,
  hardLinks: true,
  attributes: true,
  partialWrites: true,
  trees: true,
  treeRemoval: true,
  readOnly: false,
}

const USER_ID = 1000
const MODE_BITS = 0o7777
const DIRECTORY_SIZE = 4096
/** Inode numbers are counted modulo this: two of them can still be added exactly. */
const INODES = 2 ** 52

function failure(code: PosixCode, path: string): FileSystemError {
  return new FileSystemError(code, path)
}

function met(path: string, node: Node): LinkMet {
  return new LinkMet(path, (node as SymlinkNode).target)
}

function bytesOf(entry: Entry): number {
  return entry.type === 'directory' ? entry.bytesBelow : entry.type === 'linked' ? 0 : entry.size
}

function namesOf(entry: Entry): number {
  return entry.type === 'directory' ? entry.namesBelow + 1 : 1
}

function rareOf(node: Node): RareAttributes {
  return node.rare ?? { atimeMs: node.birthtimeMs, ctimeMs: node.mtimeMs, uid: null, gid: null, nlink: 0 }
}

function modified(node: FileNode | DirectoryNode, now: number): void {
  node.mtimeMs = now
  if (node.rare !== null) node.rare = { ...node.rare, ctimeMs: now }
}

function changed(node: Node, now: number): void {
  node.rare = { ...rareOf(node), ctimeMs: now }
}

function sameLink(entry: Entry, other: Entry): boolean {
  return entry.type === 'linked' && other.type === 'linked' && entry.key === other.key
}

function checkReplaceable(entry: Entry, replaced: Entry, path: string): void {
  if (entry.type !== 'directory') {
    if (replaced.type === 'directory') throw failure('EISDIR', path)
    return
  }
  if (replaced.type !== 'directory') throw failure('ENOTDIR', path)
  if (replaced.names > 0) throw failure('ENOTEMPTY', path)
}

/** Names of linked nodes below a directory, by their path from it. */
function linksBelow(directory: DirectoryNode): [string, LinkedNode][] {
  const found: [string, LinkedNode][] = []
  const waiting: [string, DirectoryNode][] = [['', directory]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, node] = next
    eachName(node.children, (entry, name) => {
      if (entry.type === 'linked') found.push([`${path}/${name}`, entry])
      else if (entry.type === 'directory') waiting.push([join(path, name), entry])
    })
  }
  return found
}
