import type { Zone } from '../time/zone.ts'
import { zone } from '../time/zone.ts'
import type { BlockSize } from './block-size.ts'
import { blockSizeOf, blocksOf, parseBlockSize } from './block-size.ts'
import { choice } from './choice.ts'
import type { CommandContext } from './command.ts'
import { globMatcher } from './glob-match.ts'
import { hasByteCharacters } from './locale.ts'
import type { ColorTable } from './ls-colors.ts'
import { colorTable } from './ls-colors.ts'
import type { ParsedOptions } from './options.ts'
import { quoted, quotedName } from './quoting.ts'
import { CommandFailure, complain } from './utility.ts'

export type LsFormat = 'long' | 'single' | 'columns' | 'across' | 'commas'
export type LsSort = 'name' | 'none' | 'time' | 'size' | 'extension' | 'version' | 'width'
export type LsIndicator = 'none' | 'slash' | 'file-type' | 'classify'
export type LsTime = 'mtimeMs' | 'atimeMs' | 'ctimeMs' | 'birthtimeMs'
export type QuotingStyle =
  | 'literal'
  | 'shell'
  | 'shell-always'
  | 'shell-escape'
  | 'shell-escape-always'
  | 'c'
  | 'c-maybe'
  | 'escape'
  | 'locale'
  | 'clocale'

/** What one call of `ls` is to do. */
export interface LsOptions {
  readonly format: LsFormat
  readonly sort: LsSort
  readonly reverse: boolean
  readonly time: LsTime
  readonly hidden: 'none' | 'almost' | 'all'
  /** True for a name that is left out. */
  readonly ignored: (name: string) => boolean
  readonly directoriesThemselves: boolean
  readonly directoriesFirst: boolean
  readonly recursive: boolean
  /** Which symbolic links are followed. */
  readonly follow: 'none' | 'operands-to-directories' | 'operands' | 'all'
  readonly indicator: LsIndicator
  readonly inode: boolean
  readonly blocks: boolean
  readonly owner: boolean
  readonly group: boolean
  readonly author: boolean
  readonly numericIds: boolean
  readonly securityContext: boolean
  readonly blockSize: BlockSize
  readonly fileSize: BlockSize
  readonly timeFormats: { readonly recent: string; readonly old: string }
  readonly zone: Zone
  readonly quoting: QuotingStyle
  readonly hideControls: boolean
  readonly byteCharacters: boolean
  readonly colors: ColorTable | null
  readonly hyperlinks: boolean
  /** Columns of a line; 0: no limit. */
  readonly width: number
  readonly tabSize: number
  readonly lineEnd: '\n' | '\0'
}

const SORTS: Readonly<Record<string, LsSort>> = { S: 'size', t: 'time', U: 'none', v: 'version', X: 'extension' }
const WHEN = [
  ['always', 'yes', 'force'],
  ['never', 'no', 'none'],
  ['auto', 'tty', 'if-tty'],
]
const STYLES: readonly QuotingStyle[] = [
  'literal',
  'shell',
  'shell-always',
  'shell-escape',
  'shell-escape-always',
  'c',
  'c-maybe',
  'escape',
  'locale',
  'clocale',
]
const TROUBLE = 2

