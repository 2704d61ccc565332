import { errorText, hasCode } from '../errors.ts'
import { ByteBuilder } from './byte-builder.ts'
import { choice } from './choice.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { nextChunk, Records } from './input.ts'
import { lineEnds } from './line-ends.ts'
import type { ParsedOptions } from './options.ts'
import { DIGITS, UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

const HELP = `Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Write one of several same lines in a row of INPUT (standard input) to OUTPUT (standard output).

  -c, --count                  put before each line how often it came
  -d, --repeated               only lines that came more than once, one of each
  -D, --all-repeated[=METHOD]  all lines that came more than once; an empty line
                                 between groups by METHOD none (as -D), prepend, separate
  -f, --skip-fields=N          compare without the first N fields
      --group[=METHOD]         all lines, with an empty line between groups:
                                 separate (as without METHOD), prepend, append, both
  -i, --ignore-case            capital letters are as good as small ones
  -s, --skip-chars=N           compare without the first N characters
  -u, --unique                 only lines that came once
  -w, --check-chars=N          compare at most N characters
  -z, --zero-terminated        lines end in NUL, not in newline
      --help                   show this help
      --version                show the version

A field is blanks and the characters after them that are not; fields are skipped before characters.
`

/** `uniq`: lines that differ from the one before. */
export const uniq: Command = utility({
  help: HELP,
  options: {
    'c|count': 'none',
    'd|repeated': 'none',
    D: 'none',
    'all-repeated': 'optional',
    'f|skip-fields': 'required',
    group: 'optional',
    'i|ignore-case': 'none',
    's|skip-chars': 'required',
    'u|unique': 'none',
    'w|check-chars': 'required',
    'z|zero-terminated': 'none',
    ...DIGITS,
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

interface Plan {
  readonly count: boolean
  /** Which lines are written: those that came once, the last of a group of more, the others of such a group. */
  readonly single: boolean
  readonly last: boolean
  readonly earlier: boolean
  /** All lines, in groups set apart. */
  readonly grouping: boolean
  readonly apart: 'none' | 'prepend' | 'separate' | 'append' | 'both'
  readonly skipFields: number
  readonly skipChars: number
  readonly checkChars: number
  readonly ignoreCase: boolean
  readonly terminator: number
}

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  const operands = parsed.operands.filter((operand) => !OLD_SKIP.test(operand))
  const plan = planOf(parsed, context)
  if (operands[2] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[2])}`)
  const [from = '-', to = '-'] = operands
  let input: ByteReader
  let target = context.stdout
  try {
    input = from === '-' ? context.stdin : yield* wait(context.open(context.resolve(from)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(hasCode(error, 'EISDIR') ? `error reading ${quotedFile(from)}` : `${quotedName(from)}: ${errorText(error)}`)
  }
  try {
    if (to !== '-') target = yield* wait(context.create(context.resolve(to)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${quotedName(to)}: ${errorText(error)}`)
  }
  const groups = new Groups(plan)
  const output = new Output(target)
  const records = new Records(input, plan.terminator)
  for (;;) {
    const piece = yield* nextChunk(records, output)
    if (piece === null) break
    groups.add(piece)
    output.bytes(groups.take())
    yield* wait(output.settle())
    yield* wait(context.pause())
  }
  groups.finish()
  output.bytes(groups.take())
  yield* wait(output.flush())
  if (from !== '-') yield* wait(input.close())
  if (to !== '-') yield* wait(target.close())
  return 0
}

/** `+N`, once the way to write `-s N`. */
const OLD_SKIP = /^\+[0-9]+$/

function planOf({ options, operands, has }: ParsedOptions, context: CommandContext): Plan {
  let skipFields = 0
  let skipChars = Number(operands.findLast((operand) => OLD_SKIP.test(operand)) ?? 0)
  let checkChars = Number.POSITIVE_INFINITY
  let all = false
  let apart: Plan['apart'] = 'none'
  let grouping = false
  let oldFields = false
  for (const { name, value } of options) {
    if (name in DIGITS) {
      skipFields = (oldFields ? skipFields * 10 : 0) + Number(name)
      oldFields = true
    } else if (name === 'f') {
      skipFields = number(value, 'invalid number of fields to skip')
      oldFields = false
    } else if (name === 's') skipChars = number(value, 'invalid number of bytes to skip')
    else if (name === 'w') checkChars = number(value, 'invalid number of bytes to compare')
    else if (name === 'D') all = true
    else if (name === 'all-repeated') {
      all = true
      apart = choice(context, '--all-repeated', value ?? 'none', [['none'], ['prepend'], ['separate']]) as Plan['apart']
    } else if (name === 'group') {
      grouping = true
      apart = choice(context, '--group', value ?? 'separate', [['prepend'], ['append'], ['separate'], ['both']]) as Plan['apart']
    }
  }
  const count = has('c')
  if (grouping && (count || all || has('d') || has('u'))) throw new UsageError('--group is mutually exclusive with -c/-d/-D/-u')
  if (all && count) throw new UsageError('printing all duplicated lines and repeat counts is meaningless')
  return {
    count,
    single: !has('d') && !all,
    last: !has('u'),
    earlier: all,
    grouping,
    apart,
    skipFields,
    skipChars,
    checkChars,
    ignoreCase: has('i'),
    terminator: has('z') ? 0 : 10,
  }
}

