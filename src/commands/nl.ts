import { decode, encode } from '../bytes.ts'
import { compileRegex, type Regex, RegexError } from '../regex/regex.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { nextChunk, openEach, Records } from './input.ts'
import { lineEnds } from './line-ends.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, utility } from './utility.ts'

const HELP = `Usage: nl [OPTION]... [FILE]...
Write each line of each FILE, with a line number where its style asks for one.
Standard input is read for - and where no FILE is given.

  -b, --body-numbering=STYLE     which lines of the body are numbered
  -d, --section-delimiter=CC     what parts pages: CC three times before a header, twice before a body, once before a footer
  -f, --footer-numbering=STYLE   which lines of the footer are numbered
  -h, --header-numbering=STYLE   which lines of the header are numbered
  -i, --line-increment=NUMBER    how much is added for each line
  -l, --join-blank-lines=NUMBER  of so many empty lines in a row only the last counts
  -n, --number-format=FORMAT     ln on the left, rn on the right, rz on the right with zeros
  -p, --no-renumber              go on counting on a new page
  -s, --number-separator=STRING  STRING stands behind the number
  -v, --starting-line-number=NUMBER
                                 the first number of each page
  -w, --number-width=NUMBER      columns for the number
      --help                     show this help
      --version                  show the version

Without options: -bt -d'\\:' -fn -hn -i1 -l1 -nrn -sTAB -v1 -w6
STYLE is a for all lines, t for lines that are not empty, n for none, pBRE for lines that match BRE.
`

