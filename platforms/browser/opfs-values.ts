import { concat, decode, encode } from '../../src/bytes.ts'
import { WorkspaceError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import type { StoreAppended, StoredValue, StoreWritten, Version } from '../../src/store/store.ts'
import type { OPFSFolder } from './opfs-folder.ts'
import type { ChainEnd } from './opfs-frames.ts'
import { CHAIN_START, decodeFrames, encodeFrame } from './opfs-frames.ts'

/** A file with parts of a value, named `GENERATION.FIRST.COUNT`: the number of its first part, and of how many it was made. */
interface PartFile {
  readonly name: string
  readonly generation: number
  readonly first: number
  readonly count: number
}

/** What the files of a value came to when they were read. */
interface Seen {
  /** The names of all files. */
  readonly names: string
  readonly generation: number
  readonly end: ChainEnd
  /** Those that the value is made of, in order. */
  readonly files: readonly PartFile[]
  /** Bytes of the last of them up to the end of its last part; more are there where a crash cut an append short. */
  readonly lastEnd: number
  readonly lastSize: number
}

/** Files of about the same number of parts that are made one. */
const MERGED = 8
const MOST_SEEN = 1000
const FENCES = '+fences'

/**
 * Values in files of a folder. The value of `a/b` lies in the folder `a/b++`, and is there when the empty file `a/b+` is. Writing a value makes
 * the file of a new generation, which counts once it is whole; the generation before stays until the next one. Appending adds a part to the
 * last file, or, where files can't be changed in place, a file, and now and then makes a few small files one.
 *
 * Whoever calls it sees to it that nobody writes the same key at the same time, or reads it meanwhile.
 */
export class OPFSValues {
  readonly #folder: OPFSFolder
  readonly #host: Host
  readonly #seen = new Map<string, Seen>()

  constructor(folder: OPFSFolder, host: Host) {
    this.#folder = folder
    this.#host = host
  }

  async get(key: string, known: Version | undefined): Promise<StoredValue | 'same' | null> {
    const names = await this.#names(key)
    if (names === null) return null
    const seen = this.#seen.get(key)
    if (seen !== undefined && versionOf(seen) === known && (await this.#isAsSeen(key, names, seen))) return 'same'
    const { seen: now, parts } = await this.#read(key, names)
    const version = versionOf(now)
    return version === known ? 'same' : { bytes: concat(parts), version }
  }

  async put(key: string, bytes: Uint8Array, expected: Version | null | undefined): Promise<StoreWritten> {
    const before = await this.#look(key)
    if (expected !== undefined && (before === null ? null : versionOf(before)) !== expected) return { state: 'conflict' }
    return { state: 'written', version: versionOf(await this.#replace(key, before, bytes)) }
  }

  async append(key: string, bytes: Uint8Array, size: number | undefined): Promise<StoreAppended> {
    const before = await this.#look(key)
    if (size !== undefined && size !== (before?.end.size ?? 0)) return { state: 'conflict' }
    const after = before === null ? await this.#replace(key, null, bytes) : await this.#extend(key, before, bytes)
    return { state: 'written', size: after.end.size }
  }

  async delete(key: string): Promise<boolean> {
    this.#seen.delete(key)
    const { parent, mark, data } = placeOf(key)
    const found = await this.#folder.remove(parent, mark)
    await this.#folder.remove(parent, data)
    return found
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = []
    const walk = async (path: string): Promise<void> => {
      const names = await this.#folder.list(path)
      for (const [name, kind] of names ?? []) {
        const key = path === '' ? name : `${path}/${name}`
        if (kind === 'file' && key.endsWith('+')) keys.push(key.slice(0, -1))
        else if (kind === 'directory' && !name.includes('+') && (key.startsWith(prefix) || prefix.startsWith(key))) await walk(key)
      }
    }
    await walk(prefix.slice(0, Math.max(0, prefix.lastIndexOf('/'))))
    return keys.filter((key) => key.startsWith(prefix))
  }

  /** A text that lies beside the values and is not listed; null where it was never written. */
  async fence(key: string): Promise<string | null> {
    const { parent, name } = placeOf(`${FENCES}/${key}`)
    const bytes = await this.#folder.read(parent, name)
    return bytes === null ? null : decode(bytes)
  }

  async setFence(key: string, fence: string): Promise<void> {
    const { parent, name } = placeOf(`${FENCES}/${key}`)
    await this.#folder.write(parent, name, encode(fence) as Uint8Array<ArrayBuffer>)
  }

  /** What is known of the value, read anew where it is not as it was. */
  async #look(key: string): Promise<Seen | null> {
    const names = await this.#names(key)
    if (names === null) return null
    const seen = this.#seen.get(key)
    return seen !== undefined && (await this.#isAsSeen(key, names, seen)) ? seen : (await this.#read(key, names)).seen
  }

  /** Generations begin at a number of chance, so that a value that was deleted and made anew is not taken for the old one. */
  async #isAsSeen(key: string, names: readonly string[], seen: Seen): Promise<boolean> {
    if (seen.names !== namesText(names) || seen.lastEnd !== seen.lastSize) return false
    const last = seen.files.at(-1) as PartFile
    return (await this.#folder.size(placeOf(key).dataPath, last.name)) === seen.lastSize
  }

  /** The value's files; null where there is no value. */
  async #names(key: string): Promise<readonly string[] | null> {
    const { parent, mark, dataPath } = placeOf(key)
    if (!(await this.#folder.exists(parent, mark))) return null
    return Array.from((await this.#folder.list(dataPath))?.keys() ?? [])
  }

  /** Reads the last generation that begins well. CORRUPT where there is none. */
  async #read(key: string, names: readonly string[]): Promise<{ seen: Seen; parts: readonly Uint8Array[] }> {
    const files = names.flatMap((name) => parseName(name) ?? [])
    const generations = Array.from(new Set(files.map(({ generation }) => generation))).sort((a, b) => b - a)
    for (const generation of generations) {
      const own = files.filter((file) => file.generation === generation)
      const found = await this.#readGeneration(key, namesText(names), own)
      if (found === null) continue
      this.#note(key, found.seen)
      return found
    }
    throw new WorkspaceError(
      'CORRUPT',
      `${key}: none of its files can be read (${names.length === 0 ? 'there are none' : namesText(names)})`,
    )
  }

  async #readGeneration(
    key: string,
    names: string,
    files: readonly PartFile[],
  ): Promise<{ seen: Seen; parts: readonly Uint8Array[] } | null> {
    const { dataPath } = placeOf(key)
    // Of a file that was made of others, and those others, it comes first: they are about to be removed.
    const ordered = [...files].sort((a, b) => a.first - b.first || b.count - a.count)
    const contents = await Promise.all(ordered.map(({ name }) => this.#folder.read(dataPath, name)))
    const parts: Uint8Array[] = []
    const used: PartFile[] = []
    let end = CHAIN_START
    let [lastEnd, lastSize] = [0, 0]
    for (const [at, file] of ordered.entries()) {
      const content = contents[at] ?? null
      if (content === null || file.first !== end.count) continue
      const frames = decodeFrames(end, content)
      if (frames.parts.length < file.count) continue
      parts.push(...frames.parts)
      used.push(file)
      end = frames.end
      lastEnd = frames.fileEnd
      lastSize = content.length
    }
    const generation = files[0]?.generation ?? 0
    return used.length === 0 ? null : { seen: { names, generation, end, files: used, lastEnd, lastSize }, parts }
  }

  /** Writes the file of a new generation. */
  async #replace(key: string, before: Seen | null, bytes: Uint8Array): Promise<Seen> {
    const { parent, mark, data, dataPath } = placeOf(key)
    // What a crash left of a value that was deleted, or not made yet.
    if (before === null) await this.#folder.remove(parent, data)
    const file = partFile((before?.generation ?? this.#firstGeneration()) + (before === null ? 0 : 1), 0, 1)
    const { frame, end } = encodeFrame(CHAIN_START, bytes)
    await this.#folder.write(dataPath, file.name, frame)
    if (before === null) await this.#folder.touch(parent, mark)
    // From here on the value is written, whatever fails.
    const kept = before === null ? [] : before.names.split(' ').filter((name) => parseName(name)?.generation === before.generation)
    const old = (before?.names.split(' ') ?? []).filter((name) => name !== file.name && !kept.includes(name))
    const names = namesText([...kept, file.name])
    const size = frame.length
    const after = this.#note(key, { names, generation: file.generation, end, files: [file], lastEnd: size, lastSize: size })
    await this.#tidy(key, () => this.#removeAll(dataPath, old))
    return after
  }

  async #extend(key: string, before: Seen, bytes: Uint8Array): Promise<Seen> {
    const { dataPath } = placeOf(key)
    const { frame, end } = encodeFrame(before.end, bytes)
    const last = before.files.at(-1) as PartFile
    if (await this.#folder.extend(dataPath, last.name, before.lastEnd, frame)) {
      const size = before.lastEnd + frame.length
      return this.#note(key, { ...before, end, lastEnd: size, lastSize: size })
    }
    if (before.lastEnd < before.lastSize) await this.#cut(dataPath, last, before.lastEnd)
    const file = partFile(before.generation, before.end.count, 1)
    await this.#folder.write(dataPath, file.name, frame)
    const names = namesText([...before.names.split(' '), file.name])
    const files = [...before.files, file]
    const after = this.#note(key, { ...before, names, end, files, lastEnd: frame.length, lastSize: frame.length })
    await this.#tidy(key, () => this.#merge(key, after))
    return after
  }

  /** Takes away what a crash left behind the last whole part. */
  async #cut(dataPath: string, { name }: PartFile, end: number): Promise<void> {
    const content = (await this.#folder.read(dataPath, name)) ?? new Uint8Array(0)
    await this.#folder.write(dataPath, name, content.slice(0, end))
  }

  /** Makes the last few files one where they are of a size, so that there are never many and none is written often. */
  async #merge(key: string, seen: Seen): Promise<void> {
    const { dataPath } = placeOf(key)
    const tail = seen.files.slice(-MERGED)
    const [first] = tail
    if (tail.length < MERGED || first === undefined || tail.some(({ count }) => levelOf(count) !== levelOf(first.count))) return
    const contents = await Promise.all(tail.map(({ name }) => this.#folder.read(dataPath, name)))
    const content = concat(contents.map((found) => found ?? new Uint8Array(0))) as Uint8Array<ArrayBuffer>
    const file = partFile(seen.generation, first.first, seen.end.count - first.first)
    await this.#folder.write(dataPath, file.name, content)
    const old = tail.map(({ name }) => name)
    await this.#removeAll(dataPath, old)
    const left = seen.names.split(' ').filter((name) => !old.includes(name))
    const files = [...seen.files.slice(0, -MERGED), file]
    const after = { ...seen, names: namesText([...left, file.name]), files, lastEnd: content.length, lastSize: content.length }
    await this.#merge(key, this.#note(key, after))
  }

  /** What makes a value that is written only tidier must not fail: it is read anew the next time, and that sees what is there. */
  async #tidy(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch {
      this.#seen.delete(key)
    }
  }

  async #removeAll(path: string, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#folder.remove(path, name)
  }

  #note(key: string, seen: Seen): Seen {
    this.#seen.delete(key)
    this.#seen.set(key, seen)
    if (this.#seen.size > MOST_SEEN) this.#seen.delete(this.#seen.keys().next().value as string)
    return seen
  }

  #firstGeneration(): number {
    const bytes = new Uint8Array(6)
    this.#host.random(bytes)
    return bytes.reduce((number, byte) => number * 256 + byte, 0)
  }
}

interface Place {
  readonly parent: string
  readonly name: string
  /** The empty file that says that there is a value. */
  readonly mark: string
  /** The folder of the value's files. */
  readonly data: string
  readonly dataPath: string
}

function placeOf(key: string): Place {
  const slash = key.lastIndexOf('/')
  const name = key.slice(slash + 1)
  return { parent: key.slice(0, Math.max(0, slash)), name, mark: `${name}+`, data: `${name}++`, dataPath: `${key}++` }
}

function partFile(generation: number, first: number, count: number): PartFile {
  return { name: `${generation}.${first}.${count}`, generation, first, count }
}

function parseName(name: string): PartFile | null {
  const [, generation, first, count] = /^(\d+)\.(\d+)\.(\d+)$/.exec(name) ?? []
  return count === undefined ? null : { name, generation: Number(generation), first: Number(first), count: Number(count) }
}

function namesText(names: readonly string[]): string {
  return [...names].sort().join(' ')
}

function levelOf(count: number): number {
  return Math.floor(Math.log(count) / Math.log(MERGED) + 1e-9)
}

function versionOf({ generation, end }: Seen): Version {
  return `${generation}.${end.size}.${end.sum}`
}
