/** Some output of a line: as text where it is UTF-8, else its bytes in base64. */
export type OutputPiece = { readonly text: string } | { readonly base64: string }

/** Cuts one stream of output into pieces, none of them within a character. */
export class OutputPieces {
  #held: Uint8Array = new Uint8Array(0)

  /** The next piece; null when all that came is the beginning of a character, which is held back. */
  take(bytes: Uint8Array): OutputPiece | null {
    const all = joined(this.#held, bytes)
    const whole = all.length - beginOfCharacter(all)
    this.#held = all.slice(whole)
    return whole === 0 ? null : pieceOf(all.subarray(0, whole))
  }

  /** What was held back when the stream ended. */
  rest(): OutputPiece | null {
    return this.#held.length === 0 ? null : pieceOf(this.#held)
  }
}

function pieceOf(bytes: Uint8Array): OutputPiece {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) }
  }
}

/** How many bytes at the end begin a character that isn't whole. */
function beginOfCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
