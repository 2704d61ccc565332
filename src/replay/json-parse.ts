import type { JsonValue } from './json.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  JsonFlaw,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './json-spans.ts'

/** Bytes that are parsed at once: what is larger is parsed element by element, so that its text is never there as a whole. */
const PIECE = 1024 * 1024
/** Levels down to which that is done; each of them is looked through once more. */
const PIECED_LEVELS = 4

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON value in the bytes from `start` to `end`, with white space around it and nothing else. Throws a {@link JsonFlaw}. */
export function parseJson(bytes: Uint8Array, start: number, end: number): JsonValue {
  const text = bytes.subarray(0, end)
  const first = skipSpace(text, start)
  if (first === end) throw new JsonFlaw(first, 'there is nothing')
  const last = skipValue(text, first)
  const rest = skipSpace(text, last)
  if (rest < end) throw new JsonFlaw(rest, 'there is something after the JSON value')
  return parseSpan(text, first, last, 0)
}

function parseSpan(bytes: Uint8Array, start: number, end: number, level: number): JsonValue {
  if (end - start > PIECE && level < PIECED_LEVELS) {
    if (bytes[start] === OPEN_ARRAY) return parseArray(bytes, start, level)
    if (bytes[start] === OPEN_OBJECT) return parseObject(bytes, start, level)
  }
  let text: string
  try {
    text = decoder.decode(bytes.subarray(start, end))
  } catch {
    throw new JsonFlaw(start, 'the text is not UTF-8')
  }
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const at = / position (\d+)/.exec(reason)?.[1]
    throw new JsonFlaw(start + (at === undefined ? 0 : new TextEncoder().encode(text.slice(0, Number(at))).length), `no JSON: ${reason}`)
  }
}

function parseArray(bytes: Uint8Array, start: number, level: number): JsonValue {
  const elements: JsonValue[] = []
  for (let at = skipSpace(bytes, start + 1); bytes[at] !== CLOSE_ARRAY || elements.length > 0; ) {
    const end = skipValue(bytes, at)
    elements.push(parseSpan(bytes, at, end, level + 1))
    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_ARRAY) break
    if (bytes[at] !== COMMA) throw new JsonFlaw(at, 'no JSON: a comma or the end of the array has to be here')
    at = skipSpace(bytes, at + 1)
  }
  return elements
}

function parseObject(bytes: Uint8Array, start: number, level: number): JsonValue {
  const members: Record<string, JsonValue> = {}
  let isFirst = true
  for (let at = skipSpace(bytes, start + 1); bytes[at] !== CLOSE_OBJECT || !isFirst; ) {
    isFirst = false
    if (bytes[at] !== QUOTE) throw new JsonFlaw(at, 'no JSON: a key in quotes has to be here')
    const keyEnd = skipString(bytes, at)
    const key = parseSpan(bytes, at, keyEnd, level + 1)
    const colon = skipSpace(bytes, keyEnd)
    if (bytes[colon] !== COLON) throw new JsonFlaw(colon, 'no JSON: a colon has to be here')
    const value = skipSpace(bytes, colon + 1)
    const end = skipValue(bytes, value)
    // A key of that name is a key like others.
    Object.defineProperty(members, String(key), {
      value: parseSpan(bytes, value, end, level + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    })
    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_OBJECT) break
    if (bytes[at] !== COMMA) throw new JsonFlaw(at, 'no JSON: a comma or the end of the object has to be here')
    at = skipSpace(bytes, at + 1)
  }
  return members
}