/** Reads the options in the order given, as later ones undo earlier ones. `usual` is the format of the program's name. */
export async function lsOptions(parsed: ParsedOptions, context: CommandContext, usual: LsFormat | null): Promise<LsOptions> {
  const { env } = context
  const isTerminal = context.isTerminal(1)
  const one = (name: string, value: string, words: readonly (readonly string[])[]): string => choice(context, name, value, words)
  const when = (name: string, value: string | null): boolean => {
    const answer = value === null ? 'always' : one(name, value, WHEN)
    return answer === 'always' || (answer === 'auto' && isTerminal)
  }

  let format: LsFormat | null = usual
  let sort: LsSort | null = null
  let reverse = false
  let time: LsTime | null = null
  let hidden: LsOptions['hidden'] = 'none'
  const ignore: ((name: string) => boolean)[] = []
  const hide: ((name: string) => boolean)[] = []
  let directoriesThemselves = false
  let directoriesFirst = false
  let recursive = false
  let follow: LsOptions['follow'] | null = null
  let indicator: LsIndicator = 'none'
  let inode = false
  let blocks = false
  let owner = true
  let group = true
  let author = false
  let numericIds = false
  let securityContext = false
  let kibibytes = false
  let blockSize: BlockSize | null = null
  let fileSize: BlockSize | null = null
  let timeStyle: string | null = null
  let quoting: QuotingStyle | null = usual === null ? null : 'escape'
  let hideControls: boolean | null = null
  let color = false
  let hyperlinks = false
  let width: number | null = null
  let tabSize = 8
  let lineEnd: LsOptions['lineEnd'] = '\n'

  for (const { name, value } of parsed.options) {
    const text = value ?? ''
    switch (name) {
      case 'a':
        hidden = 'all'
        break
      case 'A':
        hidden = 'almost'
        break
      case 'author':
        author = true
        break
      case 'b':
        quoting = 'escape'
        break
      case 'B':
        ignore.push((entry) => entry.endsWith('~'))
        break
      case 'block-size': {
        const size = parseBlockSize(text)
        if (size === null || size === 'large') throw new CommandFailure(blockSizeProblem(context, text, size), TROUBLE)
        blockSize = size
        fileSize = size
        break
      }
      case 'c':
        time = 'ctimeMs'
        break
      case 'C':
        format = 'columns'
        break
      case 'color':
        color = when('--color', value)
        break
      case 'd':
        directoriesThemselves = true
        break
      case 'f':
        hidden = 'all'
        sort = 'none'
        if (format === 'long') format = null
        blocks = false
        color = false
        hyperlinks = false
        break
      case 'file-type':
        indicator = 'file-type'
        break
      case 'F':
      case 'classify':
        if (when('--classify', value)) indicator = 'classify'
        break
      case 'format': {
        const words = [['verbose', 'long'], ['commas'], ['horizontal', 'across'], ['vertical'], ['single-column']]
        const formats: Readonly<Record<string, LsFormat>> = {
          verbose: 'long',
          commas: 'commas',
          horizontal: 'across',
          vertical: 'columns',
          'single-column': 'single',
        }
        format = formats[one('--format', text, words)] ?? format
        break
      }
      case 'full-time':
        format = 'long'
        timeStyle = 'full-iso'
        break
      case 'g':
        format = 'long'
        owner = false
        break
      case 'G':
        group = false
        break
      case 'group-directories-first':
        directoriesFirst = true
        break
      case 'h':
        blockSize = { kind: 'human', base: 1024 }
        fileSize = blockSize
        break
      case 'H':
        follow = 'operands'
        break
      case 'dereference-command-line-symlink-to-dir':
        follow = 'operands-to-directories'
        break
      case 'hide':
        hide.push(globMatcher(text, { period: true }))
        break
      case 'hyperlink':
        hyperlinks = when('--hyperlink', value)
        break
      case 'i':
        inode = true
        break
      case 'I':
        ignore.push(globMatcher(text, { period: true }))
        break
      case 'indicator-style':
        indicator = one('--indicator-style', text, [['none'], ['slash'], ['file-type'], ['classify']]) as LsIndicator
        break
      case 'k':
        kibibytes = true
        break
      case 'l':
        format = 'long'
        break
      case 'L':
        follow = 'all'
        break
      case 'm':
        format = 'commas'
        break
      case 'n':
        format = 'long'
        numericIds = true
        break
      case 'N':
        quoting = 'literal'
        break
      case 'o':
        format = 'long'
        group = false
        break
      case 'p':
        indicator = 'slash'
        break
      case 'q':
        hideControls = true
        break
      case 'Q':
        quoting = 'c'
        break
      case 'quoting-style':
        quoting = one(
          '--quoting-style',
          text,
          STYLES.map((style) => [style]),
        ) as QuotingStyle
        break
      case 'r':
        reverse = true
        break
      case 'R':
        recursive = true
        break
      case 's':
        blocks = true
        break
      case 'show-control-chars':
        hideControls = false
        break
      case 'si':
        blockSize = { kind: 'human', base: 1000 }
        fileSize = blockSize
        break
      case 'sort':
        sort = one('--sort', text, [['none'], ['time'], ['size'], ['extension'], ['version'], ['width']]) as LsSort
        break
      case 'S':
      case 't':
      case 'U':
      case 'v':
      case 'X':
        sort = SORTS[name] as LsSort
        break
      case 'time': {
        const words = [
          ['atime', 'access', 'use'],
          ['ctime', 'status'],
          ['birth', 'creation'],
        ]
        const times: Readonly<Record<string, LsTime>> = { atime: 'atimeMs', ctime: 'ctimeMs', birth: 'birthtimeMs' }
        time = times[one('--time', text, words)] ?? time
        break
      }
      case 'time-style':
        timeStyle = text
        break
      case 'T':
        tabSize = countOf(text)
        if (Number.isNaN(tabSize)) throw new CommandFailure(`invalid tab size: ${quoted(context, text)}`, TROUBLE)
        break
      case 'u':
        time = 'atimeMs'
        break
      case 'w':
        width = countOf(text)
        if (Number.isNaN(width)) throw new CommandFailure(`invalid line width: ${quoted(context, text)}`, TROUBLE)
        break
      case 'x':
        format = 'across'
        break
      case 'Z':
        securityContext = true
        break
      case 'zero':
        lineEnd = '\0'
        hideControls = false
        if (format !== 'long') format = 'single'
        color = false
        quoting = 'literal'
        break
      case '1':
        if (format !== 'long') format = 'single'
        break
    }
  }

  format ??= isTerminal ? 'columns' : 'single'
  follow ??= directoriesThemselves || indicator === 'classify' || format === 'long' ? 'none' : 'operands-to-directories'
  const environmentSize = blockSizeOf(env, 'LS')
  if (blockSize === null) {
    blockSize = kibibytes ? blocksOf(1024) : environmentSize
    if (env.has('LS_BLOCK_SIZE') || env.has('BLOCK_SIZE')) fileSize = environmentSize
  }
  const columns = width ?? countOf(env.get('COLUMNS') ?? '')
  const terminalColumns = isTerminal ? (context.terminal?.columns ?? 80) : 80
  return {
    format,
    sort: sort ?? (time !== null && format !== 'long' ? 'time' : 'name'),
    reverse,
    time: time ?? 'mtimeMs',
    hidden,
    ignored: (name) => ignore.some((matches) => matches(name)) || (hidden === 'none' && hide.some((matches) => matches(name))),
    directoriesThemselves,
    directoriesFirst,
    recursive: recursive && !directoriesThemselves,
    follow,
    indicator,
    inode,
    blocks,
    owner,
    group,
    author,
    numericIds,
    securityContext,
    blockSize,
    fileSize: fileSize ?? blocksOf(1),
    timeFormats: timeFormats(format === 'long' ? (timeStyle ?? env.get('TIME_STYLE') ?? 'locale') : 'locale', context),
    zone: zone(env.get('TZ')),
    quoting: quoting ?? environmentQuoting(env) ?? (isTerminal ? 'shell-escape' : 'literal'),
    hideControls: hideControls ?? (usual === null && isTerminal),
    byteCharacters: hasByteCharacters(context),
    colors: color ? await colors(context) : null,
    hyperlinks,
    width: Number.isNaN(columns) ? terminalColumns : columns,
    // Tabs and colours don't mix on some terminals.
    tabSize: color ? 0 : tabSize,
    lineEnd,
  }
}

