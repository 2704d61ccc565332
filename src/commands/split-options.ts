import { encode } from '../bytes.ts'
import type { CommandContext } from './command.ts'
import { type OptionTable, type ParsedOptions, UsageError } from './options.ts'
import { quoted } from './quoting.ts'
import { parseSize } from './size.ts'
import { CommandFailure } from './utility.ts'

/** What `split --help` prints. */
export const SPLIT_HELP = `Usage: split [OPTION]... [FILE [PREFIX]]
Write pieces of FILE to PREFIXaa, PREFIXab and so on; pieces of 1000 lines, and PREFIX x, unless told.
Standard input is read for - and where no FILE is given.

  -a, --suffix-length=N         suffixes of N characters instead of 2
      --additional-suffix=TEXT  TEXT stands behind the suffix
  -b, --bytes=SIZE              SIZE bytes to a file
  -C, --line-bytes=SIZE         as many lines as fit into SIZE bytes
  -d                            suffixes of digits
      --numeric-suffixes[=FROM] same, starting at FROM
  -x                            suffixes of hexadecimal digits
      --hex-suffixes[=FROM]     same, starting at FROM
  -e, --elide-empty-files       no empty files with -n
      --filter=COMMAND          write to COMMAND, run by a shell with the file name in $FILE
  -l, --lines=NUMBER            NUMBER lines to a file
  -n, --number=CHUNKS           CHUNKS files
  -t, --separator=SEP           lines end in SEP instead of newline; \\0 is NUL
  -u, --unbuffered              accepted and ignored
      --verbose                 say when a file is begun
      --help                    show this help
      --version                 show the version

SIZE may end in K (1024), KB (1000), M, MB, G, GB, and so on for T P E Z Y.
CHUNKS is N for as many files by size, K/N for the Kth of them to standard output, l/N and l/K/N for the same without
cutting lines, r/N and r/K/N for the same with one line to each file in turn.
`

export const SPLIT_OPTIONS: OptionTable = {
  'a|suffix-length': 'required',
  'additional-suffix': 'required',
  'b|bytes': 'required',
  'C|line-bytes': 'required',
  d: 'none',
  'numeric-suffixes': 'optional',
  x: 'none',
  'hex-suffixes': 'optional',
  'e|elide-empty-files': 'none',
  filter: 'required',
  'l|lines': 'required',
  'n|number': 'required',
  't|separator': 'required',
  'u|unbuffered': 'none',
  verbose: 'none',
}

/** The option that `-20`, the old way to write `-l20`, becomes. */
export const OLD_LINES = '-'

/** All that was asked of `split`. */
export interface SplitPlan {
  readonly name: string
  readonly prefix: string
  readonly by: { readonly kind: 'lines' | 'bytes' | 'line-bytes' | 'chunks' | 'line-chunks' | 'rounds'; readonly count: number }
  /** The one chunk that is wanted, on standard output. */
  readonly only: number | null
  readonly elide: boolean
  readonly separator: number
  readonly alphabet: string
  readonly suffixLength: number
  readonly mayGrow: boolean
  /** Number of the first suffix. */
  readonly start: number
  readonly additionalSuffix: string
  readonly filter: string | null
  readonly verbose: boolean
}

type Way = SplitPlan['by']