/** `nl`: numbered lines. */
export const nl: Command = utility({
  help: HELP,
  options: {
    'b|body-numbering': 'required',
    'd|section-delimiter': 'required',
    'f|footer-numbering': 'required',
    'h|header-numbering': 'required',
    'i|line-increment': 'required',
    'l|join-blank-lines': 'required',
    'n|number-format': 'required',
    'p|no-renumber': 'none',
    's|number-separator': 'required',
    'v|starting-line-number': 'required',
    'w|number-width': 'required',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

type Style = 'all' | 'filled' | 'none' | Regex

interface Plan {
  readonly header: Style
  readonly body: Style
  readonly footer: Style
  readonly delimiter: Uint8Array
  readonly step: number
  readonly join: number
  readonly format: 'ln' | 'rn' | 'rz'
  readonly renumber: boolean
  readonly separator: Uint8Array
  readonly start: number
  readonly width: number
}

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  const numbering = new Numbering(planOf(parsed, context))
  const output = new Output(context.stdout)
  return yield* openEach(context, parsed.operands, function* (input) {
    const records = new Records(input)
    for (;;) {
      const piece = yield* nextChunk(records, output)
      if (piece === null) break
      output.bytes(numbering.add(piece))
      yield* wait(output.settle())
      yield* wait(context.pause())
    }
    yield* wait(output.flush())
  })
}

function planOf({ options, has, value }: ParsedOptions, context: CommandContext): Plan {
  let [header, body, footer]: [Style, Style, Style] = ['none', 'filled', 'none']
  let [step, join, start, width] = [1, 1, 1, 6]
  let delimiter = '\\:'
  let format: Plan['format'] = 'rn'
  const problems: string[] = []
  for (const { name, value: given } of options) {
    const text = given ?? ''
    switch (name) {
      case 'h':
        header = styleOf('header', text, problems, context)
        break
      case 'b':
        body = styleOf('body', text, problems, context)
        break
      case 'f':
        footer = styleOf('footer', text, problems, context)
        break
      case 'i':
        step = integer(text, 'line number increment', null, problems, context)
        break
      case 'v':
        start = integer(text, 'starting line number', null, problems, context)
        break
      case 'l':
        join = integer(text, 'line number of blank lines', 1, problems, context)
        break
      case 'w':
        width = integer(text, 'line number field width', 1, problems, context)
        break
      case 'd':
        // One character takes the place of the first alone.
        delimiter = text.length === 1 ? text + delimiter.slice(1) : text
        break
      case 'n':
        if (text === 'ln' || text === 'rn' || text === 'rz') format = text
        else problems.push(`invalid line numbering format: ${quoted(context, text)}`)
        break
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join(`\n${context.name}: `))
  const separator = encode(value('s') ?? '\t')
  return { header, body, footer, delimiter: encode(delimiter), step, join, format, renumber: !has('p'), separator, start, width }
}

function styleOf(section: string, text: string, problems: string[], context: CommandContext): Style {
  if (text === 'a') return 'all'
  if (text === 't') return 'filled'
  if (text === 'n') return 'none'
  if (!text.startsWith('p')) {
    problems.push(`invalid ${section} numbering style: ${quoted(context, text)}`)
    return 'none'
  }
  try {
    return compileRegex(text.slice(1), { syntax: 'basic' })
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new CommandFailure(error.message)
  }
}

function integer(text: string, what: string, least: number | null, problems: readonly string[], context: CommandContext): number {
  const problem = (reason: string) =>
    new CommandFailure([...problems, `invalid ${what}: ${quoted(context, text)}${reason}`].join(`\n${context.name}: `))
  if (!/^\s*[-+]?[0-9]+$/.test(text)) throw problem('')
  const number = Number(text)
  if (Math.abs(number) >= 2 ** 63) throw problem(': Value too large for defined data type')
  if (least !== null && number < least) throw problem(': Numerical result out of range')
  return number
}

class Numbering {
  readonly #plan: Plan
  readonly #built = new ByteBuilder()
  /** Where no number stands there are blanks as wide. */
  readonly #blank: Uint8Array
  #style: Style
  #number: number
  #empty = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#style = plan.body
    this.#number = plan.start
    this.#blank = new Uint8Array(plan.width + plan.separator.length).fill(32)
  }

  /** Whole lines as they are to be written. */
  add(piece: Uint8Array): Uint8Array {
    let start = 0
    for (const end of lineEnds(piece, 10)) {
      if (!this.#isDelimiter(piece, start, end)) {
        if (this.#isNumbered(piece, start, end)) this.#next()
        else this.#built.append(this.#blank)
        this.#built.appendPart(piece, start, end)
      }
      this.#built.byte(10)
      start = end + 1
    }
    return this.#built.take()
  }

  #isDelimiter(piece: Uint8Array, start: number, end: number): boolean {
    const { delimiter, header, body, footer, renumber } = this.#plan
    const times = (end - start) / delimiter.length
    if (times !== 1 && times !== 2 && times !== 3) return false
    for (let at = start; at < end; at++) if (piece[at] !== delimiter[(at - start) % delimiter.length]) return false
    this.#style = times === 3 ? header : times === 2 ? body : footer
    if (renumber) this.#number = this.#plan.start
    return true
  }

  #isNumbered(piece: Uint8Array, start: number, end: number): boolean {
    const style = this.#style
    if (style === 'none') return false
    if (style === 'filled') return end > start
    if (style !== 'all') return style.test(decode(piece.subarray(start, end)))
    if (this.#plan.join === 1) return true
    if (end === start) {
      this.#empty += 1
      if (this.#empty !== this.#plan.join) return false
    }
    this.#empty = 0
    return true
  }

  #next(): void {
    const { width, format, separator, step } = this.#plan
    const number = this.#number
    this.#number += step
    if (!Number.isSafeInteger(number)) throw new CommandFailure('line number overflow')
    if (number >= 0 && format !== 'ln') this.#built.decimal(number, width, format === 'rz' ? 0x30 : 0x20)
    else {
      const text = String(number)
      const zeros = format === 'rz' ? `-${text.slice(1).padStart(width - 1, '0')}` : null
      this.#built.append(encode(format === 'ln' ? text.padEnd(width) : (zeros ?? text.padStart(width))))
    }
    this.#built.append(separator)
  }
}
