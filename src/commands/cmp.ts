import { errorText } from '../errors.ts'
import { isPromise } from '../host.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { countByte } from './count-byte.ts'
import { type ParsedOptions, parseOptions, UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import { parseSize } from './size.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Compare two files byte by byte. A file that is - or left out is standard input.

  -b, --print-bytes          show the bytes that differ
  -i, --ignore-initial=SKIP  leave out the first SKIP bytes of both
  -i, --ignore-initial=SKIP1:SKIP2
                             leave out the first SKIP1 bytes of FILE1 and SKIP2 of FILE2
  -l, --verbose              all bytes that differ: place and values
  -n, --bytes=LIMIT          compare at most LIMIT bytes
  -s, --quiet, --silent      write nothing, tell by the exit status alone
      --help                 show this help
      --version              show the version

SKIP and LIMIT may end in kB (1000), K (1024), MB, M, GB, G, and so on for T P E Z Y.
The status is 0 for the same, 1 for different, 2 for trouble.
`

const OPTIONS = {
  'b|print-bytes': 'none',
  'i|ignore-initial': 'required',
  'l|verbose': 'none',
  'n|bytes': 'required',
  's|quiet|silent': 'none',
} as const

const described: Command = utility({ help: HELP, options: OPTIONS, run: (parsed, context) => proceed(run(parsed, context.name, context)) })

/** `cmp`: whether two files are the same. */
export const cmp: Command = {
  // Diffutils word what is wrong with the arguments in their own way.
  run: (args, context) => proceed(guarded(args, context)),
}

function* guarded(args: readonly string[], context: CommandContext): Steps<number> {
  try {
    const parsed = parseOptions(args, { options: OPTIONS })
    if (parsed.asked !== null) return yield* wait(described.run(args, context))
    return yield* run(parsed, args.at(-1) ?? context.name, context)
  } catch (error) {
    if (error instanceof UsageError) {
      yield* wait(complain(context, error.message))
      yield* wait(complain(context, "Try 'cmp --help' for more information."))
      return 2
    }
    if (!(error instanceof CommandFailure)) throw error
    yield* wait(complain(context, error.message))
    return error.status
  }
}

function* run({ options, operands, has }: ParsedOptions, last: string, context: CommandContext): Steps<number> {
  let skips: [number, number] = [0, 0]
  let limit = Number.POSITIVE_INFINITY
  for (const { name, value } of options) {
    if (name === 'i') {
      const [skipFirst, skipSecond] = skipsOf(value ?? '')
      skips = [Math.max(skips[0], skipFirst), Math.max(skips[1], skipSecond)]
    }
    if (name === 'n') limit = Math.min(limit, size(value ?? '', '--bytes', value ?? ''))
  }
  if (has('l') && has('s')) throw new UsageError('options -l and -s are incompatible')
  const [first, second = '-', skipFirst, skipSecond, extra] = operands
  if (first === undefined) throw new UsageError(`missing operand after ${quotedFile(last)}`)
  if (skipFirst !== undefined) skips[0] = Math.max(skips[0], size(skipFirst, '--ignore-initial', skipFirst))
  if (skipSecond !== undefined) skips[1] = Math.max(skips[1], size(skipSecond, '--ignore-initial', skipSecond))
  if (extra !== undefined) throw new UsageError(`extra operand ${quotedFile(extra)}`)
  const quiet = has('s')
  const sources: Source[] = []
  for (const [index, name] of [first, second].entries()) {
    try {
      const input = name === '-' ? context.stdin : yield* wait(context.open(context.resolve(name)))
      const source = new Source(input, name)
      yield* source.skip(skips[index] as number)
      sources.push(source)
    } catch (error) {
      if (!isExpected(error)) throw error
      if (!quiet) yield* wait(complain(context, `${quotedName(name)}: ${errorText(error)}`))
      return 2
    }
  }
  const [a, b] = sources as [Source, Source]
  const width = has('l') ? yield* indexWidth([first, second], skips, limit, context) : 0
  const status = yield* compare(a, b, { bytes: has('b'), all: has('l'), quiet, limit, width }, context)
  for (const source of sources) if (source.name !== '-') yield* wait(source.input.close())
  return status
}

function skipsOf(text: string): [number, number] {
  const [first = '', second = first] = text.split(':')
  return [size(first, '--ignore-initial', text), size(second, '--ignore-initial', text)]
}

function size(text: string, option: string, whole: string): number {
  const value = /^[0-9]/.test(text) ? parseSize(text, 'kKMGTPEZY') : Number.NaN
  if (Number.isNaN(value)) throw new UsageError(`invalid ${option} value ${quotedFile(whole)}`)
  return value
}

interface Manner {
  readonly bytes: boolean
  readonly all: boolean
  readonly quiet: boolean
  readonly limit: number
  readonly width: number
}

/** A stream with what was read of it and not compared yet. */
class Source {
  readonly input: ByteReader
  readonly name: string
  chunk: Uint8Array = new Uint8Array(0)
  at = 0

  constructor(input: ByteReader, name: string) {
    this.input = input
    this.name = name
  }

  /** Makes sure there is something at `at`; false at the end. */
  *fill(): Steps<boolean> {
    if (this.at < this.chunk.length) return true
    const read = this.input.read()
    const chunk = isPromise(read) ? yield* wait(read) : read
    this.chunk = chunk ?? new Uint8Array(0)
    this.at = 0
    return chunk !== null
  }

  *skip(count: number): Steps<void> {
    for (let left = count; left > 0 && (yield* this.fill()); ) {
      const step = Math.min(left, this.chunk.length - this.at)
      this.at += step
      left -= step
    }
  }
}

/** As wide as the largest place that could be told. */
function* indexWidth(names: readonly string[], skips: readonly number[], limit: number, context: CommandContext): Steps<number> {
  let largest = limit
  for (const [index, name] of names.entries()) {
    if (name === '-') continue
    const stat = yield* wait(context.fs.stat(context.resolve(name)))
    if (stat.type === 'file') largest = Math.min(largest, Math.max(0, stat.size - (skips[index] as number)))
  }
  return largest === Number.POSITIVE_INFINITY ? 19 : String(largest).length
}

function* compare(a: Source, b: Source, { bytes, all, quiet, limit, width }: Manner, context: CommandContext): Steps<number> {
  const output = new Output(context.stdout)
  let place = 0
  let lines = 0
  let last = 10
  let different = false
  for (;;) {
    if (place >= limit) break
    const moreA = yield* a.fill()
    const moreB = yield* b.fill()
    if (!moreA || !moreB) {
      if (moreA === moreB) break
      different = true
      if (quiet) break
      yield* wait(output.flush())
      const name = (moreA ? b : a).name
      yield* wait(complain(context, endMessage(name, place, lines, last, all)))
      break
    }
    const count = Math.min(a.chunk.length - a.at, b.chunk.length - b.at, limit - place)
    const same = commonLength(a.chunk, a.at, b.chunk, b.at, count)
    if (same > 0) {
      if (!all && !quiet) lines += countByte(a.chunk, 10, a.at, a.at + same)
      last = a.chunk[a.at + same - 1] as number
      place += same
      a.at += same
      b.at += same
    }
    if (same < count) {
      different = true
      if (quiet) break
      const first = a.chunk[a.at] as number
      const second = b.chunk[b.at] as number
      place += 1
      if (!all) {
        const values = bytes ? ` is ${octal(first)} ${visible(first)} ${octal(second)} ${visible(second)}` : ''
        output.text(`${a.name} ${b.name} differ: byte ${place}, line ${lines + 1}${values}\n`)
        break
      }
      const values = bytes
        ? `${octal(first)} ${visible(first).padEnd(4)} ${octal(second)} ${visible(second)}`
        : `${octal(first)} ${octal(second)}`
      output.text(`${String(place).padStart(width)} ${values}\n`)
      a.at += 1
      b.at += 1
      last = first
      yield* wait(output.settle())
    }
    yield* wait(context.pause())
  }
  yield* wait(output.flush())
  return different ? 1 : 0
}

function endMessage(name: string, place: number, lines: number, last: number, all: boolean): string {
  if (place === 0) return `EOF on ${quotedName(name)} which is empty`
  if (all) return `EOF on ${quotedName(name)} after byte ${place}`
  return `EOF on ${quotedName(name)} after byte ${place}, ${last === 10 ? 'line' : 'in line'} ${last === 10 ? lines : lines + 1}`
}

function commonLength(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number, count: number): number {
  let same = 0
  // Four bytes at a time where both lie alike in memory.
  if (((a.byteOffset + aFrom) & 3) === 0 && ((b.byteOffset + bFrom) & 3) === 0) {
    const length = count >> 2
    const first = new Uint32Array(a.buffer, a.byteOffset + aFrom, length)
    const second = new Uint32Array(b.buffer, b.byteOffset + bFrom, length)
    let word = 0
    while (word < length && first[word] === second[word]) word += 1
    same = word * 4
  }
  while (same < count && a[aFrom + same] === b[bFrom + same]) same += 1
  return same
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3)
}

/** A byte as `cat -v` shows it. */
function visible(byte: number): string {
  const low = byte & 127
  const text = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? '^?' : String.fromCharCode(low)
  return byte >= 128 ? `M-${text}` : text
}
