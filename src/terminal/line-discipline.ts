import type { TerminalMode } from '../commands/command.ts'
import { graphemes, graphemeWidth, shownGrapheme } from './line-editor/text-width.ts'

/** What came of some input. */
export interface Typed {
  /** For the screen. */
  readonly echo: string
  /** Complete lines, each with its newline, or what stood before a ^D. */
  readonly lines: readonly Uint8Array[]
  /** ^D on an empty line. */
  readonly ended: boolean
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What a terminal does for a program that reads lines: echo, erasing, ^D. The terminal itself stays raw, so that its input never ends. */
export class LineDiscipline {
  #line: number[] = []

  /** Feeds bytes up to where there is something to read: how many were used, and what came of them. */
  take(bytes: Uint8Array, mode: TerminalMode): Typed & { readonly used: number } {
    const end = mode.lines ? bytes.findIndex((byte) => byte === 0x0d || byte === 0x0a || byte === 0x04) + 1 : 1
    const used = end > 0 ? end : bytes.length
    const typed = mode.lines ? this.feed(bytes.subarray(0, used)) : this.#key(bytes[0] as number)
    return { ...typed, echo: mode.echo ? typed.echo : '', used }
  }

  /** A key as it is, behind what stands in the line; a character of several bytes comes with its last. */
  #key(byte: number): Typed {
    if (byte >= 0x80) {
      this.#line.push(byte)
      const echo = this.#wide(byte)
      return { echo, lines: echo === '' ? [] : [this.takeRest()], ended: false }
    }
    const isNewline = byte === 0x0d || byte === 0x0a
    const line = Uint8Array.of(...this.takeRest(), isNewline ? 0x0a : byte)
    return { echo: isNewline ? '\r\n' : shownGrapheme(String.fromCharCode(byte)), lines: [line], ended: false }
  }

  feed(bytes: Uint8Array): Typed {
    let echo = ''
    const lines: Uint8Array[] = []
    for (const byte of bytes) {
      switch (byte) {
        case 0x0d:
        case 0x0a:
          lines.push(Uint8Array.from([...this.#line, 0x0a]))
          this.#line = []
          echo += '\r\n'
          break
        case 0x04:
          if (this.#line.length === 0) return { echo, lines, ended: true }
          lines.push(Uint8Array.from(this.#line))
          this.#line = []
          break
        case 0x08:
        case 0x7f:
          echo += this.#erase(/.$/su)
          break
        case 0x15:
          echo += this.#erase(/^.*$/su)
          break
        case 0x17:
          echo += this.#erase(/\S*\s*$/su)
          break
        default:
          this.#line.push(byte)
          echo += byte < 0x20 ? `^${String.fromCharCode(byte + 0x40)}` : byte < 0x80 ? String.fromCharCode(byte) : this.#wide(byte)
      }
    }
    return { echo, lines, ended: false }
  }

  /** The line that was begun and not ended, which is then forgotten. */
  takeRest(): Uint8Array {
    const rest = Uint8Array.from(this.#line)
    this.#line = []
    return rest
  }

  /** A character of several bytes is echoed with its last. */
  #wide(byte: number): string {
    if (byte >= 0xc0) return ''
    const start = this.#line.findLastIndex((held) => held >= 0xc0)
    const text = decoder.decode(Uint8Array.from(this.#line.slice(start)))
    return start === -1 || text.includes('\ufffd') ? '' : text
  }

  #erase(what: RegExp): string {
    const text = decoder.decode(Uint8Array.from(this.#line))
    const kept = text.replace(what, '')
    let width = 0
    for (const { segment } of graphemes(text.slice(kept.length))) width += graphemeWidth(segment)
    this.#line = [...encoder.encode(kept)]
    return '\b \b'.repeat(width)
  }
}
