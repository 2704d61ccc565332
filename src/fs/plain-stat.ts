import type { FileStat } from './file-system.ts'

/** The stat of a file or directory, for file systems that keep no more of it than size and time (ms). */
export function plainStat(path: string, type: 'file' | 'directory', size: number, time: number): FileStat {
  return {
    type,
    size,
    mode: type === 'file' ? 0o644 : 0o755,
    mtimeMs: time,
    atimeMs: time,
    ctimeMs: time,
    birthtimeMs: time,
    dev: 0,
    ino: pathNumber(path),
    nlink: 1,
    uid: USER_ID,
    gid: USER_ID,
  }
}

const USER_ID = 1000

/** A number for a path, for file systems that have none of their own: the same as long as the path is, and another for another path. */
function pathNumber(path: string): number {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < path.length; at++) {
    const unit = path.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) + (high >>> 15)
  }
  return ((high ^ (low >>> 13)) & 0xf_ffff) * 2 ** 32 + (low >>> 0)
}
