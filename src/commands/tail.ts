import { encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { countByte, indexOfNth } from './count-byte.ts'
import { DIGITS, type OptionTable, type ParsedOptions, UsageError } from './options.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import { parseSize } from './size.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { follow } from './tail-follow.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: tail [OPTION]... [FILE]...
Write the last 10 lines of each FILE, each after a header where there are several.
Standard input is read for - and where no FILE is given.

  -c, --bytes=[+]NUM      the last NUM bytes; from byte NUM on with +
  -f, --follow[={name|descriptor}]
                          go on writing what is added, by descriptor unless told
  -F                      same as --follow=name --retry
  -n, --lines=[+]NUM      the last NUM lines instead of 10; from line NUM on with +
      --max-unchanged-stats=N
                          with --follow=name, look for a new file after N looks
                            that showed nothing new
      --pid=PID           with -f, end when the process PID ends
  -q, --quiet, --silent   no headers
      --retry             keep trying to open a file that can't be read
  -s, --sleep-interval=N  with -f, look every N seconds (1 unless told)
  -v, --verbose           always headers
  -z, --zero-terminated   lines end in NUL, not in newline
      --help              show this help
      --version           show the version

NUM may end in b (512), K or KiB (1024), KB (1000), M, MB, G, GB, and so on for T P E Z Y.
`

const OPTIONS: OptionTable = {
  'c|bytes': 'required',
  f: 'none',
  // `--follow` takes an argument that `-f` never has, so they are two options.
  follow: 'optional',
  F: 'none',
  'n|lines': 'required',
  'max-unchanged-stats': 'required',
  pid: 'required',
  'q|quiet|silent': 'none',
  retry: 'none',
  's|sleep-interval': 'required',
  'v|verbose': 'none',
  'z|zero-terminated': 'none',
  ...DIGITS,
}

/** `tail`: the end of files, and what is added to them. */
export const tail: Command = {
  run: (args, context) => modern.run(withoutOldSyntax(args), context),
}

const modern: Command = utility({
  help: HELP,
  options: OPTIONS,
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** What is to be written of a file. */
interface Wanted {
  readonly unit: 'bytes' | 'lines'
  readonly count: number
  readonly fromStart: boolean
  readonly terminator: number
}

const PIECE = 262_144

function withoutOldSyntax(args: readonly string[]): readonly string[] {
  const usual = args.length === 1 || (args.length === 2 && !/^-./s.test(args[1] ?? '')) || (args.length <= 3 && args[1] === '--')
  const [, sign, digits = '', unit = '', following = ''] = /^([-+])([0-9]*)([bcl]?)(f?)$/.exec(args[0] ?? '') ?? []
  if (!usual || sign === undefined || (sign === '-' && digits === '')) return args
  if (sign === '+' && digits === '' && unit === '' && following === '') return args
  const count = `${sign === '+' ? '+' : ''}${digits === '' ? '10' : digits}${unit === 'b' ? 'b' : ''}`
  return [unit === '' || unit === 'l' ? '-n' : '-c', count, ...(following === '' ? [] : ['-f']), ...args.slice(1)]
}

function* run({ options, operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  let wanted: Wanted = { unit: 'lines', count: 10, fromStart: false, terminator: has('z') ? 0 : 10 }
  const names = operands.length === 0 ? ['-'] : operands
  let headers: boolean = names.length > 1
  let mode: 'name' | 'descriptor' | null = null
  let retry = false
  let interval = 1000
  let pid: number | null = null
  for (const { name, value } of options) {
    if (name in DIGITS) throw new CommandFailure(`option used in invalid context -- ${name}`)
    if (name === 'q') headers = false
    else if (name === 'v') headers = true
    else if (name === 'f') mode = 'descriptor'
    else if (name === 'F') [mode, retry] = ['name', true]
    else if (name === 'retry') retry = true
    else if (name === 'follow') mode = followMode(value, context)
    else if (name === 's') interval = seconds(value ?? '', context) * 1000
    else if (name === 'pid') pid = processId(value ?? '', context)
    else if (name === 'max-unchanged-stats') checkCount(value ?? '', context)
    else if (value !== null) {
      const given = amount(value, name === 'c' ? 'bytes' : 'lines', context)
      // GNU's own quirk: a + stays in force for later options.
      wanted = { ...wanted, ...given, fromStart: given.fromStart || wanted.fromStart }
    }
  }
  if (retry && mode === null) yield* wait(complain(context, 'warning: --retry ignored; --retry is useful only when following'))
  if (retry && mode === 'descriptor') yield* wait(complain(context, 'warning: --retry only effective for the initial open'))
  if (pid !== null && mode === null) yield* wait(complain(context, 'warning: PID ignored; --pid=PID is useful only when following'))
  if (mode === 'name' && names.includes('-')) throw new CommandFailure(`cannot follow ${quotedFile('-')} by name`)

  let shown: string | null = null
  function* introduce(name: string): Steps<void> {
    if (!headers) return
    const title = name === '-' ? 'standard input' : name
    yield* wait(writeTo(context.stdout, encode(`${shown === null ? '' : '\n'}==> ${title} <==\n`)))
    shown = name
  }
  let status = 0
  const followed: { name: string; offset: number; stat: FileStat | null }[] = []
  for (const name of names) {
    try {
      if (name === '-') {
        yield* introduce(name)
        yield* endOfStream(context.stdin, wanted, context)
        continue
      }
      const path = context.resolve(name)
      const stat = yield* wait(context.fs.stat(path))
      if (stat.type === 'directory') {
        yield* introduce(name)
        yield* wait(complain(context, `error reading ${quotedFile(name)}: Is a directory`))
        status = 1
        if (mode === null) continue
        const hopeless = retry && mode === 'name' ? '' : '; giving up on this name'
        yield* wait(complain(context, `${quotedName(name)}: cannot follow end of this type of file${hopeless}`))
        if (hopeless === '') followed.push({ name, offset: 0, stat: null })
        continue
      }
      if (stat.type === 'file' && stat.size > 0) {
        // What can't be read fails here, before the header.
        yield* wait(context.fs.read(path, 0, 1))
        yield* introduce(name)
        followed.push({ name, offset: yield* endOfFile(path, stat.size, wanted, context), stat })
        continue
      }
      const input = yield* wait(context.open(path))
      try {
        yield* introduce(name)
        const written = yield* endOfStream(input, wanted, context)
        if (stat.type === 'file') followed.push({ name, offset: written, stat })
      } finally {
        yield* wait(input.close())
      }
    } catch (error) {
      if (!isExpected(error)) throw error
      status = 1
      yield* wait(complain(context, `cannot open ${quotedFile(name)} for reading: ${errorText(error)}`))
      if (mode !== null && retry) followed.push({ name, offset: 0, stat: null })
      if (!hasCode(error, 'ENOENT') && mode === null) continue
    }
  }
  if (mode === null) return status
  if (names.length === 1 && names[0] === '-') return status
  return yield* follow(followed, { mode, retry, interval, pid, headers, shown, status }, context)
}

function followMode(value: string | null, context: CommandContext): 'name' | 'descriptor' {
  if (value === null) return 'descriptor'
  const known = (['descriptor', 'name'] as const).filter((word) => word.startsWith(value))
  if (known[0] !== undefined && value !== '') return known[0]
  const choices = ['descriptor', 'name'].map((word) => `\n  - ${quoted(context, word)}`).join('')
  const problem = value === '' ? 'ambiguous' : 'invalid'
  throw new UsageError(`${problem} argument ${quoted(context, value)} for ${quoted(context, '--follow')}\nValid arguments are:${choices}`)
}

function seconds(text: string, context: CommandContext): number {
  const number = /^\s*[+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text) ? Number(text) : Number.NaN
  if (number >= 0) return number
  throw new CommandFailure(`invalid number of seconds: ${quoted(context, text)}`)
}

function processId(text: string, context: CommandContext): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new CommandFailure(`invalid PID: ${quoted(context, text)}`)
}

function checkCount(text: string, context: CommandContext): void {
  if (!/^[0-9]+$/.test(text)) throw new CommandFailure(`invalid maximum number of unchanged stats between opens: ${quoted(context, text)}`)
}

function amount(text: string, unit: Wanted['unit'], context: CommandContext): Pick<Wanted, 'unit' | 'count' | 'fromStart'> {
  const fromStart = text.startsWith('+')
  const digits = text.startsWith('-') || fromStart ? text.slice(1) : text
  const count = parseSize(digits)
  if (count >= 0 && count < Number.POSITIVE_INFINITY) return { unit, count, fromStart }
  const reason = count === Number.POSITIVE_INFINITY ? ': Value too large for defined data type' : ''
  throw new CommandFailure(`invalid number of ${unit}: ${quoted(context, text.startsWith('-') ? digits : text)}${reason}`)
}

/** Writes the end of a file whose size is known, reading no more than that; gives the offset it got to. */
function* endOfFile(path: string, size: number, wanted: Wanted, context: CommandContext): Steps<number> {
  let at: number
  if (wanted.unit === 'bytes') at = wanted.fromStart ? Math.max(wanted.count - 1, 0) : Math.max(size - wanted.count, 0)
  else at = wanted.fromStart ? yield* startOfLine(path, wanted, context) : yield* startOfLastLines(path, size, wanted, context)
  for (;;) {
    const bytes = yield* wait(context.fs.read(path, at, PIECE))
    if (bytes.length === 0) return Math.max(at, size)
    at += bytes.length
    yield* wait(writeTo(context.stdout, bytes))
    yield* wait(context.pause())
  }
}

function* startOfLine(path: string, { count, terminator }: Wanted, context: CommandContext): Steps<number> {
  let left = count - 1
  let at = 0
  while (left > 0) {
    const bytes = yield* wait(context.fs.read(path, at, PIECE))
    if (bytes.length === 0) return at
    const last = indexOfNth(bytes, terminator, left)
    if (last >= 0) return at + last + 1
    left -= countByte(bytes, terminator)
    at += bytes.length
    yield* wait(context.pause())
  }
  return at
}

function* startOfLastLines(path: string, size: number, { count, terminator }: Wanted, context: CommandContext): Steps<number> {
  if (count === 0) return size
  let left = count
  let end = size
  let length = 8192
  while (end > 0) {
    const start = Math.max(0, end - length)
    const bytes = yield* wait(context.fs.read(path, start, end - start))
    // The terminator of the last line ends no line before it.
    const body = end === size && bytes[bytes.length - 1] === terminator ? bytes.subarray(0, -1) : bytes
    const lines = countByte(body, terminator)
    if (lines >= left) return start + indexOfNth(body, terminator, lines - left + 1) + 1
    left -= lines
    end = start
    length = PIECE
    yield* wait(context.pause())
  }
  return 0
}

/** Writes the end of a stream; gives how many bytes came. */
function* endOfStream(input: ByteReader, wanted: Wanted, context: CommandContext): Steps<number> {
  if (wanted.fromStart) return yield* pastStart(input, wanted, context)
  const { count, terminator } = wanted
  // Of few lines it is soon known that a chunk has enough: no need to count them all.
  const amountIn = (chunk: Uint8Array) => (wanted.unit === 'bytes' ? chunk.length : countUpTo(chunk, terminator, count + 1))
  const held: { readonly chunk: Uint8Array; readonly amount: number }[] = []
  let first = 0
  let amount = 0
  let total = 0
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) break
    const added = { chunk, amount: amountIn(chunk) }
    held.push(added)
    amount += added.amount
    total += chunk.length
    // Lines: one more than wanted must end after a chunk, since the line it began may end there.
    for (let oldest = held[first]; oldest !== undefined && amount - oldest.amount > count; oldest = held[first]) {
      amount -= oldest.amount
      first += 1
      if (first > 64 && first * 2 > held.length) {
        held.splice(0, first)
        first = 0
      }
    }
    yield* wait(context.pause())
  }
  const rest = held.slice(first).map(({ chunk, amount: least }) => {
    return { chunk, amount: wanted.unit === 'bytes' ? least : countByte(chunk, terminator) }
  })
  amount = rest.reduce((sum, piece) => sum + piece.amount, 0)
  const last = rest.at(-1)?.chunk
  if (wanted.unit === 'lines' && last !== undefined && last[last.length - 1] !== terminator) amount += 1
  let skip = amount - count
  for (const { chunk, amount: inChunk } of rest) {
    if (count === 0) break
    if (skip <= 0) yield* wait(writeTo(context.stdout, chunk))
    else if (inChunk > skip || (inChunk === skip && wanted.unit === 'lines')) {
      const start = wanted.unit === 'bytes' ? skip : indexOfNth(chunk, terminator, skip) + 1
      if (start < chunk.length) yield* wait(writeTo(context.stdout, chunk.subarray(start)))
    }
    skip -= inChunk
  }
  return total
}

function countUpTo(chunk: Uint8Array, byte: number, enough: number): number {
  if (enough > 64) return countByte(chunk, byte)
  let count = 0
  for (let at = chunk.lastIndexOf(byte); at >= 0; at = chunk.lastIndexOf(byte, at - 1)) {
    count += 1
    if (count >= enough || at === 0) break
  }
  return count
}

function* pastStart(input: ByteReader, { unit, count, terminator }: Wanted, context: CommandContext): Steps<number> {
  let skip = Math.max(count - 1, 0)
  let total = 0
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) return total
    total += chunk.length
    let start = 0
    if (skip > 0) {
      const end = unit === 'bytes' ? (chunk.length >= skip ? skip : -1) : indexOfNth(chunk, terminator, skip) + 1 || -1
      if (end < 0) {
        skip -= unit === 'bytes' ? chunk.length : countByte(chunk, terminator)
        yield* wait(context.pause())
        continue
      }
      skip = 0
      start = end
    }
    if (start < chunk.length) yield* wait(writeTo(context.stdout, chunk.subarray(start)))
    yield* wait(context.pause())
  }
}
