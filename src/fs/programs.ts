import { encode } from '../bytes.ts'
import { FileSystemError } from '../errors.ts'
import type { FileSystem } from './file-system.ts'
import { fixedFiles, fixedStat } from './fixed-files.ts'

/** `/usr/bin`: one executable file for each name; what it holds says only that the workspace runs it. */
export function programs(names: () => readonly string[], time: number): FileSystem {
  const text = (name: string): Uint8Array => encode(`#!/bin/sh\n# ${name} is run by the workspace itself.\nexec ${name} "$@"\n`)
  const find = (path: string): string => {
    const name = path.slice(1)
    if (!names().includes(name)) throw new FileSystemError('ENOENT', path)
    return name
  }
  return fixedFiles({
    stat(path) {
      if (path === '/') return fixedStat('directory', 0o755, 1, 0, time)
      const name = find(path)
      return fixedStat('file', 0o755, 2 + names().indexOf(name), text(name).length, time)
    },
    readdir(path) {
      if (path === '/') return names().map((name) => ({ name, type: 'file' }))
      find(path)
      throw new FileSystemError('ENOTDIR', path)
    },
    read(path, offset, length) {
      if (path === '/') throw new FileSystemError('EISDIR', path)
      return text(find(path)).subarray(offset, length === undefined ? undefined : offset + length)
    },
  })
}
