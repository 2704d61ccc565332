import { type Chunk, type Content, EMPTY_CHUNK, type Piece, sharedPieces } from './content.ts'
import { emptyNames, type NameMap, type Owner } from './name-map.ts'

/** What a name in a directory stands for. */
export type Entry = DirectoryNode | FileNode | SymlinkNode | LinkedNode
/** What a path leads to. */
export type Node = DirectoryNode | FileNode | SymlinkNode
/** What can have several names. */
export type Leaf = FileNode | SymlinkNode

/** Attributes that most nodes don't need: what is missing has the value it had when the node was made. */
export interface RareAttributes {
  readonly atimeMs: number
  readonly ctimeMs: number
  /** Null: the file system's own. */
  readonly uid: number | null
  readonly gid: number | null
  /** Names of a node in the table of links. */
  readonly nlink: number
}

export class FileNode implements Content {
  readonly type = 'file'
  readonly owner: Owner
  ino: number
  mode: number
  readonly birthtimeMs: number
  mtimeMs: number
  rare: RareAttributes | null
  size: number
  chunk: Chunk
  at: number
  pieces: Piece[] | null

  constructor(owner: Owner, ino: number, mode: number, now: number) {
    this.owner = owner
    this.ino = ino
    this.mode = mode
    this.birthtimeMs = now
    this.mtimeMs = now
    this.rare = null
    this.size = 0
    this.chunk = EMPTY_CHUNK
    this.at = 0
    this.pieces = null
  }
}

export class SymlinkNode {
  readonly type = 'symlink'
  readonly owner: Owner
  ino: number
  mode: number
  readonly birthtimeMs: number
  mtimeMs: number
  rare: RareAttributes | null
  readonly target: string
  readonly size: number

  constructor(owner: Owner, ino: number, target: string, size: number, now: number) {
    this.owner = owner
    this.ino = ino
    this.mode = 0o777
    this.birthtimeMs = now
    this.mtimeMs = now
    this.rare = null
    this.target = target
    this.size = size
  }
}

export class DirectoryNode {
  readonly type = 'directory'
  readonly owner: Owner
  readonly ino: number
  /** Added to the inode numbers of this directory and all below: a copied tree shares its nodes with the original and still has its own numbers. */
  salt: number
  mode: number
  readonly birthtimeMs: number
  mtimeMs: number
  rare: RareAttributes | null
  children: NameMap<Entry>
  /** Names in it, and those of them that are directories. */
  names: number
  directories: number
  /** Bytes of all files below, without those in the table of links; and names of all levels below. */
  bytesBelow: number
  namesBelow: number

  constructor(owner: Owner, ino: number, mode: number, now: number, children: NameMap<Entry>) {
    this.owner = owner
    this.ino = ino
    this.salt = 0
    this.mode = mode
    this.birthtimeMs = now
    this.mtimeMs = now
    this.rare = null
    this.children = children
    this.names = 0
    this.directories = 0
    this.bytesBelow = 0
    this.namesBelow = 0
  }
}

/** One of the names of a node in the table of links. */
export class LinkedNode {
  readonly type = 'linked'
  readonly key: string
  readonly kind: 'file' | 'symlink'

  constructor(key: string, kind: 'file' | 'symlink') {
    this.key = key
    this.kind = kind
  }
}

/** A version of a RAM file system that doesn't change any more. */
export interface TreeVersion {
  /** Bytes of all files. */
  readonly bytes: number
  /** Names in all directories. */
  readonly names: number
}

/** One version of a whole file system. */
export class Tree implements TreeVersion {
  readonly owner: Owner
  root: DirectoryNode
  /** Files and symbolic links that have had a second name, by inode number. */
  links: NameMap<Leaf>
  linkCount: number
  linkedBytes: number
  nextIno: number
  /** Trees that were copied in it: each has a salt of its own. */
  copies = 0

  constructor(owner: Owner, root: DirectoryNode) {
    this.owner = owner
    this.root = root
    this.links = emptyNames(owner)
    this.linkCount = 0
    this.linkedBytes = 0
    this.nextIno = root.ino + 1
  }

  get bytes(): number {
    return this.root.bytesBelow + this.linkedBytes
  }

  get names(): number {
    return this.root.namesBelow
  }
}

export function copyFile(file: FileNode, owner: Owner, ino: number): FileNode {
  const copy = new FileNode(owner, ino, file.mode, file.birthtimeMs)
  copy.mtimeMs = file.mtimeMs
  copy.rare = file.rare
  copy.size = file.size
  copy.chunk = file.chunk
  copy.at = file.at
  copy.pieces = sharedPieces(file.pieces)
  return copy
}

export function copySymlink(link: SymlinkNode, owner: Owner, ino: number): SymlinkNode {
  const copy = new SymlinkNode(owner, ino, link.target, link.size, link.birthtimeMs)
  copy.mode = link.mode
  copy.mtimeMs = link.mtimeMs
  copy.rare = link.rare
  return copy
}

/** A directory with the same children, whose nodes keep their owners. */
export function copyDirectory(directory: DirectoryNode, owner: Owner): DirectoryNode {
  const copy = new DirectoryNode(owner, directory.ino, directory.mode, directory.birthtimeMs, directory.children)
  copy.salt = directory.salt
  copy.mtimeMs = directory.mtimeMs
  copy.rare = directory.rare
  copy.names = directory.names
  copy.directories = directory.directories
  copy.bytesBelow = directory.bytesBelow
  copy.namesBelow = directory.namesBelow
  return copy
}

export function copyTreeVersion(tree: Tree, owner: Owner): Tree {
  const copy = new Tree(owner, tree.root)
  copy.links = tree.links
  copy.linkCount = tree.linkCount
  copy.linkedBytes = tree.linkedBytes
  copy.nextIno = tree.nextIno
  copy.copies = tree.copies
  return copy
}

/** Salts: numbers spread over 52 bits, so that no two sums of them come near each other. */
export function saltOf(count: number): number {
  const high = mix(count ^ 0x5bd1e995) >>> 12
  const low = mix(Math.imul(count, 0x9e3779b1)) >>> 0
  return high * 2 ** 32 + low
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
