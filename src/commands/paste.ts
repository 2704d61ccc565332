import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import { isPromise } from '../host.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { openEach } from './input.ts'
import { lineEnds } from './line-ends.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complainOf, utility } from './utility.ts'

const HELP = `Usage: paste [OPTION]... [FILE]...
Write lines made of one line of each FILE, with tabs between them.
Standard input is read for - and where no FILE is given.

  -d, --delimiters=LIST    the characters of LIST in turn, instead of tabs
  -s, --serial             one file after another, the lines of each on one line
  -z, --zero-terminated    lines end in NUL, not in newline
      --help               show this help
      --version            show the version
`

/** `paste`: lines side by side. */
export const paste: Command = utility({
  help: HELP,
  options: { 'd|delimiters': 'required', 's|serial': 'none', 'z|zero-terminated': 'none' },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** A byte between two lines, or nothing. */
type Delimiter = number | null

function* run({ operands, has, value }: ParsedOptions, context: CommandContext): Steps<number> {
  const delimiters = delimitersOf(value('d') ?? '\t')
  const terminator = has('z') ? 0 : 10
  const names = operands.length === 0 ? ['-'] : operands
  return yield* has('s') ? serial(names, delimiters, terminator, context) : parallel(names, delimiters, terminator, context)
}

const ESCAPES: ReadonlyMap<number, Delimiter> = new Map<number, Delimiter>([
  [0x30, null],
  [0x62, 8],
  [0x66, 12],
  [0x6e, 10],
  [0x72, 13],
  [0x74, 9],
  [0x76, 11],
])

function delimitersOf(list: string): readonly Delimiter[] {
  const bytes = encode(list)
  const delimiters: Delimiter[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte !== 0x5c) {
      delimiters.push(byte)
      continue
    }
    at += 1
    const next = bytes[at]
    if (next === undefined) throw new CommandFailure(`delimiter list ends with an unescaped backslash: ${list}`)
    const known = ESCAPES.get(next)
    delimiters.push(known === undefined ? next : known)
  }
  return delimiters.length === 0 ? [null] : delimiters
}

interface Source {
  readonly lines: LineReader
  ended: boolean
}

const CHUNK = 65_536

function* parallel(names: readonly string[], delimiters: readonly Delimiter[], terminator: number, context: CommandContext): Steps<number> {
  let status = 0
  const sources: Source[] = []
  const opened: ByteReader[] = []
  // Operands - take turns on the one standard input.
  let standard: LineReader | null = null
  for (const name of names) {
    if (name === '-') {
      standard ??= new LineReader(context.stdin, terminator)
      sources.push({ lines: standard, ended: false })
      continue
    }
    try {
      const input = yield* wait(context.open(context.resolve(name)))
      opened.push(input)
      sources.push({ lines: new LineReader(input, terminator), ended: false })
    } catch (error) {
      yield* wait(complainOf(context, quotedName(name), error))
      if (hasCode(error, 'EISDIR')) {
        sources.push({ lines: new LineReader(context.stdin), ended: true })
        status = 1
        continue
      }
      return 1
    }
  }
  const output = new Output(context.stdout)
  const built = new ByteBuilder()
  for (;;) {
    // Nothing of a line is written before it is known that one of the files has more.
    let start = built.length
    let some = false
    for (const [index, source] of sources.entries()) {
      if (!source.ended) {
        let more = source.lines.advance()
        if (isPromise(more)) {
          if (start > 0 && index === 0) {
            output.bytes(built.take())
            yield* wait(output.flush())
            start = 0
          }
          more = yield* wait(more)
        }
        if (more) {
          some = true
          built.appendPart(source.lines.bytes, source.lines.start, source.lines.end)
        } else source.ended = true
      }
      if (index + 1 === sources.length) built.byte(terminator)
      else {
        const delimiter = delimiters[index % delimiters.length] as Delimiter
        if (delimiter !== null) built.byte(delimiter)
      }
    }
    if (!some) {
      built.length = start
      break
    }
    if (built.length < CHUNK) continue
    output.bytes(built.take())
    yield* wait(output.flush())
    yield* wait(context.pause())
  }
  output.bytes(built.take())
  yield* wait(output.flush())
  for (const input of opened) yield* wait(input.close())
  return status
}

function* serial(names: readonly string[], delimiters: readonly Delimiter[], terminator: number, context: CommandContext): Steps<number> {
  const output = new Output(context.stdout)
  const built = new ByteBuilder()
  const end = Uint8Array.of(terminator)
  return yield* openEach(
    context,
    names,
    function* (input) {
      // One newline behind: the last one ends the line and is no place for a delimiter.
      let pending = false
      let turn = 0
      for (;;) {
        const read = input.read()
        if (isPromise(read)) yield* wait(output.flush())
        const chunk = isPromise(read) ? yield* wait(read) : read
        if (chunk === null) break
        let start = 0
        for (const end of lineEnds(chunk, terminator)) {
          if (pending) {
            const delimiter = delimiters[turn] as Delimiter
            if (delimiter !== null) built.byte(delimiter)
            turn = turn + 1 === delimiters.length ? 0 : turn + 1
          }
          built.appendPart(chunk, start, end)
          pending = end < chunk.length
          start = end + 1
        }
        output.bytes(built.take())
        yield* wait(output.settle())
        yield* wait(context.pause())
      }
      output.bytes(end)
      yield* wait(output.flush())
    },
    function* (name, error) {
      if (hasCode(error, 'EISDIR')) {
        output.bytes(end)
        yield* wait(output.flush())
      }
      yield* wait(complainOf(context, quotedName(name), error))
    },
  )
}
