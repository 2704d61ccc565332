import { encode } from '../bytes.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { type CutRange, parseCutList } from './cut-list.ts'
import { nextChunk, openEach, Records } from './input.ts'
import { lineEnds } from './line-ends.ts'
import type { ParsedOption, ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { utility } from './utility.ts'

const HELP = `Usage: cut OPTION... [FILE]...
Write the chosen parts of each line of each FILE.
Standard input is read for - and where no FILE is given.

  -b, --bytes=LIST              these bytes
  -c, --characters=LIST         these characters (one byte each)
  -d, --delimiter=DELIM         fields end at DELIM instead of at a tab
  -f, --fields=LIST             these fields, and lines without a delimiter whole
  -n                            accepted and ignored
      --complement              all but the chosen parts
  -s, --only-delimited          no lines without a delimiter
      --output-delimiter=TEXT   what stands between the parts
  -z, --zero-terminated         lines end in NUL, not in newline
      --help                    show this help
      --version                 show the version

LIST is one or more of N, N-, N-M, -M, joined by commas; counting starts at 1.
`

/** `cut`: parts of lines. */
export const cut: Command = utility({
  help: HELP,
  options: {
    'b|bytes': 'required',
    'c|characters': 'required',
    'd|delimiter': 'required',
    'f|fields': 'required',
    n: 'none',
    complement: 'none',
    's|only-delimited': 'none',
    'output-delimiter': 'required',
    'z|zero-terminated': 'none',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

interface Plan {
  readonly ranges: readonly CutRange[]
  /** For each field whether it is wanted; the last entry stands for all beyond. */
  readonly chosen: Uint8Array
  readonly terminator: number
  readonly delimiter: number
  readonly between: Uint8Array
  readonly onlyDelimited: boolean
}

function* run({ options, operands, has, value }: ParsedOptions, context: CommandContext): Steps<number> {
  let list: ParsedOption | undefined
  let delimiter = 9
  for (const option of options) {
    if (option.name === 'd') delimiter = delimiterByte(option.value ?? '')
    if (option.name !== 'b' && option.name !== 'c' && option.name !== 'f') continue
    if (list !== undefined) throw new UsageError('only one list may be specified')
    list = option
  }
  if (list === undefined) throw new UsageError('you must specify a list of bytes, characters, or fields')
  const fields = list.name === 'f'
  if (!fields && has('d')) throw new UsageError('an input delimiter may be specified only when operating on fields')
  if (!fields && has('s')) throw new UsageError('suppressing non-delimited lines makes sense\n\tonly when operating on fields')
  const ranges = parseCutList(context, list.value ?? '', { fields, complement: has('complement') })
  const asked = value('output-delimiter')
  // An empty one given for fields is a NUL to GNU's.
  const between = asked === null ? (fields ? Uint8Array.of(delimiter) : new Uint8Array(0)) : asked === '' ? Uint8Array.of(0) : encode(asked)
  const terminator = has('z') ? 0 : 10
  const chosen = fields ? chosenFields(ranges) : new Uint8Array(0)
  const plan: Plan = { ranges, chosen, terminator, delimiter, between, onlyDelimited: has('s') }

  const output = new Output(context.stdout)
  const built = new ByteBuilder()
  const work = fields ? (delimiter === terminator ? null : cutFields) : cutBytes
  const status = yield* openEach(context, operands, function* (input) {
    const state = { field: 1, any: false }
    const records = new Records(input, terminator)
    for (;;) {
      const piece = yield* nextChunk(records, output)
      if (piece === null) break
      if (work === null) cutLines(piece, plan, state, built)
      else work(piece, plan, built)
      output.bytes(built.take())
      yield* wait(output.settle())
      yield* wait(context.pause())
    }
    if (work === null && (state.any || (state.field > 1 && !plan.onlyDelimited))) output.bytes(Uint8Array.of(terminator))
    yield* wait(output.flush())
  })
  yield* wait(output.flush())
  return status
}

const MOST_FIELDS = 1 << 24

function chosenFields(ranges: readonly CutRange[]): Uint8Array {
  const last = ranges.at(-1)
  const beyond = last === undefined ? 1 : last.high === Number.POSITIVE_INFINITY ? last.low : last.high + 1
  const chosen = new Uint8Array(Math.min(beyond, MOST_FIELDS) + 1)
  for (const { low, high } of ranges) chosen.fill(1, Math.min(low, chosen.length), Math.min(high + 1, chosen.length))
  return chosen
}

function delimiterByte(text: string): number {
  const bytes = encode(text)
  if (bytes.length > 1) throw new UsageError('the delimiter must be a single character')
  return bytes[0] ?? 0
}

function cutBytes(piece: Uint8Array, { ranges, terminator, between }: Plan, built: ByteBuilder): void {
  let start = 0
  for (const end of lineEnds(piece, terminator)) {
    let any = false
    for (const { low, high } of ranges) {
      const from = start + low - 1
      if (from >= end) break
      if (any) built.append(between)
      any = true
      built.appendPart(piece, from, Math.min(end, start + high))
    }
    built.byte(terminator)
    start = end + 1
  }
}

/** The fields of each line; the hot loop of the command. */
function cutFields(piece: Uint8Array, plan: Plan, built: ByteBuilder): void {
  const { chosen, terminator, delimiter, between, onlyDelimited } = plan
  const most = chosen.length - 1
  // From this field on nothing is wanted.
  const done = chosen[most] === 1 ? Number.POSITIVE_INFINITY : most
  const separator = between.length === 1 ? (between[0] as number) : -1

  built.reserve(piece.length + 1)
  let { buffer } = built
  let to = built.length
  let at = 0
  while (at < piece.length) {
    const start = at
    const lineStart = to
    let field = 1
    let wanted = chosen[1] as number
    let any = false
    let byte = -1
    if (wanted === 1) any = true
    for (; at < piece.length; at++) {
      byte = piece[at] as number
      if (byte === terminator) break
      if (byte !== delimiter) {
        if (wanted === 1) buffer[to++] = byte
        continue
      }
      field += 1
      wanted = chosen[Math.min(field, most)] as number
      if (wanted === 1) {
        if (any) {
          if (separator >= 0) buffer[to++] = separator
          else {
            built.length = to
            built.reserve(between.length + piece.length - at + 1)
            buffer = built.buffer
            buffer.set(between, to)
            to += between.length
          }
        }
        any = true
      } else if (field >= done) {
        at += 1
        while (at < piece.length && piece[at] !== terminator) at += 1
        break
      }
    }
    at += 1
    if (field === 1) {
      // No delimiter: the line as it is, or not at all.
      if (onlyDelimited) {
        to = lineStart
        continue
      }
      if (wanted === 0) {
        const end = at <= piece.length && piece[at - 1] === terminator ? at - 1 : piece.length
        for (let from = start; from < end; from++) buffer[to++] = piece[from] as number
      }
    }
    buffer[to++] = terminator
    // The longest the rest can get with a separator of one byte.
    if (to + (piece.length - at) + 1 > buffer.length) {
      built.length = to
      built.reserve(piece.length - at + 1)
      buffer = built.buffer
    }
  }
  built.length = to
}

/** Fields that end where lines do: the lines of the whole file are its fields. */
function cutLines(
  piece: Uint8Array,
  { ranges, terminator, between, onlyDelimited }: Plan,
  state: { field: number; any: boolean },
  built: ByteBuilder,
): void {
  for (let start = 0; start < piece.length; ) {
    let end = start
    while (end < piece.length && piece[end] !== terminator) end += 1
    const { field } = state
    // A single line without its end has no delimiter.
    if (field === 1 && end === piece.length) {
      if (!onlyDelimited) built.appendPart(piece, start, end)
      state.any = !onlyDelimited
      return
    }
    if (ranges.some(({ low, high }) => field >= low && field <= high)) {
      if (state.any) built.append(between)
      state.any = true
      built.appendPart(piece, start, end)
    }
    state.field += 1
    start = end + 1
  }
}
