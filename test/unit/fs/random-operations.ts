import { encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import { type FileSystem, LinkMet } from '../../../src/fs/file-system.ts'

/** An operation drawn by chance: what it is, and how to do it. */
export interface RandomOperation {
  readonly name: string
  run(fs: FileSystem): unknown
}

/** Numbers below `bound` from a fixed seed. */
export function generator(seed: number): (bound: number) => number {
  let state = seed * 2 + 1
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

/** An operation on a few names, so that many of them meet. `path` draws a path. */
export function drawOperation(random: (bound: number) => number, path: () => string): RandomOperation {
  const a = path()
  const b = path()
  const size = [0, 1, 10, 700, 3000, 70_000][random(6)] as number
  const offset = [0, 5, 1000, 65_536, 80_000][random(5)] as number
  const data = new Uint8Array(size).map((_, i) => (i * 7 + size + offset) & 255)
  const mode = [0o644, 0o600, 0o755, 0o777, 0o4711][random(5)] as number
  const exclusive = random(4) === 0
  const target = ['a', '../b', 'a/b', '/c', '/a/b', '..', '.', 'c/'][random(8)] as string
  const operations: readonly RandomOperation[] = [
    { name: `stat ${a}`, run: (fs) => fs.stat(a) },
    { name: `lstat ${a}`, run: (fs) => fs.lstat(a) },
    { name: `readdir ${a}`, run: (fs) => fs.readdir(a) },
    { name: `read ${a} ${offset} ${size}`, run: (fs) => fs.read(a, offset, size) },
    { name: `read ${a}`, run: (fs) => fs.read(a) },
    { name: `write ${a} ${size} ${exclusive}`, run: (fs) => fs.write(a, data, { mode, exclusive }) },
    { name: `write ${a} ${size}`, run: (fs) => fs.write(a, data) },
    { name: `append ${a} ${size}`, run: (fs) => fs.append(a, data, { mode }) },
    { name: `append ${a} ${size} again`, run: (fs) => fs.append(a, data) },
    { name: `writeAt ${a} ${offset} ${size}`, run: (fs) => fs.writeAt(a, offset, data) },
    { name: `truncate ${a} ${offset}`, run: (fs) => fs.truncate(a, offset) },
    { name: `mkdir ${a} ${mode}`, run: (fs) => fs.mkdir(a, mode & 0o777) },
    { name: `mkdir ${a}`, run: (fs) => fs.mkdir(a) },
    { name: `rmdir ${a}`, run: (fs) => fs.rmdir(a) },
    { name: `unlink ${a}`, run: (fs) => fs.unlink(a) },
    { name: `rename ${a} ${b}`, run: (fs) => fs.rename(a, b) },
    { name: `rename ${b} ${a}`, run: (fs) => fs.rename(b, a) },
    { name: `link ${a} ${b}`, run: (fs) => fs.link(a, b) },
    { name: `symlink ${target} ${a}`, run: (fs) => fs.symlink(target, a) },
    { name: `readlink ${a}`, run: (fs) => fs.readlink(a) },
    { name: `setattr ${a} ${mode}`, run: (fs) => fs.setattr(a, { mode, mtimeMs: 1000 * size }) },
  ]
  return operations[random(operations.length)] as RandomOperation
}

/** What an operation came to, in a form that can be compared: no times, numbers and sizes that are each file system's own. */
export async function outcome(fs: FileSystem, operation: RandomOperation): Promise<unknown> {
  try {
    return plain(await operation.run(fs))
  } catch (error) {
    if (error instanceof LinkMet) return `link at ${error.at} to ${error.target}`
    const code = codeOf(error)
    if (code === undefined) throw error
    return code
  }
}

/** All that a file system holds, by path. */
export async function everything(fs: FileSystem): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  const waiting = ['']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = await fs.lstat(path === '' ? '/' : path)
    const content =
      stat.type === 'file'
        ? plain(await fs.read(path))
        : stat.type === 'symlink'
          ? await fs.readlink(path)
          : plain(await fs.readdir(path === '' ? '/' : path))
    found[path] = [plain(stat), content]
    if (stat.type === 'directory') for (const { name } of await fs.readdir(path === '' ? '/' : path)) waiting.push(`${path}/${name}`)
  }
  return found
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `${value.length} bytes, ${digest(value)}`
  if (Array.isArray(value)) return value.map((entry: { name: string; type: string }) => `${entry.name} ${entry.type}`).sort()
  if (typeof value !== 'object' || value === null) return value
  const { type, size, mode, nlink } = value as { type: string; size: number; mode: number; nlink: number }
  return type === 'directory' ? { type, mode } : { type, size, mode, nlink }
}

function digest(bytes: Uint8Array): number {
  let sum = encode('x').length
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0
  return sum
}

/** Operations on a few names in a few directories, drawn one after the other. */
export function randomOperations(seed: number): () => RandomOperation {
  const random = generator(seed)
  const path = (): string => `${['', '', '/a', '/b', '/a/c'][random(5)]}/${'abcd'[random(4)]}`
  return () => drawOperation(random, path)
}
