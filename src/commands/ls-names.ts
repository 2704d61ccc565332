import { encode } from '../bytes.ts'
import { displayWidth } from './display-width.ts'
import type { LsOptions, QuotingStyle } from './ls-options.ts'

/** A name as it is shown, before colours. */
export interface ShownName {
  readonly text: string
  /** Columns. */
  readonly width: number
  /** It stands in quotes that other names lack. */
  readonly isQuoted: boolean
}

type NameRules = Pick<LsOptions, 'quoting' | 'hideControls' | 'byteCharacters'>

/** Writes a name in the quoting style asked for. `colons`: it heads a directory's listing, so a colon in it wants quotes too. */
export function shownName(name: string, rules: NameRules, colons = false): ShownName {
  if (PLAIN.test(name) && name !== '' && !ALWAYS.has(rules.quoting)) return { text: name, width: name.length, isQuoted: false }
  const quotedText = quote(name, rules, colons)
  const text = rules.hideControls ? hideControls(quotedText, rules.byteCharacters) : quotedText
  return {
    text,
    width: rules.byteCharacters ? byteWidth(text) : displayWidth(text),
    isQuoted: text !== name && VARIABLE.has(rules.quoting),
  }
}

function byteWidth(text: string): number {
  let width = 0
  for (const byte of encode(text)) if (byte >= 32 && byte !== 127) width += 1
  return width
}

/** Names in this style are padded with a space where others are quoted. */
export function quotesVary(style: QuotingStyle): boolean {
  return VARIABLE.has(style)
}

const PLAIN = /^[A-Za-z0-9_.,+@%/-]*$/
const ALWAYS: ReadonlySet<QuotingStyle> = new Set(['shell-always', 'shell-escape-always', 'c', 'locale', 'clocale'] as const)
const VARIABLE: ReadonlySet<QuotingStyle> = new Set(['shell', 'shell-escape', 'c-maybe'] as const)
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\udc80-\udcff]/
const UNPRINTABLE_BYTES = /[^ -~]/
const SHELL_SPECIAL = /[ \t\n!"$&'()*;<=>?[\\^`|]|^[#~]|^[{}]$/

function quote(name: string, { quoting, byteCharacters }: NameRules, colons: boolean): string {
  switch (quoting) {
    case 'literal':
      return name
    case 'shell':
      return shellQuote(name, false, colons)
    case 'shell-always':
      return shellQuote(name, true, colons)
    case 'shell-escape':
      return shellEscape(name, false, colons, byteCharacters)
    case 'shell-escape-always':
      return shellEscape(name, true, colons, byteCharacters)
    case 'c':
      return `"${escaped(name, '"', false, byteCharacters)}"`
    case 'c-maybe': {
      const inside = escaped(name, '"', false, byteCharacters)
      return inside === name && !(colons && name.includes(':')) ? name : `"${inside}"`
    }
    case 'escape': {
      const text = escaped(name, '', true, byteCharacters)
      return colons ? text.replaceAll(':', '\\:') : text
    }
    case 'locale':
      return byteCharacters ? `'${escaped(name, "'", false, true)}'` : `‘${escaped(name, '’', false, false)}’`
    case 'clocale':
      return byteCharacters ? `"${escaped(name, '"', false, true)}"` : `‘${escaped(name, '’', false, false)}’`
    default:
      return quoting satisfies never
  }
}

function shellQuote(name: string, always: boolean, colons: boolean): string {
  if (!always && name !== '' && !SHELL_SPECIAL.test(name) && !(colons && name.includes(':'))) return name
  if (name.includes("'") && !/["$\\`!]/.test(name)) return `"${name}"`
  return `'${name.replaceAll("'", "'\\''")}'`
}

function shellEscape(name: string, always: boolean, colons: boolean, byteCharacters: boolean): string {
  const unprintable = byteCharacters ? UNPRINTABLE_BYTES : UNPRINTABLE
  if (!unprintable.test(name)) return shellQuote(name, always, colons)
  let text = "'"
  let escaping = false
  for (const char of name) {
    const special = unprintable.test(char)
    if (special !== escaping) text += special ? "'$'" : "''"
    escaping = special
    text += special ? escapeOf(char) : char === "'" ? "'\\''" : char
  }
  return `${text}'`
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])

function escapeOf(char: string): string {
  const known = LETTERS.get(char)
  if (known !== undefined) return known
  let text = ''
  for (const byte of encode(char)) text += `\\${byte.toString(8).padStart(3, '0')}`
  return text
}

function escaped(name: string, mark: string, spaces: boolean, byteCharacters: boolean): string {
  const unprintable = byteCharacters ? UNPRINTABLE_BYTES : UNPRINTABLE
  let text = ''
  for (const char of name) {
    if (char === '\\') text += '\\\\'
    else if (char === mark || (spaces && char === ' ')) text += `\\${char}`
    else text += unprintable.test(char) ? escapeOf(char) : char
  }
  return text
}

function hideControls(text: string, byteCharacters: boolean): string {
  const unprintable = byteCharacters ? UNPRINTABLE_BYTES : UNPRINTABLE
  if (!unprintable.test(text)) return text
  let shown = ''
  for (const char of text) {
    if (!unprintable.test(char)) shown += char
    else shown += byteCharacters ? '?'.repeat(encode(char).length) : '?'
  }
  return shown
}
