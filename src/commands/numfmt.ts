import { decode } from '../bytes.ts'
import { choice } from './choice.ts'
import type { Command, CommandContext } from './command.ts'
import { LineReader } from './line-reader.ts'
import type { NumberFormat, RoundMode, Scale } from './numfmt-number.ts'
import { formatNumber, parseNumber } from './numfmt-number.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted } from './quoting.ts'
import { parseSize } from './size.ts'
import { CommandFailure, complain, utility } from './utility.ts'

/** Writes numbers with units, and the other way round. */
export const numfmt: Command = utility({
  help: `Usage: numfmt [OPTION]... [NUMBER]...
Rewrites numbers: those given, or those of the lines of standard input.

      --debug            accepted
  -d, --delimiter=X      X separates fields, instead of white space
      --field=FIELDS     rewrite these fields: N, N-, N-M, -M, several with commas (1 by default)
      --format=FORMAT    write as printf's %f: %[0]['][-][WIDTH][.DIGITS]f
      --from=UNIT        read units: auto, si, iec, iec-i, none
      --from-unit=N      numbers count units of N
      --grouping         accepted
      --header[=N]       leave the first N lines (1) as they are
      --invalid=MODE     what to do about what is no number: abort, fail, warn, ignore
      --padding=N        write in N columns, to the right; to the left where N is negative
      --round=METHOD     up, down, from-zero (the default), towards-zero, nearest
      --suffix=SUFFIX    write SUFFIX after numbers, and allow it in them
      --to=UNIT          write units: si, iec, iec-i, none
      --to-unit=N        write units of N
  -z, --zero-terminated  lines end with NUL
      --help             show this text
      --version          show the version
`,
  options: {
    from: 'required',
    'from-unit': 'required',
    to: 'required',
    'to-unit': 'required',
    round: 'required',
    padding: 'required',
    suffix: 'required',
    grouping: 'none',
    'd|delimiter': 'required',
    field: 'required',
    debug: 'none',
    header: 'optional',
    format: 'required',
    invalid: 'required',
    'z|zero-terminated': 'none',
  },
  run: rewrite,
})

const FAILED = 2

interface NumfmtRules {
  readonly from: Scale | 'auto'
  readonly fromUnit: number
  readonly toUnit: number
  readonly format: NumberFormat
  readonly padding: number
  readonly suffix: string
  readonly delimiter: string | null
  readonly includes: (field: number) => boolean
  readonly invalid: 'abort' | 'fail' | 'warn' | 'ignore'
}

async function rewrite(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const rules = numfmtRules(parsed, context)
  const output = new Output(context.stdout)
  let status = 0
  const handle = async (line: string, end: string): Promise<void> => {
    const { text, problem } = rewriteLine(line, rules, context)
    if (problem !== null && rules.invalid === 'abort') {
      await output.flush()
      throw new CommandFailure(problem, FAILED)
    }
    output.text(text + end)
    if (problem === null) return
    if (rules.invalid !== 'ignore') await complain(context, problem)
    if (rules.invalid === 'fail') status = FAILED
  }
  const end = parsed.has('z') ? '\0' : '\n'
  for (const operand of parsed.operands) await handle(operand, end)
  if (parsed.operands.length === 0) {
    const headerText = parsed.value('header')
    let header = parsed.has('header') ? Number(headerText ?? '1') : 0
    const lines = new LineReader(context.stdin, end === '\0' ? 0 : 10)
    while (await lines.advance()) {
      const line = decode(lines.bytes.subarray(lines.start, lines.end))
      if (header > 0) output.text(line + end)
      else await handle(line, lines.terminated ? end : '')
      header -= 1
      await output.settle()
    }
  }
  await output.flush()
  return status
}

function numfmtRules(parsed: ParsedOptions, context: CommandContext): NumfmtRules {
  const one = (option: string, usual: string, words: readonly string[]): string => {
    const value = parsed.value(option)
    return value === null
      ? usual
      : choice(
          context,
          `--${option}`,
          value,
          words.map((word) => [word]),
        )
  }
  const unit = (option: string): number => {
    const text = parsed.value(option)
    if (text === null) return 1
    const size = /^\d+i?$/.test(text) ? Number.parseInt(text, 10) : parseSize(text.replace(/i$/, ''), 'KMGTPEZY')
    const count = /^\d+[KMGTPEZY]$/.test(text) ? Number.parseInt(text, 10) * 1000 ** ('KMGTPEZY'.indexOf(text.at(-1) as string) + 1) : size
    if (!(count > 0)) throw new CommandFailure(`invalid unit size: ${quoted(context, text)}`)
    return count
  }
  const header = parsed.value('header')
  if (header !== null && !(/^\d+$/.test(header) && Number(header) > 0)) {
    throw new CommandFailure(`invalid header value ${quoted(context, header)}`)
  }
  const paddingText = parsed.value('padding')
  if (paddingText !== null && (!/^[-+]?\d+$/.test(paddingText) || Number(paddingText) === 0)) {
    throw new CommandFailure(`invalid padding value ${quoted(context, paddingText)}`)
  }
  const delimiter = parsed.value('d')
  if (delimiter !== null && Array.from(delimiter).length > 1) throw new CommandFailure('the delimiter must be a single character')
  const formatText = parsed.value('format')
  const layout = formatText === null ? { before: '', after: '', width: 0, digits: null, zeros: false } : parseFormat(formatText, context)
  const fieldText = parsed.value('field')
  return {
    from: one('from', 'none', ['none', 'auto', 'si', 'iec', 'iec-i']) as Scale | 'auto',
    fromUnit: unit('from-unit'),
    toUnit: unit('to-unit'),
    format: {
      scale: one('to', 'none', ['none', 'si', 'iec', 'iec-i']) as Scale,
      round: one('round', 'from-zero', ['up', 'down', 'from-zero', 'towards-zero', 'nearest']) as RoundMode,
      ...layout,
    },
    padding: paddingText === null ? 0 : Number(paddingText),
    suffix: parsed.value('suffix') ?? '',
    delimiter,
    includes: fieldText === null ? (field) => field === 1 : parseFields(fieldText, context),
    invalid: one('invalid', 'abort', ['abort', 'fail', 'warn', 'ignore']) as NumfmtRules['invalid'],
  }
}

