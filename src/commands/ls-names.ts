import { encode } from '../bytes.ts'
import { displayWidth } from './display-width.ts'
import type { LsOptions, QuotingStyle } from './ls-options.ts'
import { escaped, shellEscaped, shellQuoted, UNPRINTABLE } from './quoting.ts'

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
const UNPRINTABLE_BYTES = /[^ -~]/

function unprintableIn(byteCharacters: boolean): RegExp {
  return byteCharacters ? UNPRINTABLE_BYTES : UNPRINTABLE
}

function quote(name: string, { quoting, byteCharacters }: NameRules, colons: boolean): string {
  switch (quoting) {
    case 'literal':
      return name
    case 'shell':
      return shellQuoted(name, false, colons)
    case 'shell-always':
      return shellQuoted(name, true, colons)
    case 'shell-escape':
      return shellEscaped(name, unprintableIn(byteCharacters), false, colons)
    case 'shell-escape-always':
      return shellEscaped(name, unprintableIn(byteCharacters), true, colons)
    case 'c':
      return `"${backslashed(name, '"', false, byteCharacters)}"`
    case 'c-maybe': {
      const inside = backslashed(name, '"', false, byteCharacters)
      return inside === name && !(colons && name.includes(':')) ? name : `"${inside}"`
    }
    case 'escape': {
      const text = backslashed(name, '', true, byteCharacters)
      return colons ? text.replaceAll(':', '\\:') : text
    }
    case 'locale':
      return byteCharacters ? `'${backslashed(name, "'", false, true)}'` : `‘${backslashed(name, '’', false, false)}’`
    case 'clocale':
      return byteCharacters ? `"${backslashed(name, '"', false, true)}"` : `‘${backslashed(name, '’', false, false)}’`
    default:
      return quoting satisfies never
  }
}

function backslashed(name: string, mark: string, spaces: boolean, byteCharacters: boolean): string {
  const unprintable = unprintableIn(byteCharacters)
  let text = ''
  for (const char of name) {
    if (char === '\\') text += '\\\\'
    else if (char === mark || (spaces && char === ' ')) text += `\\${char}`
    else text += unprintable.test(char) ? escaped(char) : char
  }
  return text
}

function hideControls(text: string, byteCharacters: boolean): string {
  const unprintable = unprintableIn(byteCharacters)
  if (!unprintable.test(text)) return text
  let shown = ''
  for (const char of text) {
    if (!unprintable.test(char)) shown += char
    else shown += byteCharacters ? '?'.repeat(encode(char).length) : '?'
  }
  return shown
}
