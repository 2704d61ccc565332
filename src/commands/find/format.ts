import { encode } from '../../bytes.ts'
import { hasCode } from '../../errors.ts'
import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { nanosecondsOf, strftime } from '../../time/strftime.ts'
import type { Zone } from '../../time/zone.ts'
import { allocatedBytes } from '../block-size.ts'
import { modeText } from '../file-mode.ts'
import { nameOfId } from '../identity.ts'
import { CommandFailure } from '../utility.ts'
import type { FoundFile } from './found-file.ts'
import type { FindRun } from './run.ts'
import { typeLetter } from './type-test.ts'

/** A compiled `-printf` format. */
export interface Format {
  /** Its text needs what `stat` knows. */
  readonly needsStat: boolean
  /** `stat` may be null where it isn't needed. */
  text(file: FoundFile, stat: FileStat | null): MaybePromise<string>
}

/** What has to be known to write a format, and where its warnings go. */
export interface FormatContext {
  readonly run: FindRun
  readonly zone: Zone
  warn(message: string): void
}

/** Compiles a format of `-printf`. */
export function compileFormat(format: string, context: FormatContext): Format {
  const pieces: Piece[] = []
  let needsStat = false
  let plain = ''
  for (let at = 0; at < format.length; ) {
    const char = format[at] as string
    if (char === '\\') {
      if (format[at + 1] === 'c') break
      const { text, length } = readEscape(format, at, context)
      plain += text
      at += length
      continue
    }
    if (char !== '%') {
      plain += char
      at += 1
      continue
    }
    if (format[at + 1] === '%') {
      plain += '%'
      at += 2
      continue
    }
    const directive = readDirective(format, at, context)
    at += directive.length
    if (directive.piece === null) {
      plain += directive.text
      continue
    }
    if (plain !== '') pieces.push(plain)
    plain = ''
    pieces.push(directive.piece)
    if (!STATLESS.has(directive.letter)) needsStat = true
  }
  if (plain !== '') pieces.push(plain)
  return { needsStat, text: (file, stat) => join(pieces, 0, '', file, stat) }
}

type Piece = string | ((file: FoundFile, stat: FileStat) => MaybePromise<string>)

const STATLESS: ReadonlySet<string> = new Set('pfhPHdy')

function join(pieces: readonly Piece[], from: number, start: string, file: FoundFile, stat: FileStat | null): MaybePromise<string> {
  let text = start
  for (let at = from; at < pieces.length; at++) {
    const piece = pieces[at] as Piece
    const part = typeof piece === 'string' ? piece : piece(file, stat as FileStat)
    if (isPromise(part)) {
      const before = text
      return part.then((known) => join(pieces, at + 1, before + known, file, stat))
    }
    text += part
  }
  return text
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
])

function readEscape(format: string, at: number, { warn }: FormatContext): { text: string; length: number } {
  const octal = /^[0-7]{1,3}/.exec(format.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8) & 0xff
    return { text: String.fromCharCode(byte < 128 ? byte : 0xdc00 + byte), length: 1 + octal.length }
  }
  const char = format[at + 1]
  if (char === undefined) {
    warn("warning: escape `\\' followed by nothing at all")
    return { text: '\\', length: 1 }
  }
  const known = ESCAPES.get(char)
  if (known === undefined) warn(`warning: unrecognized escape \`\\${char}'`)
  return { text: known ?? `\\${char}`, length: 2 }
}

interface Directive {
  readonly length: number
  readonly letter: string
  /** Null where it is no directive and `text` stands for itself. */
  readonly piece: Piece | null
  readonly text: string
}

interface Style {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
}

