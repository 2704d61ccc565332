import { concat, encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, ByteWriter, Command, CommandContext } from './command.ts'
import { wholeInput } from './input.ts'
import { lineEnds } from './line-ends.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { writeTo } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import { RandomNumbers } from './random-numbers.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

const HELP = `Usage: shuf [OPTION]... [FILE]
       shuf -e [OPTION]... [ARG]...
       shuf -i LO-HI [OPTION]...
Write the lines of FILE, or of standard input, in random order.

  -e, --echo                shuffle the ARGs
  -i, --input-range=LO-HI   shuffle the numbers LO to HI
  -n, --head-count=COUNT    at most COUNT lines
  -o, --output=FILE         write to FILE
      --random-source=FILE  take chance from FILE
  -r, --repeat              a line may come again and again, for ever without -n
  -z, --zero-terminated     lines end in NUL, not in newline
      --help                show this help
      --version             show the version
`

/** `shuf`: lines in random order. */
export const shuf: Command = utility({
  help: HELP,
  options: {
    'e|echo': 'none',
    'i|input-range': 'required',
    'n|head-count': 'required',
    'o|output': 'required',
    'random-source': 'required',
    'r|repeat': 'none',
    'z|zero-terminated': 'none',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** What is shuffled. */
interface Items {
  readonly count: number
  /** Appends item n with its terminator. */
  put(n: number, built: ByteBuilder): void
}

function* run({ options, operands, has, value }: ParsedOptions, context: CommandContext): Steps<number> {
  let range: { low: number; high: number } | null = null
  let most = Number.POSITIVE_INFINITY
  let output: string | null = null
  let source: string | null = null
  for (const option of options) {
    const text = option.value ?? ''
    if (option.name === 'i') {
      if (range !== null) throw new CommandFailure('multiple -i options specified')
      range = parseRange(text, context)
    } else if (option.name === 'n') {
      if (!/^\s*\+?[0-9]+$/.test(text)) throw new CommandFailure(`invalid line count: ${quoted(context, text)}`)
      most = Math.min(most, Number(text))
    } else if (option.name === 'o') {
      if (output !== null && output !== text) throw new CommandFailure('multiple output files specified')
      output = text
    } else if (option.name === 'random-source') {
      if (source !== null && source !== text) throw new CommandFailure('multiple random sources specified')
      source = text
    }
  }
  if (has('e') && range !== null) throw new UsageError('cannot combine -e and -i options')
  const extra = range !== null ? operands[0] : has('e') ? undefined : operands[1]
  if (extra !== undefined) throw new UsageError(`extra operand ${quoted(context, extra)}`)
  const terminator = has('z') ? '\0' : '\n'
  if (most === 0 && source === null && value('o') === null) return 0
  const random = yield* openRandom(source, context)
  const items =
    range !== null
      ? numbered(range.low, range.high, terminator)
      : has('e')
        ? listed(operands, terminator)
        : yield* readItems(operands[0] ?? '-', terminator, has('r') ? Number.POSITIVE_INFINITY : most, random, context)
  const target = output === null ? context.stdout : yield* openOutput(output, context)
  if (has('r')) yield* repeat(items, most, random, target, context)
  else yield* permute(items, Math.min(most, items.count), random, target, context)
  if (output !== null) yield* wait(target.close())
  return 0
}

function parseRange(text: string, context: CommandContext): { low: number; high: number } {
  const dash = text.indexOf('-')
  const fail = (part: string, reason = '') => new CommandFailure(`invalid input range: ${quoted(context, part)}${reason}`)
  if (dash < 0) throw fail(text)
  const ends = [text.slice(0, dash), text.slice(dash + 1)].map((part) => {
    if (!/^\s*\+?[0-9]+$/.test(part)) throw fail(part)
    if (Number(part) >= 2 ** 64) throw fail(part, ': Value too large for defined data type')
    return Number(part)
  })
  const [low, high] = ends as [number, number]
  // One less than the start is a range of nothing.
  if (high + 1 < low) throw fail(text)
  return { low, high }
}

function numbered(low: number, high: number, terminator: string): Items {
  const end = terminator.charCodeAt(0)
  return {
    count: high - low + 1,
    put(n, built) {
      built.decimal(low + n)
      built.byte(end)
    },
  }
}

function listed(words: readonly string[], terminator: string): Items {
  return { count: words.length, put: (n, built) => built.append(encode(`${words[n]}${terminator}`)) }
}

/** Files that are larger are not kept as a whole when only a few of their lines are wanted. */
const LARGE = 8 * 1024 * 1024

function* readItems(name: string, terminator: string, most: number, random: RandomNumbers, context: CommandContext): Steps<Items> {
  try {
    let large = true
    if (name !== '-') {
      const stat = yield* wait(context.fs.stat(context.resolve(name)))
      large = stat.type !== 'file' || stat.size > LARGE
    }
    const input = name === '-' ? context.stdin : yield* wait(context.open(context.resolve(name)))
    const items =
      large && most < Number.POSITIVE_INFINITY
        ? yield* sampled(input, terminator, most, random, context)
        : allLines(yield* wholeInput(input), terminator)
    if (name !== '-') yield* wait(input.close())
    return items
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    throw new CommandFailure(hasCode(error, 'EISDIR') ? `read error: ${reason}` : `${quotedName(name)}: ${reason}`)
  }
}

function allLines(bytes: Uint8Array, terminator: string): Items {
  const end = terminator.charCodeAt(0)
  const ended = bytes.length > 0 && bytes[bytes.length - 1] !== end ? concat([bytes, encode(terminator)]) : bytes
  const ends = lineEnds(ended, end)
  return {
    count: ends.length,
    put: (n, built) => built.appendPart(ended, n === 0 ? 0 : (ends[n - 1] as number) + 1, (ends[n] as number) + 1),
  }
}

/** `most` lines of a stream, each as likely as any other, keeping no more than those. */
function* sampled(input: ByteReader, terminator: string, most: number, random: RandomNumbers, context: CommandContext): Steps<Items> {
  const end = encode(terminator)
  const lines = new LineReader(input, end[0])
  const kept: Uint8Array[] = []
  for (let count = 0; ; count++) {
    // The place is drawn before it is known whether there is a line for it.
    const place = count < most ? count : random.below(count + 1)
    const advanced = lines.advance()
    const more = isPromise(advanced) ? yield* wait(advanced) : advanced
    if (!more) return { count: kept.length, put: (n, built) => built.append(kept[n] as Uint8Array) }
    if (place < most) kept[place] = concat([lines.bytes.subarray(lines.start, lines.end), end])
    if ((count & 4095) === 0) yield* wait(context.pause())
  }
}

function* openRandom(source: string | null, context: CommandContext): Steps<RandomNumbers> {
  if (source === null) {
    const pool = new Uint8Array(4096)
    return new RandomNumbers(() => {
      context.host.random(pool)
      return pool
    })
  }
  try {
    const input = yield* wait(context.open(context.resolve(source)))
    // A permutation needs its chance at once, so what there is of a file is read before.
    const chunks: Uint8Array[] = []
    for (let size = 0; size < MOST_CHANCE; ) {
      const chunk = yield* wait(input.read())
      if (chunk === null) break
      chunks.push(chunk)
      size += chunk.length
    }
    yield* wait(input.close())
    return new RandomNumbers(() => {
      const chunk = chunks.shift()
      if (chunk === undefined) throw new CommandFailure(`${quoted(context, source)}: end of file`)
      return chunk
    })
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${quotedName(source)}: ${errorText(error)}`)
  }
}

const CHUNK = 65_536
const MOST_CHANCE = 1 << 26

function* openOutput(name: string, context: CommandContext): Steps<ByteWriter> {
  try {
    return yield* wait(context.create(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${quotedName(name)}: ${errorText(error)}`)
  }
}

function* permute(items: Items, count: number, random: RandomNumbers, target: ByteWriter, context: CommandContext): Steps<void> {
  // Places that were exchanged; all others hold their own number. So a few of very many cost only those few.
  const dense = items.count <= 1 << 25 ? counted(items.count) : null
  const sparse = new Map<number, number>()
  const built = new ByteBuilder()
  for (let place = 0; place < count; place++) {
    const other = place + random.below(items.count - place)
    let chosen: number
    if (dense !== null) {
      chosen = dense[other] as number
      dense[other] = dense[place] as number
    } else {
      chosen = sparse.get(other) ?? other
      sparse.set(other, sparse.get(place) ?? place)
      sparse.delete(place)
    }
    items.put(chosen, built)
    if (built.length >= CHUNK) {
      yield* wait(writeTo(target, built.take()))
      yield* wait(context.pause())
    }
  }
  if (built.length > 0) yield* wait(writeTo(target, built.take()))
}

function counted(count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let n = 0; n < count; n++) numbers[n] = n
  return numbers
}

function* repeat(items: Items, most: number, random: RandomNumbers, target: ByteWriter, context: CommandContext): Steps<void> {
  if (most === 0) return
  if (items.count === 0) throw new CommandFailure('no lines to repeat')
  const built = new ByteBuilder()
  for (let count = 0; count < most; count++) {
    items.put(random.below(items.count), built)
    if (built.length >= CHUNK) {
      yield* wait(writeTo(target, built.take()))
      yield* wait(context.pause())
    }
  }
  if (built.length > 0) yield* wait(writeTo(target, built.take()))
}
