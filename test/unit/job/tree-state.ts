import { decode } from '../../../src/bytes.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { join } from '../../../src/fs/path.ts'

/** Everything below `root`, one line a path: type, mode, what it holds, and the first of the names of a file that has several. */
export async function treeState(
  fs: FileSystem,
  readlink: (path: string) => string | Promise<string> = async (path) => fs.readlink(path),
  root = '/',
): Promise<string[]> {
  const lines: string[] = []
  const first = new Map<number, string>()
  const walk = async (path: string): Promise<void> => {
    const { type, mode, ino } = await fs.lstat(path)
    const octal = mode.toString(8)
    if (type === 'directory') {
      if (path !== root) lines.push(`${path} directory ${octal}`)
      const names = (await fs.readdir(path)).map(({ name }) => name).sort()
      for (const name of names) await walk(join(path, name))
    } else if (type === 'symlink') lines.push(`${path} -> ${await readlink(path)}`)
    else if (type === 'file') {
      const other = first.get(ino)
      first.set(ino, other ?? path)
      lines.push(`${path} file ${octal} ${other === undefined ? JSON.stringify(decode(await fs.read(path))) : `is ${other}`}`)
    } else lines.push(`${path} ${type}`)
  }
  await walk(root)
  return lines
}
