import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, ByteWriter, CommandContext } from './command.ts'
import { LineReader } from './line-reader.ts'
import { Output } from './output.ts'
import { lineComparison, type SortPlan } from './sort-compare.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

const CHUNK = 131_072

/** Writes the lines of streams that are each in order, all in order; of equal lines those of earlier streams first. */
export function* mergeStreams(inputs: readonly ByteReader[], plan: SortPlan, target: ByteWriter, context: CommandContext): Steps<void> {
  const compare = lineComparison(plan)
  const precedes = (a: Source, b: Source) => {
    const first = a.lines
    const second = b.lines
    const difference = compare(first.bytes, first.start, first.end, second.bytes, second.start, second.end)
    return difference < 0 || (difference === 0 && a.index < b.index)
  }
  const heap: Source[] = []
  for (const [index, input] of inputs.entries()) {
    const lines = new LineReader(input, plan.terminator)
    if (!(yield* wait(lines.advance()))) continue
    heap.push({ index, lines })
  }
  for (let at = heap.length >> 1; at >= 0; at--) sink(heap, at, precedes)

  const output = new Output(target)
  const built = new ByteBuilder()
  let [bytes, start, end]: [Uint8Array | null, number, number] = [null, 0, 0]
  while (heap.length > 0) {
    const { lines } = heap[0] as Source
    const repeats = plan.unique && bytes !== null && compare(bytes, start, end, lines.bytes, lines.start, lines.end) === 0
    if (!repeats) {
      built.appendPart(lines.bytes, lines.start, lines.end)
      built.byte(plan.terminator)
      if (plan.unique) ({ bytes, start, end } = lines)
    }
    if (built.length >= CHUNK) {
      output.bytes(built.take())
      yield* wait(output.flush())
      yield* wait(context.pause())
    }
    const advanced = lines.advance()
    const more = isPromise(advanced) ? yield* wait(advanced) : advanced
    if (!more) {
      const last = heap.pop() as Source
      if (heap.length > 0 && last.lines !== lines) heap[0] = last
    }
    sink(heap, 0, precedes)
  }
  output.bytes(built.take())
  yield* wait(output.flush())
}

interface Source {
  readonly index: number
  readonly lines: LineReader
}

/** Lets a source go down in the heap to where it belongs: the one to be written next stands at the top. */
function sink(heap: Source[], from: number, precedes: (a: Source, b: Source) => boolean): void {
  const source = heap[from]
  if (source === undefined) return
  let at = from
  for (;;) {
    let child = at * 2 + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && precedes(heap[child + 1] as Source, heap[child] as Source)) child += 1
    if (!precedes(heap[child] as Source, source)) break
    heap[at] = heap[child] as Source
    at = child
  }
  heap[at] = source
}
