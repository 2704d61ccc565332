import { type Steps, wait } from './maybe.ts'
import { copyContent } from './record-content.ts'
import { resolve } from './record-walk.ts'
import { type FileRecord, type NameRecord, type RecordReader, type RecordWriter, UNNAMED } from './records.ts'

/** Bytes of files that one transaction copies at most. */
const COPIED_BYTES = 256 * 1024 * 1024

/** Whether a file or tree has more content than one transaction should copy. */
export function* isTooLargeToCopy(records: RecordReader, root: FileRecord): Steps<boolean> {
  let bytes = 0
  const waiting: FileRecord[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === 'file') bytes += next.size
    if (bytes > COPIED_BYTES) return true
    if (next.type !== 'directory') continue
    for (const [, entry] of yield* wait(records.names(next.ino))) waiting.push(yield* resolve(records, entry))
  }
  return false
}

/** Copies a file, link or whole tree; gives the record of the copy, which no name stands for yet. */
export function* copyRecords(records: RecordWriter, source: FileRecord, now: number): Steps<FileRecord> {
  const root = copyOf(records, source, now)
  const waiting: (readonly [from: FileRecord, to: FileRecord])[] = [[source, root]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [from, to] = next
    if (from.type === 'file') yield* copyContent(records, from.ino, from.size, to.ino)
    if (from.type !== 'directory') continue
    for (const [name, entry] of yield* wait(records.names(from.ino))) {
      const record = yield* resolve(records, entry)
      const copy = copyOf(records, record, now)
      records.setName(to.ino, name, copy)
      waiting.push([record, copy])
    }
  }
  return root
}

/** Removes what an entry that no name stands for any more leads to, with all that is below. */
export function* removeRecords(records: RecordWriter, entry: NameRecord, now: number): Steps<void> {
  const waiting: NameRecord[] = [entry]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type !== 'directory') {
      yield* removeName(records, next, now)
      continue
    }
    for (const [name, below] of yield* wait(records.names(next.ino))) {
      records.deleteName(next.ino, name)
      waiting.push(below)
    }
  }
}

/** A file or link has a name less: with the last one it goes. */
function* removeName(records: RecordWriter, entry: NameRecord, now: number): Steps<void> {
  const record = yield* resolve(records, entry)
  if (record.nlink > 1) {
    records.setName(UNNAMED, String(record.ino), { ...record, nlink: record.nlink - 1, ctimeMs: now })
    return
  }
  if (entry.type === 'linked') records.deleteName(UNNAMED, String(record.ino))
  if (record.type === 'file' && record.size > 0) records.deleteChunks(record.ino, 0)
}

function copyOf(records: RecordWriter, record: FileRecord, now: number): FileRecord {
  return { ...record, ino: records.newIno(), nlink: record.type === 'directory' ? record.nlink : 1, ctimeMs: now }
}
