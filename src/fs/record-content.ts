import { type Steps, wait } from './maybe.ts'
import { CHUNK, type RecordReader, type RecordWriter } from './records.ts'

/** Chunks that are held at once while many are read: 1 MiB. */
const BATCH = 16

/** The bytes from `offset` to `end`, which lie in the file. */
export function* readContent(records: RecordReader, ino: number, offset: number, end: number): Steps<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, end - offset))
  for (let at = offset; at < end; ) {
    const first = Math.floor(at / CHUNK)
    const last = Math.min(first + BATCH, Math.ceil(end / CHUNK)) - 1
    const chunks = yield* wait(records.chunks(ino, first, last))
    for (const [i, chunk] of chunks.entries()) {
      const start = (first + i) * CHUNK
      if (chunk !== undefined) bytes.set(chunk.subarray(Math.max(0, offset - start), Math.max(0, end - start)), Math.max(0, start - offset))
    }
    at = (last + 1) * CHUNK
  }
  return bytes
}

/** Writes `data` from `offset` on in a file of `size` bytes. */
export function* writeContent(records: RecordWriter, ino: number, size: number, offset: number, data: Uint8Array): Steps<void> {
  if (data.length === 0) return
  const end = offset + data.length
  const first = Math.floor(offset / CHUNK)
  const last = Math.floor((end - 1) / CHUNK)
  // What the first and the last chunk keep of what they hold.
  const before = offset > first * CHUNK && size > first * CHUNK ? (yield* wait(records.chunks(ino, first, first)))[0] : undefined
  const isCut = end < Math.min(size, (last + 1) * CHUNK)
  const after = !isCut ? undefined : last === first && before !== undefined ? before : (yield* wait(records.chunks(ino, last, last)))[0]
  for (let index = first; index <= last; index++) {
    const start = index * CHUNK
    const from = Math.max(offset, start)
    const to = Math.min(end, start + CHUNK)
    const piece = data.subarray(from - offset, to - offset)
    records.setChunk(ino, index, patched(index === first ? before : undefined, piece, from - start, index === last ? after : undefined))
  }
}

/** Cuts the content of a file that had `size` bytes to `to` bytes, so that what is written behind them later finds zeros between. */
export function* cutContent(records: RecordWriter, ino: number, size: number, to: number): Steps<void> {
  if (to >= size) return
  const whole = Math.floor(to / CHUNK)
  const rest = to - whole * CHUNK
  const kept = rest > 0 ? (yield* wait(records.chunks(ino, whole, whole)))[0] : undefined
  records.deleteChunks(ino, kept === undefined ? whole : whole + 1)
  if (kept !== undefined && kept.length > rest) records.setChunk(ino, whole, kept.slice(0, rest))
}

/** Gives file `to` the content of file `from`, which has `size` bytes. */
export function* copyContent(records: RecordWriter, from: number, size: number, to: number): Steps<void> {
  const count = Math.ceil(size / CHUNK)
  for (let first = 0; first < count; first += BATCH) {
    const chunks = yield* wait(records.chunks(from, first, Math.min(first + BATCH, count) - 1))
    for (const [i, chunk] of chunks.entries()) if (chunk !== undefined) records.setChunk(to, first + i, chunk.slice())
  }
}

/** A chunk of its own memory: the start of `before`, `piece` at `at`, the end of `after`. */
function patched(before: Uint8Array | undefined, piece: Uint8Array, at: number, after: Uint8Array | undefined): Uint8Array {
  const end = at + piece.length
  const bytes = new Uint8Array(Math.max(end, after?.length ?? 0))
  if (before !== undefined) bytes.set(before.subarray(0, at))
  bytes.set(piece, at)
  if (after !== undefined && after.length > end) bytes.set(after.subarray(end), end)
  return bytes
}
