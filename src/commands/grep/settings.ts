import type { CommandContext } from '../command.ts'
import { hasByteCharacters } from '../locale.ts'
import type { OptionTable, ParsedOptions } from '../options.ts'
import { UsageError } from '../options.ts'
import { CommandFailure } from '../utility.ts'
import type { Colors } from './colors.ts'
import { colorsOf } from './colors.ts'
import { FileRules } from './file-filter.ts'

export type PatternSyntax = 'basic' | 'extended' | 'fixed' | 'perl'

/** Everything the options of grep say. */
export interface GrepSettings {
  readonly syntax: PatternSyntax
  /** Each `-e` and `-f` in order; the first operand where there are none. */
  readonly patternSources: readonly { readonly from: 'text' | 'file'; readonly value: string }[]
  readonly operands: readonly string[]
  readonly ignoreCase: boolean
  readonly words: boolean
  readonly wholeLines: boolean
  readonly invert: boolean
  readonly bytes: boolean
  /** What ends a line. */
  readonly terminator: '\n' | '\0'
  readonly maximum: number
  readonly before: number
  readonly after: number
  /** Null for none. */
  readonly separator: string | null
  readonly mode: 'lines' | 'count' | 'with-match' | 'without-match' | 'quiet'
  readonly onlyMatching: boolean
  readonly lineNumbers: boolean
  readonly byteOffsets: boolean
  /** Null: as the operands have it. */
  readonly fileNames: boolean | null
  readonly label: string
  readonly nullAfterName: boolean
  readonly initialTab: boolean
  readonly messages: boolean
  readonly binary: 'binary' | 'text' | 'without-match'
  readonly directories: 'read' | 'skip' | 'recurse'
  readonly followLinks: boolean
  readonly readDevices: boolean
  readonly filter: FileRules
  readonly colors: Colors | null
}

/** In GNU's order, which shows where an abbreviation is ambiguous. */
export const GREP_OPTIONS: OptionTable = {
  'G|basic-regexp': 'none',
  'E|extended-regexp': 'none',
  'F|fixed-regexp|fixed-strings': 'none',
  'P|perl-regexp': 'none',
  X: 'required',
  'A|after-context': 'required',
  'B|before-context': 'required',
  'binary-files': 'required',
  'U|binary': 'none',
  'b|byte-offset': 'none',
  'C|context': 'required',
  'color|colour': 'optional',
  'c|count': 'none',
  'D|devices': 'required',
  'd|directories': 'required',
  exclude: 'required',
  'exclude-from': 'required',
  'exclude-dir': 'required',
  'f|file': 'required',
  'l|files-with-matches': 'none',
  'L|files-without-match': 'none',
  'group-separator': 'required',
  help: 'none',
  include: 'required',
  'i|y|ignore-case': 'none',
  'no-ignore-case': 'none',
  'T|initial-tab': 'none',
  label: 'required',
  'line-buffered': 'none',
  'n|line-number': 'none',
  'x|line-regexp': 'none',
  'm|max-count': 'required',
  'h|no-filename': 'none',
  'no-group-separator': 'none',
  's|no-messages': 'none',
  'Z|null': 'none',
  'z|null-data': 'none',
  'o|only-matching': 'none',
  'q|quiet|silent': 'none',
  'r|recursive': 'none',
  'R|dereference-recursive': 'none',
  'e|regexp': 'required',
  'v|invert-match': 'none',
  'a|text': 'none',
  I: 'none',
  'u|unix-byte-offsets': 'none',
  'version|V': 'none',
  'H|with-filename': 'none',
  'w|word-regexp': 'none',
}

/** Thrown for a value of `--color` that GNU answers with the help text. */
export class HelpWanted extends Error {}