async function colors(context: CommandContext): Promise<ColorTable | null> {
  const text = context.env.get('LS_COLORS') ?? ''
  if (text === '' && !hasColors(context.env)) return null
  const table = colorTable(text)
  if ('problem' in table) {
    if (table.problem !== null) await complain(context, `unrecognized prefix: ${quoted(context, table.problem)}`)
    await complain(context, 'unparsable value for LS_COLORS environment variable')
    return null
  }
  return table
}

const TERMINALS =
  /^(?:Eterm|ansi|.*color.*|con[0-9].*x[0-9].*|cons25|console|cygwin|.*direct.*|dtterm|gnome|hurd|jfbterm|konsole|kterm|linux|linux-c|mlterm|putty|rxvt.*|screen.*|st|terminator|tmux.*|vt100|vt220|xterm.*)$/

function hasColors(env: ReadonlyMap<string, string>): boolean {
  return (env.get('COLORTERM') ?? '') !== '' || TERMINALS.test(env.get('TERM') ?? '')
}

function environmentQuoting(env: ReadonlyMap<string, string>): QuotingStyle | undefined {
  const name = env.get('QUOTING_STYLE')
  return STYLES.find((style) => style === name)
}

function countOf(text: string): number {
  if (/^\d+$/.test(text)) return Math.min(/^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number(text), Number.MAX_SAFE_INTEGER)
  return /^0[xX][0-9a-fA-F]+$/.test(text) ? Number(text) : Number.NaN
}

function blockSizeProblem(context: CommandContext, text: string, problem: null | 'large'): string {
  if (problem === 'large') return `--block-size argument ${quoted(context, text)} too large`
  return `invalid ${/^\d+\D/.test(text) ? 'suffix in ' : ''}--block-size argument ${quoted(context, text)}`
}

function timeFormats(style: string, context: CommandContext): LsOptions['timeFormats'] {
  if (style.startsWith('+')) {
    const [old = '', recent = old] = style.slice(1).split('\n')
    if (style.split('\n').length > 2) throw new CommandFailure(`invalid time style format ${quoted(context, style)}`, TROUBLE)
    return { old, recent }
  }
  const name = style.replace(/^(?:posix-)+/, '')
  const known = ['full-iso', 'long-iso', 'iso', 'locale'].filter((word) => word.startsWith(name))
  switch (known.includes(name) ? name : known.length === 1 ? known[0] : undefined) {
    case 'full-iso':
      return { old: '%Y-%m-%d %H:%M:%S.%N %z', recent: '%Y-%m-%d %H:%M:%S.%N %z' }
    case 'long-iso':
      return { old: '%Y-%m-%d %H:%M', recent: '%Y-%m-%d %H:%M' }
    case 'iso':
      return { old: '%Y-%m-%d ', recent: '%m-%d %H:%M' }
    case 'locale':
      return { old: '%b %e  %Y', recent: '%b %e %H:%M' }
  }
  const problem = known.length > 1 ? 'ambiguous' : 'invalid'
  throw new CommandFailure(
    `${problem} argument ${quoted(context, style)} for ${quoted(context, 'time style')}
Valid arguments are:
  - [posix-]full-iso
  - [posix-]long-iso
  - [posix-]iso
  - [posix-]locale
  - +FORMAT (e.g., +%H:%M) for a 'date'-style format
Try '${quotedName(context.name)} --help' for more information.`,
    TROUBLE,
  )
}
