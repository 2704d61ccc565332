import { decode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import { isPromise } from '../host.ts'
import { strftime } from '../time/strftime.ts'
import type { Zone } from '../time/zone.ts'
import { zone } from '../time/zone.ts'
import type { BlockSize } from './block-size.ts'
import { allocatedBytes, blockSizeOf, blocksOf, parseBlockSize, sizeText } from './block-size.ts'
import { choice } from './choice.ts'

import type { Command, CommandContext } from './command.ts'
import { globMatcher } from './glob-match.ts'
import { readAll } from './input.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import { parseSize } from './size.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

/** Adds up the space that files take. */
export const du: Command = utility({
  help: `Usage: du [OPTION]... [FILE]...
  or:  du [OPTION]... --files0-from=F
Adds up the space that each FILE takes, directories with all they hold; the working directory by default.

  -0, --null             end lines with NUL
  -a, --all              a line for every file, not only for directories
      --apparent-size    the sizes of files instead of what they take on a disk
  -B, --block-size=SIZE  count in blocks of SIZE
  -b, --bytes            as --apparent-size --block-size=1
  -c, --total            a line for the sum
  -D, -H, --dereference-args  follow operands that are symbolic links
  -d, --max-depth=N      lines only down to N levels below an operand
      --files0-from=F    operands are in the file F, ended by NUL
  -h, --human-readable   sizes such as 1K 234M 2G
      --inodes           count files instead of space
  -k                     as --block-size=1K
  -L, --dereference      follow symbolic links
  -l, --count-links      count a file as often as it has names
  -m                     as --block-size=1M
  -P, --no-dereference   follow no links (the default)
  -S, --separate-dirs    directories without those below them
      --si               as -h, by powers of 1000
  -s, --summarize        one line an operand
  -t, --threshold=SIZE   leave out what is smaller, or larger where SIZE is negative
      --time[=WORD]      show the latest time of change; or atime, access, use, ctime, status
      --time-style=STYLE full-iso, long-iso, iso or +FORMAT
  -X, --exclude-from=FILE  leave out what matches a pattern in FILE
      --exclude=PATTERN  leave out what matches
  -x, --one-file-system  stay on a file system
      --help             show this text
      --version          show the version
`,
  options: {
    '0|null': 'none',
    'a|all': 'none',
    'apparent-size': 'none',
    'B|block-size': 'required',
    'b|bytes': 'none',
    'c|total': 'none',
    'D|H|dereference-args': 'none',
    'd|max-depth': 'required',
    'files0-from': 'required',
    'h|human-readable': 'none',
    inodes: 'none',
    k: 'none',
    'L|dereference': 'none',
    'l|count-links': 'none',
    m: 'none',
    'P|no-dereference': 'none',
    'S|separate-dirs': 'none',
    si: 'none',
    's|summarize': 'none',
    't|threshold': 'required',
    time: 'optional',
    'time-style': 'required',
    'X|exclude-from': 'required',
    exclude: 'required',
    'x|one-file-system': 'none',
  },
  run: addUp,
})

type TimeKind = 'mtimeMs' | 'atimeMs' | 'ctimeMs'

interface DuRules {
  readonly all: boolean
  readonly apparent: boolean
  readonly inodes: boolean
  readonly size: BlockSize
  readonly depth: number
  readonly separate: boolean
  readonly countLinks: boolean
  readonly everyFileOnce: boolean
  readonly follow: 'none' | 'operands' | 'all'
  readonly threshold: number
  readonly time: { readonly kind: TimeKind; readonly format: string; readonly zone: Zone } | null
  readonly excluded: readonly ((name: string) => boolean)[]
  readonly oneFileSystem: boolean
  readonly lineEnd: string
}

async function addUp(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const rules = await duRules(parsed, context)
  let operands = parsed.operands
  const list = parsed.value('files0-from')
  if (list !== null) {
    if (operands[0] !== undefined) {
      throw new UsageError(`extra operand ${quotedFile(operands[0])}\nfile operands cannot be combined with --files0-from`)
    }
    operands = await readNames(list, context)
  } else if (operands.length === 0) operands = ['.']
  const adder = new Adder({ ...rules, everyFileOnce: operands.length > 1 || rules.everyFileOnce }, context)
  let status = 0
  for (const name of operands) {
    if (name === '') {
      await complain(context, 'invalid zero-length file name')
      status = 1
    } else if (!(await adder.operand(name))) status = 1
  }
  if (parsed.has('c')) adder.total()
  await adder.finish()
  return status
}

async function readNames(list: string, context: CommandContext): Promise<string[]> {
  try {
    const input = list === '-' ? context.stdin : await context.open(operandPath(context, list))
    const text = decode(await readAll(input))
    if (list !== '-') await input.close()
    return text
      .replace(/\0$/, '')
      .split('\0')
      .filter((name, _at, all) => name !== '' || all.length > 1)
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`cannot open ${quotedFile(list)} for reading: ${errorText(error)}`)
  }
}

