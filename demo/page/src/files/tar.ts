import type { FileStat, FileSystem } from 'mirage-runtime'
import { pathIn } from '../format.ts'

const BLOCK = 512
const encoder = new TextEncoder()

/** The parts of a tar archive (POSIX pax) of a folder and all below it, under `name`. Devices and pipes are left out. */
export async function tarOf(fs: FileSystem, folder: string, name: string): Promise<readonly BlobPart[]> {
  const parts: BlobPart[] = []
  await add(fs, folder, name, parts)
  parts.push(new Uint8Array(2 * BLOCK))
  return parts
}

async function add(fs: FileSystem, path: string, name: string, parts: BlobPart[]): Promise<void> {
  const stat = await fs.lstat(path)
  if (stat.type === 'directory') {
    parts.push(...headers(`${name}/`, stat, 0, '5', ''))
    const entries = [...(await fs.readdir(path))].sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) await add(fs, pathIn(path, entry.name), `${name}/${entry.name}`, parts)
  } else if (stat.type === 'symlink') {
    parts.push(...headers(name, stat, 0, '2', await fs.readlink(path)))
  } else if (stat.type === 'file') {
    const bytes = await fs.read(path)
    parts.push(...headers(name, stat, bytes.length, '0', ''), new Uint8Array(bytes), new Uint8Array(padding(bytes.length)))
  }
}

/** The header of an entry, after one that holds what has no room in it. */
function headers(name: string, stat: FileStat, size: number, type: string, link: string): readonly BlobPart[] {
  const records = [
    ...(encoder.encode(name).length > 100 || /[^\x20-\x7e]/.test(name) ? [record('path', name)] : []),
    ...(encoder.encode(link).length > 100 || /[^\x20-\x7e]/.test(link) ? [record('linkpath', link)] : []),
  ]
  const own = header(name, stat, size, type, link)
  if (records.length === 0) return [own]
  const extended = encoder.encode(records.join(''))
  return [header('pax', stat, extended.length, 'x', ''), extended, new Uint8Array(padding(extended.length)), own]
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length += 1
  return `${length} ${key}=${value}\n`
}

function header(name: string, stat: FileStat, size: number, type: string, link: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK)
  const put = (at: number, length: number, text: string): void => {
    block.set(encoder.encode(text).subarray(0, length), at)
  }
  const octal = (at: number, length: number, value: number): void => put(at, length, `${value.toString(8).padStart(length - 1, '0')}\0`)
  put(0, 100, name)
  octal(100, 8, stat.mode)
  octal(108, 8, stat.uid)
  octal(116, 8, stat.gid)
  octal(124, 12, size)
  octal(136, 12, Math.floor(stat.mtimeMs / 1000))
  put(148, 8, '        ')
  put(156, 1, type)
  put(157, 100, link)
  put(257, 8, 'ustar\x0000')
  put(265, 32, 'user')
  put(297, 32, 'user')
  let sum = 0
  for (const byte of block) sum += byte
  put(148, 8, `${sum.toString(8).padStart(6, '0')}\0 `)
  return block
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}
