import type { FileStat, FileType } from '../fs/file-system.ts'

/** The colours of `LS_COLORS`. */
export interface ColorTable {
  /** What precedes and follows the codes of a colour. */
  readonly left: string
  readonly right: string
  /** Puts back what was, instead of `left` + `rs` + `right`. */
  readonly end: string | null
  /** The codes for a file; null for none. */
  codes(file: ColoredFile): string | null
  /** Broken links have a colour of their own, so targets must be looked at. */
  readonly needsTargets: boolean
  readonly reset: string
  /** The codes for what a broken link leads to. */
  readonly missing: string | null
}

export interface ColoredFile {
  readonly name: string
  readonly type: FileType
  readonly stat: FileStat | null
  /** Of the file a symbolic link leads to; undefined where it wasn't looked for, null where there is none. */
  readonly target: FileStat | null | undefined
}

const USUAL: Readonly<Record<string, string>> = {
  lc: '\x1b[',
  rc: 'm',
  rs: '0',
  di: '01;34',
  ln: '01;36',
  pi: '33',
  so: '01;35',
  bd: '01;33',
  cd: '01;33',
  ex: '01;32',
  do: '01;35',
  su: '37;41',
  sg: '30;43',
  st: '37;44',
  ow: '34;42',
  tw: '30;42',
  ca: '30;41',
}
const KEYS = 'lc rc ec rs no fi di ln pi so bd cd mi or ex do su sg st ow tw ca mh cl'.split(' ')

/** Reads `LS_COLORS`; the usual colours where it is unset. `problem` is a key that isn't known, null for another fault. */
export function colorTable(text: string | undefined): ColorTable | { readonly problem: string | null } {
  const codes = new Map(Object.entries(USUAL))
  const suffixes: [suffix: string, codes: string][] = []
  for (const entry of (text ?? '').split(/(?<!\\):/)) {
    if (entry === '') continue
    const equals = entry.indexOf('=')
    if (equals < 0) return { problem: null }
    const key = entry.slice(0, equals)
    const value = unescaped(entry.slice(equals + 1))
    if (key.startsWith('*')) suffixes.unshift([unescaped(key.slice(1)), value])
    else if (KEYS.includes(key)) codes.set(key, value)
    else return key.length === 2 ? { problem: key } : { problem: null }
  }
  const isSet = (key: string): boolean => !/^0*$/.test(codes.get(key) ?? '')
  const asTarget = codes.get('ln') === 'target'
  const left = codes.get('lc') ?? ''
  const right = codes.get('rc') ?? ''
  const keyOf = (file: ColoredFile): string => {
    const { type, stat } = file
    switch (type) {
      case 'directory': {
        if (stat === null) return 'di'
        const sticky = (stat.mode & 0o1000) !== 0
        const open = (stat.mode & 0o002) !== 0
        if (sticky && open && isSet('tw')) return 'tw'
        if (open && isSet('ow')) return 'ow'
        return sticky && isSet('st') ? 'st' : 'di'
      }
      case 'symlink':
        if (file.target === null && (isSet('or') || asTarget)) return 'or'
        return 'ln'
      case 'fifo':
        return 'pi'
      case 'character-device':
        return 'cd'
      case 'file':
        if (stat === null) return 'fi'
        if ((stat.mode & 0o4000) !== 0 && isSet('su')) return 'su'
        if ((stat.mode & 0o2000) !== 0 && isSet('sg')) return 'sg'
        if ((stat.mode & 0o111) !== 0 && isSet('ex')) return 'ex'
        return stat.nlink > 1 && isSet('mh') ? 'mh' : 'fi'
      default:
        return type satisfies never
    }
  }
  const codesOf = (file: ColoredFile): string | null => {
    if (asTarget && file.type === 'symlink' && file.target != null) {
      return codesOf({ name: file.name, type: file.target.type, stat: file.target, target: undefined })
    }
    const key = keyOf(file)
    if (key === 'fi') {
      const suffix = suffixes.find(([end]) => file.name.endsWith(end))
      if (suffix !== undefined) return suffix[1]
    }
    if (isSet(key)) return codes.get(key) ?? null
    return isSet('no') ? (codes.get('no') ?? null) : null
  }
  return {
    left,
    right,
    end: codes.get('ec') ?? null,
    reset: codes.get('rs') ?? '0',
    codes: codesOf,
    missing: isSet('mi') ? (codes.get('mi') ?? null) : isSet('or') ? (codes.get('or') ?? null) : null,
    needsTargets: isSet('or') || isSet('mi') || asTarget,
  }
}

function unescaped(text: string): string {
  return text
    .replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))/g, (_whole, octal?: string, hex?: string, letter?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      return letter === 'e' ? '\x1b' : letter === 'a' ? '\x07' : letter === '_' ? ' ' : (letter ?? '')
    })
    .replace(/\^([?-_a-z])/g, (_whole, letter: string) => (letter === '?' ? '\x7f' : String.fromCharCode(letter.charCodeAt(0) & 0x1f)))
}
