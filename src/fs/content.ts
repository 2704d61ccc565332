import type { Owner } from './name-map.ts'

/**
 * The bytes of a file: one run of a chunk, or several pieces. Bytes of a chunk below its `used` mark never change once someone else may
 * see them, so versions of a file share chunks, and a read gives a view.
 */
export interface Content {
  size: number
  /** Where the bytes lie when `pieces` is null. */
  chunk: Chunk
  at: number
  pieces: Piece[] | null
}

/** Memory that is filled from its start. What lies beyond `used` is still free, for whoever's bytes end exactly there. */
export interface Chunk {
  readonly bytes: Uint8Array
  used: number
  /** Who alone refers to it, while nobody was given a view of it. */
  owner: Owner | null
}

export interface Piece {
  readonly start: number
  length: number
  /** Null for a hole, which reads as zeros. */
  readonly chunk: Chunk | null
  readonly at: number
}

const NOTHING = new Uint8Array(0)
/** Where an empty content lies. */
export const EMPTY_CHUNK: Chunk = { bytes: NOTHING, used: 0, owner: null }
/** Contents up to this size lie together in slabs. */
const SMALL = 1024
const SLAB = 16 * 1024
/** Contents up to this size are kept in one run. */
const ONE_RUN = 64 * 1024
/** What a write in the middle copies at least. */
const BLOCK = 64 * 1024
const LARGEST_SPARE = 1024 * 1024

/** Changes contents. Those it is given must be the caller's own to change. */
export class ContentWriter {
  #slab: Chunk = EMPTY_CHUNK

  /** The content becomes a copy of `data`. */
  set(content: Content, data: Uint8Array, owner: Owner): void {
    content.pieces = null
    content.size = data.length
    if (data.length === 0) content.chunk = EMPTY_CHUNK
    else if (data.length <= SMALL) content.chunk = this.#inSlab(data)
    else content.chunk = { bytes: new Uint8Array(data), used: data.length, owner }
    content.at = content.chunk.used - data.length
  }

  append(content: Content, data: Uint8Array, owner: Owner): void {
    if (data.length === 0) return
    if (content.size === 0) {
      this.set(content, data, owner)
      return
    }
    if (appendInPlace(content, data)) return
    const size = content.size + data.length
    if (content.pieces === null && size <= ONE_RUN) this.#grow(content, data, owner)
    else pushPiece(content, chunkOf(data, Math.max(data.length, Math.min(content.size, LARGEST_SPARE)), owner), data.length)
  }

  /** Overwrites from `offset`; what lies between the old end and `offset` becomes zeros. */
  writeAt(content: Content, offset: number, data: Uint8Array, owner: Owner): void {
    if (data.length === 0) return
    if (offset > content.size) this.resize(content, offset, owner)
    const inside = Math.min(data.length, content.size - offset)
    if (inside > 0) this.#overwrite(content, offset, inside === data.length ? data : data.subarray(0, inside), owner)
    if (inside < data.length) this.append(content, data.subarray(inside), owner)
  }

  resize(content: Content, size: number, owner: Owner): void {
    if (size > content.size) {
      const gap = size - content.size
      if (size <= ONE_RUN) this.append(content, new Uint8Array(gap), owner)
      else {
        asPieces(content).push({ start: content.size, length: gap, chunk: null, at: 0 })
        content.size = size
      }
      return
    }
    if (size <= ONE_RUN) {
      // A copy, so that little doesn't keep much alive.
      this.set(content, readContent(content, 0, size), owner)
      return
    }
    if (content.pieces !== null) content.pieces = cut(content.pieces, 0, size)
    content.size = size
  }

  #overwrite(content: Content, offset: number, data: Uint8Array, owner: Owner): void {
    if (overwriteInPlace(content, offset, data, owner)) return
    const from = content.size <= ONE_RUN ? 0 : offset - (offset % BLOCK)
    const to = content.size <= ONE_RUN ? content.size : Math.min(content.size, Math.ceil((offset + data.length) / BLOCK) * BLOCK)
    const bytes = new Uint8Array(to - from)
    fill(bytes, content, from, to)
    bytes.set(data, offset - from)
    if (bytes.length === content.size) {
      content.pieces = null
      content.chunk = bytes.length <= SMALL ? this.#inSlab(bytes) : { bytes, used: bytes.length, owner }
      content.at = content.chunk.used - bytes.length
      return
    }
    const pieces = asPieces(content)
    const first = pieceAt(pieces, from)
    const last = pieceAt(pieces, to - 1)
    const before = cut(pieces, (pieces[first] as Piece).start, from)
    const after = cut(pieces, to, pieces[last + 1]?.start ?? content.size)
    const middle = { start: from, length: bytes.length, chunk: { bytes, used: bytes.length, owner }, at: 0 }
    pieces.splice(first, last - first + 1, ...before, middle, ...after)
  }

  /** Moves a short content to a run with room behind it. */
  #grow(content: Content, data: Uint8Array, owner: Owner): void {
    const size = content.size + data.length
    const chunk = size <= SMALL ? this.#room(size) : { bytes: new Uint8Array(size * 2), used: 0, owner }
    const at = chunk.used
    chunk.bytes.set(content.chunk.bytes.subarray(content.at, content.at + content.size), at)
    chunk.bytes.set(data, at + content.size)
    chunk.used = at + size
    content.chunk = chunk
    content.at = at
    content.size = size
  }

  #inSlab(data: Uint8Array): Chunk {
    const slab = this.#room(data.length)
    slab.bytes.set(data, slab.used)
    slab.used += data.length
    return slab
  }

  #room(length: number): Chunk {
    if (this.#slab.used + length > this.#slab.bytes.length) this.#slab = { bytes: new Uint8Array(SLAB), used: 0, owner: null }
    return this.#slab
  }
}

