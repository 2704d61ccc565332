import type { CommandContext } from './command.ts'
import { globMatcher } from './glob-match.ts'
import { hasByteCharacters } from './locale.ts'
import type { ColorTable } from './ls-colors.ts'
import { colorTable } from './ls-colors.ts'

export type TreeSort = 'name' | 'version' | 'mtime' | 'ctime' | 'size' | 'none'

/** What one call of `tree` is to do. */
export interface TreeOptions {
  readonly all: boolean
  readonly directoriesOnly: boolean
  readonly followLinks: boolean
  readonly fullPaths: boolean
  readonly oneFileSystem: boolean
  readonly levels: number
  readonly included: readonly ((name: string) => boolean)[]
  readonly ignored: readonly ((name: string) => boolean)[]
  readonly matchDirectories: boolean
  readonly prune: boolean
  readonly fileLimit: number
  readonly sort: TreeSort
  readonly reverse: boolean
  readonly first: 'directories' | 'files' | null
  readonly indent: boolean
  readonly lines: 'ascii' | 'utf-8'
  readonly colors: ColorTable | null
  readonly quote: boolean
  readonly classify: boolean
  readonly inodes: boolean
  readonly device: boolean
  readonly permissions: boolean
  readonly users: boolean
  readonly groups: boolean
  readonly sizes: 'none' | 'bytes' | 'human' | 'si'
  readonly date: string | null
  readonly usage: boolean
  readonly format: 'text' | 'json' | 'xml'
  readonly report: boolean
  readonly outputFile: string | null
}

type Read =
  | { readonly kind: 'options'; readonly options: TreeOptions; readonly operands: readonly string[] }
  | { readonly kind: 'help'; readonly text: 'help' | 'version' }
  | { readonly kind: 'fault'; readonly message: string }

const USAGE = `usage: tree [-acdfghilnpqrstuvxACDFJQNSUX] [-L level] [-I pattern] [-P pattern]
	[-o filename] [--version] [--help] [--charset=X] [--device] [--dirsfirst]
	[--du] [--filelimit=#] [--filesfirst] [--ignore-case] [--inodes]
	[--matchdirs] [--noreport] [--prune] [--si] [--sort=<name>]
	[--timefmt=<f>] [--] [directory ...]`

/** What `tree --help` prints. */
export const TREE_HELP: string = `${USAGE}
  What is listed
  -a            hidden files too
  -d            directories only
  -l            follow links to directories
  -f            the whole path of each file
  -x            stay on one file system
  -L N          at most N levels
  -P PATTERN    only files that match
  -I PATTERN    no files that match
  --ignore-case   letters match in either case
  --matchdirs   -P takes directories too
  --prune       no empty directories
  --filelimit=N no directories that hold more than N files
  --noreport    no counts at the end
  -o FILE       write to FILE
  What is shown
  -q -N         accepted
  -Q            names in double quotes
  -p            permissions
  -u            owner
  -g            group
  -s            size
  -h            size such as 1K 234M 2G
  --si          as -h, by powers of 1000
  --du          with -s: directories with all they hold
  -D            time of change
  --timefmt=F   its format
  -F            / after directories, * after programs
  --inodes      number of the file
  --device      number of the device
  Order
  -v            numbers in names by value
  -t            by time of change
  -c            by time of the last status change
  -U            unsorted
  -r            reversed
  --dirsfirst, --filesfirst
  --sort=WORD   name, version, size, mtime, ctime, none
  Looks
  -i            no lines
  -A -S         accepted
  -n -C         no colours, or always
  --charset=X   lines of this character set
  -X -J         XML, or JSON
`

