import { encode } from '../bytes.ts'
import type { FileStat, FileSystemSpace } from '../fs/file-system.ts'
import { strftime } from '../time/strftime.ts'
import type { Zone } from '../time/zone.ts'
import { zone } from '../time/zone.ts'
import { allocatedBytes } from './block-size.ts'
import { canonicalPath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import { deviceNumber } from './device-number.ts'
import { modeText, rawMode } from './file-mode.ts'
import { fileTypeText } from './file-type-text.ts'
import { nameOfId } from './identity.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complain, complainOf, utility } from './utility.ts'

/** Prints what is known of a file. */
export const stat: Command = utility({
  help: `Usage: stat [OPTION]... FILE...
Prints what is known of each file, or of its file system.

  -L, --dereference      follow symbolic links
  -f, --file-system      the file system instead of the file
      --cached=MODE      ignored
  -c, --format=FORMAT    use FORMAT and a newline instead of the usual layout
      --printf=FORMAT    as --format, with \\ escapes and without the newline
  -t, --terse            everything in one line
      --help             show this text
      --version          show the version

Of a file: %a mode in octal, %A in letters, %b blocks, %B their size, %C security context, %d device, %D in hex,
  %Hd %Ld its halves, %f mode in hex, %F type, %g group id, %G group, %h links, %i inode, %m mount point, %n name,
  %N name quoted with the target of a link, %o best size to read, %s size, %r device type, %R in hex, %Hr %Lr its
  halves, %t %T its halves in hex, %u user id, %U user, %w birth, %x access, %y change of the data, %z of the status,
  %W %X %Y %Z the same in seconds since 1970.
Of a file system: %a blocks free to users, %b blocks, %c files, %d files free, %f blocks free, %i id, %l longest name,
  %n name, %s best block size, %S block size, %t type in hex, %T type.
`,
  options: {
    'c|format': 'required',
    cached: 'required',
    'f|file-system': 'none',
    'L|dereference': 'none',
    printf: 'required',
    't|terse': 'none',
  },
  run: printStatus,
})

const DISK_BLOCK = 4096

interface Subject {
  readonly name: string
  readonly path: string
  readonly stat: FileStat
  readonly link: string | null
  readonly space: FileSystemSpace | null
  readonly mountPoint: string
}

async function printStatus(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  if (parsed.operands.length === 0) throw new UsageError('missing operand')
  const custom = parsed.options.findLast(({ name }) => name === 'c' || name === 'printf')
  const isSpace = parsed.has('f')
  const output = new Output(context.stdout)
  const format = custom?.value ?? null
  const printer = new Printer(context, output, isSpace, custom?.name === 'printf')
  let status = 0
  for (const name of parsed.operands) {
    let subject: Subject
    try {
      subject = await lookAt(name, parsed.has('L'), isSpace, format, context)
    } catch (error) {
      const what = isSpace ? `cannot read file system information for ${quotedFile(name)}` : `cannot statx ${quotedFile(name)}`
      await complainOf(context, what, error)
      status = 1
      continue
    }
    let layout = format
    if (layout === null) {
      if (parsed.has('t')) layout = isSpace ? '%n %i %l %t %s %S %b %f %a %c %d' : '%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o'
      else layout = isSpace ? SPACE_LAYOUT : fileLayout(subject.stat)
    }
    if (!(await printer.print(layout, subject))) status = 1
    if (custom?.name !== 'printf') output.text('\n')
    await output.settle()
  }
  await output.flush()
  return status
}

const SPACE_LAYOUT = `  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d`

function fileLayout({ type }: FileStat): string {
  const device = type === 'character-device' ? '%-5h Device type: %Hr,%Lr' : '%h'
  return `  File: %{name}
  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld\tInode: %-10i  Links: ${device}
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w`
}

async function lookAt(name: string, follow: boolean, isSpace: boolean, format: string | null, context: CommandContext): Promise<Subject> {
  const { fs } = context
  // Standard input.
  const path = name === '-' && !isSpace ? '/dev/stdin' : operandPath(context, name)
  const found = follow || isSpace ? await fs.stat(path) : await fs.lstat(path)
  const link = found.type === 'symlink' ? await fs.readlink(path) : null
  const space = isSpace ? await fs.space(path) : null
  const mountPoint = format?.includes('m') === true ? await mountPointOf(path, found.dev, context) : '/'
  return { name, path, stat: found, link, space, mountPoint }
}

async function mountPointOf(path: string, dev: number, context: CommandContext): Promise<string> {
  let at = await canonicalPath(context, path, 'none')
  while (at !== '/') {
    const above = at.slice(0, at.lastIndexOf('/')) || '/'
    if ((await context.fs.stat(above)).dev !== dev) return at
    at = above
  }
  return at
}

class Printer {
  readonly #context: CommandContext
  readonly #output: Output
  readonly #isSpace: boolean
  readonly #escapes: boolean
  readonly #zone: Zone

  constructor(context: CommandContext, output: Output, isSpace: boolean, escapes: boolean) {
    this.#context = context
    this.#output = output
    this.#isSpace = isSpace
    this.#escapes = escapes
    this.#zone = zone(context.env.get('TZ'))
  }

  async print(format: string, subject: Subject): Promise<boolean> {
    const plain = format.replace(
      '%{name}',
      () => subject.name.replaceAll('%', '%%') + (subject.link === null ? '' : ` -> ${subject.link.replaceAll('%', '%%')}`),
    )
    let isFine = true
    for (let at = 0; at < plain.length; ) {
      const char = plain[at] as string
      if (char === '\\' && this.#escapes) {
        at = await this.#escape(plain, at)
        continue
      }
      if (char !== '%') {
        const stop = nextMark(plain, at, this.#escapes)
        this.#output.text(plain.slice(at, stop))
        at = stop
        continue
      }
      const [whole = '%', flags = '', width = '', precision, half = '', letter = ''] =
        /^%([-+ #0'I]*)(\d*)(?:\.(\d*))?([HL](?=[dr]))?([\s\S]?)/u.exec(plain.slice(at)) ?? []
      at += whole.length
      if (letter === '%' || letter === '') {
        if (whole !== '%%' && whole !== '%') throw new CommandFailure(`${quoted(this.#context, whole)}: invalid directive`)
        this.#output.text('%')
        continue
      }
      const style: Style = {
        flags,
        width: Math.min(Number(width), 65_536),
        precision: precision === undefined ? null : precisionOf(precision, letter),
      }
      if (letter === 'C' && !this.#isSpace) {
        await complain(this.#context, `failed to get security context of ${quotedFile(subject.name)}: No data available`)
        isFine = false
      }
      this.#output.text(this.#isSpace ? this.#ofSpace(letter, style, subject) : this.#ofFile(half + letter, style, subject))
    }
    return isFine
  }

  async #escape(format: string, at: number): Promise<number> {
    const [whole = '\\', octal, hex, letter] = /^\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))?/u.exec(format.slice(at)) ?? []
    if (octal !== undefined) this.#output.bytes(Uint8Array.of(Number.parseInt(octal, 8) & 0xff))
    else if (hex !== undefined) this.#output.bytes(Uint8Array.of(Number.parseInt(hex, 16)))
    else if (letter === undefined) {
      await complain(this.#context, 'warning: backslash at end of format')
      this.#output.text('\\')
    } else {
      const known = ESCAPES.get(letter)
      if (known === undefined) await complain(this.#context, `warning: unrecognized escape '\\${letter}'`)
      this.#output.text(known ?? letter)
    }
    return at + whole.length
  }

  #ofFile(directive: string, style: Style, { name, path, stat: found, link, mountPoint }: Subject): string {
    const { env } = this.#context
    const [major, minor] = found.type === 'character-device' ? deviceNumber(path) : [0, 0]
    switch (directive) {
      case 'a':
        return number(found.mode, 8, style)
      case 'A':
        return text(modeText(found), style)
      case 'b':
        return number(allocatedBytes(found) / 512, 10, style)
      case 'B':
        return number(512, 10, style)
      case 'C':
        return text('?', style)
      case 'd':
        return number(found.dev, 10, style)
      case 'D':
        return number(found.dev, 16, style)
      case 'Hd':
        return number((found.dev >> 8) & 0xfff, 10, style)
      case 'Ld':
        return number((found.dev & 0xff) | ((found.dev >> 12) & ~0xff), 10, style)
      case 'f':
        return number(rawMode(found), 16, style)
      case 'F':
        return text(fileTypeText(found), style)
      case 'g':
        return number(found.gid, 10, style)
      case 'G':
        return text(nameOfId(found.gid, env) ?? 'UNKNOWN', style)
      case 'h':
        return number(found.nlink, 10, style)
      case 'i':
        return number(found.ino, 10, style)
      case 'm':
        return text(mountPoint, style)
      case 'n':
        return text(name, style)
      case 'N':
        return text(link === null ? quotedFile(name) : `${quotedFile(name)} -> ${quotedFile(link)}`, style)
      case 'o':
        return number(DISK_BLOCK, 10, style)
      case 's':
        return number(found.size, 10, style)
      case 'r':
        return number(major * 256 + minor, 10, style)
      case 'R':
        return number(major * 256 + minor, 16, style)
      case 'Hr':
        return number(major, 10, style)
      case 'Lr':
        return number(minor, 10, style)
      case 't':
        return number(major, 16, style)
      case 'T':
        return number(minor, 16, style)
      case 'u':
        return number(found.uid, 10, style)
      case 'U':
        return text(nameOfId(found.uid, env) ?? 'UNKNOWN', style)
      case 'w':
        return text(this.#time(found.birthtimeMs), style)
      case 'W':
        return seconds(found.birthtimeMs, style)
      case 'x':
        return text(this.#time(found.atimeMs), style)
      case 'X':
        return seconds(found.atimeMs, style)
      case 'y':
        return text(this.#time(found.mtimeMs), style)
      case 'Y':
        return seconds(found.mtimeMs, style)
      case 'z':
        return text(this.#time(found.ctimeMs), style)
      case 'Z':
        return seconds(found.ctimeMs, style)
      default:
        return '?'
    }
  }

  #ofSpace(directive: string, style: Style, { name, stat: found, space }: Subject): string {
    const blocks = (bytes: number): number => (Number.isFinite(bytes) ? Math.floor(bytes / DISK_BLOCK) : 0)
    const { total = 0, free = 0 } = space ?? {}
    switch (directive) {
      case 'n':
        return text(name, style)
      case 'i':
        return number(found.dev, 16, style)
      case 'l':
        return number(255, 10, style)
      case 't':
        return number(0x01021994, 16, style)
      case 'T':
        return text('tmpfs', style)
      case 'b':
        return number(blocks(total), 10, style)
      case 'f':
      case 'a':
        return number(blocks(free), 10, style)
      case 's':
      case 'S':
        return number(DISK_BLOCK, 10, style)
      case 'c':
      case 'd':
        return number(0, 10, style)
      default:
        return '?'
    }
  }

  #time(ms: number): string {
    return strftime('%Y-%m-%d %H:%M:%S.%N %z', ms, this.#zone)
  }
}

interface Style {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
}

/** A bare dot asks for all nine decimals of a time. */
function precisionOf(digits: string, letter: string): number {
  if (digits === '') return 'WXYZ'.includes(letter) ? 9 : 0
  return Math.min(Number(digits), 65_536)
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['"', '"'],
  ['\\', '\\'],
])

function nextMark(format: string, at: number, escapes: boolean): number {
  for (let i = at + 1; i < format.length; i++) if (format[i] === '%' || (escapes && format[i] === '\\')) return i
  return format.length
}

function text(value: string, { flags, width, precision }: Style): string {
  const cut = precision === null ? value : value.slice(0, precision)
  return pad(cut, width, flags.includes('-'), ' ')
}

function number(value: number, base: 8 | 10 | 16, { flags, width, precision }: Style): string {
  let digits = value.toString(base)
  if (precision !== null) digits = digits.padStart(precision, '0')
  if (flags.includes('#') && base === 8 && !digits.startsWith('0')) digits = `0${digits}`
  let prefix = flags.includes('#') && base === 16 && value !== 0 ? '0x' : ''
  if (base === 10 && value >= 0) prefix = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  if (flags.includes('0') && !flags.includes('-') && precision === null) return prefix + digits.padStart(width - prefix.length, '0')
  return pad(prefix + digits, width, flags.includes('-'), ' ')
}

function pad(value: string, width: number, left: boolean, fill: string): string {
  const missing = width - encode(value).length
  if (missing <= 0) return value
  return left ? value + ' '.repeat(missing) : fill.repeat(missing) + value
}

/** Seconds since 1970, with as many decimals as the precision says, nine for a bare dot. */
function seconds(ms: number, style: Style): string {
  const whole = Math.floor(ms / 1000)
  if (style.precision === 0) return number(whole, 10, { ...style, precision: null })
  if (style.precision === null) return number(whole, 10, style)
  const decimals = style.precision
  const fraction = strftime('%N', ms).padEnd(decimals, '0').slice(0, decimals)
  return pad(`${whole}.${fraction}`, style.width, style.flags.includes('-'), style.flags.includes('0') ? '0' : ' ')
}
