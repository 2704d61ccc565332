/** What somebody typed: text to insert, a key by its name, or text that was pasted. */
export type Key = { readonly type: 'text' | 'key' | 'paste'; readonly text: string }

const ESCAPE = 0x1b
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

/** Turns the bytes of a terminal into keys; what is cut in the middle waits for the rest. */
export class KeyDecoder {
  #waiting: number[] = []
  #pasting: number[] | null = null

  /** True while only an ESC has come: a key of its own unless more follows at once. */
  get escapeWaits(): boolean {
    return this.#pasting === null && this.#waiting[0] === ESCAPE
  }

  feed(bytes: Uint8Array): readonly Key[] {
    this.#waiting.push(...bytes)
    return this.#take(false)
  }

  /** The bytes that wait are all there is: a lone ESC is the escape key. */
  flush(): readonly Key[] {
    return this.#take(true)
  }

  #take(complete: boolean): readonly Key[] {
    const keys: Key[] = []
    while (this.#waiting.length > 0) {
      if (this.#pasting !== null) {
        const pasted = this.#takePaste(this.#pasting)
        if (pasted === null) break
        keys.push(pasted)
        continue
      }
      const found = nextKey(this.#waiting, complete)
      if (found === null) break
      this.#waiting.splice(0, found.length)
      if (found.name === 'paste-start') this.#pasting = []
      else if (found.name !== '') keys.push({ type: 'key', text: found.name })
      else if (found.text !== '') addText(keys, found.text)
    }
    return keys
  }

  #takePaste(pasting: number[]): Key | null {
    pasting.push(...this.#waiting)
    this.#waiting = []
    const text = latin1(pasting)
    const end = text.indexOf(PASTE_END)
    if (end === -1) return null
    this.#waiting = pasting.slice(end + PASTE_END.length)
    this.#pasting = null
    return { type: 'paste', text: decoder.decode(Uint8Array.from(pasting.slice(0, end))).replace(/\r\n?/g, '\n') }
  }
}

interface FoundKey {
  readonly length: number
  readonly name: string
  readonly text: string
}

/** The key that the bytes begin with; null when more bytes must come. */
function nextKey(bytes: readonly number[], complete: boolean): FoundKey | null {
  const first = bytes[0] as number
  if (first === ESCAPE) return escapeKey(bytes, complete)
  if (first < 0x20 || first === 0x7f) return { length: 1, name: controlName(first), text: '' }
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (bytes.length < length && !complete) return null
  const text = decoder.decode(Uint8Array.from(bytes.slice(0, length)))
  return { length: Math.min(length, bytes.length), name: '', text: text.includes('\ufffd') ? '' : text }
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

function addText(keys: Key[], text: string): void {
  const last = keys.at(-1)
  if (last?.type === 'text') keys[keys.length - 1] = { type: 'text', text: last.text + text }
  else keys.push({ type: 'text', text })
}

function latin1(bytes: readonly number[]): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
