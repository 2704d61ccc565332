/** The content of a file, cut into lines. */
export interface TextFile {
  /** A newline is at the end, whether the file has one or not. */
  readonly bytes: Uint8Array
  /** Where each line starts, and last where the one after would. */
  readonly starts: Int32Array
  readonly lines: number
  /** The last line lacked its newline. */
  readonly incomplete: boolean
}

/** Cuts a file into lines. `stripReturns` takes one carriage return from before each newline. */
export function textFile(content: Uint8Array, stripReturns: boolean): TextFile {
  const incomplete = content.length > 0 && content[content.length - 1] !== NEWLINE
  let bytes = stripReturns && content.includes(RETURN) ? withoutReturns(content) : content
  if (incomplete) {
    const ended = new Uint8Array(bytes.length + 1)
    ended.set(bytes)
    ended[bytes.length] = NEWLINE
    bytes = ended
  }
  const starts = lineStarts(bytes)
  return { bytes, starts, lines: starts.length - 1, incomplete }
}

/** Where each line of bytes that end in a newline starts, and last where they end. */
export function lineStarts(bytes: Uint8Array): Int32Array {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1
  const starts = new Int32Array(count + 1)
  let line = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) starts[++line] = at + 1
  return starts
}

const NEWLINE = 10
const RETURN = 13

function withoutReturns(bytes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte !== RETURN || bytes[at + 1] !== NEWLINE) kept[length++] = byte
  }
  return kept.subarray(0, length)
}
