import { encode } from '../../bytes.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import { hunkOf } from './hunks.ts'
import type { Page } from './page.ts'
import type { Report } from './report.ts'
import type { TextFile } from './text-file.ts'

/** Both files in one, in the formats of `--ifdef`, `--line-format` and the like. */
export function* showMerged(report: Report): Steps<void> {
  const { files, changes, settings, page } = report
  const { group } = settings.formats
  let next0 = 0
  let next1 = 0
  for (const change of changes) {
    const { kind, first0, last0, first1, last1 } = hunkOf([change], files, settings)
    if (kind === 'unchanged') continue
    report.begin()
    if (next0 < first0 || next1 < first1) new Group(report, next0, first0, next1, first1).write(group.unchanged)
    next0 = last0 + 1
    next1 = last1 + 1
    new Group(report, first0, next0, first1, next1).write(group[kind])
    yield* wait(page.settle())
  }
  if (next0 >= files[0].lines && next1 >= files[1].lines) return
  report.begin()
  new Group(report, next0, files[0].lines, next1, files[1].lines).write(group.unchanged)
}

/** `%5.3d`, and what follows it. */
const NUMBER = /%([-'0]*)([0-9]*)(?:\.([0-9]*))?([doxX])(.)/suy
const CHARACTER = /%[-'0]*[0-9]*(?:\.[0-9]*)?c'(?:\\([0-7]{1,3})|([^\\']))'/suy
const CONDITION = /%\(([0-9]+|[eflmnEFLMN])=([0-9]+|[eflmnEFLMN])\?/uy

/** Lines of both files, written as one group. */
class Group {
  readonly #report: Report
  readonly #page: Page
  readonly #ranges: readonly [readonly [number, number], readonly [number, number]]

  constructor(report: Report, from0: number, to0: number, from1: number, to1: number) {
    this.#report = report
    this.#page = report.page
    this.#ranges = [
      [from0, to0],
      [from1, to1],
    ]
  }

  write(format: string): void {
    this.#write(format, 0, '', true)
  }

  /** Writes a format up to a closing character, or only passes over it; where it ends. */
  #write(format: string, start: number, close: string, shown: boolean): number {
    const { files, settings } = this.#report
    const [range0, range1] = this.#ranges
    let at = start
    while (at < format.length && format[at] !== close) {
      const two = format.slice(at, at + 2)
      if (two === '%<' || two === '%=' || two === '%>') {
        const kind = two === '%<' ? 'old' : two === '%>' ? 'new' : 'unchanged'
        if (shown) this.#lines(settings.formats.line[kind], two === '%>' ? files[1] : files[0], two === '%>' ? range1 : range0)
        at += 2
        continue
      }
      const condition = two === '%(' ? matchAt(CONDITION, format, at) : null
      if (condition !== null) {
        const holds = this.#value(condition[1] as string) === this.#value(condition[2] as string)
        at = this.#write(format, at + condition[0].length, ':', shown && holds)
        if (at < format.length) at = Math.min(this.#write(format, at + 1, ')', shown && !holds) + 1, format.length)
        continue
      }
      at += two === '%%' ? 2 : writeSpecial(format, at, shown ? this.#page : null, (letter) => this.#value(letter))
      if (two === '%%' && shown) this.#page.text('%')
    }
    return at
  }

  #value(word: string): number | null {
    if (/^[0-9]/.test(word)) return Number(word)
    const lower = word.toLowerCase()
    const [from, to] = this.#ranges[word === lower ? 0 : 1]
    switch (lower) {
      case 'e':
        return from
      case 'f':
        return from + 1
      case 'l':
        return to
      case 'm':
        return to + 1
      case 'n':
        return to - from
      default:
        return null
    }
  }

  #lines(format: string, file: TextFile, [from, to]: readonly [number, number]): void {
    const { bytes, starts } = file
    for (let line = from; line < to; line++) {
      const start = starts[line] as number
      const end = (starts[line + 1] as number) - 1
      let at = 0
      while (at < format.length) {
        const two = format.slice(at, at + 2)
        if (two === '%l' || two === '%L') {
          this.#page.shownBytes(bytes, start, end, null)
          if (two === '%L' && !this.#page.lacksNewline(file, line)) this.#page.byte(10)
          at += 2
        } else if (two === '%%') {
          this.#page.byte(37)
          at += 2
        } else at += writeSpecial(format, at, this.#page, (letter) => (letter === 'n' ? line + 1 : null))
      }
    }
  }
}

/** Writes a number or character that the format asks for at `at`, or else what stands there; how much of the format that was. */
function writeSpecial(format: string, at: number, page: Page | null, value: (letter: string) => number | null): number {
  const character = matchAt(CHARACTER, format, at)
  if (character !== null) {
    const [whole, octal, plain] = character
    if (octal !== undefined) page?.byte(Number.parseInt(octal, 8) & 255)
    else page?.text(plain as string)
    return whole.length
  }
  const number = matchAt(NUMBER, format, at)
  const asked = number === null ? null : value(number[5] as string)
  if (number !== null && asked !== null) {
    page?.text(printed(asked, number))
    return number[0].length
  }
  const next = format.indexOf('%', at + 1)
  const end = format[at] === '%' ? at + 1 : next < 0 ? format.length : Math.min(next, nearestEnd(format, at))
  page?.bytes(encode(format.slice(at, end)), 0, encode(format.slice(at, end)).length)
  return end - at
}

/** Plain text ends where a branch of a condition may end. */
function nearestEnd(format: string, at: number): number {
  const end = format.slice(at + 1).search(/[:)]/)
  return end < 0 ? format.length : at + 1 + end
}

const WIDEST = 65_536

function printed(value: number, [, flags = '', width = '', precision, radix = 'd']: RegExpExecArray): string {
  let digits = value.toString(radix === 'o' ? 8 : radix === 'd' ? 10 : 16)
  if (radix === 'X') digits = digits.toUpperCase()
  const least = Math.min(Number(precision ?? 0), WIDEST)
  digits = precision === '' || least === 0 ? (precision !== undefined && value === 0 ? '' : digits) : digits.padStart(least, '0')
  const columns = Math.min(Number(width), WIDEST)
  if (flags.includes('-')) return digits.padEnd(columns)
  return digits.padStart(columns, flags.includes('0') && precision === undefined ? '0' : ' ')
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