async function duRules(parsed: ParsedOptions, context: CommandContext): Promise<DuRules> {
  let size = blockSizeOf(context.env, 'DU')
  let apparent = false
  let follow: DuRules['follow'] = 'none'
  let time: TimeKind | null = null
  const excluded: ((name: string) => boolean)[] = []
  for (const { name, value } of parsed.options) {
    const text = value ?? ''
    switch (name) {
      case 'apparent-size':
        apparent = true
        break
      case 'B': {
        const given = parseBlockSize(text)
        if (given === 'large') throw new CommandFailure(`-B argument ${quoted(context, text)} too large`)
        if (given === null)
          throw new CommandFailure(`invalid ${/^\d+\D/.test(text) ? 'suffix in ' : ''}-B argument ${quoted(context, text)}`)
        size = given
        break
      }
      case 'b':
        apparent = true
        size = blocksOf(1)
        break
      case 'h':
        size = { kind: 'human', base: 1024 }
        break
      case 'si':
        size = { kind: 'human', base: 1000 }
        break
      case 'k':
        size = blocksOf(1024)
        break
      case 'm':
        size = blocksOf(1024 * 1024)
        break
      case 'D':
        follow = 'operands'
        break
      case 'L':
        follow = 'all'
        break
      case 'P':
        follow = 'none'
        break
      case 'time': {
        const words = [
          ['atime', 'access', 'use'],
          ['ctime', 'status'],
        ]
        const word = value === null ? null : choice(context, '--time', value, words)
        time = word === null ? 'mtimeMs' : word === 'atime' ? 'atimeMs' : 'ctimeMs'
        break
      }
      case 'exclude':
        excluded.push(excluder(text))
        break
      case 'X':
        for (const pattern of await patternsOf(text, context)) excluded.push(excluder(pattern))
        break
    }
  }
  const all = parsed.has('a')
  const summarize = parsed.has('s')
  const depthText = parsed.value('d')
  if (depthText !== null && !/^\+?\d+$/.test(depthText)) throw new UsageError(`invalid maximum depth ${quoted(context, depthText)}`)
  if (all && summarize) throw new UsageError('cannot both summarize and show all entries')
  if (summarize && depthText !== null) {
    if (Number(depthText) !== 0) throw new UsageError(`warning: summarizing conflicts with --max-depth=${Number(depthText)}`)
    await complain(context, 'warning: summarizing is the same as using --max-depth=0')
  }
  const inodes = parsed.has('inodes')
  if (inodes && apparent) await complain(context, 'warning: options --apparent-size and -b are ineffective with --inodes')
  return {
    all,
    apparent,
    inodes,
    size: inodes && size.kind === 'blocks' ? blocksOf(1) : size,
    depth: summarize ? 0 : depthText === null ? Number.POSITIVE_INFINITY : Number(depthText),
    separate: parsed.has('S'),
    countLinks: parsed.has('l'),
    everyFileOnce: follow === 'all',
    follow,
    threshold: threshold(parsed.value('t'), context),
    time:
      time === null
        ? null
        : {
            kind: time,
            format: timeFormat(parsed.value('time-style') ?? context.env.get('TIME_STYLE') ?? 'long-iso', context),
            zone: zone(context.env.get('TZ')),
          },
    excluded,
    oneFileSystem: parsed.has('x'),
    lineEnd: parsed.has('0') ? '\0' : '\n',
  }
}

function threshold(text: string | null, context: CommandContext): number {
  if (text === null) return 0
  const isNegative = text.startsWith('-')
  const count = parseSize(isNegative ? text.slice(1) : text)
  if (Number.isNaN(count) || (isNegative && count === 0)) throw new CommandFailure(`invalid -t argument ${quoted(context, text)}`)
  return isNegative ? -count : count
}

function timeFormat(style: string, context: CommandContext): string {
  if (style.startsWith('+')) return style.slice(1)
  const name = style.replace(/^posix-/, '')
  if (name === 'locale') return '%Y-%m-%d %H:%M'
  const word = choice(context, 'time style', name, [['full-iso'], ['long-iso'], ['iso']])
  return word === 'full-iso' ? '%Y-%m-%d %H:%M:%S.%N %z' : word === 'iso' ? '%Y-%m-%d' : '%Y-%m-%d %H:%M'
}

/** A pattern matches a whole name, or what follows any slash of it. */
function excluder(pattern: string): (name: string) => boolean {
  const matches = globMatcher(pattern)
  return (name) => {
    for (let at = 0; at >= 0; ) {
      if (matches(name.slice(at))) return true
      const slash = name.indexOf('/', at)
      at = slash < 0 ? -1 : slash + 1
    }
    return false
  }
}

async function patternsOf(name: string, context: CommandContext): Promise<string[]> {
  try {
    const input = name === '-' ? context.stdin : await context.open(operandPath(context, name))
    const text = decode(await readAll(input))
    if (name !== '-') await input.close()
    return text.split('\n').filter((line) => line !== '')
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new UsageError(`${quotedName(name)}: ${errorText(error)}`)
  }
}

