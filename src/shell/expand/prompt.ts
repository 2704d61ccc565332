import { decode, encode } from '../../bytes.ts'

/** What the escapes of a prompt stand for. */
export interface PromptInfo {
  /** `\u` */
  readonly user: string
  /** `\H`; `\h` is the part before the first dot. */
  readonly host: string
  /** `\s`: the shell's name. */
  readonly shell: string
  /** `\v` such as `5.2`, and `\V` such as `5.2.15`. */
  readonly version: string
  readonly release: string
  /** `\w` and `\W`: `home` at its start becomes `~`. */
  readonly cwd: string
  readonly home: string
  /** Value of PROMPT_DIRTRIM: directories kept at the end of `\w`; 0 keeps all. */
  readonly dirtrim?: number
  /** `\!`: number in the history. */
  readonly historyNumber: number
  /** `\#`: number of the command in this session. */
  readonly commandNumber: number
  /** `\j`: number of jobs. */
  readonly jobs: number
  /** `\l`: base name of the terminal. */
  readonly terminal: string
  /** `\$` is a hash for 0. */
  readonly uid: number
  /** Milliseconds since the epoch, for `\d \t \T \@ \A \D{…}`. */
  now(): number
  strftime(format: string, ms: number): string
  /** Quotes what comes from outside (directory, host, user), so that parameter expansion afterwards leaves it alone. Left out: nothing is quoted. */
  protect?(text: string): string
}

/** Resolves the backslash escapes of PS1, PS4 and `${x@P}`. `\[` and `\]` become U+0001 and U+0002 where `marks` is set, else nothing. */
export function expandPromptEscapes(text: string, info: PromptInfo, marks = false): string {
  if (!text.includes('\\')) return text
  const expanded = text.replace(ESCAPE, (whole, octal: string | undefined, time: string | undefined, letter: string | undefined) => {
    if (octal !== undefined) return byteText(Number.parseInt(octal, 8) & 0xff)
    if (time !== undefined) return info.strftime(time === '' ? '%X' : time, info.now())
    return letter === undefined ? whole : expandLetter(letter, info, marks)
  })
  return STRAY.test(expanded) ? decode(encode(expanded)) : expanded
}

const ESCAPE = /\\(?:([0-7]{1,3})|D\{([^}]*)\}|([\s\S]))/gu
const STRAY = /[\udc80-\udcff]/

function expandLetter(letter: string, info: PromptInfo, marks: boolean): string {
  const protect = info.protect ?? ((text: string): string => text)
  const time = (format: string): string => info.strftime(format, info.now())
  switch (letter) {
    case 'a':
      return '\x07'
    case 'd':
      return time('%a %b %d')
    case 'e':
      return '\x1b'
    case 'h':
      return protect(info.host.split('.')[0] as string)
    case 'H':
      return protect(info.host)
    case 'j':
      return String(info.jobs)
    case 'l':
      return info.terminal
    case 'n':
      return '\n'
    case 'r':
      return '\r'
    case 's':
      return protect(info.shell)
    case 't':
      return time('%H:%M:%S')
    case 'T':
      return time('%I:%M:%S')
    case '@':
      return time('%I:%M %p')
    case 'A':
      return time('%H:%M')
    case 'u':
      return protect(info.user)
    case 'v':
      return info.version
    case 'V':
      return info.release
    case 'w':
      return protect(trimDirectories(abbreviate(info), info.dirtrim ?? 0))
    case 'W': {
      const path = abbreviate(info)
      return protect(path === '/' || path === '//' ? path : path.slice(path.lastIndexOf('/') + 1))
    }
    case '!':
      return String(info.historyNumber)
    case '#':
      return String(info.commandNumber)
    case '$':
      return info.uid === 0 ? '#' : '$'
    case '\\':
      return '\\'
    case '[':
      return marks ? '\x01' : ''
    case ']':
      return marks ? '\x02' : ''
    default:
      return `\\${letter}`
  }
}

function abbreviate({ cwd, home }: PromptInfo): string {
  if (home.length <= 1) return cwd
  if (cwd === home) return '~'
  return cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
}

/** `~/.../c/d` */
function trimDirectories(path: string, kept: number): string {
  if (kept <= 0) return path
  const start = path.startsWith('~') ? '~' : ''
  const names = path.slice(start.length).split('/').filter(Boolean)
  const trimmed = `${start === '' ? '' : '~/'}.../${names.slice(-kept).join('/')}`
  return names.length > kept && trimmed.length < path.length ? trimmed : path
}

function byteText(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)
}
