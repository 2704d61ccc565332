/** A text with its backslash escapes resolved. */
export interface DecodedText {
  readonly text: string
  /** `\c` was met: nothing of what follows, in this text or behind it, is to be printed. */
  readonly stopped: boolean
  /** What `printf` says about escapes without their digits, behind `printf: `. */
  readonly errors: readonly string[]
}

/** The text of `$'…'` and of `${x@E}`: ANSI-C escapes; a NUL ends the text. */
export function decodeAnsiC(text: string): string {
  return decodeEscapes(text, 'ansi-c').text
}

/** The text that `echo -e` prints. */
export function decodeEcho(text: string): DecodedText {
  return decodeEscapes(text, 'echo')
}

/** The text that `printf %b` prints. */
export function decodePercentB(text: string): DecodedText {
  return decodeEscapes(text, 'percent-b')
}

/** The literal text of a format of `printf`. */
export function decodeFormat(text: string): DecodedText {
  return decodeEscapes(text, 'format')
}

type Dialect = 'ansi-c' | 'echo' | 'percent-b' | 'format'

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['E', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
])

function decodeEscapes(text: string, dialect: Dialect): DecodedText {
  if (!text.includes('\\')) return { text, stopped: false, errors: [] }
  return new EscapeDecoder(text, dialect).decode()
}

class EscapeDecoder {
  readonly #text: string
  readonly #dialect: Dialect
  readonly #pieces: string[] = []
  readonly #errors: string[] = []
  #at = 0
  #stopped = false
  /** Bytes were written that may form characters with their neighbours. */
  #strays = false

  constructor(text: string, dialect: Dialect) {
    this.#text = text
    this.#dialect = dialect
  }