/** A view where the range lies in one run, else a copy. */
export function readContent(content: Content, offset: number, end: number): Uint8Array {
  if (offset >= end) return NOTHING
  if (content.pieces === null) return view(content.chunk, content.at + offset, content.at + end)
  const first = content.pieces[pieceAt(content.pieces, offset)] as Piece
  if (first.chunk !== null && end <= first.start + first.length) {
    return view(first.chunk, first.at + offset - first.start, first.at + end - first.start)
  }
  const bytes = new Uint8Array(end - offset)
  fill(bytes, content, offset, end)
  return bytes
}

/** Whether nothing was ever written in a range, which isn't empty. */
export function isHole({ pieces }: Content, from: number, to: number): boolean {
  if (pieces === null) return false
  const piece = pieces[pieceAt(pieces, from)] as Piece
  return piece.chunk === null && to <= piece.start + piece.length
}

/** Pieces that another version of the file won't change. */
export function sharedPieces(pieces: readonly Piece[] | null): Piece[] | null {
  if (pieces === null) return null
  const copy = pieces.slice()
  const last = copy.pop()
  if (last !== undefined) copy.push({ ...last })
  return copy
}

function view(chunk: Chunk, from: number, to: number): Uint8Array {
  chunk.owner = null
  return chunk.bytes.subarray(from, to)
}

/** Copies the content's bytes from `from` to `to` to the start of `target`, which is zeros. */
function fill(target: Uint8Array, content: Content, from: number, to: number): void {
  if (content.pieces === null) {
    target.set(content.chunk.bytes.subarray(content.at + from, content.at + to))
    return
  }
  for (let i = pieceAt(content.pieces, from); i < content.pieces.length; i++) {
    const piece = content.pieces[i] as Piece
    if (piece.start >= to) break
    if (piece.chunk === null) continue
    const low = Math.max(from, piece.start)
    const high = Math.min(to, piece.start + piece.length)
    const at = piece.at - piece.start
    target.set(piece.chunk.bytes.subarray(at + low, at + high), low - from)
  }
}

/** Index of the piece that holds the byte at `offset`. */
function pieceAt(pieces: readonly Piece[], offset: number): number {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((pieces[middle] as Piece).start <= offset) low = middle
    else high = middle - 1
  }
  return low
}

function asPieces(content: Content): Piece[] {
  if (content.pieces === null) {
    content.pieces = content.size === 0 ? [] : [{ start: 0, length: content.size, chunk: content.chunk, at: content.at }]
    content.chunk = EMPTY_CHUNK
    content.at = 0
  }
  return content.pieces
}

/** The parts of pieces between two offsets. */
function cut(pieces: readonly Piece[], from: number, to: number): Piece[] {
  const parts: Piece[] = []
  if (from >= to) return parts
  for (let i = pieceAt(pieces, from); i < pieces.length; i++) {
    const piece = pieces[i] as Piece
    if (piece.start >= to) break
    const start = Math.max(from, piece.start)
    const end = Math.min(to, piece.start + piece.length)
    if (start < end) parts.push({ start, length: end - start, chunk: piece.chunk, at: piece.at + start - piece.start })
  }
  return parts
}

function appendInPlace(content: Content, data: Uint8Array): boolean {
  const tail = content.pieces?.at(-1)
  const chunk = tail === undefined ? content.chunk : tail.chunk
  if (chunk === null) return false
  const end = tail === undefined ? content.at + content.size : tail.at + tail.length
  if (end !== chunk.used || chunk.bytes.length - end < data.length) return false
  chunk.bytes.set(data, end)
  chunk.used = end + data.length
  if (tail !== undefined) tail.length += data.length
  content.size += data.length
  return true
}

function chunkOf(data: Uint8Array, capacity: number, owner: Owner): Chunk {
  const bytes = new Uint8Array(capacity)
  bytes.set(data)
  return { bytes, used: data.length, owner }
}

function pushPiece(content: Content, chunk: Chunk, length: number): void {
  asPieces(content).push({ start: content.size, length, chunk, at: 0 })
  content.size += length
}

function overwriteInPlace(content: Content, offset: number, data: Uint8Array, owner: Owner): boolean {
  if (content.pieces === null) {
    if (content.chunk.owner !== owner) return false
    content.chunk.bytes.set(data, content.at + offset)
    return true
  }
  const piece = content.pieces[pieceAt(content.pieces, offset)] as Piece
  if (piece.chunk?.owner !== owner || offset + data.length > piece.start + piece.length) return false
  piece.chunk.bytes.set(data, piece.at + offset - piece.start)
  return true
}
