import { decode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import { choice } from './choice.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { countByte } from './count-byte.ts'
import { wholeFile, wholeInput } from './input.ts'
import { hasByteCharacters } from './locale.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'
import { TextCounter } from './wc-counter.ts'

const HELP = `Usage: wc [OPTION]... [FILE]...
       wc [OPTION]... --files0-from=F
Count lines, words and bytes of each FILE, and of all together where there are several.
Standard input is read for - and where no FILE is given.

  -c, --bytes              bytes
  -m, --chars              characters
  -l, --lines              newlines
      --files0-from=F      read the names of the files, each ended by NUL, from F (standard input for -)
  -L, --max-line-length    columns of the widest line
  -w, --words              words: runs of characters that are not white space
      --total=WHEN         when a line of totals is written: auto, always, only, never
      --help               show this help
      --version            show the version
`

/** `wc`: lines, words, characters and bytes. */
export const wc: Command = utility({
  help: HELP,
  options: {
    'c|bytes': 'none',
    'm|chars': 'none',
    'l|lines': 'none',
    'L|max-line-length': 'none',
    'w|words': 'none',
    'files0-from': 'required',
    total: 'required',
  },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** The order they are written in. */
const COLUMNS = ['l', 'w', 'm', 'c', 'L'] as const
type Column = (typeof COLUMNS)[number]
type Counts = Record<Column, number>

function* run({ operands, has, value }: ParsedOptions, context: CommandContext): Steps<number> {
  const chosen = COLUMNS.filter(has)
  const columns: readonly Column[] = chosen.length > 0 ? chosen : ['l', 'w', 'c']
  const mode = value('total')
  const when = mode === null ? 'auto' : choice(context, '--total', mode, [['auto'], ['always'], ['only'], ['never']])
  const list = value('files0-from')
  const output = new Output(context.stdout)
  const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 }
  let status = 0

  let names: readonly (string | null)[] = operands.length === 0 ? [null] : operands
  if (list !== null) {
    if (operands[0] !== undefined) {
      throw new UsageError(`extra operand ${quoted(context, operands[0])}\nfile operands cannot be combined with --files0-from`)
    }
    names = yield* listed(list, context)
  }
  const width = when === 'only' || list === '-' ? 1 : yield* columnWidth(names, columns, operands.length > 0 || list !== null, context)
  const write = (counts: Counts, name: string | null) => {
    const numbers = columns.map((column) => String(counts[column]).padStart(width)).join(' ')
    output.text(name === null ? `${numbers}\n` : `${numbers} ${lineName(name)}\n`)
  }

  for (const [index, name] of names.entries()) {
    if (name === '') {
      yield* wait(output.flush())
      yield* wait(complain(context, `${list === null ? '' : `${quotedName(list)}:${index + 1}: `}invalid zero-length file name`))
      status = 1
      continue
    }
    if (list === '-' && name === '-') {
      yield* wait(output.flush())
      yield* wait(complain(context, `when reading file names from stdin, no file name of ${quotedFile('-')} allowed`))
      status = 1
      continue
    }
    let counts: Counts
    try {
      counts = yield* countFile(name, columns, context)
    } catch (error) {
      yield* wait(output.flush())
      yield* wait(complainOf(context, quotedName(name ?? '-'), error))
      status = 1
      // A directory can be opened, so GNU counts it, as nothing.
      if (errorText(error) !== 'Is a directory') continue
      counts = { l: 0, w: 0, m: 0, c: 0, L: 0 }
    }
    if (when !== 'only') write(counts, name)
    for (const column of COLUMNS) total[column] = column === 'L' ? Math.max(total.L, counts.L) : total[column] + counts[column]
    yield* wait(output.settle())
  }
  if (when === 'always' || when === 'only' || (when === 'auto' && names.length > 1)) write(total, when === 'only' ? null : 'total')
  yield* wait(output.flush())
  return status
}

function lineName(name: string): string {
  return name.includes('\n') ? quotedName(name) : name
}

function* listed(list: string, context: CommandContext): Steps<readonly string[]> {
  let bytes: Uint8Array
  try {
    bytes = list === '-' ? yield* wholeInput(context.stdin) : yield* wholeFile(list, context)
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`cannot open ${quotedFile(list)} for reading: ${errorText(error)}`)
  }
  const names = decode(bytes).split('\0')
  if (names.at(-1) === '') names.pop()
  return names
}

/** GNU's rule: as wide as the sizes of all files together, at least seven where one is no regular file. */
function* columnWidth(
  names: readonly (string | null)[],
  columns: readonly Column[],
  named: boolean,
  context: CommandContext,
): Steps<number> {
  if (columns.length === 1 && names.length === 1) return 1
  let total = 0
  let least = 1
  const standardInput = context.inputFile ?? '/dev/stdin'
  for (const name of named ? names : [standardInput]) {
    if (name === null || name === '') continue
    try {
      const stat = yield* wait(context.fs.stat(name === '-' ? standardInput : context.resolve(name)))
      if (stat.type === 'file') total += stat.size
      else least = 7
    } catch (error) {
      if (!isExpected(error)) throw error
      if (name === '-' || !named) least = 7
    }
  }
  return Math.max(String(total).length, least)
}

function* countFile(name: string | null, columns: readonly Column[], context: CommandContext): Steps<Counts> {
  if (name === null || name === '-') return yield* count(context.stdin, columns, context)
  const path = context.resolve(name)
  if (columns.length === 1 && columns[0] === 'c') {
    const stat = yield* wait(context.fs.stat(path))
    if (stat.type === 'file' && stat.size > 0) return { l: 0, w: 0, m: 0, c: stat.size, L: 0 }
  }
  const input = yield* wait(context.open(path))
  try {
    return yield* count(input, columns, context)
  } finally {
    yield* wait(input.close())
  }
}

function* count(input: ByteReader, columns: readonly Column[], context: CommandContext): Steps<Counts> {
  const bytesOnly = hasByteCharacters(context)
  const simple = columns.every((column) => column === 'l' || column === 'c' || (column === 'm' && bytesOnly))
  const counter = simple ? null : new TextCounter({ characters: !bytesOnly, widths: columns.includes('L') })
  let lines = 0
  let size = 0
  const lineWise = columns.includes('l')
  for (;;) {
    const chunk = yield* wait(input.read())
    if (chunk === null) break
    size += chunk.length
    if (lineWise) lines += countByte(chunk, 10)
    counter?.add(chunk)
    yield* wait(context.pause())
  }
  counter?.finish()
  return { l: lines, w: counter?.words ?? 0, m: counter?.characters ?? size, c: size, L: counter?.longest ?? 0 }
}