/** Understands the options. `syntax` is what the command's name stands for. */
export function grepSettings(parsed: ParsedOptions, context: CommandContext, syntax: PatternSyntax): GrepSettings {
  let matcher: PatternSyntax | null = syntax === 'basic' ? null : syntax
  let before = -1
  let after = -1
  let around = -1
  let maximum = Infinity
  let ignoreCase = false
  let separator: string | null = '--'
  let fileNames: boolean | null = null
  let binary: GrepSettings['binary'] = 'binary'
  let directories: GrepSettings['directories'] = 'read'
  let followLinks = false
  let readDevices: boolean | null = null
  let listing: 'with-match' | 'without-match' | null = null
  let colors = false
  const patternSources: { from: 'text' | 'file'; value: string }[] = []
  const filter = new FileRules()
  const choose = (next: PatternSyntax): void => {
    if (matcher !== null && matcher !== next) throw new CommandFailure('conflicting matchers specified', 2)
    matcher = next
  }
  for (const { name, value } of parsed.options) {
    const argument = value ?? ''
    switch (name) {
      case 'E':
        choose('extended')
        break
      case 'F':
        choose('fixed')
        break
      case 'G':
        choose('basic')
        break
      case 'P':
        choose('perl')
        break
      case 'X':
        choose(matcherNamed(argument))
        break
      case 'e':
        patternSources.push({ from: 'text', value: argument })
        break
      case 'f':
        patternSources.push({ from: 'file', value: argument })
        break
      case 'i':
        ignoreCase = true
        break
      case 'no-ignore-case':
        ignoreCase = false
        break
      case 'm':
        maximum = countArgument(argument)
        break
      case 'A':
        after = contextArgument(argument)
        break
      case 'B':
        before = contextArgument(argument)
        break
      case 'C':
      case 'NUM':
        around = contextArgument(argument)
        break
      case 'H':
        fileNames = true
        break
      case 'h':
        fileNames = false
        break
      case 'a':
        binary = 'text'
        break
      case 'I':
        binary = 'without-match'
        break
      case 'binary-files':
        if (argument !== 'binary' && argument !== 'text' && argument !== 'without-match')
          throw new CommandFailure('unknown binary-files type', 2)
        binary = argument
        break
      case 'd':
        directories = directoriesArgument(argument)
        break
      case 'D':
        if (argument !== 'read' && argument !== 'skip') throw new CommandFailure('unknown devices method', 2)
        readDevices = argument === 'read'
        break
      case 'r':
      case 'R':
        directories = 'recurse'
        followLinks = name === 'R'
        break
      case 'include':
        filter.addFile(argument, true)
        break
      case 'exclude':
        filter.addFile(argument, false)
        break
      case 'exclude-from':
        filter.addList(argument)
        break
      case 'exclude-dir':
        filter.addDirectory(argument)
        break
      case 'L':
        listing = 'without-match'
        break
      case 'l':
        listing = 'with-match'
        break
      case 'group-separator':
        separator = argument
        break
      case 'no-group-separator':
        separator = null
        break
      case 'color':
        colors = colorArgument(value, context)
        break
    }
  }
  const operands = [...parsed.operands]
  if (patternSources.length === 0) {
    const first = operands.shift()
    if (first === undefined) throw new UsageError('')
    patternSources.push({ from: 'text', value: first })
  }
  const has = (name: string): boolean => parsed.has(name)
  const onlyMatching = has('o')
  const mode = has('q') ? 'quiet' : (listing ?? (has('c') ? 'count' : 'lines'))
  const plain = mode !== 'lines'
  return {
    syntax: matcher ?? 'basic',
    patternSources,
    operands,
    ignoreCase,
    words: has('w'),
    wholeLines: has('x'),
    invert: has('v'),
    bytes: hasByteCharacters(context),
    terminator: has('z') ? '\0' : '\n',
    maximum,
    before: plain ? 0 : Math.max(before >= 0 ? before : around, 0),
    after: plain ? 0 : Math.max(after >= 0 ? after : around, 0),
    separator: mode === 'lines' && (before >= 0 || after >= 0 || around >= 0) ? separator : null,
    mode,
    onlyMatching,
    lineNumbers: has('n'),
    byteOffsets: has('b'),
    fileNames,
    label: parsed.value('label') ?? '(standard input)',
    nullAfterName: has('Z'),
    initialTab: has('T'),
    messages: !has('s'),
    binary,
    directories,
    followLinks,
    readDevices: readDevices ?? directories !== 'recurse',
    filter,
    colors: colors ? colorsOf(context.env.get('GREP_COLORS') ?? '') : null,
  }
}

function matcherNamed(name: string): PatternSyntax {
  switch (name) {
    case 'grep':
      return 'basic'
    case 'egrep':
    case 'awk':
    case 'gawk':
    case 'posixawk':
      return 'extended'
    case 'fgrep':
      return 'fixed'
    case 'perl':
      return 'perl'
    default:
      throw new CommandFailure(`invalid matcher ${name}`, 2)
  }
}

function countArgument(text: string): number {
  if (!/^\s*[-+]?\d+$/.test(text)) throw new CommandFailure('invalid max count', 2)
  const count = Number(text)
  return count < 0 ? Infinity : count
}

function contextArgument(text: string): number {
  if (!/^\s*\+?\d+$/.test(text)) throw new CommandFailure(`${text}: invalid context length argument`, 2)
  return Number(text)
}

function directoriesArgument(text: string): GrepSettings['directories'] {
  const found = (['read', 'recurse', 'skip'] as const).filter((action) => action.startsWith(text))
  if (found.length === 1) return found[0] as GrepSettings['directories']
  const problem = found.length === 0 ? 'invalid' : 'ambiguous'
  throw new UsageError(`${problem} argument ‘${text}’ for ‘--directories’\nValid arguments are:\n  - ‘read’\n  - ‘recurse’\n  - ‘skip’`)
}

function colorArgument(value: string | null, context: CommandContext): boolean {
  switch (value) {
    case 'always':
    case 'yes':
    case 'force':
      return true
    case 'never':
    case 'no':
    case 'none':
      return false
    case null:
    case 'auto':
    case 'tty':
    case 'if-tty':
      return context.isTerminal(1) && (context.env.get('TERM') ?? 'dumb') !== 'dumb'
    default:
      throw new HelpWanted()
  }
}
