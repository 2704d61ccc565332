import { decode, encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import { compareBytes } from './sort-compare.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: comm [OPTION]... FILE1 FILE2
Compare two files whose lines are sorted: first column lines of FILE1 alone, second lines of FILE2 alone, third lines of both.
One of the files may be -, standard input.

  -1                        without the first column
  -2                        without the second column
  -3                        without the third column
      --check-order         fail where lines are not sorted, even if nothing comes of it
      --nocheck-order       don't look whether lines are sorted
      --output-delimiter=S  S between columns, instead of a tab
      --total               a last line with the number of lines in each column
  -z, --zero-terminated     lines end in NUL, not in newline
      --help                show this help
      --version             show the version
`

/** `comm`: what two sorted files have in common. */
export const comm: Command = utility({
  help: HELP,
  options: {
    '1': 'none',
    '2': 'none',
    '3': 'none',
    'check-order': 'none',
    'nocheck-order': 'none',
    'output-delimiter': 'required',
    total: 'none',
    'z|zero-terminated': 'none',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

const CHUNK = 65_536

function* run({ options, operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  let delimiter: string | null = null
  for (const { name, value } of options) {
    if (name !== 'output-delimiter') continue
    if (delimiter !== null && delimiter !== value) throw new CommandFailure('multiple output delimiters specified')
    delimiter = value
  }
  const [first, second, extra] = operands
  if (first === undefined) throw new UsageError('missing operand')
  if (second === undefined) throw new UsageError(`missing operand after ${quoted(context, first)}`)
  if (extra !== undefined) throw new UsageError(`extra operand ${quoted(context, extra)}`)
  const terminator = has('z') ? 0 : 10
  const between = delimiter === null ? Uint8Array.of(9) : delimiter === '' ? Uint8Array.of(0) : encode(delimiter)
  const shown = [!has('1'), !has('2'), !has('3')]
  const indents = [0, shown[0] ? 1 : 0, (shown[0] ? 1 : 0) + (shown[1] ? 1 : 0)]
  const order = new OrderCheck(options.findLast(({ name }) => name.endsWith('check-order'))?.name ?? null)
  const counts = [0, 0, 0]

  const inputs: ByteReader[] = []
  const readers: LineReader[] = []
  for (const name of [first, second]) {
    const input = yield* openFile(name, context)
    if (name !== '-') inputs.push(input)
    readers.push(new LineReader(input, terminator))
  }
  if (first === '-' && second === '-') throw new CommandFailure('-: Bad file descriptor')
  const [a, b] = readers as [LineReader, LineReader]
  const output = new Output(context.stdout)
  const built = new ByteBuilder()
  const put = (column: number, { bytes, start, end }: LineReader) => {
    counts[column] = (counts[column] as number) + 1
    if (shown[column] !== true) return
    for (let indent = indents[column] as number; indent > 0; indent--) built.append(between)
    built.appendPart(bytes, start, Math.min(end + 1, bytes.length))
    if (end === bytes.length) built.byte(terminator)
  }
  function* advance(reader: LineReader, index: 0 | 1): Steps<boolean> {
    if (order.mode !== 'off') order.keep(index, reader)
    let more = reader.advance()
    if (isPromise(more)) {
      output.bytes(built.take())
      yield* wait(output.flush())
      more = yield* wait(more)
    }
    if (more && order.isBroken(index, reader)) {
      output.bytes(built.take())
      yield* wait(output.flush())
      yield* wait(complain(context, `file ${index + 1} is not in sorted order`))
      order.warned[index] = true
      if (order.mode === 'strict') throw new Disorder()
    }
    return more
  }
  try {
    let moreA = yield* advance(a, 0)
    let moreB = yield* advance(b, 1)
    for (let count = 1; moreA || moreB; count++) {
      const difference = !moreB ? -1 : !moreA ? 1 : compareBytes(a.bytes, a.start, a.end, b.bytes, b.start, b.end)
      if (difference === 0) put(2, b)
      else {
        order.unpaired = true
        if (difference < 0) put(0, a)
        else put(1, b)
      }
      if (difference <= 0) moreA = yield* advance(a, 0)
      if (difference >= 0) moreB = yield* advance(b, 1)
      if (built.length >= CHUNK) {
        output.bytes(built.take())
        yield* wait(output.flush())
      }
      if ((count & 4095) === 0) yield* wait(context.pause())
    }
  } catch (error) {
    if (error instanceof Disorder) return 1
    throw error
  }
  output.bytes(built.take())
  if (has('total')) {
    // GNU's own quirk: here a NUL is no separator at all.
    const separator = delimiter === '' ? '' : decode(between)
    output.text(`${counts.join(separator)}${separator}total${String.fromCharCode(terminator)}`)
  }
  yield* wait(output.flush())
  for (const input of inputs) yield* wait(input.close())
  if (!order.warned.includes(true)) return 0
  yield* wait(complain(context, 'input is not in sorted order'))
  return 1
}

function* openFile(name: string, context: CommandContext): Steps<ByteReader> {
  if (name === '-') return context.stdin
  try {
    return yield* wait(context.open(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${quotedName(name)}: ${errorText(error)}`)
  }
}

/** Lines are out of order, and that ends it. */
class Disorder extends Error {}

/** Watches whether each file is sorted; by default that matters only once a line had no partner. */
class OrderCheck {
  readonly mode: 'strict' | 'lenient' | 'off'
  readonly warned: [boolean, boolean] = [false, false]
  unpaired = false
  readonly #before: ({ bytes: Uint8Array; start: number; end: number } | null)[] = [null, null]

  constructor(option: string | null) {
    this.mode = option === 'check-order' ? 'strict' : option === 'nocheck-order' ? 'off' : 'lenient'
  }

  keep(index: 0 | 1, { bytes, start, end }: LineReader): void {
    if (bytes.length > 0) this.#before[index] = { bytes, start, end }
  }

  isBroken(index: 0 | 1, { bytes, start, end }: LineReader): boolean {
    const before = this.#before[index]
    if (this.mode === 'off' || this.warned[index] || before === null || before === undefined) return false
    if (this.mode === 'lenient' && !this.unpaired) return false
    return compareBytes(before.bytes, before.start, before.end, bytes, start, end) > 0
  }
}