function parseFormat(text: string, context: CommandContext): Omit<NumberFormat, 'scale' | 'round'> {
  const name = quoted(context, text)
  const start = /^(?:[^%]|%%)*/.exec(text)?.[0] ?? ''
  if (start.length === text.length) throw new CommandFailure(`format ${name} has no % directive`)
  const rest = text.slice(start.length)
  const match = /^%([0' -]*)(-?\d*)(?:\.(\d*))?f/.exec(rest)
  if (match === null) {
    if (/^%[0' -]*\d*(?:\.\d*)?$/.test(rest)) throw new CommandFailure(`format ${name} ends in %`)
    throw new CommandFailure(`invalid format ${name}, directive must be %[0]['][-][N][.][N]f`)
  }
  const [whole, flags = '', width = '', digits] = match
  const after = rest.slice(whole.length)
  if (/^(?:[^%]|%%)*/.exec(after)?.[0] !== after) throw new CommandFailure(`format ${name} has too many % directives`)
  const columns = Number(width || '0')
  return {
    before: start.replaceAll('%%', '%'),
    after: after.replaceAll('%%', '%'),
    width: flags.includes('-') ? -Math.abs(columns) : columns,
    digits: digits === undefined ? null : Number(digits || '0'),
    zeros: flags.includes('0'),
  }
}

function parseFields(text: string, context: CommandContext): (field: number) => boolean {
  const ranges: [number, number][] = []
  for (const part of text.split(/[, ]/)) {
    const match = /^(\d*)(-?)(\d*)$/.exec(part)
    if (match === null || part === '') throw new UsageError(`invalid field value ${quoted(context, part)}`)
    const [, low = '', dash = '', high = ''] = match
    const first = low === '' ? 1 : Number(low)
    const last = dash === '' ? first : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    if (first === 0) throw new UsageError('fields are numbered from 1')
    if (last < first) throw new UsageError('invalid decreasing range')
    ranges.push([first, last])
  }
  return (field) => ranges.some(([first, last]) => field >= first && field <= last)
}

function rewriteLine(line: string, rules: NumfmtRules, context: CommandContext): { text: string; problem: string | null } {
  const { delimiter, includes } = rules
  // A field keeps the white space before it, but for the one character that separates.
  const fields =
    delimiter === null ? (line.match(/^[ \t]*[^ \t]*|[ \t][ \t]*[^ \t]*/g) ?? ['']) : delimiter === '' ? [line] : line.split(delimiter)
  let problem: string | null = null
  let text = ''
  for (const [at, whole] of fields.entries()) {
    const field = at > 0 && delimiter === null ? whole.slice(1) : whole
    if (at > 0) text += delimiter ?? ' '
    if (problem !== null || !includes(at + 1)) {
      text += field
      continue
    }
    const rewritten = rewriteField(field, at + 1, rules, context)
    if (typeof rewritten === 'string') text += rewritten
    else {
      problem = rewritten.problem
      text += field
    }
  }
  return { text, problem }
}

function rewriteField(field: string, number: number, rules: NumfmtRules, context: CommandContext): string | { problem: string } {
  const bare = field.trimStart()
  const input = rules.suffix !== '' && bare.endsWith(rules.suffix) ? bare.slice(0, -rules.suffix.length) : bare
  const parsed = parseNumber(input, rules.from, (text) => quoted(context, text))
  if (typeof parsed === 'string') return { problem: parsed }
  const value = (parsed.value * rules.fromUnit) / rules.toUnit
  const isScaled = rules.fromUnit !== 1 || rules.toUnit !== 1
  const written = formatNumber(value, isScaled ? 0 : parsed.digits, rules.format) + rules.suffix
  const { width, zeros, before, after } = rules.format
  const keepsColumns = rules.padding === 0 && width === 0 && rules.delimiter === null && (field !== bare || number > 1)
  const columns = rules.padding !== 0 ? rules.padding : width !== 0 && !zeros ? width : keepsColumns ? field.length : 0
  return before + (columns < 0 ? written.padEnd(-columns) : written.padStart(columns)) + after
}
