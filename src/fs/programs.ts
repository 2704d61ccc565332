import { encode } from '../bytes.ts'
import { FileSystemError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { FileSystem } from './file-system.ts'
import { fixedFiles, fixedStat } from './fixed-files.ts'

/** `/usr/bin`: one executable file for each name; what it holds says only that the workspace runs it. */
export function programs(names: Iterable<string>, host: Host): FileSystem {
  let numbers: ReadonlyMap<string, number> | null = null
  let time: number | null = null
  // Few lines look here: a workspace that starts doesn't sort the names.
  const all = (): ReadonlyMap<string, number> => {
    numbers ??= new Map([...new Set(names)].sort().map((name, i) => [name, i + 2]))
    return numbers
  }
  const number = (path: string): number => {
    const found = all().get(path.slice(1))
    if (found !== undefined) return found
    throw new FileSystemError(all().has(path.split('/')[1] ?? '') ? 'ENOTDIR' : 'ENOENT', path)
  }
  return fixedFiles({
    stat(path) {
      time ??= host.now()
      if (path === '/') return fixedStat('directory', 0o755, 1, 4096, time)
      return fixedStat('file', 0o755, number(path), program(path.slice(1)).length, time)
    },
    readdir(path) {
      if (path === '/') return Array.from(all().keys(), (name) => ({ name, type: 'file' }))
      number(path)
      throw new FileSystemError('ENOTDIR', path)
    },
    read(path, offset, length) {
      if (path === '/') throw new FileSystemError('EISDIR', path)
      number(path)
      return program(path.slice(1)).subarray(offset, length === undefined ? undefined : offset + length)
    },
  })
}

function program(name: string): Uint8Array {
  return encode(`#!/bin/sh\n# ${name} is run by the workspace itself.\nexec ${name} "$@"\n`)
}
