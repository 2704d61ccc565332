import { decode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { Moment } from '../time/parse-date.ts'
import { parseDate } from '../time/parse-date.ts'
import { nanosecondsOf, strftime } from '../time/strftime.ts'
import type { Zone } from '../time/zone.ts'
import { utc, zone } from '../time/zone.ts'
import { choice } from './choice.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { LineReader } from './line-reader.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

/** Prints the date and time. */
export const date: Command = utility({
  help: `Usage: date [OPTION]... [+FORMAT]
Prints the time as FORMAT has it. The clock can't be set.

  -d, --date=STRING     the time STRING speaks of instead of now ('2 days ago', '@0', '2024-02-29 10:00')
      --debug           ignored
  -f, --file=FILE       as -d for each line of FILE
  -I[FMT], --iso-8601[=FMT]  ISO 8601; FMT is date (the default), hours, minutes, seconds or ns
      --resolution      print the smallest step of the clock
  -R, --rfc-email       RFC 5322: Mon, 14 Aug 2006 02:34:56 -0600
      --rfc-3339=FMT    RFC 3339; FMT is date, seconds or ns
  -r, --reference=FILE  the time FILE was last changed instead of now
  -s, --set=STRING      refused
  -u, --utc, --universal  UTC
      --help            show this text
      --version         show the version

FORMAT: %% %a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %N %p %P %q %r %R %s %S %t %T %u %U %V %w %W
%x %X %y %Y %z %:z %::z %:::z %Z, with flags - _ 0 + ^ # and a width after the %.
`,
  options: {
    'd|date': 'required',
    debug: 'none',
    'f|file': 'required',
    'I|iso-8601': 'optional',
    resolution: 'none',
    'R|rfc-email|rfc-822|rfc-2822': 'none',
    'rfc-3339': 'required',
    'r|reference': 'required',
    's|set': 'required',
    'u|utc|uct|universal': 'none',
  },
  run: printDate,
})

const USUAL = '%a %b %e %H:%M:%S %Z %Y'
const ISO: Readonly<Record<string, string>> = {
  hours: '%Y-%m-%dT%H%:z',
  minutes: '%Y-%m-%dT%H:%M%:z',
  date: '%Y-%m-%d',
  seconds: '%Y-%m-%dT%H:%M:%S%:z',
  ns: '%Y-%m-%dT%H:%M:%S,%N%:z',
}
const RFC3339: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  seconds: '%Y-%m-%d %H:%M:%S%:z',
  ns: '%Y-%m-%d %H:%M:%S.%N%:z',
}
const RFC_EMAIL = '%a, %d %b %Y %H:%M:%S %z'

