import { encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { countByte, indexOfNth } from './count-byte.ts'
import { openEach } from './input.ts'
import { DIGITS, type ParsedOptions, UsageError } from './options.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { parseSize } from './size.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: head [OPTION]... [FILE]...
Write the first 10 lines of each FILE, each after a header where there are several.
Standard input is read for - and where no FILE is given.

  -c, --bytes=[-]NUM      the first NUM bytes; all but the last NUM with -
  -n, --lines=[-]NUM      the first NUM lines instead of 10; all but the last NUM with -
  -q, --quiet, --silent   no headers
  -v, --verbose           always headers
  -z, --zero-terminated   lines end in NUL, not in newline
      --help              show this help
      --version           show the version

NUM may end in b (512), K or KiB (1024), KB (1000), M, MB, G, GB, and so on for T P E Z Y.
`

/** `head`: the start of files. */
export const head: Command = {
  run: (args, context) => modern.run(withoutOldSyntax(args), context),
}

const modern: Command = utility({
  help: HELP,
  options: {
    'c|bytes': 'required',
    'n|lines': 'required',
    'q|quiet|silent': 'none',
    'v|verbose': 'none',
    'z|zero-terminated': 'none',
    ...DIGITS,
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** `-5c` and its kind, which only the first argument may be, as options of today. */
function withoutOldSyntax(args: readonly string[]): readonly string[] {
  const [, digits, letters = ''] = /^-([0-9]+)(.*)$/s.exec(args[0] ?? '') ?? []
  if (digits === undefined) return args
  let unit = '-n'
  let multiplier = ''
  const flags: string[] = []
  for (const letter of letters) {
    if (letter === 'c') [unit, multiplier] = ['-c', '']
    else if (letter === 'l') unit = '-n'
    else if ('bkm'.includes(letter)) [unit, multiplier] = ['-c', letter]
    else if ('qvz'.includes(letter)) flags.push(`-${letter}`)
    else return [`-${letter}`]
  }
  return [unit, digits + multiplier, ...flags, ...args.slice(1)]
}

interface Wanted {
  readonly unit: 'bytes' | 'lines'
  readonly count: number
  /** All but the last `count`. */
  readonly allBut: boolean
  readonly terminator: number
}

function* run({ options, operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  let wanted: Wanted = { unit: 'lines', count: 10, allBut: false, terminator: has('z') ? 0 : 10 }
  let headers: boolean = operands.length > 1
  for (const { name, value } of options) {
    if (name in DIGITS) throw new UsageError(`invalid trailing option -- ${name}`)
    if (name === 'q') headers = false
    else if (name === 'v') headers = true
    else if (value !== null) wanted = { ...wanted, ...amount(value, name === 'c' ? 'bytes' : 'lines', context) }
  }
  let first = true
  function* introduce(name: string): Steps<void> {
    if (!headers) return
    yield* wait(writeTo(context.stdout, encode(`${first ? '' : '\n'}==> ${name === '-' ? 'standard input' : name} <==\n`)))
    first = false
  }
  return yield* openEach(
    context,
    operands,
    function* (input, name) {
      yield* introduce(name)
      yield* takeFrom(input, wanted, context)
    },
    function* (name, error) {
      if (hasCode(error, 'EISDIR')) yield* introduce(name)
      yield* wait(report(name, error, context))
    },
  )
}

function amount(text: string, unit: Wanted['unit'], context: CommandContext): Pick<Wanted, 'unit' | 'count' | 'allBut'> {
  const allBut = text.startsWith('-')
  const digits = allBut ? text.slice(1) : text
  const count = parseSize(digits)
  if (count >= 0 && count < Number.POSITIVE_INFINITY) return { unit, count, allBut }
  const reason = count === Number.POSITIVE_INFINITY ? ': Value too large for defined data type' : ''
  throw new CommandFailure(`invalid number of ${unit}: ${quoted(context, digits)}${reason}`)
}

function report(name: string, error: unknown, context: CommandContext): ReturnType<typeof complain> {
  if (!isExpected(error)) throw error
  if (hasCode(error, 'EISDIR')) return complain(context, `error reading ${quotedFile(name)}: ${errorText(error)}`)
  return complain(context, `cannot open ${quotedFile(name)} for reading: ${errorText(error)}`)
}

function takeFrom(input: ByteReader, wanted: Wanted, context: CommandContext): Steps<void> {
  if (wanted.allBut) return wanted.unit === 'bytes' ? allButBytes(input, wanted.count, context) : allButLines(input, wanted, context)
  return wanted.unit === 'bytes' ? firstBytes(input, wanted.count, context) : firstLines(input, wanted, context)
}

function* firstBytes(input: ByteReader, count: number, context: CommandContext): Steps<void> {
  for (let left = count; left > 0; ) {
    const chunk = yield* wait(input.read())
    if (chunk === null) return
    if (chunk.length > left) input.unread(chunk.subarray(left))
    yield* wait(writeTo(context.stdout, chunk.length > left ? chunk.subarray(0, left) : chunk))
    left -= chunk.length
  }
}

function* firstLines(input: ByteReader, { count, terminator }: Wanted, context: CommandContext): Steps<void> {
  for (let left = count; left > 0; ) {
    const chunk = yield* wait(input.read())
    if (chunk === null) return
    const last = indexOfNth(chunk, terminator, left)
    if (last < 0) {
      left -= countByte(chunk, terminator)
      yield* wait(writeTo(context.stdout, chunk))
      continue
    }
    if (last + 1 < chunk.length) input.unread(chunk.subarray(last + 1))
    yield* wait(writeTo(context.stdout, chunk.subarray(0, last + 1)))
    return
  }
}

function* allButBytes(input: ByteReader, count: number, context: CommandContext): Steps<void> {
  const held: Uint8Array[] = []
  let size = 0
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) break
    held.push(chunk)
    size += chunk.length
    while (held[0] !== undefined && size - held[0].length >= count) {
      const sure = held.shift() as Uint8Array
      size -= sure.length
      yield* wait(writeTo(context.stdout, sure))
      yield* wait(context.pause())
    }
  }
  for (const chunk of held) {
    const sure = Math.min(chunk.length, size - count)
    if (sure <= 0) return
    yield* wait(writeTo(context.stdout, chunk.subarray(0, sure)))
    size -= chunk.length
  }
}

function* allButLines(input: ByteReader, { count, terminator }: Wanted, context: CommandContext): Steps<void> {
  const held: { readonly chunk: Uint8Array; readonly lines: number }[] = []
  let lines = 0
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) break
    held.push({ chunk, lines: countByte(chunk, terminator) })
    lines += held.at(-1)?.lines ?? 0
    // A chunk is sure to be wanted once more than `count` lines end after it: the last newline before those is theirs.
    while (held[0] !== undefined && lines - held[0].lines > count) {
      lines -= held[0].lines
      yield* wait(writeTo(context.stdout, held[0].chunk))
      held.shift()
      yield* wait(context.pause())
    }
  }
  const tail = held.at(-1)?.chunk
  if (count > 0 && tail !== undefined && tail[tail.length - 1] !== terminator) lines += 1
  let left = count === 0 ? Number.POSITIVE_INFINITY : lines - count
  for (const { chunk, lines: inChunk } of held) {
    if (left <= 0) return
    if (inChunk < left) yield* wait(writeTo(context.stdout, chunk))
    else yield* wait(writeTo(context.stdout, chunk.subarray(0, indexOfNth(chunk, terminator, left) + 1)))
    left -= inChunk
  }
}
