import type { FileSystem } from '../../../src/fs/file-system.ts'

/** The same file system, which answers everything by a promise. */
export function later(fs: FileSystem): FileSystem {
  return new Proxy(fs, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await Promise.resolve()
        return value.apply(target, args)
      }
    },
  })
}
