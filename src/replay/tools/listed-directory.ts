import type { FileSystem } from '../../fs/file-system.ts'
import { join } from '../../fs/path.ts'

/**
 * The names of a directory up to two levels deep, itself first, sorted by their bytes, without those that begin with a dot; `hidden` counts those right in it.
 * `named` is what the directory is called.
 * `marksDirectories`: with a slash after each directory.
 */
export async function listedDirectory(
  fs: FileSystem,
  path: string,
  named: string,
  marksDirectories: boolean,
): Promise<{ readonly shown: readonly string[]; readonly hidden: number }> {
  const mark = marksDirectories ? '/' : ''
  const entries = await fs.readdir(path)
  const shown = [{ path: named, mark }]
  for (const { name, type } of entries) {
    if (name.startsWith('.')) continue
    const at = join(named, name)
    shown.push({ path: at, mark: type === 'directory' ? mark : '' })
    if (type !== 'directory') continue
    for (const inner of await fs.readdir(join(path, name)))
      if (!inner.name.startsWith('.')) shown.push({ path: join(at, inner.name), mark: inner.type === 'directory' ? mark : '' })
  }
  shown.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { shown: shown.map((entry) => entry.path + entry.mark), hidden: entries.filter(({ name }) => name.startsWith('.')).length }
}
