import { encode } from '../bytes.ts'
import type { CommandContext } from './command.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/** A part of a set: the bytes it stands for, in order. */
export interface SetItem {
  readonly kind: 'byte' | 'range' | 'class' | 'equivalence' | 'repeat'
  readonly bytes: readonly number[]
  /** Name of a class. */
  readonly name?: string
  /** How often a repeat's one byte stands there; null for as often as it takes. */
  readonly count?: number | null
}

/** Reads a set whose escapes have been read. What is wrong with it ends the command. */
export function parseSet(units: readonly SetByte[], context: CommandContext): readonly SetItem[] {
  return new SetParser(units, context).parse()
}

/** The bytes of the locale's class, null where there is no such class. */
export function classBytes(name: string): readonly number[] | null {
  const belongs = CLASSES.get(name)
  return belongs === undefined ? null : ALL_BYTES.filter((byte) => byte < 128 && belongs.test(String.fromCharCode(byte)))
}

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte)
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /\p{Cc}/u],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
])

/** A byte of a set as it is written. */
export interface SetByte {
  readonly byte: number
  /** Came from an escape, so it has no special meaning. */
  readonly escaped: boolean
}

const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x61, 7],
  [0x62, 8],
  [0x66, 12],
  [0x6e, 10],
  [0x72, 13],
  [0x74, 9],
  [0x76, 11],
])

const isOctal = (byte: number | undefined): byte is number => byte !== undefined && byte >= 0x30 && byte <= 0x37

/** Reads the escapes of a set; what is doubtful is added to `warnings`. */
export function unescapeSet(text: string, warnings: string[]): readonly SetByte[] {
  const bytes = encode(text)
  const units: SetByte[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte !== 0x5c) {
      units.push({ byte, escaped: false })
      continue
    }
    at += 1
    const next = bytes[at]
    if (next === undefined) {
      warnings.push('an unescaped backslash at end of string is not portable')
      units.push({ byte: 0x5c, escaped: false })
    } else if (isOctal(next)) {
      let value = next - 0x30
      let digits = 1
      for (; digits < 3 && isOctal(bytes[at + 1]); digits++) {
        const wider = value * 8 + (bytes[at + 1] as number) - 0x30
        if (wider > 255) {
          const [a, b, c] = Array.from(bytes.subarray(at - 1, at + 2), (digit) => String.fromCharCode(digit))
          warnings.push(`the ambiguous octal escape \\${a}${b}${c} is being\n\tinterpreted as the 2-byte sequence \\0${a}${b}, ${c}`)
          break
        }
        value = wider
        at += 1
      }
      units.push({ byte: value, escaped: true })
    } else units.push({ byte: CONTROLS.get(next) ?? next, escaped: true })
  }
  return units
}

const OPEN = 0x5b
const CLOSE = 0x5d
const COLON = 0x3a
const EQUALS = 0x3d
const STAR = 0x2a
const DASH = 0x2d

class SetParser {
  readonly #units: readonly SetByte[]
  readonly #context: CommandContext

  constructor(units: readonly SetByte[], context: CommandContext) {
    this.#units = units
    this.#context = context
  }

  parse(): readonly SetItem[] {
    const items: SetItem[] = []
    for (let at = 0; at < this.#units.length; ) {
      const bracketed = this.#is(at, OPEN) ? this.#bracketed(at) : null
      if (bracketed !== null) {
        items.push(bracketed.item)
        at = bracketed.end
        continue
      }
      const first = this.#byte(at)
      if (this.#is(at + 1, DASH) && at + 2 < this.#units.length) {
        items.push(this.#range(first, this.#byte(at + 2)))
        at += 3
        continue
      }
      items.push({ kind: 'byte', bytes: [first] })
      at += 1
    }
    return items
  }

  #bracketed(at: number): { item: SetItem; end: number } | null {
    const opener = this.#is(at + 1, COLON) ? COLON : this.#is(at + 1, EQUALS) ? EQUALS : null
    if (opener !== null) {
      const close = this.#findClosing(at + 2, opener)
      if (close >= 0) {
        const item = opener === COLON ? this.#class(at + 2, close) : this.#equivalence(at + 2, close)
        if (item !== null) return { item, end: close + 2 }
      }
    }
    return this.#is(at + 2, STAR) ? this.#repeat(at) : null
  }

  /** Where `opener]` stands, both unescaped; there must be room for it. */
  #findClosing(from: number, opener: number): number {
    for (let at = from; at + 1 < this.#units.length; at++) if (this.#is(at, opener) && this.#is(at + 1, CLOSE)) return at
    return -1
  }

  #class(from: number, to: number): SetItem | null {
    if (from === to) {
      // `[:*]` is a repeat, if it can be one.
      throw new CommandFailure("missing character class name '[::]'")
    }
    const name = this.#text(from, to)
    const bytes = classBytes(name)
    if (bytes !== null) return { kind: 'class', name, bytes }
    if (this.#is(from, STAR)) return null
    throw new CommandFailure(`invalid character class ${quoted(this.#context, name)}`)
  }

  #equivalence(from: number, to: number): SetItem | null {
    if (from === to) throw new CommandFailure("missing equivalence class character '[==]'")
    if (to === from + 1) return { kind: 'equivalence', bytes: [this.#byte(from)] }
    if (this.#is(from, STAR)) return null
    throw new CommandFailure(`${this.#text(from, to)}: equivalence class operand must be a single character`)
  }

  #repeat(at: number): { item: SetItem; end: number } | null {
    let end = at + 3
    while (end < this.#units.length && !this.#is(end, CLOSE)) {
      if (this.#units[end]?.escaped === true) return null
      end += 1
    }
    if (end >= this.#units.length) return null
    const digits = this.#text(at + 3, end)
    const byte = this.#byte(at + 1)
    const valid = /^0[0-7]*$|^[1-9][0-9]*$|^$/.test(digits)
    const count = digits === '' ? 0 : Number.parseInt(digits, digits.startsWith('0') ? 8 : 10)
    if (!valid || count > 2 ** 53) {
      throw new CommandFailure(`invalid repeat count ${quoted(this.#context, digits)} in [c*n] construct`)
    }
    return { item: { kind: 'repeat', bytes: [byte], count: count === 0 ? null : count }, end: end + 1 }
  }

  #range(first: number, last: number): SetItem {
    if (last < first) {
      throw new CommandFailure(`range-endpoints of '${display(first)}-${display(last)}' are in reverse collating sequence order`)
    }
    return { kind: 'range', bytes: Array.from({ length: last - first + 1 }, (_, i) => first + i) }
  }

  #is(at: number, byte: number): boolean {
    const unit = this.#units[at]
    return unit !== undefined && unit.byte === byte && !unit.escaped
  }

  #byte(at: number): number {
    return (this.#units[at] as SetByte).byte
  }

  #text(from: number, to: number): string {
    return this.#units
      .slice(from, to)
      .map(({ byte }) => (byte < 128 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte)))
      .join('')
  }
}

function display(byte: number): string {
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`
}