async function printDate(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  let format: string | null = null
  const choose = (chosen: string): void => {
    if (format !== null) throw new CommandFailure('multiple output formats specified')
    format = chosen
  }
  for (const { name, value } of parsed.options) {
    if (name === 'R') choose(RFC_EMAIL)
    else if (name === 'resolution') choose('%s.%N')
    else if (name === 'I') {
      const word = value === null ? 'date' : choice(context, '--iso-8601', value, [['hours'], ['minutes'], ['date'], ['seconds'], ['ns']])
      choose(ISO[word] as string)
    } else if (name === 'rfc-3339') choose(RFC3339[choice(context, '--rfc-3339', value ?? '', [['date'], ['seconds'], ['ns']])] as string)
  }
  const sources = ['d', 'f', 'r', 'resolution'].filter((name) => parsed.has(name))
  if (sources.length > 1) throw new UsageError('the options to specify dates for printing are mutually exclusive')
  const setting = parsed.value('s')
  if (setting !== null && sources.length > 0) {
    throw new UsageError('the options to print and set the time may not be used together')
  }
  const [operand, extra] = parsed.operands
  if (extra !== undefined) throw new UsageError(`extra operand ${quoted(context, extra)}`)
  let toSet = setting
  if (operand !== undefined) {
    if (operand.startsWith('+')) choose(operand.slice(1))
    else if (setting !== null || sources.length > 0) {
      throw new UsageError(
        `the argument ${quoted(context, operand)} lacks a leading '+';
when using an option to specify date(s), any non-option
argument must be a format string beginning with '+'`,
      )
    } else toSet = operand
  }
  const where = parsed.has('u') ? utc : zone(context.env.get('TZ'))
  const printer = new Printer(format ?? USUAL, where, context)

  if (toSet !== null) return refuseToSet(toSet, setting === null, printer, context)
  const file = parsed.value('f')
  if (file !== null) return printer.ofFile(file)
  if (parsed.has('resolution')) return printer.print({ seconds: 0, nanoseconds: 1_000_000 })
  const reference = parsed.value('r')
  if (reference !== null) {
    try {
      const { mtimeMs } = await context.fs.stat(operandPath(context, reference))
      return await printer.print({ seconds: Math.floor(mtimeMs / 1000), nanoseconds: nanosecondsOf(mtimeMs) })
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quotedName(reference)}: ${errorText(error)}`)
    }
  }
  const text = parsed.value('d')
  return printer.print(text === null ? now(context) : readDate(text, where, context))
}

function now({ host }: CommandContext): Moment {
  const ms = host.now()
  return { seconds: Math.floor(ms / 1000), nanoseconds: nanosecondsOf(ms) }
}

function readDate(text: string, where: Zone, context: CommandContext): Moment {
  const moment = parseDate(text, { now: now(context), zone: where })
  if (moment === null) throw new CommandFailure(`invalid date ${quoted(context, text)}`)
  return moment
}

async function refuseToSet(text: string, isPosix: boolean, printer: Printer, context: CommandContext): Promise<number> {
  let moment: Moment
  if (isPosix) {
    // MMDDhhmm[[CC]YY][.ss]
    const match = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d|\d{4})?(?:\.(\d\d))?$/.exec(text)
    if (match === null) throw new CommandFailure(`invalid date ${quoted(context, text)}`)
    const [, month, day, hour, minute, year, second = '00'] = match
    const written = `${year ?? strftime('%Y', context.host.now(), printer.where)}-${month}-${day} ${hour}:${minute}:${second}`
    const read = parseDate(written, { now: now(context), zone: printer.where })
    if (read === null) throw new CommandFailure(`invalid date ${quoted(context, text)}`)
    moment = read
  } else moment = readDate(text, printer.where, context)
  await complain(context, 'cannot set date: Operation not permitted')
  await printer.print(moment)
  return 1
}

class Printer {
  readonly where: Zone
  readonly #format: string
  readonly #context: CommandContext
  readonly #output: Output

  constructor(format: string, where: Zone, context: CommandContext) {
    this.#format = format
    this.where = where
    this.#context = context
    this.#output = new Output(context.stdout)
  }

  async print(moment: Moment): Promise<number> {
    this.#add(moment)
    await this.#output.flush()
    return 0
  }

  async ofFile(name: string): Promise<number> {
    let input: ByteReader
    try {
      input = name === '-' ? this.#context.stdin : await this.#context.open(operandPath(this.#context, name))
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quotedName(name)}: ${errorText(error)}`)
    }
    const lines = new LineReader(input)
    let status = 0
    while (await lines.advance()) {
      const line = decode(lines.bytes.subarray(lines.start, lines.end))
      const moment = parseDate(line, { now: now(this.#context), zone: this.where })
      if (moment === null) {
        await complain(this.#context, `invalid date ${quoted(this.#context, line)}`)
        status = 1
      } else this.#add(moment)
      await this.#output.settle()
    }
    if (name !== '-') await input.close()
    await this.#output.flush()
    return status
  }

  #add({ seconds, nanoseconds }: Moment): void {
    this.#output.text(`${strftime(this.#format, seconds * 1000, this.where, nanoseconds)}\n`)
  }
}