  decode(): DecodedText {
    const text = this.#text
    while (!this.#stopped) {
      const backslash = text.indexOf('\\', this.#at)
      if (backslash < 0 || backslash === text.length - 1) break
      this.#pieces.push(text.slice(this.#at, backslash))
      this.#at = backslash + 2
      this.#escape(text[backslash + 1] as string)
    }
    if (!this.#stopped) this.#pieces.push(text.slice(this.#at))
    const joined = this.#pieces.join('')
    // Bytes given one by one may make up characters together.
    const whole = this.#strays ? joined.replace(/[\udc80-\udcff]+/gu, joinBytes) : joined
    return { text: whole, stopped: this.#stopped && this.#dialect !== 'ansi-c', errors: this.#errors }
  }

  #escape(char: string): void {
    const simple = SIMPLE.get(char)
    if (simple !== undefined) {
      this.#pieces.push(simple)
      return
    }
    const ansi = this.#dialect === 'ansi-c'
    switch (char) {
      case "'":
      case '"':
      case '?':
        this.#pieces.push(ansi || this.#dialect === 'format' ? char : `\\${char}`)
        return
      case 'c':
        if (ansi) this.#control()
        else if (this.#dialect === 'format') this.#pieces.push('\\c')
        else this.#stopped = true
        return
      case 'x':
        this.#hexadecimal()
        return
      case 'u':
        this.#unicode(char, 4)
        return
      case 'U':
        this.#unicode(char, 8)
        return
    }
    if (char >= '0' && char <= '7') this.#octal(char)
    else this.#pieces.push(`\\${char}`)
  }

  /** `\nnn`; after a 0 three more digits for `echo -e` and `%b`. */
  #octal(first: string): void {
    const dialect = this.#dialect
    if (dialect === 'echo' && first !== '0') {
      this.#pieces.push(`\\${first}`)
      return
    }
    const more = (dialect === 'echo' || dialect === 'percent-b') && first === '0' ? 3 : 2
    this.#byte(Number.parseInt(first + this.#digits(/[0-7]*/y, more), 8))
  }

  #hexadecimal(): void {
    const braced = this.#dialect === 'ansi-c' && this.#text[this.#at] === '{'
    if (braced) this.#at += 1
    const digits = this.#digits(/[0-9a-fA-F]*/y, braced ? Number.POSITIVE_INFINITY : 2)
    if (braced) {
      if (digits !== '' && this.#text[this.#at] === '}') this.#at += 1
      this.#byte(Number.parseInt(digits.slice(-2) || '0', 16))
    } else if (digits === '') this.#missing('hex digit', 'x')
    else this.#byte(Number.parseInt(digits, 16))
  }

  #unicode(letter: string, length: number): void {
    const digits = this.#digits(/[0-9a-fA-F]*/y, length)
    if (digits === '') {
      this.#missing('unicode digit', letter)
      return
    }
    const code = Number.parseInt(digits, 16)
    if (code === 0) this.#byte(0)
    else if (code < 0xd800 || (code > 0xdfff && code <= 0x10ffff)) this.#pieces.push(String.fromCodePoint(code))
    else if (code <= 0x7fff_ffff) {
      this.#strays = true
      this.#pieces.push(overlongBytes(code))
    }
  }

  #control(): void {
    const text = this.#text
    if (this.#at >= text.length) {
      this.#pieces.push('\\c')
      return
    }
    const char = String.fromCodePoint(text.codePointAt(this.#at) as number)
    this.#at += char === '\\' && text[this.#at + 1] === '\\' ? 2 : char.length
    if (char === '?') {
      this.#pieces.push('\x7f')
      return
    }
    const [first = 0, ...rest] = bytesOf(char)
    this.#byte(first & 0x1f)
    for (const byte of rest) this.#byte(byte)
  }

  #missing(what: string, letter: string): void {
    if (this.#dialect === 'percent-b' || this.#dialect === 'format') this.#errors.push(`missing ${what} for \\${letter}`)
    this.#pieces.push(`\\${letter}`)
  }

  #digits(pattern: RegExp, most: number): string {
    pattern.lastIndex = this.#at
    const digits = (pattern.exec(this.#text)?.[0] ?? '').slice(0, most)
    this.#at += digits.length
    return digits
  }

  #byte(value: number): void {
    const byte = value & 0xff
    if (byte === 0 && this.#dialect === 'ansi-c') {
      this.#stopped = true
      return
    }
    if (byte >= 0x80) this.#strays = true
    this.#pieces.push(String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte))
  }
}

/** Bytes of a code that has no valid UTF-8 form: surrogates, and beyond U+10FFFF up to 31 bits. */
function overlongBytes(code: number): string {
  const length = code < 0x1_0000 ? 3 : code < 0x20_0000 ? 4 : code < 0x400_0000 ? 5 : 6
  const bytes: number[] = []
  let rest = code
  for (let i = 1; i < length; i++) {
    bytes.unshift(0x80 | (rest & 0x3f))
    rest >>>= 6
  }
  bytes.unshift(((0xff00 >> length) & 0xff) | rest)
  return String.fromCharCode(...bytes.map((byte) => 0xdc00 + byte))
}

function bytesOf(char: string): Iterable<number> {
  const code = char.charCodeAt(0)
  return code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : new TextEncoder().encode(char)
}

/** Stray bytes, with those that are UTF-8 together joined. */
function joinBytes(strays: string): string {
  let result = ''
  for (let at = 0; at < strays.length; ) {
    const first = strays.charCodeAt(at) - 0xdc00
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    let point = first & (0xff >> (length + 1))
    let valid = first >= 0xc2 && first <= 0xf4 && at + length <= strays.length
    for (let i = 1; valid && i < length; i++) {
      const byte = strays.charCodeAt(at + i) - 0xdc00
      valid = (byte & 0xc0) === 0x80
      point = (point << 6) | (byte & 0x3f)
    }
    // Overlong forms, surrogates and what lies beyond Unicode stay bytes.
    valid &&= point >= (length === 4 ? 0x10000 : length === 3 ? 0x800 : 0x80) && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    result += valid ? String.fromCodePoint(point) : strays.charAt(at)
    at += valid ? length : 1
  }
  return result
}
