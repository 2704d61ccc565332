import { graphemes, isBoundary } from './text-width.ts'

/** The text being edited, and where the cursor stands in it (an offset in UTF-16 units, never inside a grapheme). */
export interface EditBuffer {
  readonly text: string
  readonly cursor: number
}

/** A change that may have cut something out. */
export interface Cut {
  readonly buffer: EditBuffer
  readonly cut: string
}

export const emptyBuffer: EditBuffer = { text: '', cursor: 0 }

export function insert(buffer: EditBuffer, text: string): EditBuffer {
  const { text: held, cursor } = buffer
  return { text: held.slice(0, cursor) + text + held.slice(cursor), cursor: cursor + text.length }
}

export function moveTo(buffer: EditBuffer, cursor: number): EditBuffer {
  return { text: buffer.text, cursor: Math.max(0, Math.min(cursor, buffer.text.length)) }
}

/** Cuts what lies between the cursor and another place. */
export function cutTo(buffer: EditBuffer, place: number): Cut {
  const [from, to] = place < buffer.cursor ? [place, buffer.cursor] : [buffer.cursor, place]
  return { buffer: { text: buffer.text.slice(0, from) + buffer.text.slice(to), cursor: from }, cut: buffer.text.slice(from, to) }
}

export function leftOf(buffer: EditBuffer): number {
  if (buffer.cursor < 2 || isBoundary(buffer.text, buffer.cursor - 1)) return Math.max(0, buffer.cursor - 1)
  let left = 0
  for (const { index } of graphemes(buffer.text)) {
    if (index >= buffer.cursor) break
    left = index
  }
  return left
}

export function rightOf(buffer: EditBuffer): number {
  for (const { index, segment } of graphemes(buffer.text.slice(buffer.cursor))) return buffer.cursor + index + segment.length
  return buffer.cursor
}

/** Start of the word at or before the cursor, words being letters and digits. */
export function wordLeft(buffer: EditBuffer): number {
  return /[\p{L}\p{N}]*[^\p{L}\p{N}]*$/u.exec(buffer.text.slice(0, buffer.cursor))?.index ?? 0
}

/** End of the word at or behind the cursor, words being letters and digits. */
export function wordRight(buffer: EditBuffer): number {
  return buffer.cursor + (/^[^\p{L}\p{N}]*[\p{L}\p{N}]*/u.exec(buffer.text.slice(buffer.cursor))?.[0].length ?? 0)
}

/** Start of the word at or before the cursor, words being what blanks part. */
export function blankWordLeft(buffer: EditBuffer): number {
  return /\S*\s*$/.exec(buffer.text.slice(0, buffer.cursor))?.index ?? 0
}

export function lineStart(buffer: EditBuffer): number {
  return buffer.text.lastIndexOf('\n', buffer.cursor - 1) + 1
}

export function lineEnd(buffer: EditBuffer): number {
  const end = buffer.text.indexOf('\n', buffer.cursor)
  return end === -1 ? buffer.text.length : end
}

/** The same column of the line above or below; null where there is none. */
export function lineUp(buffer: EditBuffer): EditBuffer | null {
  const start = lineStart(buffer)
  if (start === 0) return null
  const above = lineStart({ text: buffer.text, cursor: start - 1 })
  return onGrapheme(buffer.text, Math.min(above + buffer.cursor - start, start - 1))
}

export function lineDown(buffer: EditBuffer): EditBuffer | null {
  const end = lineEnd(buffer)
  if (end === buffer.text.length) return null
  const below = lineEnd({ text: buffer.text, cursor: end + 1 })
  return onGrapheme(buffer.text, Math.min(end + 1 + buffer.cursor - lineStart(buffer), below))
}

/** Swaps the character before the cursor with the one under it; at the end of the text the two before it. */
export function transpose(buffer: EditBuffer): EditBuffer {
  const middle = buffer.cursor === buffer.text.length ? leftOf(buffer) : buffer.cursor
  if (middle === 0) return buffer
  const start = leftOf({ text: buffer.text, cursor: middle })
  const end = rightOf({ text: buffer.text, cursor: middle })
  const { text } = buffer
  return { text: text.slice(0, start) + text.slice(middle, end) + text.slice(start, middle) + text.slice(end), cursor: end }
}

/** Changes the letters from the cursor to the end of the word. */
export function recase(buffer: EditBuffer, how: 'upper' | 'lower' | 'capital'): EditBuffer {
  const end = wordRight(buffer)
  const word = buffer.text.slice(buffer.cursor, end)
  const lower = word.toLowerCase()
  const changed = how === 'upper' ? word.toUpperCase() : how === 'lower' ? lower : lower.replace(/\p{L}/u, (letter) => letter.toUpperCase())
  return { text: buffer.text.slice(0, buffer.cursor) + changed + buffer.text.slice(end), cursor: buffer.cursor + changed.length }
}

/** The buffer with its cursor at the grapheme that holds the place. */
function onGrapheme(text: string, place: number): EditBuffer {
  if (place >= text.length) return { text, cursor: text.length }
  return { text, cursor: leftOf({ text, cursor: place + 1 }) }
}
