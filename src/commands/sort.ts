import { decode, encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, ByteWriter, Command, CommandContext } from './command.ts'
import { countByte } from './count-byte.ts'
import { wholeInput } from './input.ts'
import { findAll } from './line-ends.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { writeTo } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import { lineComparison, type SortPlan } from './sort-compare.ts'
import { type Lines, orderLines } from './sort-lines.ts'
import { SORT_HELP, SORT_OPTIONS, type SortRequest, sortRequest, withoutOldSyntax } from './sort-options.ts'
import { mergeStreams } from './sort-streams.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

/** `sort`: lines in order. */
export const sort: Command = {
  run: (args, context) => modern.run(withoutOldSyntax(args), context),
}

const modern: Command = utility({
  help: SORT_HELP,
  options: SORT_OPTIONS,
  usageStatus: 2,
  run: (parsed, context) => proceed(run(parsed, context)),
})

const CHUNK = 131_072

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  const request = sortRequest(parsed, context)
  const names = yield* namesOf(request, context)
  const salt = request.random ? yield* saltOf(request.randomSource, context) : ([0, 0] as const)
  const plan: SortPlan = { ...request.plan, salt }
  for (const name of names) yield* checkReadable(name, context)
  if (request.output !== null) yield* touchOutput(request.output, context)
  if (request.check !== null) return yield* check(names[0] ?? '-', request.check, plan, context)

  // The output may be one of the inputs, so it is opened when all of them have been read.
  if (request.merge && request.output === null) {
    yield* mergeFiles(names, plan, context.stdout, context)
    return 0
  }
  if (request.merge) {
    const kept: Uint8Array[] = []
    yield* mergeFiles(names, plan, { write: (bytes) => void kept.push(bytes), close: () => undefined }, context)
    const target = yield* openOutput(request.output, context)
    for (const chunk of kept) yield* wait(writeTo(target, chunk))
    yield* wait(target.close())
    return 0
  }
  const lines = yield* readLines(names, plan.terminator, context)
  const ordered = yield* orderLines(lines, plan, context)
  const target = request.output === null ? context.stdout : yield* openOutput(request.output, context)
  yield* writeLines(lines, ordered.order, ordered.repeated, target, context)
  if (request.output !== null) yield* wait(target.close())
  return 0
}

function* namesOf({ operands, filesFrom }: SortRequest, context: CommandContext): Steps<readonly string[]> {
  if (filesFrom === null) return operands.length === 0 ? ['-'] : operands
  let list: Uint8Array
  try {
    const input = filesFrom === '-' ? context.stdin : yield* wait(context.open(context.resolve(filesFrom)))
    list = yield* wholeInput(input)
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`open failed: ${quotedName(filesFrom)}: ${errorText(error)}`, 2)
  }
  const names = decode(list).split('\0')
  if (names.at(-1) === '') names.pop()
  if (names.length === 0) throw new CommandFailure(`no input from ${quoted(context, filesFrom)}`, 2)
  for (const [index, name] of names.entries()) {
    if (name === '') throw new CommandFailure(`${quotedName(filesFrom)}:${index + 1}: invalid zero-length file name`, 2)
    if (name === '-' && filesFrom === '-') {
      throw new CommandFailure(`when reading file names from stdin, no file name of ${quoted(context, '-')} allowed`, 2)
    }
  }
  return names
}

function* saltOf(source: string | null, context: CommandContext): Steps<readonly [number, number]> {
  const salt = new Uint8Array(8)
  if (source === null) context.host.random(salt)
  else {
    try {
      const input = yield* wait(context.open(context.resolve(source)))
      let filled = 0
      while (filled < salt.length) {
        const chunk = yield* wait(input.read())
        if (chunk === null) throw new CommandFailure(`${quotedName(source)}: end of file`, 2)
        salt.set(chunk.subarray(0, salt.length - filled), filled)
        filled += chunk.length
      }
      yield* wait(input.close())
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`open failed: ${quotedName(source)}: ${errorText(error)}`, 2)
    }
  }
  const words = new Uint32Array(salt.buffer)
  return [words[0] as number, words[1] as number]
}