/** What a tree comes to. */
interface Sum {
  bytes: number
  files: number
  timeMs: number
}

class Adder {
  readonly #rules: DuRules
  readonly #context: CommandContext
  readonly #output: Output
  readonly #seen = new Set<string>()
  readonly #whole: Sum = { bytes: 0, files: 0, timeMs: Number.NEGATIVE_INFINITY }
  #allWell = true

  constructor(rules: DuRules, context: CommandContext) {
    this.#rules = rules
    this.#context = context
    this.#output = new Output(context.stdout)
  }

  async operand(name: string): Promise<boolean> {
    this.#allWell = true
    if (this.#rules.excluded.some((matches) => matches(name))) return true
    const path = operandPath(this.#context, name)
    let stat: FileStat
    try {
      stat = this.#rules.follow === 'none' ? await this.#context.fs.lstat(path) : await this.#context.fs.stat(path)
    } catch (error) {
      await complainOf(this.#context, `cannot access ${quotedFile(name)}`, error)
      return false
    }
    const sum = await this.#add(name, path, stat, 0, stat.dev)
    if (sum !== null) {
      this.#whole.bytes += sum.bytes
      this.#whole.files += sum.files
      this.#whole.timeMs = Math.max(this.#whole.timeMs, sum.timeMs)
    }
    return this.#allWell
  }

  total(): void {
    this.#line(this.#whole, 'total')
  }

  async finish(): Promise<void> {
    await this.#output.flush()
  }

  /** Null for a file that was counted before. */
  async #add(name: string, path: string, stat: FileStat, depth: number, device: number): Promise<Sum | null> {
    const rules = this.#rules
    const isDirectory = stat.type === 'directory'
    if (!rules.countLinks && (rules.everyFileOnce || (!isDirectory && stat.nlink > 1))) {
      const key = `${stat.dev}:${stat.ino}`
      if (this.#seen.has(key)) return null
      this.#seen.add(key)
    }
    const own: Sum = {
      bytes: rules.apparent ? stat.size : allocatedBytes(stat),
      files: 1,
      timeMs: rules.time === null ? 0 : stat[rules.time.kind],
    }
    if (!isDirectory) {
      if (depth === 0 || (rules.all && depth <= rules.depth)) this.#show(own, name)
      return own
    }
    const shown: Sum = { ...own }
    const whole: Sum = { ...own }
    const { fs } = this.#context
    let entries: readonly { readonly name: string }[] = []
    try {
      const read = fs.readdir(path)
      entries = isPromise(read) ? await read : read
    } catch (error) {
      await this.#fail(`cannot read directory ${quotedFile(name)}`, error)
    }
    const prefix = name.endsWith('/') ? name : `${name}/`
    const pathPrefix = path.endsWith('/') ? path : `${path}/`
    for (const entry of entries) {
      const childName = prefix + entry.name
      if (rules.excluded.length > 0 && rules.excluded.some((matches) => matches(childName))) continue
      let child: FileStat
      try {
        const answer = rules.follow === 'all' ? fs.stat(pathPrefix + entry.name) : fs.lstat(pathPrefix + entry.name)
        child = isPromise(answer) ? await answer : answer
      } catch (error) {
        await this.#fail(`cannot access ${quotedFile(childName)}`, error)
        continue
      }
      if (rules.oneFileSystem && child.dev !== device) continue
      const sum = await this.#add(childName, pathPrefix + entry.name, child, depth + 1, device)
      if (sum === null) continue
      grow(whole, sum)
      if (!rules.separate || child.type !== 'directory') grow(shown, sum)
    }
    if (depth <= rules.depth) this.#show(rules.separate ? shown : whole, name)
    const written = this.#output.settle()
    if (isPromise(written)) await written
    const pause = this.#context.pause()
    if (pause !== undefined) await pause
    return whole
  }

  #show(sum: Sum, name: string): void {
    const { threshold: limit, inodes } = this.#rules
    const value = inodes ? sum.files : sum.bytes
    if (limit < 0 ? value <= -limit : value >= limit) this.#line(sum, name)
  }

  #line(sum: Sum, name: string): void {
    const { size, time, lineEnd, inodes } = this.#rules
    const when = time === null ? '' : `${strftime(time.format, sum.timeMs, time.zone)}\t`
    this.#output.text(`${sizeText(inodes ? sum.files : sum.bytes, size)}\t${when}${name}${lineEnd}`)
  }

  async #fail(what: string, error: unknown): Promise<void> {
    this.#allWell = false
    await complainOf(this.#context, what, error)
  }
}

function grow(sum: Sum, other: Sum): void {
  sum.bytes += other.bytes
  sum.files += other.files
  sum.timeMs = Math.max(sum.timeMs, other.timeMs)
}
