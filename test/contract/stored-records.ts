import { CHUNK, type FileRecord, type NameRecord, ROOT, UNNAMED } from '../../src/fs/records.ts'

/** All records of a file system, as they are stored. */
export interface StoredRecords {
  readonly names: readonly (readonly [directory: number, name: string, record: NameRecord])[]
  readonly chunks: readonly (readonly [ino: number, index: number, length: number])[]
}

/** What is wrong with stored records, in words; nothing where each is reachable, counted right and needed. */
export function faultsOf({ names, chunks }: StoredRecords): string[] {
  const faults: string[] = []
  const below = new Map<number, (readonly [string, NameRecord])[]>()
  for (const [directory, name, record] of names) below.set(directory, [...(below.get(directory) ?? []), [name, record]])
  const unnamed = new Map((below.get(UNNAMED) ?? []).map(([name, record]) => [name, record as FileRecord]))
  const links = new Map<number, number>()
  const files = new Map<number, FileRecord>()
  const directories = new Set<number>([UNNAMED])

  const root = unnamed.get(String(ROOT))
  if (root === undefined) return ['there is no root']
  const waiting: (readonly [string, FileRecord])[] = [['', root]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, directory] = next
    if (directories.has(directory.ino)) faults.push(`${path}/: the directory ${directory.ino} is in two places`)
    directories.add(directory.ino)
    const entries = below.get(directory.ino) ?? []
    if (entries.length !== directory.size) faults.push(`${path}/: counts ${directory.size} names and has ${entries.length}`)
    const inner = entries.filter(([, { type }]) => type === 'directory').length
    if (directory.nlink !== inner + 2) faults.push(`${path}/: nlink is ${directory.nlink} with ${inner} directories`)
    for (const [name, entry] of entries) {
      const record = entry.type === 'linked' ? unnamed.get(String(entry.ino)) : entry
      if (record === undefined) faults.push(`${path}/${name}: leads to ${entry.ino}, which is missing`)
      else if (record.type === 'directory') waiting.push([`${path}/${name}`, record])
      else if (entry.type === 'linked') links.set(record.ino, (links.get(record.ino) ?? 0) + 1)
      else if (record.nlink !== 1) faults.push(`${path}/${name}: nlink is ${record.nlink} with one name`)
      if (record?.type !== 'file') continue
      if (files.has(record.ino) && entry.type !== 'linked') faults.push(`${path}/${name}: ${record.ino} is in two places`)
      files.set(record.ino, record)
    }
  }
  for (const [name, record] of unnamed) {
    if (record.type === 'directory') continue
    if (links.get(record.ino) !== record.nlink) faults.push(`${name}: nlink is ${record.nlink} with ${links.get(record.ino) ?? 0} names`)
  }
  for (const directory of below.keys()) if (!directories.has(directory)) faults.push(`names in ${directory}, which is nowhere`)
  for (const [ino, index, length] of chunks) {
    const file = files.get(ino)
    if (file === undefined) faults.push(`chunk ${index} of ${ino}, which is nowhere`)
    else if (length > CHUNK || index * CHUNK + length > file.size) {
      faults.push(`chunk ${index} of ${ino}: ${length} bytes in a file of ${file.size}`)
    }
  }
  return faults
}