function readDirective(format: string, at: number, context: FormatContext): Directive {
  const [whole = '%', flags = '', width = '', precision, letter = ''] =
    /^%([-+ #0]*)(\d*)(?:\.(\d*))?([\s\S]?)/u.exec(format.slice(at)) ?? []
  if (letter === '') throw new CommandFailure('error: % at end of format string')
  const style: Style = { flags, width: Math.min(Number(width), 65_536), precision: precision === undefined ? null : Number(precision) }
  if ('ABCT'.includes(letter) && letter !== 'C') return timeDirective(format, at, whole, style, context)
  const write = writerOf(letter, style, context)
  if (write === null) {
    context.warn(`warning: unrecognized format directive \`%${letter}'`)
    return { length: whole.length, letter, piece: null, text: whole }
  }
  return { length: whole.length, letter, piece: write, text: '' }
}

const TIMES: Readonly<Record<string, 'atimeMs' | 'birthtimeMs' | 'ctimeMs' | 'mtimeMs'>> = {
  A: 'atimeMs',
  B: 'birthtimeMs',
  C: 'ctimeMs',
  T: 'mtimeMs',
}
const TIME_LETTERS = 'aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ@+%'

function timeDirective(format: string, at: number, whole: string, style: Style, context: FormatContext): Directive {
  const letter = whole.at(-1) as string
  const [kind = ''] = format.slice(at + whole.length)
  if (kind === '') {
    context.warn(`warning: format directive \`%${letter}' should be followed by another character`)
    return { length: whole.length, letter, piece: null, text: whole }
  }
  const which = TIMES[letter] as 'mtimeMs'
  const isKnown = TIME_LETTERS.includes(kind)
  return {
    length: whole.length + kind.length,
    letter,
    text: '',
    piece: (_file, stat) => padded(isKnown ? timeText(kind, stat[which], context.zone) : `%${kind}`, style),
  }
}

function timeText(kind: string, ms: number, zone: Zone): string {
  const fraction = `.${String(nanosecondsOf(ms)).padStart(9, '0')}0`
  switch (kind) {
    case '@':
      return `${Math.floor(ms / 1000)}${fraction}`
    case '+':
      return strftime('%Y-%m-%d+%H:%M:%S', ms, zone) + fraction
    case 'S':
    case 'T':
    case 'X':
      return strftime(`%${kind}`, ms, zone) + fraction
    default:
      return strftime(`%${kind}`, ms, zone)
  }
}

/** `Tue Mar  5 06:07:08.1234567890 2024` */
function fullTime(ms: number, zone: Zone): string {
  return `${strftime('%a %b %e %H:%M:%S', ms, zone)}.${String(nanosecondsOf(ms)).padStart(9, '0')}0 ${strftime('%Y', ms, zone)}`
}

function writerOf(letter: string, style: Style, { run, zone }: FormatContext): Exclude<Piece, string> | null {
  const { env, fs } = run.context
  const isBare = style.flags === '' && style.width === 0 && style.precision === null
  const text = (write: (file: FoundFile, stat: FileStat) => string): Exclude<Piece, string> =>
    isBare ? write : (file, stat) => padded(write(file, stat), style)
  switch (letter) {
    case 'p':
      return text((file) => file.shown)
    case 'f':
      return text((file) => (file.depth === 0 ? file.base : file.name))
    case 'h':
      return text((file) => leadingDirectories(file.shown))
    case 'P':
      return text((file) => belowRoot(file))
    case 'H':
      return text((file) => file.root)
    case 'd':
      return (file) => integer(String(file.depth), style, '')
    case 'y':
      return text((file) => typeLetter(file.type))
    case 'Y':
      return (file) => {
        const letterOf = targetLetter(file, fs)
        return isPromise(letterOf) ? letterOf.then((known) => padded(known, style)) : padded(letterOf, style)
      }
    case 'l':
      return (file) => {
        if (file.type !== 'symlink') return padded('', style)
        const target = fs.readlink(file.path)
        return isPromise(target) ? target.then((known) => padded(known, style)) : padded(target, style)
      }
    case 's':
      return text((_file, stat) => String(stat.size))
    case 'S':
      return text((_file, stat) => shortNumber(sparseness(stat)))
    case 'b':
      return text((_file, stat) => String(allocatedBytes(stat) / 512))
    case 'k':
      return text((_file, stat) => String(allocatedBytes(stat) / 1024))
    case 'm':
      return (_file, stat) => integer(stat.mode.toString(8), style, '0')
    case 'M':
      return text((_file, stat) => modeText(stat))
    case 'n':
      return text((_file, stat) => String(stat.nlink))
    case 'i':
      return text((_file, stat) => String(stat.ino))
    case 'D':
      return text((_file, stat) => String(stat.dev))
    case 'u':
      return text((_file, stat) => nameOfId(stat.uid, env) ?? String(stat.uid))
    case 'U':
      return text((_file, stat) => String(stat.uid))
    case 'g':
      return text((_file, stat) => nameOfId(stat.gid, env) ?? String(stat.gid))
    case 'G':
      return text((_file, stat) => String(stat.gid))
    case 'F':
      return text(() => FILE_SYSTEM_TYPE)
    case 'Z':
      return text(() => '')
    case 't':
      return text((_file, stat) => fullTime(stat.mtimeMs, zone))
    case 'c':
      return text((_file, stat) => fullTime(stat.ctimeMs, zone))
    case 'a':
      return text((_file, stat) => fullTime(stat.atimeMs, zone))
    default:
      return null
  }
}

/** What `-fstype` and `%F` call every file system. */
export const FILE_SYSTEM_TYPE = 'tmpfs'

/** Widths and precisions count bytes, as printf(3) does. */
function padded(text: string, { flags, width, precision }: Style): string {
  const cut = precision !== null && precision < text.length ? text.slice(0, precision) : text
  if (width <= cut.length && width === 0) return cut
  const fill = ' '.repeat(Math.max(width - encode(cut).length, 0))
  return flags.includes('-') ? cut + fill : fill + cut
}

function integer(digits: string, { flags, width, precision }: Style, mark: string): string {
  const sign =
    mark !== '' ? (flags.includes('#') && !digits.startsWith('0') ? mark : '') : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const exact = digits.padStart(precision ?? 0, '0')
  if (flags.includes('-')) return (sign + exact).padEnd(width)
  return flags.includes('0') && precision === null ? sign + exact.padStart(width - sign.length, '0') : (sign + exact).padStart(width)
}

/** All but the last name; GNU find's own idea of it where slashes end the path. */
function leadingDirectories(shown: string): string {
  let end = shown.length
  while (end > 0 && shown[end - 1] === '/') end -= 1
  const kept = end > 1 ? shown.slice(0, end) : shown
  const slash = kept.lastIndexOf('/')
  return slash < 0 ? '.' : kept.slice(0, slash)
}

function belowRoot({ shown, root, depth }: FoundFile): string {
  if (depth === 0) return ''
  return shown.slice(root.length).replace(/^\//, '')
}

function targetLetter(file: FoundFile, fs: FindRun['context']['fs']): MaybePromise<string> {
  if (file.ownType !== 'symlink') return typeLetter(file.type)
  const failed = (error: unknown): string => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return 'N'
    return hasCode(error, 'ELOOP') ? 'L' : '?'
  }
  try {
    const stat = fs.stat(file.path)
    return isPromise(stat) ? stat.then(({ type }) => typeLetter(type), failed) : typeLetter(stat.type)
  } catch (error) {
    return failed(error)
  }
}

function sparseness(stat: FileStat): number {
  const allocated = allocatedBytes(stat)
  if (stat.size === 0) return allocated === 0 ? 1 : Number.POSITIVE_INFINITY
  return allocated / stat.size
}

/** As `%g` of printf(3). */
function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return 'inf'
  return String(Number(value.toPrecision(6)))
}
