import { encode } from '../../bytes.ts'

/** What somebody typed: text to insert, a key by its name, or text that was pasted. */
export type Key = { readonly type: 'text' | 'key' | 'paste'; readonly text: string }

const ESCAPE = 0x1b
/** No key of any terminal is longer. */
const LONGEST_SEQUENCE = 32
const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'
const decoder = new TextDecoder()

/** Names of the keys that terminals send as `ESC [ … letter` or `ESC O letter`. */
const BY_LETTER = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['H', 'home'],
  ['F', 'end'],
  ['Z', 'S-tab'],
])

/** Names of the keys that terminals send as `ESC [ number ~`. */
const BY_NUMBER = new Map([
  ['1', 'home'],
  ['3', 'delete'],
  ['4', 'end'],
  ['5', 'page-up'],
  ['6', 'page-down'],
  ['7', 'home'],
  ['8', 'end'],
])

const CONTROLS = new Map([
  [0x00, 'C-@'],
  [0x09, 'tab'],
  [0x0a, 'enter'],
  [0x0d, 'enter'],
  [0x1c, 'C-\\'],
  [0x1d, 'C-]'],
  [0x1e, 'C-^'],
  [0x1f, 'C-_'],
  [0x7f, 'backspace'],
])

/** Turns the bytes of a terminal into keys, one at a time; what is cut in the middle waits for the rest. */
export class KeyDecoder {
  #bytes: number[] = []
  #pasting: number[] | null = null

  /** True while only an ESC has come: a key of its own unless more follows at once. */
  get escapeWaits(): boolean {
    return this.#pasting === null && this.#bytes[0] === ESCAPE
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#bytes.push(byte)
  }

  /** The bytes of keys that were not taken, which are then forgotten. */
  takeRest(): Uint8Array {
    const rest = Uint8Array.from(this.#bytes)
    this.#bytes = []
    return rest
  }

  /** The next key; null when more bytes must come. `complete` says that none will: a lone ESC is then the escape key. */
  next(complete: boolean): Key | null {
    let length = 0
    let text = ''
    while (this.#pasting === null && length < this.#bytes.length) {
      const found = nextKey(this.#bytes, length, complete)
      if (found === null || found.name !== '') {
        if (text !== '' || found === null) break
        this.#bytes.splice(0, found.length)
        if (found.name !== 'paste-start') return { type: 'key', text: found.name }
        this.#pasting = []
        break
      }
      text += found.text
      length += found.length
    }
    if (length > 0) this.#bytes.splice(0, length)
    if (text !== '') return { type: 'text', text }
    return this.#pasting === null ? null : this.#takePaste(this.#pasting)
  }

  #takePaste(pasting: number[]): Key | null {
    // The mark may have been cut: a part of it can stand at the end of what came before.
    const seen = Math.max(0, pasting.length - PASTE_END.length)
    for (const byte of this.#bytes.splice(0)) pasting.push(byte)
    const found = latin1(pasting.slice(seen)).indexOf(PASTE_END)
    if (found === -1) return null
    const end = seen + found
    this.#bytes = pasting.slice(end + PASTE_END.length)
    this.#pasting = null
    return { type: 'paste', text: decoder.decode(Uint8Array.from(pasting.slice(0, end))).replace(/\r\n?/g, '\n') }
  }
}

/** The bytes that a terminal sends for a text that is pasted. */
export function pasted(text: string): Uint8Array {
  return encode(PASTE_START + text.replaceAll('\x1b', '') + PASTE_END)
}

interface FoundKey {
  readonly length: number
  readonly name: string
  readonly text: string
}

/** The key that begins at a place; null when more bytes must come. */
function nextKey(bytes: readonly number[], at: number, complete: boolean): FoundKey | null {
  const first = bytes[at] as number
  if (first === ESCAPE) return escapeKey(bytes.slice(at, at + LONGEST_SEQUENCE), complete)
  if (first < 0x20 || first === 0x7f) return { length: 1, name: controlName(first), text: '' }
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (bytes.length - at < length && !complete) return null
  const text = decoder.decode(Uint8Array.from(bytes.slice(at, at + length)))
  return { length: Math.min(length, bytes.length - at), name: '', text: text.includes('\ufffd') ? '' : text }
}

function escapeKey(bytes: readonly number[], complete: boolean): FoundKey | null {
  if (bytes.length === 1) return complete ? { length: 1, name: 'escape', text: '' } : null
  const second = bytes[1] as number
  if (second === 0x5b || second === 0x4f) return sequenceKey(bytes, complete)
  if (second === ESCAPE) return { length: 1, name: 'escape', text: '' }
  const name = second < 0x20 || second === 0x7f ? controlName(second) : String.fromCharCode(second)
  return { length: 2, name: `M-${name}`, text: '' }
}

/** `ESC [ parameters letter`, `ESC [ number ~`, `ESC O letter`; a modifier follows the last `;`. */
function sequenceKey(bytes: readonly number[], complete: boolean): FoundKey | null {
  let end = 2
  while (end < bytes.length && (bytes[end] as number) < 0x40) end += 1
  if (end >= bytes.length) return complete ? { length: bytes.length, name: 'unknown', text: '' } : null
  const letter = String.fromCharCode(bytes[end] as number)
  const [number = '', modifier = ''] = latin1(bytes.slice(2, end)).split(';')
  if (letter === '~' && number === '200') return { length: end + 1, name: 'paste-start', text: '' }
  const name = letter === '~' ? BY_NUMBER.get(number) : BY_LETTER.get(letter)
  return { length: end + 1, name: name === undefined ? 'unknown' : modifierPrefix(modifier) + name, text: '' }
}

/** xterm's modifiers: 1 plus shift 1, meta 2, control 4. */
function modifierPrefix(modifier: string): string {
  const bits = Number(modifier || '1') - 1
  return (bits & 4 ? 'C-' : '') + (bits & 2 ? 'M-' : '')
}

function controlName(code: number): string {
  return CONTROLS.get(code) ?? (code === 0x08 ? 'backspace' : `C-${String.fromCharCode(code + 0x60)}`)
}

function latin1(bytes: readonly number[]): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
