import { concat } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { isPromise } from '../host.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { indexOfNth } from './count-byte.ts'
import { Records, wholeInput } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import { OLD_LINES, SPLIT_HELP, SPLIT_OPTIONS, type SplitPlan, splitPlan } from './split-options.ts'
import { SplitOutputs } from './split-outputs.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

/** `split`: one file into several. */
export const split: Command = utility({
  help: SPLIT_HELP,
  options: SPLIT_OPTIONS,
  numberOption: OLD_LINES,
  run: (parsed, context) => proceed(run(parsed, context)),
})

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  const plan = splitPlan(parsed, context)
  const { name } = plan
  let input: ByteReader
  try {
    input = name === '-' ? context.stdin : yield* wait(context.open(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    if (hasCode(error, 'EISDIR')) {
      const sized = plan.by.kind === 'chunks' || plan.by.kind === 'line-chunks'
      throw new CommandFailure(`${quotedName(name)}: ${sized ? 'cannot determine file size: ' : ''}${reason}`)
    }
    throw new CommandFailure(`cannot open ${quotedFile(name)} for reading: ${reason}`)
  }
  const outputs = new SplitOutputs(plan, context)
  switch (plan.by.kind) {
    case 'lines':
      yield* byLines(input, plan.by.count, plan, outputs, context)
      break
    case 'bytes':
      yield* byBytes(input, plan.by.count, outputs, context)
      break
    case 'line-bytes':
      yield* byLineBytes(input, plan.by.count, plan, outputs, context)
      break
    case 'chunks':
      yield* inChunks(input, plan, outputs, context)
      break
    case 'line-chunks':
      yield* inLineChunks(input, plan, outputs, context)
      break
    case 'rounds':
      yield* inRounds(input, plan, outputs, context)
      break
  }
  yield* outputs.close()
  if (name !== '-') yield* wait(input.close())
  return outputs.status
}

function* read(input: ByteReader): Steps<Uint8Array | null> {
  const chunk = input.read()
  return isPromise(chunk) ? yield* wait(chunk) : chunk
}

function* byLines(input: ByteReader, count: number, { separator }: SplitPlan, outputs: SplitOutputs, context: CommandContext): Steps<void> {
  let left = 0
  for (;;) {
    const chunk = yield* read(input)
    if (chunk === null) return
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        yield* outputs.next()
        left = count
      }
      const end = nthFrom(chunk, separator, left, at)
      const piece = chunk.subarray(at, end.at)
      yield* outputs.write(piece)
      left -= end.found
      at = end.at
    }
    yield* wait(context.pause())
  }
}

/** Behind the `nth` separator from `from` on, or the end, and how many there were. */
function nthFrom(chunk: Uint8Array, separator: number, nth: number, from: number): { at: number; found: number } {
  if (nth > 1024) {
    const place = indexOfNth(chunk.subarray(from), separator, nth)
    if (place >= 0) return { at: from + place + 1, found: nth }
  }
  let found = 0
  for (let at = from; at < chunk.length; at++) {
    if (chunk[at] !== separator) continue
    found += 1
    if (found === nth) return { at: at + 1, found }
  }
  return { at: chunk.length, found }
}

function* byBytes(input: ByteReader, count: number, outputs: SplitOutputs, context: CommandContext): Steps<void> {
  let left = 0
  for (;;) {
    const chunk = yield* read(input)
    if (chunk === null) return
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        yield* outputs.next()
        left = count
      }
      const piece = chunk.subarray(at, at + left)
      yield* outputs.write(piece)
      left -= piece.length
      at += piece.length
    }
    yield* wait(context.pause())
  }
}

