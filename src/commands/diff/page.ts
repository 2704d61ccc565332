import { encode } from '../../bytes.ts'
import type { MaybePromise } from '../../host.ts'
import { ByteBuilder } from '../byte-builder.ts'
import type { ByteWriter } from '../command.ts'
import { writeTo } from '../output.ts'
import type { Colors, Part } from './colors.ts'
import type { TextFile } from './text-file.ts'

const ENOUGH = 65_536
const NEWLINE = 10
const MISSING_NEWLINE = encode('\n\\ No newline at end of file\n')

/** How lines are written. */
export interface PageSettings {
  readonly expandTabs: boolean
  readonly initialTab: boolean
  readonly tabSize: number
  readonly suppressBlankEmpty: boolean
  readonly colors: Colors | null
  /** A last line without newline gets one. */
  readonly completes: boolean
}

/** What is written, gathered into chunks. */
export class Page {
  readonly #to: ByteWriter
  readonly #settings: PageSettings
  readonly #built = new ByteBuilder()
  #part: Part = 'reset'

  constructor(to: ByteWriter, settings: PageSettings) {
    this.#to = to
    this.#settings = settings
  }

  text(text: string): void {
    this.#built.append(encode(text))
  }

  byte(byte: number): void {
    this.#built.byte(byte)
  }

  /** `bytes[start, end)` as they are. */
  bytes(bytes: Uint8Array, start: number, end: number): void {
    this.#built.appendPart(bytes, start, end)
  }

  /** What comes next has the colour of `part`. */
  part(part: Part): void {
    if (this.#settings.colors === null || part === this.#part) return
    this.#part = part
    this.text(`\x1b[${this.#settings.colors.get(part) ?? ''}m`)
  }

  /** A line with a flag before it and, where the file lacks the newline, a note after it. */
  flaggedLine(flag: string, file: TextFile, line: number, part: Part = 'reset'): void {
    this.part(part)
    const { suppressBlankEmpty, initialTab } = this.#settings
    const blank = suppressBlankEmpty && isEmpty(file, line)
    if (!blank) this.text(`${flag}${initialTab ? '\t' : ' '}`)
    else if (flag !== ' ') this.text(flag)
    this.#line(file, line, `${flag}${initialTab ? '\t' : ' '}`)
  }

  /** As {@link Page.flaggedLine}, with the flag of unified output: right before the line. */
  unifiedLine(flag: string, file: TextFile, line: number, part: Part = 'reset'): void {
    this.part(part)
    const { suppressBlankEmpty, initialTab } = this.#settings
    const blank = suppressBlankEmpty && isEmpty(file, line)
    if (flag === ' ') {
      if (!blank) this.byte(initialTab ? 9 : 32)
    } else this.text(initialTab && !blank ? `${flag}\t` : flag)
    this.#line(file, line, null)
  }

  /** A line without any flag or note. */
  plainLine(file: TextFile, line: number): void {
    const start = file.starts[line] as number
    this.shownBytes(file.bytes, start, (file.starts[line + 1] as number) - (this.lacksNewline(file, line) ? 1 : 0), null)
  }

  /** True where the line is written without a newline. */
  lacksNewline(file: TextFile, line: number): boolean {
    return file.incomplete && !this.#settings.completes && line === file.lines - 1
  }

  /** Part of a line, with tabs as spaces where that is asked for; `flag` is repeated after a carriage return. */
  shownBytes(bytes: Uint8Array, start: number, end: number, flag: string | null): void {
    if (this.#settings.expandTabs) this.#expanded(bytes, start, end, flag)
    else this.#built.appendPart(bytes, start, end)
  }

  /** Writes when enough has gathered. */
  settle(): MaybePromise<void> {
    return this.#built.length >= ENOUGH ? this.flush() : undefined
  }

  flush(): MaybePromise<void> {
    return this.#built.length > 0 ? writeTo(this.#to, this.#built.take()) : undefined
  }

  #line(file: TextFile, line: number, flag: string | null): void {
    const start = file.starts[line] as number
    const end = (file.starts[line + 1] as number) - 1
    this.shownBytes(file.bytes, start, end, flag)
    this.part('reset')
    if (this.lacksNewline(file, line)) this.#built.append(MISSING_NEWLINE)
    else this.byte(NEWLINE)
  }

  #expanded(bytes: Uint8Array, start: number, end: number, flag: string | null): void {
    const { tabSize } = this.#settings
    let column = 0
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number
      if (byte === 9) {
        const spaces = tabSize - (column % tabSize)
        for (let n = 0; n < spaces; n++) this.byte(32)
        column += spaces
        continue
      }
      if (byte === 8 && column === 0) continue
      this.byte(byte)
      if (byte === 13) {
        if (flag !== null && at + 1 < end && bytes[at + 1] !== NEWLINE) this.text(flag)
        column = 0
      } else if (byte === 8) column -= 1
      else if (byte >= 32 && byte < 127) column += 1
    }
  }
}

function isEmpty({ bytes, starts }: TextFile, line: number): boolean {
  return bytes[starts[line] as number] === NEWLINE
}