/** Understands the options; what can't be ends the command. */
export function splitPlan({ options, operands, has, value }: ParsedOptions, context: CommandContext): SplitPlan {
  let by: Way | null = null
  let only: number | null = null
  let length = 0
  let separator = -1
  let alphabet = 'abcdefghijklmnopqrstuvwxyz'
  let start: string | null = null
  let digits = ''
  const choose = (way: () => Way) => {
    if (by !== null) throw new UsageError('cannot split in more than one way')
    by = way()
  }
  for (const option of options) {
    const text = option.value ?? ''
    if (option.name === OLD_LINES) {
      // Of several numbers the last one counts.
      if (digits !== '') by = null
      choose(() => ({ kind: 'lines', count: Number(text) }))
      digits = text
      continue
    }
    switch (option.name) {
      case 'l':
        choose(() => ({ kind: 'lines', count: count(text, 'lines', context) }))
        break
      case 'b':
        choose(() => ({ kind: 'bytes', count: count(text, 'bytes', context) }))
        break
      case 'C':
        choose(() => ({ kind: 'line-bytes', count: count(text, 'bytes', context) }))
        break
      case 'n':
        choose(() => {
          const chunks = parseChunks(text, context)
          only = chunks.only
          return chunks.by
        })
        break
      case 'a':
        if (!/^\s*\+?[0-9]+$/.test(text)) throw new CommandFailure(`invalid suffix length: ${quoted(context, text)}`)
        length = Number(text)
        break
      case 'additional-suffix':
        if (text.includes('/')) throw new UsageError(`invalid suffix ${quoted(context, text)}, contains directory separator`)
        break
      case 'd':
      case 'numeric-suffixes':
      case 'x':
      case 'hex-suffixes': {
        const hex = option.name === 'x' || option.name === 'hex-suffixes'
        alphabet = hex ? '0123456789abcdef' : '0123456789'
        if (option.value === null) break
        start = text.replace(/^0+(?=.)/, '')
        if (!(hex ? /^[0-9a-f]+$/ : /^[0-9]+$/).test(start)) {
          const kind = hex ? 'hexadecimal' : 'numerical'
          throw new UsageError(`${quoted(context, text)}: invalid start value for ${kind} suffix`)
        }
        break
      }
      case 't': {
        const byte = separatorByte(text, context)
        if (separator >= 0 && separator !== byte) throw new CommandFailure('multiple separator characters specified')
        separator = byte
        break
      }
    }
  }
  const way: Way = by ?? { kind: 'lines', count: 1000 }
  if (way.count === 0) throw new CommandFailure(`invalid number of lines: ${quoted(context, digits)}`)
  if (value('filter') !== null && only !== null) throw new UsageError('--filter does not process a chunk extracted to stdout')
  const [name = '-', prefix = 'x', extra] = operands
  if (extra !== undefined) throw new UsageError(`extra operand ${quoted(context, extra)}`)
  const from = start === null ? 0 : Number.parseInt(start, alphabet.length)
  const suffixes = suffixLengthOf(way, length, alphabet, start, from)
  return {
    name,
    prefix,
    by: way,
    only,
    elide: has('e'),
    separator: separator < 0 ? 10 : separator,
    alphabet,
    ...suffixes,
    start: from,
    additionalSuffix: value('additional-suffix') ?? '',
    filter: value('filter'),
    verbose: has('verbose'),
  }
}

function count(text: string, what: string, context: CommandContext): number {
  const size = parseSize(text)
  if (size >= 1) return size
  throw new CommandFailure(`invalid number of ${what}: ${quoted(context, text)}${size === 0 ? ': Numerical result out of range' : ''}`)
}

function parseChunks(text: string, context: CommandContext): { by: Way; only: number | null } {
  const [, kind = '', only, total = ''] = /^([lr]\/)?(?:([^/]*)\/)?(.*)$/s.exec(text) ?? []
  const number = count(total, 'chunks', context)
  let chunk: number | null = null
  if (only !== undefined) {
    chunk = parseSize(only)
    if (!(chunk >= 1 && chunk <= number)) {
      const reason = Number.isNaN(chunk) ? '' : ': Numerical result out of range'
      throw new CommandFailure(`invalid chunk number: ${quoted(context, only)}${reason}`)
    }
  }
  return { by: { kind: kind === 'l/' ? 'line-chunks' : kind === 'r/' ? 'rounds' : 'chunks', count: number }, only: chunk }
}

function separatorByte(text: string, context: CommandContext): number {
  if (text === '') throw new CommandFailure('empty record separator')
  if (text === '\\0') return 0
  const bytes = encode(text)
  if (bytes.length > 1) throw new CommandFailure(`multi-character separator ${quoted(context, text)}`)
  return bytes[0] as number
}

/** Two characters that may become more; as many as the number of files takes where that is known; or as told. */
function suffixLengthOf(
  way: Way,
  asked: number,
  alphabet: string,
  start: string | null,
  from: number,
): { readonly suffixLength: number; readonly mayGrow: boolean } {
  let needed = 0
  const isNumber = way.kind === 'chunks' || way.kind === 'line-chunks' || way.kind === 'rounds'
  if (isNumber) {
    let last = way.count - 1 + (start !== null && from < way.count ? from : 0)
    do {
      needed += 1
      last = Math.floor(last / alphabet.length)
    } while (last > 0)
  }
  if (asked > 0 && asked < needed) throw new CommandFailure(`the suffix length needs to be at least ${needed}`)
  const suffixLength = asked > 0 ? asked : Math.max(2, needed)
  if (start !== null && start.length > suffixLength) {
    const kind = alphabet.length === 10 ? 'numerical' : 'hexadecimal'
    throw new UsageError(`${kind} suffix start value is too large for the suffix length`)
  }
  return { suffixLength, mayGrow: asked === 0 && start === null && !isNumber }
}
