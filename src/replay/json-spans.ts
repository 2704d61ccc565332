/** What is wrong with a JSON text, and at which byte. */
export class JsonFlaw extends Error {
  readonly at: number

  constructor(at: number, what: string) {
    super(what)
    this.at = at
  }
}

/** Where a value is in the bytes of a JSON text. */
export interface Span {
  readonly start: number
  /** After its last byte. */
  readonly end: number
}

/** Levels of objects and arrays that a file may have: more than any agent writes, and few enough for every engine. */
export const DEEPEST = 256

export const LINE_FEED = 0x0a
export const QUOTE = 0x22
const BACKSLASH = 0x5c
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const COMMA = 0x2c
export const COLON = 0x3a

/** Index of the first byte from `at` on that is no white space of JSON; the length where there is none. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    at += 1
  }
  return at
}

/** Index after the value that begins at `at`. Judges strings and brackets alone: that the rest is JSON is for the parser to say. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return skipPlain(bytes, at)
  let depth = 0
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte === QUOTE) i = skipString(bytes, i) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1
      if (depth > DEEPEST) throw new JsonFlaw(i, `objects and arrays are nested deeper than ${DEEPEST} levels`)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1
      if (depth === 0) return i + 1
    }
  }
  throw new JsonFlaw(bytes.length, `the text ends within ${first === OPEN_OBJECT ? 'an object' : 'an array'}: it is cut off`)
}

export function skipString(bytes: Uint8Array, at: number): number {
  let from = at + 1
  for (;;) {
    const end = bytes.indexOf(QUOTE, from)
    if (end < 0) throw new JsonFlaw(bytes.length, 'the text ends within a string: it is cut off')
    let before = end
    while (bytes[before - 1] === BACKSLASH) before -= 1
    if ((end - before) % 2 === 0) return end + 1
    from = end + 1
  }
}

/** A number or a word. */
function skipPlain(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length) {
    const byte = bytes[end] as number
    if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte <= 0x20) break
    end += 1
  }
  return end
}

/** The place of a byte as people count: line and column, from 1. */
export function placeIn(bytes: Uint8Array, at: number): string {
  let line = 1
  let begin = 0
  for (let next = bytes.indexOf(LINE_FEED); next >= 0 && next < at; next = bytes.indexOf(LINE_FEED, next + 1)) {
    line += 1
    begin = next + 1
  }
  return `line ${line}, column ${at - begin + 1}`
}

/** The elements of the array that is at a path of keys and indices in a JSON text that parses. A flaw where an object on the way has the key twice. */
export function elementSpans(bytes: Uint8Array, path: readonly string[]): { readonly array: Span; readonly elements: readonly Span[] } {
  let at = skipSpace(bytes, 0)
  for (const key of path) at = bytes[at] === OPEN_ARRAY ? elementAt(bytes, at, Number(key)) : memberAt(bytes, at, key)
  const elements: Span[] = []
  let next = skipSpace(bytes, at + 1)
  while (bytes[next] !== CLOSE_ARRAY) {
    const end = skipValue(bytes, next)
    elements.push({ start: next, end })
    next = skipSpace(bytes, end)
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1)
  }
  return { array: { start: at, end: next + 1 }, elements }
}

/** Where the value of a key begins in the object that begins at `at`. */
function memberAt(bytes: Uint8Array, at: number, key: string): number {
  let found = -1
  let next = skipSpace(bytes, at + 1)
  while (bytes[next] === QUOTE) {
    const end = skipString(bytes, next)
    const name: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(next, end)))
    const colon = skipSpace(bytes, end)
    const value = skipSpace(bytes, bytes[colon] === COLON ? colon + 1 : colon)
    if (name === key) {
      if (found >= 0) throw new JsonFlaw(next, `the key "${key}" is there twice`)
      found = value
    }
    next = skipSpace(bytes, skipValue(bytes, value))
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1)
  }
  if (found < 0) throw new JsonFlaw(at, `the key "${key}" is missing`)
  return found
}

/** Where an element begins of the array that begins at `at`. */
function elementAt(bytes: Uint8Array, at: number, index: number): number {
  let next = skipSpace(bytes, at + 1)
  for (let i = 0; i < index; i++) {
    const end = skipSpace(bytes, skipValue(bytes, next))
    next = skipSpace(bytes, end + 1)
  }
  return next
}
