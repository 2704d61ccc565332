import { decode, encode } from '../../bytes.ts'
import { isNullable, literalText } from '../../regex/node.ts'
import type { Dialect } from '../../regex/posix-syntax.ts'
import { BASIC, EXTENDED } from '../../regex/posix-syntax.ts'
import type { Regex } from '../../regex/regex.ts'
import { parseRegex, regexOf } from '../../regex/regex.ts'
import { RegexError } from '../../regex/regex-error.ts'
import { bytewise } from '../byte-text.ts'
import { CommandFailure } from '../utility.ts'
import { convertEscapes } from './escapes.ts'
import type { Replacement } from './replacement.ts'
import { parseReplacement } from './replacement.ts'
import type { SedAction, SedAddress, SedCommand, SedPattern, SedScript, SedSubstitution } from './script.ts'
import { Transliteration } from './transliteration.ts'

/** One `-e` or `-f`. */
export interface ScriptPart {
  readonly text: string
  /** The file it came from; null for an expression. */
  readonly file: string | null
  /** Its patterns are extended ones: `-E` holds for what comes after it. */
  readonly extended: boolean
}

export interface ScriptOptions {
  readonly posix: boolean
  readonly sandbox: boolean
  /** Bytes are characters. */
  readonly bytes: boolean
}

/** Reads a script. Fails as GNU sed does, with its message and status. */
export function parseScript(parts: readonly ScriptPart[], options: ScriptOptions): SedScript {
  return new ScriptReader(options).read(parts)
}

/** What sed takes for basic expressions. */
const SED_BASIC: Dialect = { ...BASIC, refuseBareClass: true }
/** What it takes for extended ones. */
const SED_EXTENDED: Dialect = { ...EXTENDED, looseClose: false, refuseBareClass: true }

const MISSING_FILE = 'missing filename in r/R/w/W commands'

/** While being read, jumps name labels, and blocks don't know their end. */
interface Draft {
  readonly command: SedCommand
  label?: string
}

class ScriptReader {
  readonly #options: ScriptOptions
  readonly #drafts: Draft[] = []
  readonly #labels = new Map<string, number>()
  readonly #outputs = new Set<string>()
  readonly #blocks: { readonly at: number; readonly part: ScriptPart; readonly line: number }[] = []
  #part: ScriptPart = { text: '', file: null, extended: false }
  #expressions = 0
  #at = 0
  #line = 1
  #silent = false
  /** Text of an `a`, `i` or `c` that goes on in the next part. */
  #openText: { readonly draft: Draft; readonly text: string } | null = null

  constructor(options: ScriptOptions) {
    this.#options = options
  }

