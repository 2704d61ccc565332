import { OPFSFileSystem } from '../../../platforms/browser/opfs-file-system.ts'
import { codeOf } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'

/** What a test asks of a page, or of a worker of one. */
export const operations = {
  /** Adds lines to a file, one call a line. */
  append: (root: string, who: string, count: number): Promise<void> =>
    using(root, async (fs) => {
      for (let i = 0; i < count; i++) await fs.append('/log', bytes(`${who}:${i}\n`))
    }),
  /** Writes a file anew, again and again: many of one letter each time. */
  writeWhole: (root: string, size: number, count: number): Promise<void> =>
    using(root, async (fs) => {
      for (let i = 0; i < count; i++) await fs.write('/whole', new Uint8Array(size).fill(97 + (i % 26)))
    }),
  /** How often a file was read, and what was wrong with what was read. */
  readWhole: (root: string, size: number, count: number): Promise<readonly string[]> =>
    using(root, async (fs) => {
      const faults: string[] = []
      for (let i = 0; i < count; i++) {
        const read = await fs.read('/whole')
        if (read.length !== size || read.some((byte) => byte !== read[0])) faults.push(`read ${i}: ${read.length} bytes`)
      }
      return faults
    }),
  text: (root: string, path: string): Promise<string> => using(root, async (fs) => new TextDecoder().decode(await fs.read(path))),
  /** The code that writing that many bytes fails with; '' where it doesn't. */
  write: (root: string, path: string, size: number): Promise<string> =>
    using(root, (fs) => codeFrom(() => fs.write(path, new Uint8Array(size)))),
  /** The codes that adding pieces, and waiting for them twice, fail with, and what the file holds afterwards. */
  add: (root: string, path: string, size: number, count: number): Promise<readonly (string | number)[]> =>
    using(root, async (fs) => {
      const added = await codeFrom(async () => {
        for (let i = 0; i < count; i++) await fs.append(path, new Uint8Array(size))
      })
      return [added, await codeFrom(() => fs.sync()), await codeFrom(() => fs.sync()), (await fs.stat(path)).size]
    }),
  /** What is in the whole of the origin's own files. */
  everything: async (): Promise<readonly string[]> => {
    const names: string[] = []
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name)
    return names.sort()
  },
}

/** The code that it fails with; '' where it doesn't. */
export async function codeFrom(run: () => unknown): Promise<string> {
  try {
    await run()
    return ''
  } catch (error) {
    return codeOf(error) ?? String(error)
  }
}

async function using<T>(root: string, work: (fs: FileSystem) => Promise<T>): Promise<T> {
  const fs = new OPFSFileSystem({ root })
  try {
    return await work(fs)
  } finally {
    await fs.close()
  }
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
