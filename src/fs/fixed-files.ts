import { FileSystemError } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import type { Dirent, FileStat, FileSystem, FileSystemCapabilities, FileSystemSpace } from './file-system.ts'

/** What a read-only file system without links has to know. */
export interface FixedSource {
  stat(path: string): FileStat
  readdir(path: string): readonly Dirent[]
  read(path: string, offset: number, length: number | undefined): MaybePromise<Uint8Array>
  /** Takes what is written to a device; EROFS for every path when left out. */
  write?(path: string, data: Uint8Array): void
  /** Takes new times of a device; EROFS for every path when left out. */
  touch?(path: string): void
}

const CAPABILITIES: FileSystemCapabilities = {
  symlinks: false,
  hardLinks: false,
  attributes: false,
  partialWrites: true,
  trees: false,
  treeRemoval: false,
  readOnly: true,
}

/** A file system without anything to make or take away. */
export function fixedFiles(source: FixedSource): FileSystem {
  const refuse = (path: string): never => {
    throw new FileSystemError('EROFS', path)
  }
  const write = (path: string, data: Uint8Array): MaybePromise<void> => {
    if (source.write === undefined) return refuse(path)
    return source.write(path, data)
  }
  const exists = (path: string): boolean => {
    try {
      source.stat(path)
      return true
    } catch {
      return false
    }
  }
  return {
    capabilities: CAPABILITIES,
    stat: (path) => source.stat(path),
    lstat: (path) => source.stat(path),
    readdir: (path) => source.readdir(path),
    read: (path, offset = 0, length) => source.read(path, offset, length),
    write: (path, data, options) => {
      if (options?.exclusive === true && exists(path)) throw new FileSystemError('EEXIST', path)
      return write(path, data)
    },
    append: write,
    writeAt: (path, _offset, data) => write(path, data),
    truncate: (path) => write(path, new Uint8Array(0)),
    mkdir: refuse,
    rmdir: refuse,
    unlink: refuse,
    rename: refuse,
    link: (_existing, path) => refuse(path),
    symlink: (_target, path) => refuse(path),
    readlink: (path) => {
      source.stat(path)
      throw new FileSystemError('EINVAL', path)
    },
    setattr: (path, { mode, uid, gid }) => {
      source.stat(path)
      if (source.touch === undefined) return refuse(path)
      if (mode !== undefined || uid !== undefined || gid !== undefined) throw new FileSystemError('EPERM', path)
      source.touch(path)
    },
    copyTree: (_from, to) => {
      throw new FileSystemError('ENOTSUP', to)
    },
    removeTree: (path) => {
      throw new FileSystemError('ENOTSUP', path)
    },
    space: (): FileSystemSpace => ({ total: 0, free: 0 }),
    sync: () => undefined,
    close: () => undefined,
  }
}

/** A `stat` of something that has always been there. */
export function fixedStat(type: FileStat['type'], mode: number, ino: number, size: number, time: number): FileStat {
  return {
    type,
    mode,
    ino,
    size,
    mtimeMs: time,
    atimeMs: time,
    ctimeMs: time,
    birthtimeMs: time,
    dev: 0,
    nlink: type === 'directory' ? 2 : 1,
    uid: 0,
    gid: 0,
  }
}
