import type { Command, CommandContext } from './command.ts'
import { nextChunk } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { parseSet, type SetItem, unescapeSet } from './tr-set.ts'
import { translation } from './tr-translation.ts'
import { CommandFailure, complain, utility } from './utility.ts'

const HELP = `Usage: tr [OPTION]... STRING1 [STRING2]
Translate, squeeze or delete bytes of standard input, writing to standard output.

  -c, -C, --complement     use all bytes that are not in STRING1
  -d, --delete             delete the bytes of STRING1, translate none
  -s, --squeeze-repeats    write one of several same bytes in a row, of those in the last STRING
  -t, --truncate-set1      first cut STRING1 to the length of STRING2
      --help               show this help
      --version            show the version

A STRING is bytes as they are and
  \\NNN \\\\ \\a \\b \\f \\n \\r \\t \\v   a byte by its octal number, a backslash, control characters
  A-B                           all from A to B
  [A*] [A*N]                    in STRING2: as many A as STRING1 is long, N times A (octal when N starts with 0)
  [:CLASS:]                     alnum alpha blank cntrl digit graph lower print punct space upper xdigit
  [=A=]                         all that are equivalent to A
`

/** `tr`: other bytes for bytes. */
export const tr: Command = utility({
  help: HELP,
  options: { 'c|C|complement': 'none', 'd|delete': 'none', 's|squeeze-repeats': 'none', 't|truncate-set1': 'none' },
  operandsEndOptions: true,
  run: (parsed, context) => proceed(run(parsed, context)),
})

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  checkOperands(parsed, context)
  const { operands, has } = parsed
  const first = yield* readSet(operands[0] ?? '', context)
  const second = operands[1] === undefined ? null : yield* readSet(operands[1], context)
  if (first.some(({ kind, count }) => kind === 'repeat' && count === null)) {
    throw new CommandFailure('the [c*] repeat construct may not appear in string1')
  }
  const fills = second?.filter(({ kind, count }) => kind === 'repeat' && count === null).length ?? 0
  if (fills > 1) throw new CommandFailure('only one [c*] repeat construct may appear in string2')
  const translating = second !== null && !has('d')
  if (!translating && fills > 0) throw new CommandFailure('the [c*] construct may appear in string2 only when translating')

  const members = membersOf(first, has('c'))
  const table = translating ? translation(first, second, { complement: has('c'), truncate: has('t') }) : null
  const deleted = has('d') ? members : null
  const squeezed = has('s') ? (second === null ? members : membersOf(second, false)) : null
  return yield* convert(makeConverter(table, deleted, squeezed), context)
}

function checkOperands({ operands, has }: ParsedOptions, context: CommandContext): void {
  const last = operands.at(-1)
  if (last === undefined) throw new UsageError('missing operand')
  const least = has('d') === has('s') ? 2 : 1
  const most = has('d') && !has('s') ? 1 : 2
  if (operands.length < least) {
    const why = has('s')
      ? 'Two strings must be given when both deleting and squeezing repeats.'
      : 'Two strings must be given when translating.'
    throw new UsageError(`missing operand after ${quoted(context, last)}\n${why}`)
  }
  if (operands.length <= most) return
  const why = operands.length === 2 ? '\nOnly one string may be given when deleting without squeezing repeats.' : ''
  throw new UsageError(`extra operand ${quoted(context, operands[most] as string)}${why}`)
}

function* readSet(text: string, context: CommandContext): Steps<readonly SetItem[]> {
  const warnings: string[] = []
  const bytes = unescapeSet(text, warnings)
  for (const warning of warnings) yield* wait(complain(context, `warning: ${warning}`))
  return parseSet(bytes, context)
}

function membersOf(items: readonly SetItem[], complement: boolean): Uint8Array {
  const members = new Uint8Array(256).fill(complement ? 1 : 0)
  for (const { bytes } of items) for (const byte of bytes) members[byte] = complement ? 0 : 1
  return members
}

type Converter = (chunk: Uint8Array) => Uint8Array

function makeConverter(table: Uint8Array | null, deleted: Uint8Array | null, squeezed: Uint8Array | null): Converter {
  const translate = table === null ? null : translator(table)
  if (squeezed === null && translate !== null) return translate
  let last = -1
  const dropped = deleted ?? new Uint8Array(256)
  return (chunk) => {
    const result = translate === null ? new Uint8Array(chunk.length) : translate(chunk)
    const from = translate === null ? chunk : result
    let to = 0
    if (squeezed === null) {
      for (let at = 0; at < from.length; at++) {
        const byte = from[at] as number
        // Written in any case, kept by going on: no branch to mispredict.
        result[to] = byte
        to += 1 - (dropped[byte] as number)
      }
      return result.subarray(0, to)
    }
    for (let at = 0; at < from.length; at++) {
      const byte = from[at] as number
      const keep = 1 - (dropped[byte] as number)
      result[to] = byte
      // A byte that is squeezed goes when the one kept before it is the same.
      to += byte === last ? keep & (1 - (squeezed[byte] as number)) : keep
      last = keep === 1 ? byte : last
    }
    return result.subarray(0, to)
  }
}

/** Translates two bytes at a time once there is much to translate; a table of pairs isn't made for less. */
function translator(table: Uint8Array): Converter {
  let pairs: Uint16Array | null = null
  let seen = 0
  return (chunk) => {
    const length = chunk.length
    const result = new Uint8Array(length)
    seen += length
    let at = 0
    if (seen > MUCH && (chunk.byteOffset & 3) === 0) {
      pairs ??= pairTable(table)
      at = length & ~3
      translateWords(new Uint32Array(chunk.buffer, chunk.byteOffset, at >> 2), new Uint32Array(result.buffer, 0, at >> 2), pairs)
    }
    for (; at < length; at++) result[at] = table[chunk[at] as number] as number
    return result
  }
}

const MUCH = 262_144

function pairTable(table: Uint8Array): Uint16Array {
  const pairs = new Uint16Array(65_536)
  for (let pair = 0; pair < 65_536; pair++) pairs[pair] = (table[pair & 255] as number) | ((table[pair >> 8] as number) << 8)
  return pairs
}

function translateWords(from: Uint32Array, to: Uint32Array, pairs: Uint16Array): void {
  for (let at = 0; at < from.length; at++) {
    const word = from[at] as number
    to[at] = (pairs[word & 65_535] as number) | ((pairs[word >>> 16] as number) << 16)
  }
}

function* convert(converter: Converter, context: CommandContext): Steps<number> {
  const output = new Output(context.stdout)
  for (;;) {
    const chunk = yield* nextChunk(context.stdin, output)
    if (chunk === null) break
    output.bytes(converter(chunk))
    yield* wait(output.settle())
    yield* wait(context.pause())
  }
  yield* wait(output.flush())
  return 0
}