function number(text: string | null, problem: string): number {
  if (text !== null && /^\s*\+?[0-9]+$/.test(text)) return Number(text)
  throw new CommandFailure(`${text}: ${problem}`)
}

/** Writes what is wanted of lines that follow each other and are the same, as far as they are compared. */
class Groups {
  readonly #plan: Plan
  readonly #built = new ByteBuilder()
  /** The line before; null at the start. */
  #bytes: Uint8Array | null = null
  #start = 0
  #end = 0
  #keyStart = 0
  #keyEnd = 0
  /** How many lines before that one were the same. */
  #same = 0
  #firstGroup = true

  constructor(plan: Plan) {
    this.#plan = plan
  }

  take(): Uint8Array {
    return this.#built.take()
  }

  add(piece: Uint8Array): void {
    const { terminator, grouping, skipFields, skipChars, checkChars } = this.#plan
    const whole = skipFields === 0 && skipChars === 0 && checkChars === Number.POSITIVE_INFINITY
    const ends = lineEnds(piece, terminator)
    let start = 0
    for (let line = 0; line < ends.length; line++) {
      const end = ends[line] as number
      const from = whole ? start : this.#skip(piece, start, end)
      const to = whole ? end : Math.min(end, from + checkChars)
      const same = this.#bytes !== null && this.#isSame(this.#bytes, piece, from, to)
      const goesOn = grouping ? this.#group(same, piece, start, end) : this.#single(same)
      if (goesOn) {
        this.#bytes = piece
        this.#start = start
        this.#end = end
        this.#keyStart = from
        this.#keyEnd = to
      }
      start = end + 1
    }
  }

  finish(): void {
    const { grouping, apart, terminator } = this.#plan
    if (this.#bytes === null) return
    if (!grouping) this.#write(false)
    else if (apart === 'append' || apart === 'both') this.#built.byte(terminator)
  }

  #group(same: boolean, piece: Uint8Array, start: number, end: number): true {
    const { apart, terminator } = this.#plan
    if (!same) {
      if (apart === 'prepend' || apart === 'both' || !this.#firstGroup) this.#built.byte(terminator)
      this.#firstGroup = false
    }
    this.#line(piece, start, end)
    return true
  }

  /** Deals with the line before, knowing whether this one is the same; true where this one takes its place. */
  #single(same: boolean): boolean {
    const { apart, terminator, earlier } = this.#plan
    if (this.#bytes === null) return true
    if (same) this.#same += 1
    if (apart !== 'none') {
      if (!same && this.#same > 0) this.#firstGroup = false
      if (same && this.#same === 1 && (apart === 'prepend' || !this.#firstGroup)) this.#built.byte(terminator)
    }
    if (same && !earlier) return false
    this.#write(same)
    if (!same) this.#same = 0
    return true
  }

  #write(followed: boolean): void {
    const { single, last, earlier, count } = this.#plan
    const wanted = this.#same === 0 ? single : followed ? earlier : last
    if (!wanted || this.#bytes === null) return
    if (count) {
      this.#built.decimal(this.#same + 1, 7)
      this.#built.byte(32)
    }
    this.#line(this.#bytes, this.#start, this.#end)
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    this.#built.appendPart(bytes, start, Math.min(end + 1, bytes.length))
    if (end === bytes.length) this.#built.byte(this.#plan.terminator)
  }

  #skip(piece: Uint8Array, start: number, end: number): number {
    let at = start
    for (let field = 0; field < this.#plan.skipFields && at < end; field++) {
      while (at < end && isBlank(piece[at] as number)) at += 1
      while (at < end && !isBlank(piece[at] as number)) at += 1
    }
    return Math.min(end, at + this.#plan.skipChars)
  }

  #isSame(bytes: Uint8Array, piece: Uint8Array, from: number, to: number): boolean {
    const length = to - from
    if (length !== this.#keyEnd - this.#keyStart) return false
    const other = this.#keyStart
    const { ignoreCase } = this.#plan
    // Lines that differ mostly do so near their ends.
    for (let i = length - 1; i >= 0; i--) {
      const a = piece[from + i] as number
      const b = bytes[other + i] as number
      if (a !== b && !(ignoreCase && upper(a) === upper(b))) return false
    }
    return true
  }
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10
}

function upper(byte: number): number {
  return byte >= 97 && byte <= 122 ? byte - 32 : byte
}
