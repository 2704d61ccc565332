import { concat } from '../bytes.ts'
import { characterWidth } from './character-width.ts'
import { characterAt } from './utf8-characters.ts'

// Kinds of characters. What can't be printed is in no word, and ends none.
const OTHER = 0
const IN_WORD = 1
const SPACE = 2

const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, byte) => {
  if (byte === 32 || (byte >= 9 && byte <= 13)) return SPACE
  return byte > 32 && byte < 127 ? IN_WORD : OTHER
})

const WIDE_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2060\u3000]/

/** Counts words, characters and columns of text that comes in chunks. */
export class TextCounter {
  words = 0
  characters = 0
  /** Columns of the widest line. */
  longest = 0
  readonly #utf8: boolean
  readonly #widths: boolean
  #inWord = false
  #column = 0
  /** The start of a character whose end has not come yet. */
  #cut: Uint8Array | null = null

  constructor(options: { readonly characters: boolean; readonly widths: boolean }) {
    this.#utf8 = options.characters
    this.#widths = options.widths
  }

  add(chunk: Uint8Array): void {
    const bytes = this.#cut === null ? chunk : concat([this.#cut, chunk])
    this.#cut = null
    let at = 0
    while (at < bytes.length) {
      at = this.#widths ? this.#addColumns(bytes, at) : this.#addPlain(bytes, at)
      if (at >= bytes.length) return
      if (!this.#utf8) {
        this.characters += 1
        at += 1
        continue
      }
      const found = characterAt(bytes, at)
      if (found === -2) {
        this.#cut = bytes.slice(at)
        return
      }
      if (found > 0) this.#character(found >> 3)
      at += found > 0 ? found & 7 : 1
    }
  }

  finish(): void {
    if (this.#cut !== null && this.#cut.length > 1) {
      const rest = this.#cut.subarray(1)
      this.#cut = null
      this.add(rest)
    }
    this.#cut = null
    if (this.#inWord) this.words += 1
    this.#inWord = false
    this.#endLine()
  }

  /** Takes ASCII characters up to the first byte that is none. */
  #addPlain(bytes: Uint8Array, from: number): number {
    let words = this.words
    let state = this.#inWord ? IN_WORD : SPACE
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte >= 128) break
      const kind = KINDS[byte] as number
      if (kind === OTHER) continue
      // IN_WORD to SPACE ends a word.
      words += kind & (state << 1) ? 1 : 0
      state = kind
    }
    this.words = words
    this.#inWord = state === IN_WORD
    this.characters += at - from
    return at
  }

  #addColumns(bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte >= 128) break
      const kind = KINDS[byte] as number
      if (kind === IN_WORD) {
        this.#inWord = true
        this.#column += 1
      } else if (kind === SPACE) {
        this.#endWord()
        if (byte === 10 || byte === 12 || byte === 13) this.#endLine()
        else if (byte === 9) this.#column += 8 - (this.#column % 8)
        else if (byte === 32) this.#column += 1
      }
    }
    this.characters += at - from
    return at
  }

  #character(code: number): void {
    this.characters += 1
    const width = characterWidth(code)
    if (width < 0) return
    this.#column += width
    if (code >= 0xa0 && code <= 0x3000 && WIDE_SPACE.test(String.fromCharCode(code))) this.#endWord()
    else this.#inWord = true
  }

  #endWord(): void {
    if (this.#inWord) this.words += 1
    this.#inWord = false
  }

  #endLine(): void {
    if (this.#column > this.longest) this.longest = this.#column
    this.#column = 0
  }
}