/** Reads the arguments of `tree`, which has rules of its own: options anywhere, bundles, values in the next argument. */
export function treeOptions(args: readonly string[], context: CommandContext): Read {
  const flags = new Set<string>()
  const patterns: string[] = []
  const ignores: string[] = []
  const operands: string[] = []
  let levels = Number.POSITIVE_INFINITY
  let fileLimit = Number.POSITIVE_INFINITY
  let sort: TreeSort = 'name'
  let first: TreeOptions['first'] = null
  let sizes: TreeOptions['sizes'] = 'none'
  let timeFormat: string | null = null
  let outputFile: string | null = null
  let charset: string | null = null
  let colors: boolean | null = null
  const fault = (message: string): Read => ({ kind: 'fault', message: `tree: ${message}` })

  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=')
      const name = equals < 0 ? arg : arg.slice(0, equals)
      let value = equals < 0 ? null : arg.slice(equals + 1)
      if (value === null && ['--filelimit', '--charset', '--timefmt', '--sort'].includes(name)) {
        at += 1
        value = args[at] ?? null
        if (value === null || value === '') return fault(`Missing argument to ${name}=`)
      }
      switch (name) {
        case '--help':
          return { kind: 'help', text: 'help' }
        case '--version':
          return { kind: 'help', text: 'version' }
        case '--filelimit':
          fileLimit = Number(value) || Number.POSITIVE_INFINITY
          break
        case '--charset':
          charset = value
          break
        case '--timefmt':
          timeFormat = value
          flags.add('D')
          break
        case '--sort': {
          const words: readonly TreeSort[] = ['name', 'version', 'size', 'mtime', 'ctime', 'none']
          const word = words.find((known) => known === value)
          if (word === undefined) return fault(`sort type '${value}' not valid, should be one of: ${words.join(',')}`)
          sort = word
          break
        }
        case '--dirsfirst':
          first = 'directories'
          break
        case '--filesfirst':
          first = 'files'
          break
        case '--si':
          sizes = 'si'
          break
        case '--du':
          flags.add(name)
          if (sizes === 'none') sizes = 'bytes'
          break
        case '--device':
        case '--ignore-case':
        case '--inodes':
        case '--matchdirs':
        case '--noreport':
        case '--prune':
          flags.add(name)
          break
        default:
          return fault(`Invalid argument \`${arg}'.\n${USAGE}`)
      }
      continue
    }
    if (!arg.startsWith('-') || arg === '-') {
      operands.push(arg)
      continue
    }
    for (const letter of arg.slice(1)) {
      if ('LPIoTH'.includes(letter)) {
        at += 1
        const value = args[at]
        if (value === undefined) return fault(`Missing argument to -${letter} option.`)
        if (letter === 'L') {
          levels = Number.parseInt(value, 10)
          if (!(levels > 0)) return fault('Invalid level, must be greater than 0.')
        } else if (letter === 'P') patterns.push(value)
        else if (letter === 'I') ignores.push(value)
        else if (letter === 'o') outputFile = value
        else if (letter === 'H') return fault('HTML is not written here.')
        continue
      }
      switch (letter) {
        case 'C':
          colors = true
          break
        case 'n':
          colors ??= false
          break
        case 's':
          if (sizes === 'none') sizes = 'bytes'
          break
        case 'h':
          sizes = 'human'
          break
        case 't':
          sort = 'mtime'
          break
        case 'c':
          sort = 'ctime'
          break
        case 'v':
          sort = 'version'
          break
        case 'U':
          sort = 'none'
          break
        default:
          if (!'adlfxqNQpugDFirASXJ'.includes(letter)) return fault(`Invalid argument -\`${letter}'.\n${USAGE}`)
          flags.add(letter)
      }
    }
  }
  const ignoreCase = flags.has('--ignore-case')
  const match = (pattern: string): ((name: string) => boolean) => alternatives(pattern, ignoreCase)
  const table = colorTable(context.env.get('LS_COLORS') ?? context.env.get('TREE_COLORS'))
  const useColors = colors ?? (context.isTerminal(1) && context.env.has('LS_COLORS'))
  const isUtf8 = charset === null ? !hasByteCharacters(context) : /utf-?8/i.test(charset)
  return {
    kind: 'options',
    operands,
    options: {
      all: flags.has('a'),
      directoriesOnly: flags.has('d'),
      followLinks: flags.has('l'),
      fullPaths: flags.has('f'),
      oneFileSystem: flags.has('x'),
      levels,
      included: patterns.map(match),
      ignored: ignores.map(match),
      matchDirectories: flags.has('--matchdirs'),
      prune: flags.has('--prune'),
      fileLimit,
      sort,
      reverse: flags.has('r'),
      first,
      indent: !flags.has('i'),
      lines: isUtf8 ? 'utf-8' : 'ascii',
      colors: useColors && !('problem' in table) ? table : null,
      quote: flags.has('Q'),
      classify: flags.has('F'),
      inodes: flags.has('--inodes'),
      device: flags.has('--device'),
      permissions: flags.has('p'),
      users: flags.has('u'),
      groups: flags.has('g'),
      sizes,
      date: flags.has('D') ? (timeFormat ?? '') : null,
      usage: flags.has('--du'),
      format: flags.has('J') ? 'json' : flags.has('X') ? 'xml' : 'text',
      report: !flags.has('--noreport'),
      outputFile,
    },
  }
}

/** Patterns with `|` between them. */
function alternatives(pattern: string, ignoreCase: boolean): (name: string) => boolean {
  const matchers = pattern.split('|').map((part) => globMatcher(part, { ignoreCase }))
  return (name) => matchers.some((matches) => matches(name))
}