  read(parts: readonly ScriptPart[]): SedScript {
    parts.forEach((part, index) => {
      this.#part = part
      if (part.file === null) this.#expressions += 1
      this.#at = 0
      this.#line = 1
      if (index === 0 && /^#n(?:\n|$)/.test(part.text)) this.#silent = true
      this.#readPart()
    })
    const open = this.#blocks.at(-1)
    if (open !== undefined) {
      this.#part = open.part
      this.#line = open.line
      this.#at = 0
      this.#fail("unmatched `{'")
    }
    return { commands: this.#drafts.map((draft) => this.#finished(draft)), silent: this.#silent, outputs: [...this.#outputs] }
  }

  #finished({ command, label }: Draft): SedCommand {
    if (label === undefined) return command
    const target = label === '' ? this.#drafts.length : this.#labels.get(label)
    if (target === undefined) throw new CommandFailure(`can't find label for jump to \`${label}'`, 4)
    return { ...command, action: { ...command.action, target } as SedAction }
  }

  #readPart(): void {
    if (this.#openText !== null) this.#continueText(this.#openText)
    for (;;) {
      let char = this.#next()
      while (char === ';' || isSpace(char)) char = this.#next()
      if (char === '') return
      this.#command(char)
    }
  }

  #command(given: string): void {
    let char = given
    const from = this.#address(char)
    let to: SedAddress | null = null
    if (from !== null) {
      if (from.type === 'more' || from.type === 'multiple') this.#fail('invalid usage of +N or ~N as first address')
      char = this.#nextFilled()
      if (char === ',') {
        to = this.#address(this.#nextFilled())
        if (to === null) this.#fail("unexpected `,'")
        char = this.#nextFilled()
      }
      const zero = from.type === 'line' && from.line === 0
      if (zero && to?.type !== 'pattern' && !(to === null && char === 'r')) this.#fail('invalid usage of line address 0')
    }
    let negated = false
    if (char === '!') {
      negated = true
      char = this.#nextFilled()
      if (char === '!') this.#fail("multiple `!'s")
    }
    const add = (action: SedAction, label?: string): void => {
      this.#drafts.push({ command: { from, to, negated, action }, ...(label === undefined ? {} : { label }) })
    }
    switch (char) {
      case '':
        return this.#fail('missing command')
      case '#':
        if (from !== null) this.#fail("comments don't accept any addresses")
        this.#restOfLine()
        return
      case ':': {
        if (from !== null) this.#fail(": doesn't want any addresses")
        const label = this.#label()
        if (label === '') this.#fail('":" lacks a label')
        this.#labels.set(label, this.#drafts.length)
        return
      }
      case '{':
        this.#blocks.push({ at: this.#drafts.length, part: this.#part, line: this.#line })
        // A block is passed over where its addresses don't apply.
        this.#drafts.push({ command: { from, to, negated: !negated, action: { type: '{', target: 0 } } })
        return
      case '}':
        return this.#closeBlock(from)
      case '=':
      case 'd':
      case 'D':
      case 'F':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'x':
      case 'z':
        this.#endOfCommand()
        return add({ type: char })
      case 'a':
      case 'i':
      case 'c':
        return this.#text(char, { from, to, negated })
      case 'b':
      case 't':
      case 'T':
        return add({ type: char, target: 0 }, this.#label())
      case 'q':
      case 'Q': {
        if (to !== null) this.#fail('command only uses one address')
        const status = this.#number()
        this.#endOfCommand()
        return add({ type: char, status: status ?? 0 })
      }
      case 'l': {
        const width = this.#number()
        this.#endOfCommand()
        return add({ type: 'l', width })
      }
      case 'r':
      case 'R':
      case 'w':
      case 'W':
        if (this.#options.sandbox) this.#fail('e/r/w commands disabled in sandbox mode')
        return add({ type: char, file: this.#fileName(char === 'w' || char === 'W') })
      case 's':
        return add({ type: 's', substitution: this.#substitution() })
      case 'y':
        return add({ type: 'y', map: this.#transliteration() })
      case 'e':
        if (this.#options.sandbox) this.#fail('e/r/w commands disabled in sandbox mode')
        return this.#fail('the e command is not supported')
      case 'v':
        return this.#version()
      default:
        return this.#fail(`unknown command: \`${char}'`)
    }
  }

  #address(char: string): SedAddress | null {
    if (char === '/' || char === '\\') {
      const delimiter = char === '/' ? char : this.#next()
      const source = this.#delimited(delimiter, true)
      if (source === null) return this.#fail('unterminated address regex')
      let flags = ''
      for (;;) {
        const flag = this.#nextFilled()
        if (flag !== 'I' && flag !== 'M') {
          this.#back(flag)
          return { type: 'pattern', pattern: this.#pattern(source, flags) }
        }
        flags += flag
      }
    }
    if (isDigit(char)) {
      const line = this.#integer(char)
      const next = this.#nextFilled()
      if (next !== '~') {
        this.#back(next)
        return { type: 'line', line }
      }
      const step = this.#integer(this.#nextFilled())
      return step > 0 ? { type: 'step', first: line, step } : { type: 'line', line }
    }
    if (char === '+') return { type: 'more', count: this.#integer(this.#nextFilled()) }
    if (char === '~') return { type: 'multiple', of: this.#integer(this.#nextFilled()) }
    return char === '$' ? { type: 'last' } : null
  }

  #closeBlock(from: SedAddress | null): void {
    const block = this.#blocks.pop()
    if (block === undefined) return this.#fail("unexpected `}'")
    if (from !== null) this.#fail("} doesn't want any addresses")
    this.#endOfCommand()
    const { command } = this.#drafts[block.at] as Draft
    this.#drafts[block.at] = { command: { ...command, action: { type: '{', target: this.#drafts.length } } }
  }

  #text(type: 'a' | 'i' | 'c', where: Omit<SedCommand, 'action'>): void {
    let char = this.#nextFilled()
    if (char === '') return this.#fail("expected \\ after `a', `c' or `i'")
    let isEmpty = false
    if (char === '\\') {
      char = this.#next()
      // `a\` alone on its line; else what follows the backslash is the text, blanks and all.
      if (char !== '\n') this.#back(char)
      isEmpty = char === ''
    } else this.#back(char)
    const draft: Draft = { command: { ...where, action: { type, text: '' } } }
    this.#drafts.push(draft)
    if (isEmpty) {
      this.#openText = { draft, text: '' }
      return
    }
    this.#continueText({ draft, text: '' })
  }

  /** Reads text up to a newline that no backslash precedes. */
  #continueText({ draft, text }: { readonly draft: Draft; readonly text: string }): void {
    this.#openText = null
    let raw = ''
    for (;;) {
      const char = this.#next()
      if (char === '' || char === '\n') break
      if (char !== '\\') {
        raw += char
        continue
      }
      const next = this.#next()
      if (next === '') {
        this.#openText = { draft, text: `${text}${this.#textOf(raw)}\n` }
        break
      }
      raw += `\\${next}`
    }
    const { command } = draft
    const index = this.#drafts.lastIndexOf(draft)
    const finished: Draft = { command: { ...command, action: { ...command.action, text: `${text}${this.#textOf(raw)}\n` } as SedAction } }
    this.#drafts[index] = finished
    if (this.#openText !== null) this.#openText = { draft: finished, text: this.#openText.text }
  }

  #textOf(raw: string): string {
    // The backslash that may begin a text, to keep its blanks, is gone before escapes are looked at.
    const converted = convertEscapes(raw, 'text', (message) => this.#fail(message))
    return converted.replace(/\\([\s\S])/g, (_, char: string) => (char === 'n' ? '\n' : char))
  }

  #substitution(): SedSubstitution {
    const delimiter = this.#next()
    const source = this.#delimited(delimiter, true)
    const right = source === null ? null : this.#delimited(delimiter, false)
    if (source === null || right === null) return this.#fail("unterminated `s' command")
    const replacement = this.#replacement(right)
    const flags = this.#substitutionFlags()
    const pattern = this.#pattern(source, flags.regex)
    if (pattern !== null && replacement.groups > pattern.regex.groups) {
      this.#fail(`invalid reference \\${replacement.groups} on \`s' command's RHS`)
    }
    return { pattern, replacement, ...flags, number: flags.number ?? 1 }
  }

  #replacement(right: string): Replacement {
    return parseReplacement(convertEscapes(right, 'replacement', (message) => this.#fail(message)))
  }

  #substitutionFlags(): { regex: string; global: boolean; print: boolean; number: number | null; file: string | null } {
    const flags = { regex: '', global: false, print: false, number: null as number | null, file: null as string | null }
    for (;;) {
      const char = this.#next()
      switch (char) {
        case 'i':
        case 'I':
          flags.regex += 'I'
          break
        case 'm':
        case 'M':
          flags.regex += 'M'
          break
        case 'e':
          if (this.#options.sandbox) this.#fail('e/r/w commands disabled in sandbox mode')
          return this.#fail("the e option to `s' is not supported")
        case 'p':
          if (flags.print) this.#fail("multiple `p' options to `s' command")
          flags.print = true
          break
        case 'g':
          if (flags.global) this.#fail("multiple `g' options to `s' command")
          flags.global = true
          break
        case 'w':
          if (this.#options.sandbox) this.#fail('e/r/w commands disabled in sandbox mode')
          flags.file = this.#fileName(true)
          return flags
        case '}':
        case '#':
          this.#back(char)
          return flags
        case '':
        case '\n':
        case ';':
          return flags
        case ' ':
        case '\t':
          break
        case '\r':
          if (this.#next() === '\n') return flags
          return this.#fail("unknown option to `s'")
        default:
          if (!isDigit(char)) return this.#fail("unknown option to `s'")
          if (flags.number !== null) this.#fail("multiple number options to `s' command")
          flags.number = this.#integer(char)
          if (flags.number === 0) this.#fail("number option to `s' command may not be zero")
      }
    }
  }

  #transliteration(): Transliteration {
    const delimiter = this.#next()
    const left = this.#delimited(delimiter, false)
    const right = left === null ? null : this.#delimited(delimiter, false)
    if (left === null || right === null) return this.#fail("unterminated `y' command")
    const from = this.#characters(left)
    const to = this.#characters(right)
    if (from.length !== to.length) this.#fail("strings for `y' command are different lengths")
    this.#endOfCommand()
    const map = new Map<string, string>()
    from.forEach((char, index) => {
      if (!map.has(char)) map.set(char, to[index] as string)
    })
    return new Transliteration(map)
  }

  #characters(source: string): string[] {
    const converted = convertEscapes(source, 'pattern', (message) => this.#fail(message))
    const parts = converted.match(/\\[\s\S]|[\s\S]/gu) ?? []
    return parts.flatMap((part) =>
      part === '\\\\'
        ? ['\\']
        : part === '\\n' || part === '\\\n'
          ? ['\n']
          : part.length > 1 && part[0] === '\\'
            ? [part.slice(1)]
            : [part],
    )
  }

  #pattern(source: string, flags: string): SedPattern {
    if (source === '') {
      if (flags !== '') this.#fail('cannot specify modifiers on empty regexp')
      return null
    }
    const { extended } = this.#part
    const { bytes } = this.#options
    const converted = decode(encode(convertEscapes(source, 'pattern', (message) => this.#fail(message))))
    const text = this.#options.bytes ? bytewise(converted) : converted
    const how = { syntax: extended ? SED_EXTENDED : SED_BASIC, ignoreCase: flags.includes('I'), multiline: flags.includes('M'), bytes }
    try {
      const pattern = parseRegex(text, how)
      const lines = { ...how, lines: true }
      let inLines: Regex | null | undefined
      return {
        regex: regexOf(pattern, how),
        // The start of the text can't be told from that of a line.
        inLines: () => {
          if (inLines === undefined) inLines = /\\[`']/.test(text) ? null : regexOf(parseRegex(text, lines), lines)
          return inLines
        },
        nullable: isNullable(pattern.node),
        literal: literalText(pattern.node),
      }
    } catch (error) {
      if (!(error instanceof RegexError)) throw error
      if (error.message.startsWith('character class syntax')) throw new CommandFailure(error.message, 4)
      return this.#fail(error.message)
    }
  }

  /** What stands before the next delimiter, its escapes kept but for that of the delimiter; null where there is none. */
  #delimited(delimiter: string, isPattern: boolean): string | null {
    if (delimiter.length > 0 && encode(delimiter).length > 1) {
      this.#failAt('delimiter character is not a single-byte character', byteOffset(this.#part.text, this.#at - delimiter.length) + 1)
    }
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return null
    let text = ''
    for (;;) {
      let char = this.#next()
      if (char === delimiter) return text
      if (char === '') return null
      if (char === '\n') {
        this.#back(char)
        return null
      }
      if (char === '[' && isPattern) {
        const bracket = this.#bracketAhead()
        if (bracket === '') {
          this.#at = this.#part.text.length
          return null
        }
        text += `[${bracket.replaceAll('\\n', '\n')}`
        this.#at += bracket.length
        continue
      }
      if (char === '\\') {
        char = this.#next()
        if (char === '') return null
        if (char === 'n' && isPattern) char = '\n'
        else if (char === '\n') text += isPattern ? '' : '\\'
        else if (char !== delimiter || (!isPattern && char === '&')) text += '\\'
      }
      text += char
    }
  }

  /** A bracket expression's rest, which may hold the delimiter; '' where it isn't closed on this line. */
  #bracketAhead(): string {
    const found = /\^?\]?(?:\[:[^\]\n]*:\]|\[=[^\n]*?=\]|\[\.[^\n]*?\.\]|[^\]\n])*\]/y
    found.lastIndex = this.#at
    return found.exec(this.#part.text)?.[0] ?? ''
  }

  #label(): string {
    let label = ''
    let char = this.#nextFilled()
    while (char !== '' && char !== ';' && char !== '}' && !isSpace(char)) {
      label += char
      char = this.#next()
    }
    this.#back(char)
    return label
  }

  #fileName(isOutput: boolean): string {
    const first = this.#nextFilled()
    const name = first === '' || first === '\n' ? '' : first + this.#restOfLine()
    if (name === '') this.#fail(MISSING_FILE)
    if (isOutput) this.#outputs.add(name)
    return name
  }

  #version(): void {
    const wanted = this.#label()
    const [major = 0, minor = 0] = wanted.split('.').map(Number)
    if (wanted !== '' && (major > 4 || (major === 4 && minor > 9))) this.#fail('expected newer version of sed')
  }

  #number(): number | null {
    const char = this.#nextFilled()
    if (isDigit(char)) return this.#integer(char)
    this.#back(char)
    return null
  }

  #integer(first: string): number {
    let digits = ''
    let char = first
    while (isDigit(char)) {
      digits += char
      char = this.#next()
    }
    this.#back(char)
    return digits === '' ? 0 : Number(digits)
  }

  #endOfCommand(): void {
    const char = this.#nextFilled()
    if (char === '}' || char === '#') this.#back(char)
    else if (char !== '' && char !== '\n' && char !== ';') this.#fail('extra characters after command')
  }

  #restOfLine(): string {
    const newline = this.#part.text.indexOf('\n', this.#at)
    const end = newline < 0 ? this.#part.text.length : newline
    const text = this.#part.text.slice(this.#at, end)
    this.#at = end
    if (newline >= 0) this.#next()
    return text
  }

  /** The next character that is no blank; '' at the end. */
  #nextFilled(): string {
    let char = this.#next()
    while (char === ' ' || char === '\t') char = this.#next()
    return char
  }

  #next(): string {
    const point = this.#part.text.codePointAt(this.#at)
    if (point === undefined) return ''
    const char = String.fromCodePoint(point)
    this.#at += char.length
    if (char === '\n') this.#line += 1
    return char
  }

  #back(char: string): void {
    this.#at -= char.length
    if (char === '\n') this.#line -= 1
  }

  #fail(message: string): never {
    return this.#failAt(message, byteOffset(this.#part.text, this.#at))
  }

  #failAt(message: string, place: number): never {
    const { file } = this.#part
    const where = file === null ? `-e expression #${this.#expressions}, char ${place}` : `file ${file} line ${this.#line}`
    throw new CommandFailure(`${where}: ${message}`, 1)
  }
}

function byteOffset(text: string, at: number): number {
  return encode(text.slice(0, at)).length
}

function isSpace(char: string): boolean {
  return char !== '' && ' \t\n\v\f\r'.includes(char)
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}