/** As many whole lines as fit into `most` bytes; a longer line is cut. */
function* byLineBytes(
  input: ByteReader,
  most: number,
  { separator }: SplitPlan,
  outputs: SplitOutputs,
  context: CommandContext,
): Steps<void> {
  const records = new Records(input, separator)
  let room = 0
  for (;;) {
    const read = records.bytes()
    const piece = isPromise(read) ? yield* wait(read) : read
    if (piece === null) return
    for (let at = 0; at < piece.length; ) {
      let stop = lineEnd(piece, separator, at)
      if (!fits(piece, separator, at, stop, room) && (room < most || room === 0)) {
        room = most
        yield* outputs.next()
      }
      if (stop - at > room) stop = at + room
      else {
        for (let next = stop; next < piece.length; ) {
          next = lineEnd(piece, separator, stop)
          if (!fits(piece, separator, at, next, room)) break
          stop = next
        }
      }
      yield* outputs.write(piece.subarray(at, stop))
      room -= stop - at
      at = stop
    }
    yield* wait(context.pause())
  }
}

function lineEnd(piece: Uint8Array, separator: number, from: number): number {
  const newline = piece.indexOf(separator, from)
  return newline < 0 ? piece.length : newline + 1
}

/** A last line without its end must leave some room: GNU's split doesn't know yet that nothing follows. */
function fits(piece: Uint8Array, separator: number, from: number, to: number, room: number): boolean {
  return to - from < room || (to - from === room && piece[to - 1] === separator)
}

function* inChunks(input: ByteReader, { by, only, elide }: SplitPlan, outputs: SplitOutputs, context: CommandContext): Steps<void> {
  const bytes = yield* wholeInput(input)
  const size = Math.max(1, Math.floor(bytes.length / by.count))
  for (let chunk = 1; chunk <= by.count; chunk++) {
    const piece = bytes.subarray((chunk - 1) * size, chunk === by.count ? bytes.length : chunk * size)
    yield* give(piece, chunk, only, elide, outputs, context)
  }
}

/** Chunks as large as they are to be, and on to the end of the line. */
function* inLineChunks(
  input: ByteReader,
  { by, only, elide, separator }: SplitPlan,
  outputs: SplitOutputs,
  context: CommandContext,
): Steps<void> {
  const bytes = yield* wholeInput(input)
  const size = Math.max(1, Math.floor(bytes.length / by.count))
  let start = 0
  for (let chunk = 1; chunk <= by.count; chunk++) {
    const last = chunk === by.count ? bytes.length - 1 : chunk * size - 1
    let end = start
    if (last >= start) {
      const newline = bytes.indexOf(separator, last)
      end = newline < 0 ? bytes.length : newline + 1
    }
    yield* give(bytes.subarray(start, end), chunk, only, elide, outputs, context)
    start = end
  }
}

function* give(
  piece: Uint8Array,
  chunk: number,
  only: number | null,
  elide: boolean,
  outputs: SplitOutputs,
  context: CommandContext,
): Steps<void> {
  if (only !== null) {
    if (chunk === only && piece.length > 0) yield* wait(writeTo(context.stdout, piece))
    return
  }
  if (piece.length === 0 && elide) return
  yield* outputs.next()
  if (piece.length > 0) yield* outputs.write(piece)
  yield* wait(context.pause())
}

/** One line to each output in turn. */
function* inRounds(
  input: ByteReader,
  { by, only, elide, separator }: SplitPlan,
  outputs: SplitOutputs,
  context: CommandContext,
): Steps<void> {
  const records = new Records(input, separator)
  const parts: Uint8Array[][] = Array.from({ length: by.count }, () => [])
  if (only === null && !elide) for (let part = 0; part < by.count; part++) yield* outputs.next(part)
  let turn = 0
  for (;;) {
    const read = records.bytes()
    const piece = isPromise(read) ? yield* wait(read) : read
    if (piece === null) return
    for (let at = 0; at < piece.length; ) {
      const newline = piece.indexOf(separator, at)
      const end = newline < 0 ? piece.length : newline + 1
      parts[turn]?.push(piece.subarray(at, end))
      turn = (turn + 1) % by.count
      at = end
    }
    for (const [part, lines] of parts.entries()) {
      if (lines.length === 0) continue
      const joined = concat(lines)
      parts[part] = []
      if (only !== null) {
        if (part + 1 === only) yield* wait(writeTo(context.stdout, joined))
        continue
      }
      if (elide) yield* outputs.next(part)
      yield* outputs.write(joined, part)
    }
    yield* wait(context.pause())
  }
}
