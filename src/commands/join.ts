import { decode, encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { type JoinPlan, joinPlan, type OutputField } from './join-options.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import { isSortBlank, pastBlanks } from './sort-field.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: join [OPTION]... FILE1 FILE2
For each two lines of the files with the same join field, the first one unless told, write a line of both.
Both must be sorted by it. One of the files may be -, standard input.

  -a FILENUM             also lines of file FILENUM, 1 or 2, that have no partner
  -e STRING              STRING in place of fields that are missing or empty
  -i, --ignore-case      capital letters are as good as small ones
  -j FIELD               same as -1 FIELD -2 FIELD
  -o FORMAT              the fields to be written: FILENUM.FIELD or 0 for the join field, in a list; auto for as
                           many as the first lines have
  -t CHAR                fields end at CHAR, in and out
  -v FILENUM             only lines of file FILENUM that have no partner
  -1 FIELD               the join field of file 1
  -2 FIELD               the join field of file 2
      --check-order      fail where lines are not sorted, even if nothing comes of it
      --nocheck-order    don't look whether lines are sorted
      --header           the first lines are names of fields, to be joined whatever they are
  -z, --zero-terminated  lines end in NUL, not in newline
      --help             show this help
      --version          show the version
`

/** `join`: lines of two files that agree in a field. */
export const join: Command = utility({
  help: HELP,
  options: {
    a: 'required',
    e: 'required',
    'i|ignore-case': 'none',
    j: 'required',
    o: 'required',
    t: 'required',
    v: 'required',
    '1': 'required',
    '2': 'required',
    'check-order': 'none',
    'nocheck-order': 'none',
    header: 'none',
    'z|zero-terminated': 'none',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** A line and where its fields are: start and end of each in turn. */
interface FieldLine {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly fields: readonly number[]
}

const CHUNK = 65_536

function* run(parsed: ParsedOptions, context: CommandContext): Steps<number> {
  const plan = joinPlan(parsed, context)
  const output = new Output(context.stdout)
  const joining = new Joining(plan, output)
  const sources: JoinSource[] = []
  for (const [index, name] of plan.names.entries()) {
    let input: ByteReader
    try {
      input = name === '-' ? context.stdin : yield* wait(context.open(context.resolve(name)))
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(hasCode(error, 'EISDIR') ? 'read error: Is a directory' : `${quotedName(name)}: ${errorText(error)}`)
    }
    sources.push(new JoinSource(input, name, index as 0 | 1, plan, joining, context))
  }
  const [a, b] = sources as [JoinSource, JoinSource]
  try {
    yield* joinAll(a, b, plan, joining, context)
  } catch (error) {
    if (error instanceof Disorder) return 1
    throw error
  }
  joining.hand()
  yield* wait(output.flush())
  for (const source of sources) if (source.name !== '-') yield* wait(source.input.close())
  if (!a.warned && !b.warned) return 0
  yield* wait(complain(context, 'input is not in sorted order'))
  return 1
}

function* joinAll(a: JoinSource, b: JoinSource, plan: JoinPlan, joining: Joining, context: CommandContext): Steps<void> {
  yield* a.next()
  yield* b.next()
  joining.setWidths(a.line, b.line)
  if (plan.header && (a.line !== null || b.line !== null)) {
    joining.write(a.line, b.line)
    a.skipCheck()
    b.skipCheck()
    if (a.line !== null) yield* a.next()
    if (b.line !== null) yield* b.next()
  }
  for (let count = 1; a.line !== null && b.line !== null; count++) {
    const difference = joining.compare(a.line, b.line)
    if (difference !== 0) {
      const source = difference < 0 ? a : b
      if (plan.unpaired[source.index]) joining.writeAlone(source.line as FieldLine, source.index)
      yield* source.next()
      joining.unpaired = true
    } else yield* joinGroup(a, b, plan, joining)
    yield* joining.settle()
    if ((count & 1023) === 0) yield* wait(context.pause())
  }
  // What is left of one file has no partner; it is read to the end also where only its order is looked at.
  for (const source of [a, b]) {
    while (source.line !== null) {
      if (plan.unpaired[source.index]) joining.writeAlone(source.line, source.index)
      else if (plan.checkOrder === 'off' || (source.warned && !plan.unpaired[source.index])) break
      yield* source.next()
      yield* joining.settle()
    }
  }
}

/** Joins all lines of both files that have the same key as the present ones. */
function* joinGroup(a: JoinSource, b: JoinSource, plan: JoinPlan, joining: Joining): Steps<void> {
  const first = a.line as FieldLine
  const seconds: FieldLine[] = []
  const second = b.line as FieldLine
  const firsts: FieldLine[] = []
  while (a.line !== null && joining.compare(a.line, second) === 0) {
    firsts.push(a.line)
    yield* a.next()
  }
  while (b.line !== null && joining.compare(first, b.line) === 0) {
    seconds.push(b.line)
    yield* b.next()
  }
  if (!plan.paired) return
  for (const one of firsts) {
    for (const two of seconds) joining.write(one, two)
    yield* joining.settle()
  }
}

/** Lines are out of order, and that ends it. */
class Disorder extends Error {}

class JoinSource {
  readonly input: ByteReader
  readonly name: string
  readonly index: 0 | 1
  line: FieldLine | null = null
  warned = false
  readonly #lines: LineReader
  readonly #plan: JoinPlan
  readonly #joining: Joining
  readonly #context: CommandContext
  #before: FieldLine | null = null
  #number = 0
  #skipCheck = false

  constructor(input: ByteReader, name: string, index: 0 | 1, plan: JoinPlan, joining: Joining, context: CommandContext) {
    this.input = input
    this.name = name
    this.index = index
    this.#lines = new LineReader(input, plan.terminator)
    this.#plan = plan
    this.#joining = joining
    this.#context = context
  }

  *next(): Steps<void> {
    let more = this.#lines.advance()
    if (isPromise(more)) {
      yield* this.#joining.flush()
      more = yield* wait(more)
    }
    this.#before = this.line ?? this.#before
    if (!more) {
      this.line = null
      return
    }
    this.#number += 1
    const { bytes, start, end } = this.#lines
    this.line = { bytes, start, end, fields: splitFields(bytes, start, end, this.#plan.tab) }
    yield* this.#checkOrder(this.line)
  }

  /** The present line is a header: it doesn't matter how the next one stands to it. */
  skipCheck(): void {
    this.#skipCheck = true
  }

  *#checkOrder(line: FieldLine): Steps<void> {
    const skipped = this.#skipCheck
    this.#skipCheck = false
    const { checkOrder } = this.#plan
    if (skipped || this.#before === null || this.warned || checkOrder === 'off') return
    if (checkOrder === 'lenient' && !this.#joining.unpaired) return
    if (this.#joining.compareIn(this.#before, line, this.index) <= 0) return
    yield* this.#joining.flush()
    const text = decode(line.bytes.subarray(line.start, line.end))
    yield* wait(complain(this.#context, `${quotedName(this.name)}:${this.#number}: is not sorted: ${text}`))
    if (checkOrder === 'strict') throw new Disorder()
    this.warned = true
  }
}

