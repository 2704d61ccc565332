import { encode } from '../../bytes.ts'
import { characterClass } from './character-class.ts'

export { decodeAnsiC } from '../syntax/escape-sequence.ts'

/** As `printf %q` and completion write a word: backslashes, or `$'…'` where there are characters that can't be printed. */
export function quoteWord(text: string): string {
  if (text === '') return "''"
  if (hasUnprintable(text)) return quoteAnsiC(text)
  return text.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]|^#|(^|[:=])~/g, (match, before?: string) =>
    before === undefined ? `\\${match}` : `${before}\\~`,
  )
}

/** As `${x@Q}` writes a value: always in quotes, `$'…'` where there are characters that can't be printed. */
export function quoteReusable(text: string): string {
  return hasUnprintable(text) ? quoteAnsiC(text) : quoteSingle(text)
}

/** As `alias` and `trap -p` write a text: in single quotes whatever it holds. */
export function quoteSingle(text: string): string {
  if (text === "'") return "\\'"
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** As `declare -p` writes a value: in double quotes, `$'…'` where there are characters that can't be printed. */
export function quoteDouble(text: string): string {
  if (hasUnprintable(text)) return quoteAnsiC(text)
  return `"${text.replace(/["$\\`]/g, '\\$&')}"`
}

/** As `declare -p` writes the key of an associative array: in double quotes only where it must be. */
export function quoteKey(key: string): string {
  if (hasUnprintable(key)) return quoteAnsiC(key)
  return key === '' || key === '@' || hasMetaCharacter(key) ? quoteDouble(key) : key
}

/** As `set` writes a value: in single quotes only where it must be. */
export function quoteMinimal(text: string): string {
  if (hasUnprintable(text)) return quoteAnsiC(text)
  return hasMetaCharacter(text) ? quoteSingle(text) : text
}

/** As `set -x` writes a word: in single quotes where it is empty or must be, else `$'…'` where there are characters that can't be printed. */
export function quoteTraced(text: string): string {
  if (text === '' || hasMetaCharacter(text)) return quoteSingle(text)
  return hasUnprintable(text) ? quoteAnsiC(text) : text
}

/** `$'…'` */
export function quoteAnsiC(text: string): string {
  return `$'${text.replace(TO_ESCAPE, escaped)}'`
}

const SAFE = /^[\x20-\x7e]*$/
const TO_ESCAPE = /[\\']|[^\x20-\x7e]/gu
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\x1b', '\\E'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ["'", "\\'"],
])
const isPrintable = characterClass('print') as (code: number) => boolean

function hasUnprintable(text: string): boolean {
  if (SAFE.test(text)) return false
  for (const char of text) if (!isPrintable(char.codePointAt(0) as number)) return true
  return false
}

function hasMetaCharacter(text: string): boolean {
  return /[ \t\n!"$&'()*;<>?[\\\]^`{|}]|^[#~]|[:=]~/.test(text)
}

function escaped(char: string): string {
  const letter = LETTERS.get(char)
  if (letter !== undefined) return letter
  if (isPrintable(char.codePointAt(0) as number)) return char
  return Array.from(encode(char), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
