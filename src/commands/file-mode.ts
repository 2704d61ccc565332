import type { FileStat, FileType } from '../fs/file-system.ts'

/** The ten characters of `ls -l`: `drwxr-xr-x`. */
export function modeText({ type, mode }: Pick<FileStat, 'type' | 'mode'>): string {
  const letters = ['x', 'w', 'r']
  let text = ''
  for (let bit = 8; bit >= 0; bit--) text += (mode >> bit) & 1 ? letters[bit % 3] : '-'
  return (
    LETTER[type] +
    special(text.slice(0, 3), mode & 0o4000, 's') +
    special(text.slice(3, 6), mode & 0o2000, 's') +
    special(text.slice(6), mode & 0o1000, 't')
  )
}

function special(text: string, isSet: number, letter: string): string {
  if (isSet === 0) return text
  return text.slice(0, 2) + (text.endsWith('x') ? letter : letter.toUpperCase())
}

const LETTER: Readonly<Record<FileType, string>> = { file: '-', directory: 'd', symlink: 'l', 'character-device': 'c', fifo: 'p' }
const TYPE_BITS: Readonly<Record<FileType, number>> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  'character-device': 0o020000,
  fifo: 0o010000,
}

/** `st_mode` as stat(2) has it: the permission bits and those of the type. */
export function rawMode({ type, mode }: Pick<FileStat, 'type' | 'mode'>): number {
  return TYPE_BITS[type] | mode
}

/** How a mode is to change, as `chmod` reads it. */
export interface ModeChange {
  /** The new mode of a file or directory that has `mode`. */
  apply(mode: number, isDirectory: boolean, umask: number): number
  /** Permission bits that the change speaks of, of a directory. */
  named(umask: number): number
}

/** Reads an octal or symbolic mode (`755`, `u+x,go-w`, `a=rX`, `g=u`); null where it is neither. */
export function parseMode(text: string): ModeChange | null {
  if (/^[0-7]+$/.test(text)) {
    const bits = Number.parseInt(text, 8)
    if (bits > 0o7777) return null
    // Fewer than five digits say nothing of a directory's set-id bits.
    const kept = text.length < 5 ? 0o6000 & ~bits : 0
    return { named: () => EVERYONE, apply: (mode, isDirectory) => bits | (isDirectory ? mode & kept : 0) }
  }
  const actions: Action[] = []
  for (const clause of text.split(',')) {
    const match = /^([ugoa]*)((?:[-+=](?:[ugo]|[0-7]+|[rwxXst]*))+)$/.exec(clause)
    if (match === null) return null
    const [, who = '', changes = ''] = match
    for (const [, operator = '', permissions = ''] of changes.matchAll(/([-+=])([ugo](?![a-zA-Z])|[0-7]+|[rwxXst]*)/g)) {
      if (/^[0-7]/.test(permissions) && (who !== '' || Number.parseInt(permissions, 8) > 0o7777)) return null
      actions.push({ who, operator: operator as Action['operator'], permissions })
    }
  }
  return {
    named: (umask) => actions.reduce((bits, action) => bits | namedBits(action, umask), 0),
    apply: (mode, isDirectory, umask) => actions.reduce((current, action) => applied(action, current, isDirectory, umask), mode),
  }
}

interface Action {
  readonly who: string
  readonly operator: '+' | '-' | '='
  readonly permissions: string
}

const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 }
const EVERYONE = 0o7777

function namedBits({ who, operator, permissions }: Action, umask: number): number {
  let affected = 0
  for (const letter of who) affected |= WHO[letter] as number
  if (/^[0-7]/.test(permissions)) return EVERYONE
  if (operator === '=') return affected === 0 ? EVERYONE : affected
  return bitsOf(permissions, 0o777, true) & (affected === 0 ? EVERYONE & ~umask : affected)
}

function applied({ who, operator, permissions }: Action, mode: number, isDirectory: boolean, umask: number): number {
  let affected = 0
  for (const letter of who) affected |= WHO[letter] as number
  const isOctal = /^[0-7]/.test(permissions)
  const limit = isOctal ? EVERYONE : affected === 0 ? EVERYONE & ~umask : affected
  const value = isOctal ? Number.parseInt(permissions, 8) : bitsOf(permissions, mode, isDirectory)
  const bits = value & limit
  if (operator === '+') return mode | bits
  if (operator === '-') return mode & ~bits
  // Set-id bits of a directory stay where they aren't named.
  const kept = isDirectory && !isOctal ? 0o6000 & ~value : isDirectory && isOctal && permissions.length < 5 ? 0o6000 & ~value : 0
  const cleared = isOctal || who === '' ? EVERYONE : affected
  return (mode & ~(cleared & ~kept)) | bits
}

function bitsOf(permissions: string, mode: number, isDirectory: boolean): number {
  if (/^[ugo]$/.test(permissions)) {
    const three = permissions === 'u' ? (mode >> 6) & 7 : permissions === 'g' ? (mode >> 3) & 7 : mode & 7
    return (three << 6) | (three << 3) | three
  }
  let bits = 0
  for (const letter of permissions) {
    if (letter === 'r') bits |= 0o444
    else if (letter === 'w') bits |= 0o222
    else if (letter === 'x') bits |= 0o111
    else if (letter === 'X') bits |= isDirectory || (mode & 0o111) !== 0 ? 0o111 : 0
    else if (letter === 's') bits |= 0o6000
    else if (letter === 't') bits |= 0o1000
  }
  return bits
}
