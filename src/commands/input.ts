import { concat, decode } from '../bytes.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { ByteReader, CommandContext } from './command.ts'
import type { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { complainOf } from './utility.ts'

/**
 * Cuts a stream into pieces that end where a record ends, so that a piece can be decoded and worked on whole.
 * Only the last piece may lack its terminator.
 */
export class Records {
  readonly #from: ByteReader
  readonly #terminator: number
  #pending: Uint8Array[] = []
  #ended = false

  /** `terminator` is the byte that ends a record, newline when left out. */
  constructor(from: ByteReader, terminator = 10) {
    this.#from = from
    this.#terminator = terminator
  }

  /** One or more whole records as bytes; null at the end. */
  bytes(): MaybePromise<Uint8Array | null> {
    for (;;) {
      if (this.#ended) return null
      const chunk = this.#from.read()
      if (isPromise(chunk)) return chunk.then((read) => this.#take(read) ?? this.bytes())
      const piece = this.#take(chunk)
      if (piece !== undefined) return piece
    }
  }

  /** As {@link Records.bytes}, decoded. */
  text(): MaybePromise<string | null> {
    const bytes = this.bytes()
    if (isPromise(bytes)) return bytes.then((read) => (read === null ? null : decode(read)))
    return bytes === null ? null : decode(bytes)
  }

  /** What a chunk completes: a piece, null at the end, undefined when more is needed. */
  #take(chunk: Uint8Array | null): Uint8Array | null | undefined {
    if (chunk === null) {
      this.#ended = true
      const rest = this.#pending
      this.#pending = []
      return rest.length === 0 ? null : concat(rest)
    }
    const last = chunk.lastIndexOf(this.#terminator)
    if (last < 0) {
      this.#pending.push(chunk)
      return undefined
    }
    const whole = this.#pending.length === 0 ? chunk.subarray(0, last + 1) : concat([...this.#pending, chunk.subarray(0, last + 1)])
    this.#pending = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : []
    return whole
  }
}

/** Everything a stream holds, as one array. For input whose size is bounded by what the command keeps anyway. */
export function readAll(from: ByteReader): Promise<Uint8Array> {
  return Promise.resolve(proceed(wholeInput(from)))
}

/** As {@link readAll}, inside steps. */
export function* wholeInput(from: ByteReader): Steps<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = yield* wait(from.read())
    if (chunk === null) return concat(chunks)
    chunks.push(chunk)
  }
}

/** All that a file holds, inside steps. Fails as opening and reading it do. */
export function* wholeFile(name: string, context: CommandContext): Steps<Uint8Array> {
  const input = yield* wait(context.open(context.resolve(name)))
  try {
    return yield* wholeInput(input)
  } finally {
    yield* wait(input.close())
  }
}

/** The next chunk of a stream (or piece of {@link Records}); what has gathered in `output` goes out before waiting for it. */
export function* nextChunk(from: ByteReader | Records, output: Output): Steps<Uint8Array | null> {
  const chunk = from instanceof Records ? from.bytes() : from.read()
  if (!isPromise(chunk)) return chunk
  yield* wait(output.flush())
  return yield* wait(chunk)
}

/**
 * Opens each operand in turn (`-`, or none at all: standard input) and hands it over; one that can't be read is
 * reported and passed over. The status: 0, or 1 when any failed. `report` says what is printed for a failure, `NAME: REASON` when left out.
 */
export function* openEach(
  context: CommandContext,
  operands: readonly string[],
  use: (input: ByteReader, name: string) => Steps<void>,
  report: (name: string, error: unknown) => Steps<void> = (name, error) => wait(complainOf(context, quotedName(name), error)),
): Steps<number> {
  let status = 0
  for (const name of operands.length === 0 ? ['-'] : operands) {
    try {
      if (name === '-') {
        yield* use(context.stdin, name)
        continue
      }
      const input = yield* wait(context.open(context.resolve(name)))
      try {
        yield* use(input, name)
      } finally {
        yield* wait(input.close())
      }
    } catch (error) {
      yield* report(name, error)
      status = 1
    }
  }
  return status
}
