import type { FileSystem } from './file-system.ts'
import { chain } from './maybe.ts'

/** The file system, for those who may write into the bytes it gives: `read` never gives a view of what is stored. */
export function copiedReads(fs: FileSystem): FileSystem {
  return {
    get capabilities() {
      return fs.capabilities
    },
    stat: (path) => fs.stat(path),
    lstat: (path) => fs.lstat(path),
    readdir: (path) => fs.readdir(path),
    read: (path, offset, length) => chain(fs.read(path, offset, length), (bytes) => bytes.slice()),
    write: (path, data, options) => fs.write(path, data, options),
    append: (path, data, options) => fs.append(path, data, options),
    writeAt: (path, offset, data) => fs.writeAt(path, offset, data),
    truncate: (path, size) => fs.truncate(path, size),
    mkdir: (path, mode) => fs.mkdir(path, mode),
    rmdir: (path) => fs.rmdir(path),
    unlink: (path) => fs.unlink(path),
    rename: (from, to) => fs.rename(from, to),
    link: (existing, path) => fs.link(existing, path),
    symlink: (target, path) => fs.symlink(target, path),
    readlink: (path) => fs.readlink(path),
    setattr: (path, attributes) => fs.setattr(path, attributes),
    copyTree: (from, to) => fs.copyTree(from, to),
    removeTree: (path) => fs.removeTree(path),
    space: (path) => fs.space(path),
    sync: () => fs.sync(),
    close: () => fs.close(),
  }
}