function* checkReadable(name: string, context: CommandContext): Steps<void> {
  if (name === '-') return
  try {
    yield* wait(context.fs.stat(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`cannot read: ${quotedName(name)}: ${errorText(error)}`, 2)
  }
}

function* openInput(name: string, context: CommandContext): Steps<ByteReader> {
  if (name === '-') return context.stdin
  try {
    return yield* wait(context.open(context.resolve(name)))
  } catch (error) {
    throw readFailure(name, error)
  }
}

function readFailure(name: string, error: unknown): unknown {
  if (!isExpected(error)) return error
  const action = hasCode(error, 'EISDIR') ? 'read failed' : hasCode(error, 'EACCES') ? 'cannot read' : 'open failed'
  return new CommandFailure(`${action}: ${quotedName(name)}: ${errorText(error)}`, 2)
}

function* openOutput(name: string | null, context: CommandContext): Steps<ByteWriter> {
  if (name === null) return context.stdout
  try {
    return yield* wait(context.create(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`open failed: ${quotedName(name)}: ${errorText(error)}`, 2)
  }
}

/** Finds out before the work is done whether there can be an output, and leaves what the file holds: it may be read. */
function* touchOutput(name: string, context: CommandContext): Steps<void> {
  try {
    const target = yield* wait(context.create(context.resolve(name), { append: true }))
    yield* wait(target.close())
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`open failed: ${quotedName(name)}: ${errorText(error)}`, 2)
  }
}

/** All lines of all inputs; a last line without its terminator is given one by being a line of its own. */
function* readLines(names: readonly string[], terminator: number, context: CommandContext): Steps<Lines> {
  const chunks: Uint8Array[] = []
  let size = 0
  let count = 0
  for (const name of names) {
    const input = yield* openInput(name, context)
    let last = terminator
    try {
      for (;;) {
        const chunk = yield* wait(input.read())
        if (chunk === null) break
        chunks.push(chunk)
        size += chunk.length
        count += countByte(chunk, terminator)
        last = chunk[chunk.length - 1] as number
        yield* wait(context.pause())
      }
    } catch (error) {
      throw readFailure(name, error)
    }
    if (last !== terminator) {
      chunks.push(Uint8Array.of(terminator))
      size += 1
      count += 1
    }
    if (name !== '-') yield* wait(input.close())
  }
  const bytes = new Uint8Array(size)
  const from = new Uint32Array(count)
  const to = new Uint32Array(count)
  let filled = 0
  let line = 0
  for (const chunk of chunks) {
    bytes.set(chunk, filled)
    const next = findAll(chunk, terminator, to, line, filled)
    for (; line < next; line++) from[line] = line === 0 ? 0 : (to[line - 1] as number) + 1
    filled += chunk.length
    yield* wait(context.pause())
  }
  return { bytes, from, to }
}

function* writeLines(
  { bytes, from, to }: Lines,
  order: Uint32Array,
  repeated: Uint8Array | null,
  target: ByteWriter,
  context: CommandContext,
): Steps<void> {
  const built = new ByteBuilder()
  let at = 0
  while (at < order.length) {
    while (at < order.length && built.length < CHUNK) {
      if (repeated === null || repeated[at] === 0) {
        const line = order[at] as number
        built.appendPart(bytes, from[line] as number, (to[line] as number) + 1)
      }
      at += 1
    }
    yield* wait(writeTo(target, built.take()))
    yield* wait(context.pause())
  }
}

function* check(name: string, how: 'tell' | 'quiet', plan: SortPlan, context: CommandContext): Steps<number> {
  const compare = lineComparison(plan)
  const input = yield* openInput(name, context)
  const reader = new LineReader(input, plan.terminator)
  let [bytes, start, end]: [Uint8Array | null, number, number] = [null, 0, 0]
  for (let number = 1; yield* wait(reader.advance()); number++) {
    if (bytes !== null) {
      const difference = compare(bytes, start, end, reader.bytes, reader.start, reader.end)
      if (difference > 0 || (difference === 0 && plan.unique)) {
        if (how === 'quiet') return 1
        const text = decode(reader.bytes.subarray(reader.start, reader.end))
        const end = String.fromCharCode(plan.terminator)
        yield* wait(context.stderr.write(encode(`${context.name}: ${quotedName(name)}:${number}: disorder: ${text}${end}`)))
        return 1
      }
    }
    ;({ bytes, start, end } = reader)
    if ((number & 4095) === 0) yield* wait(context.pause())
  }
  return 0
}

function* mergeFiles(names: readonly string[], plan: SortPlan, target: ByteWriter, context: CommandContext): Steps<void> {
  const inputs: ByteReader[] = []
  for (const name of names) inputs.push(yield* openInput(name, context))
  try {
    yield* mergeStreams(inputs, plan, target, context)
  } catch (error) {
    throw readFailure(names[0] ?? '-', error)
  }
  for (const [index, input] of inputs.entries()) if (names[index] !== '-') yield* wait(input.close())
}