class Joining {
  /** A line without a partner was seen: from now on the order matters. */
  unpaired = false
  readonly #plan: JoinPlan
  readonly #output: Output
  readonly #built = new ByteBuilder()
  readonly #empty: Uint8Array
  #widths: readonly [number, number] = [0, 0]

  constructor(plan: JoinPlan, output: Output) {
    this.#plan = plan
    this.#output = output
    this.#empty = encode(plan.empty ?? '')
  }

  setWidths(a: FieldLine | null, b: FieldLine | null): void {
    this.#widths = [(a?.fields.length ?? 0) / 2, (b?.fields.length ?? 0) / 2]
  }

  compare(a: FieldLine, b: FieldLine): number {
    return this.#compareKeys(a, this.#plan.fields[0], b, this.#plan.fields[1])
  }

  compareIn(a: FieldLine, b: FieldLine, index: 0 | 1): number {
    return this.#compareKeys(a, this.#plan.fields[index], b, this.#plan.fields[index])
  }

  write(a: FieldLine | null, b: FieldLine | null): void {
    const { format, auto, fields } = this.#plan
    const built = this.#built
    if (format !== null) {
      for (const [index, field] of format.entries()) {
        if (index > 0) this.#separate()
        this.#field(field, a, b)
      }
    } else {
      const [keyLine, keyField] = a !== null ? [a, fields[0]] : [b, fields[1]]
      this.#put(keyLine, keyField)
      for (const [line, key, width] of [
        [a, fields[0], this.#widths[0]],
        [b, fields[1], this.#widths[1]],
      ] as const) {
        const count = auto ? width : (line?.fields.length ?? 0) / 2
        for (let field = 0; field < count; field++) {
          if (field === key) continue
          this.#separate()
          this.#put(line, field)
        }
      }
    }
    built.byte(this.#plan.terminator)
  }

  writeAlone(line: FieldLine, index: 0 | 1): void {
    this.write(index === 0 ? line : null, index === 1 ? line : null)
  }

  hand(): void {
    this.#output.bytes(this.#built.take())
  }

  *flush(): Steps<void> {
    this.hand()
    yield* wait(this.#output.flush())
  }

  *settle(): Steps<void> {
    if (this.#built.length >= CHUNK) yield* this.flush()
  }

  #separate(): void {
    this.#built.byte(this.#plan.tab < 0 ? 32 : this.#plan.tab)
  }

  #field({ file, field }: OutputField, a: FieldLine | null, b: FieldLine | null): void {
    if (file === 1) this.#put(a, field)
    else if (file === 2) this.#put(b, field)
    else if (a !== null) this.#put(a, this.#plan.fields[0])
    else this.#put(b, this.#plan.fields[1])
  }

  #put(line: FieldLine | null, field: number): void {
    const start = line?.fields[field * 2]
    const end = line?.fields[field * 2 + 1]
    if (line === null || start === undefined || end === undefined || start === end) this.#built.append(this.#empty)
    else this.#built.appendPart(line.bytes, start, end)
  }

  #compareKeys(a: FieldLine, aField: number, b: FieldLine, bField: number): number {
    let i = a.fields[aField * 2] ?? 0
    const aEnd = a.fields[aField * 2 + 1] ?? 0
    let j = b.fields[bField * 2] ?? 0
    const bEnd = b.fields[bField * 2 + 1] ?? 0
    const { ignoreCase } = this.#plan
    for (; i < aEnd && j < bEnd; i++, j++) {
      const first = a.bytes[i] as number
      const second = b.bytes[j] as number
      if (first === second) continue
      const difference = ignoreCase ? upper(first) - upper(second) : first - second
      if (difference !== 0) return difference
    }
    return aEnd - i - (bEnd - j)
  }
}

function upper(byte: number): number {
  return byte >= 97 && byte <= 122 ? byte - 32 : byte
}

function splitFields(bytes: Uint8Array, start: number, end: number, tab: number): readonly number[] {
  const fields: number[] = []
  if (start === end) return fields
  if (tab >= 0) {
    let from = start
    for (let at = start; at < end; at++) {
      if (bytes[at] !== tab) continue
      fields.push(from, at)
      from = at + 1
    }
    fields.push(from, end)
    return fields
  }
  let at = pastBlanks(bytes, start, end)
  if (at === end) return fields
  for (;;) {
    const from = at
    while (at < end && !isSortBlank(bytes[at] as number)) at += 1
    fields.push(from, at)
    if (at === end) return fields
    at = pastBlanks(bytes, at, end)
    if (at < end) continue
    // Blanks at the end are taken for the start of one more field.
    fields.push(end, end)
    return fields
  }
}
