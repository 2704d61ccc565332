import type { FileStat } from '../fs/file-system.ts'
import { isPromise } from '../host.ts'
import type { Command, CommandContext } from './command.ts'
import { identity } from './identity.ts'
import type { LsEntry } from './ls-entry.ts'
import { NameWriter } from './ls-entry.ts'
import { totalText, writeEntries } from './ls-format.ts'
import { shownName } from './ls-names.ts'
import type { LsFormat, LsOptions } from './ls-options.ts'
import { lsOptions } from './ls-options.ts'
import { nameOrder, sortByName } from './name-order.ts'
import { operandPath } from './operand-path.ts'
import type { OptionTable, ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import { complain, complainOf, isExpected, utility } from './utility.ts'
import { compareVersions } from './version-compare.ts'

const options: OptionTable = {
  'a|all': 'none',
  'A|almost-all': 'none',
  author: 'none',
  'b|escape': 'none',
  'block-size': 'required',
  'B|ignore-backups': 'none',
  c: 'none',
  C: 'none',
  color: 'optional',
  'd|directory': 'none',
  'D|dired': 'none',
  f: 'none',
  F: 'none',
  classify: 'optional',
  'file-type': 'none',
  format: 'required',
  'full-time': 'none',
  g: 'none',
  'G|no-group': 'none',
  'group-directories-first': 'none',
  'h|human-readable': 'none',
  'H|dereference-command-line': 'none',
  'dereference-command-line-symlink-to-dir': 'none',
  hide: 'required',
  hyperlink: 'optional',
  'i|inode': 'none',
  'I|ignore': 'required',
  'indicator-style': 'required',
  'k|kibibytes': 'none',
  l: 'none',
  'L|dereference': 'none',
  m: 'none',
  'n|numeric-uid-gid': 'none',
  'N|literal': 'none',
  o: 'none',
  p: 'none',
  'q|hide-control-chars': 'none',
  'Q|quote-name': 'none',
  'quoting-style': 'required',
  'r|reverse': 'none',
  'R|recursive': 'none',
  's|size': 'none',
  si: 'none',
  S: 'none',
  'show-control-chars': 'none',
  sort: 'required',
  t: 'none',
  time: 'required',
  'time-style': 'required',
  'T|tabsize': 'required',
  u: 'none',
  U: 'none',
  v: 'none',
  'w|width': 'required',
  x: 'none',
  X: 'none',
  'Z|context': 'none',
  zero: 'none',
  '1': 'none',
}

const help = (name: string): string => `Usage: ${name} [OPTION]... [FILE]...
Lists files, the working directory by default, sorted by name.

  -a, --all                  show names that start with a dot, . and .. too
  -A, --almost-all           as -a, without . and ..
      --author               with -l: show the author of each file
  -b, --escape               write odd characters as C escapes
      --block-size=SIZE      count sizes in blocks of SIZE (K, M, KB, human-readable ...)
  -B, --ignore-backups       leave out names that end with ~
  -c                         use the time of the last status change
  -C                         write in columns, downwards
      --color[=WHEN]         colour names: always, auto or never
  -d, --directory            list directories themselves, not what they hold
  -f                         all names, unsorted (as -aU without -l -s --color)
  -F, --classify[=WHEN]      mark names: / directory, * program, @ link, | pipe
      --file-type            as -F, without *
      --format=WORD          across (-x), commas (-m), long (-l), single-column (-1), vertical (-C)
      --full-time            as -l --time-style=full-iso
  -g                         as -l, without the owner
      --group-directories-first  directories before files
  -G, --no-group             with -l: without the group
  -h, --human-readable       sizes such as 1K 234M 2G
      --si                   as -h, by powers of 1000
  -H, --dereference-command-line  follow links that are operands
      --dereference-command-line-symlink-to-dir  follow links to directories that are operands
      --hide=PATTERN         leave out names that match, unless -a or -A
      --hyperlink[=WHEN]     make names hyperlinks
      --indicator-style=WORD mark names: none, slash (-p), file-type, classify (-F)
  -i, --inode                show the file's number
  -I, --ignore=PATTERN       leave out names that match
  -k, --kibibytes            count blocks in 1024 bytes
  -l                         long lines: mode, links, owner, group, size, time, name
  -L, --dereference          show what links lead to
  -m                         names separated by commas
  -n, --numeric-uid-gid      as -l, with ids for names
  -N, --literal              names as they are
  -o                         as -l, without the group
  -p, --indicator-style=slash  a / after directories
  -q, --hide-control-chars   ? for what can't be printed
      --show-control-chars   such characters as they are
  -Q, --quote-name           names in double quotes
      --quoting-style=WORD   literal, locale, shell, shell-always, shell-escape, shell-escape-always, c, escape
  -r, --reverse              reverse the order
  -R, --recursive            list directories below too
  -s, --size                 show the blocks each file takes
  -S                         sort by size, largest first
      --sort=WORD            none (-U), size (-S), time (-t), version (-v), extension (-X), width
      --time=WORD            use atime, ctime, birth or mtime
      --time-style=STYLE     full-iso, long-iso, iso, locale or +FORMAT
  -t                         sort by time, newest first
  -T, --tabsize=COLS         tab stops each COLS columns
  -u                         use the time of the last access
  -U                         unsorted
  -v                         sort numbers in names by value
  -w, --width=COLS           columns of a line, 0 for no limit
  -x                         write in columns, across
  -X                         sort by extension
  -Z, --context              show a security context, which is always ?
      --zero                 end lines with NUL
  -1                         one name a line
      --help                 show this text
      --version              show the version

Status: 0 for success, 1 for trouble with some file, 2 for trouble with an operand.
`

/** Lists files and directories. */
export const ls: Command = lister('ls', null)

/** As `ls -C -b`. */
export const dir: Command = lister('dir', 'columns')

/** As `ls -l -b`. */
export const vdir: Command = lister('vdir', 'long')

function lister(name: string, usual: LsFormat | null): Command {
  return utility({
    help: help(name),
    options,
    usageStatus: 2,
    run: (parsed, context) => list(parsed, context, usual),
  })
}

async function list(parsed: ParsedOptions, context: CommandContext, usual: LsFormat | null): Promise<number> {
  const listing = new Listing(await lsOptions(parsed, context, usual), context)
  return listing.run(parsed.operands.length === 0 ? ['.'] : parsed.operands)
}

type Pending =
  | {
      readonly kind: 'directory'
      /** As named. */
      readonly name: string
      readonly path: string
      readonly isOperand: boolean
    }
  /** All below the directory of this identity has been listed. */
  | { readonly kind: 'leave'; readonly identity: string }

class Listing {
  readonly #options: LsOptions
  readonly #context: CommandContext
  readonly #output: Output
  readonly #names: NameWriter
  /** Everything an entry's kind doesn't tell. */
  readonly #needsStat: boolean
  /** Links are shown as what they lead to. */
  readonly #needsType: boolean
  /** What is executable shows. */
  readonly #needsMode: boolean
  readonly #active = new Set<string>()
  #status = 0

  constructor(options: LsOptions, context: CommandContext) {
    this.#options = options
    this.#context = context
    this.#output = new Output(context.stdout)
    this.#names = new NameWriter(options, context.env.get('HOSTNAME') ?? identity(context.env).user)
    this.#needsStat = options.format === 'long' || options.inode || options.blocks || options.sort === 'time' || options.sort === 'size'
    this.#needsType = options.recursive || options.indicator !== 'none' || options.colors !== null || options.directoriesFirst
    this.#needsMode = options.indicator === 'classify' || options.colors !== null
  }

  async run(operands: readonly string[]): Promise<number> {
    const files: LsEntry[] = []
    let directories: LsEntry[] = []
    for (const operand of operands) {
      const entry = await this.#operand(operand)
      if (entry === null) continue
      if (entry.type === 'directory' && !this.#options.directoriesThemselves) directories.push(entry)
      else files.push(entry)
    }
    this.#sort(files)
    directories = this.#sort(directories)
    writeEntries(files, this.#options, this.#names, this.#output, this.#context, [...files, ...directories])
    const wantsHeaders = this.#options.recursive || operands.length > 1 || files.length > 0
    let isFirst = files.length === 0
    const pending: Pending[] = directories.map(({ name, path }): Pending => ({ kind: 'directory', name, path, isOperand: true })).reverse()
    for (;;) {
      const next = pending.pop()
      if (next === undefined) break
      if (next.kind === 'leave') {
        this.#active.delete(next.identity)
        continue
      }
      const listed = await this.#directory(next, wantsHeaders, isFirst, pending)
      if (listed) isFirst = false
      const written = this.#output.settle()
      if (isPromise(written)) await written
      const pause = this.#context.pause()
      if (pause !== undefined) await pause
    }
    await this.#output.flush()
    return this.#status
  }

  async #operand(name: string): Promise<LsEntry | null> {
    const path = operandPath(this.#context, name)
    const { follow } = this.#options
    const { fs } = this.#context
    try {
      let stat: FileStat | null = null
      if (follow !== 'none') {
        try {
          stat = await fs.stat(path)
          if (follow === 'operands-to-directories' && stat.type !== 'directory') stat = null
        } catch (error) {
          if (!isExpected(error) || follow !== 'operands-to-directories') throw error
        }
      }
      stat ??= await fs.lstat(path)
      return await this.#entry(name, path, stat.type, stat)
    } catch (error) {
      await this.#fail(`cannot access ${quotedFile(name)}`, error, 2)
      return null
    }
  }

  async #directory(
    next: Extract<Pending, { kind: 'directory' }>,
    wantsHeader: boolean,
    isFirst: boolean,
    pending: Pending[],
  ): Promise<boolean> {
    const { fs } = this.#context
    const options = this.#options
    const { name, path } = next
    let entries: LsEntry[]
    try {
      if (options.recursive && options.follow !== 'none') {
        const { dev, ino } = await fs.stat(path)
        const key = `${dev}:${ino}`
        if (this.#active.has(key)) {
          await this.#complain(`${quotedName(name)}: not listing already-listed directory`, 2)
          return false
        }
        this.#active.add(key)
        pending.push({ kind: 'leave', identity: key })
      }
      const names = fs.readdir(path)
      entries = await this.#entries(path, name, isPromise(names) ? await names : names)
    } catch (error) {
      await this.#fail(`cannot open directory ${quotedFile(name)}`, error, next.isOperand ? 2 : 1)
      return false
    }
    if (wantsHeader) {
      const shown = shownName(name, { ...options, hideControls: options.hideControls }, true).text
      const linked = options.hyperlinks ? this.#names.decorate(shown, { name, path, type: 'file', stat: null, target: undefined }) : shown
      this.#output.text(`${isFirst ? '' : '\n'}${linked}:\n`)
    } else if (!isFirst) this.#output.text('\n')
    this.#sort(entries)
    if (options.format === 'long' || options.blocks) this.#output.text(`total ${totalText(entries, options)}${options.lineEnd}`)
    writeEntries(entries, options, this.#names, this.#output, this.#context)
    if (options.recursive) {
      const prefix = name.endsWith('/') ? name : `${name}/`
      for (let at = entries.length - 1; at >= 0; at--) {
        const entry = entries[at] as LsEntry
        if (entry.type !== 'directory' || entry.name === '.' || entry.name === '..') continue
        pending.push({ kind: 'directory', name: prefix + entry.name, path: entry.path, isOperand: false })
      }
    }
    return true
  }

  async #entries(
    path: string,
    directory: string,
    names: readonly { readonly name: string; readonly type: FileStat['type'] }[],
  ): Promise<LsEntry[]> {
    const { hidden, ignored, follow } = this.#options
    const entries: LsEntry[] = []
    const prefix = path.endsWith('/') ? path : `${path}/`
    const all = hidden === 'all' ? [{ name: '.', type: 'directory' } as const, { name: '..', type: 'directory' } as const, ...names] : names
    for (const { name, type } of all) {
      if ((hidden === 'none' && name.startsWith('.')) || ignored(name)) continue
      const whole = prefix + name
      const wanted =
        this.#needsStat ||
        (this.#needsMode && type === 'file') ||
        (this.#options.colors !== null && type === 'directory') ||
        (type === 'symlink' && this.#needsType && follow === 'all')
      if (!wanted && type !== 'symlink') {
        entries.push({ name, path: whole, type, stat: null, link: null, target: undefined })
        continue
      }
      try {
        let stat: FileStat | null = null
        if (wanted) {
          const answer = follow === 'all' ? this.#context.fs.stat(whole) : this.#context.fs.lstat(whole)
          stat = isPromise(answer) ? await answer : answer
        }
        if ((stat?.type ?? type) !== 'symlink') {
          entries.push({ name, path: whole, type: stat?.type ?? type, stat, link: null, target: undefined })
        } else entries.push(await this.#entry(name, whole, 'symlink', stat))
      } catch (error) {
        const named = directory === '.' ? name : directory.endsWith('/') ? directory + name : `${directory}/${name}`
        await this.#fail(`cannot access ${quotedFile(named)}`, error, 1)
        entries.push({ name, path: whole, type, stat: null, link: null, target: undefined })
      }
    }
    return entries
  }

  /** Looks at what a symbolic link leads to where that shows. */
  async #entry(name: string, path: string, type: FileStat['type'], stat: FileStat | null): Promise<LsEntry> {
    if (type !== 'symlink') return { name, path, type, stat, link: null, target: undefined }
    const { format, indicator, colors, directoriesFirst } = this.#options
    const { fs } = this.#context
    let link: string | null = null
    if (format === 'long') {
      try {
        link = await fs.readlink(path)
      } catch (error) {
        await this.#fail(`cannot read symbolic link ${quotedFile(name)}`, error, 1)
      }
    }
    let target: FileStat | null | undefined
    if (directoriesFirst || colors?.needsTargets === true || (link !== null && (indicator === 'file-type' || indicator === 'classify'))) {
      try {
        target = await fs.stat(path)
      } catch (error) {
        if (!isExpected(error)) throw error
        target = null
      }
    }
    return { name, path, type, stat, link, target }
  }

  #sort(entries: LsEntry[]): LsEntry[] {
    const { sort, reverse, time, directoriesFirst } = this.#options
    const byName = nameOrder(entries)
    const timeOf = (entry: LsEntry): number => entry.stat?.[time] ?? 0
    const compare = ((): ((a: LsEntry, b: LsEntry) => number) | null => {
      switch (sort) {
        case 'none':
          return null
        case 'name':
          return (a, b) => byName(a.name, b.name)
        case 'time':
          return (a, b) => timeOf(b) - timeOf(a) || byName(a.name, b.name)
        case 'size':
          return (a, b) => (b.stat?.size ?? 0) - (a.stat?.size ?? 0) || byName(a.name, b.name)
        case 'extension':
          return (a, b) => byName(extension(a.name), extension(b.name)) || byName(a.name, b.name)
        case 'version':
          return (a, b) => compareVersions(a.name, b.name)
        case 'width': {
          const widths = new Map(entries.map(({ name }) => [name, this.#names.shown(name).width]))
          return (a, b) => (widths.get(a.name) ?? 0) - (widths.get(b.name) ?? 0) || byName(a.name, b.name)
        }
        default:
          return sort satisfies never
      }
    })()
    if (compare !== null) {
      if (sort === 'name' && !reverse && !directoriesFirst) return sortByName(entries)
      const signed = reverse ? (a: LsEntry, b: LsEntry): number => compare(b, a) : compare
      entries.sort(directoriesFirst ? (a, b) => Number(leadsToDirectory(b)) - Number(leadsToDirectory(a)) || signed(a, b) : signed)
    }
    return entries
  }

  async #fail(what: string, error: unknown, status: number): Promise<void> {
    await complainOf(this.#context, what, error)
    this.#status = Math.max(this.#status, status)
  }

  async #complain(text: string, status: number): Promise<void> {
    await complain(this.#context, text)
    this.#status = Math.max(this.#status, status)
  }
}

function leadsToDirectory(entry: LsEntry): boolean {
  return entry.type === 'directory' || entry.target?.type === 'directory'
}

function extension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}
