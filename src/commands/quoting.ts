import { encode } from '../bytes.ts'
import type { CommandContext } from './command.ts'
import { isUtf8Locale } from './locale.ts'

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
])

/** Control characters, and bytes that aren't text. */
export const UNPRINTABLE: RegExp = /[\x00-\x1f\x7f-\x9f\udc80-\udcff]/u
const SHELL_SPECIAL = /[ \t\n!"$&'()*;<=>?[\\^`|]|^[#~]|^[{}]$/

/** A value named in a message, in the quotes of the locale: `'it\'s'`, `‘it's’` in a UTF-8 one. */
export function quoted(context: CommandContext, text: string): string {
  const curly = isUtf8Locale(context)
  let inside = ''
  for (const char of text) {
    if (char === '\\') inside += '\\\\'
    else if (char === "'" && !curly) inside += "\\'"
    else if (char === '’' && curly) inside += '\\’'
    else inside += UNPRINTABLE.test(char) ? escaped(char) : char
  }
  return curly ? `‘${inside}’` : `'${inside}'`
}

/** A file named in a message: as it is where that is plain, else quoted as a shell would take it. */
export function quotedName(name: string): string {
  return shellEscaped(name, UNPRINTABLE, false, true)
}

/** In quotes where a shell wants them, or `always`; control characters stand as they are. `colons`: a colon wants quotes too. */
export function shellQuoted(name: string, always: boolean, colons: boolean): string {
  if (!always && name !== '' && !SHELL_SPECIAL.test(name) && !(colons && name.includes(':'))) return name
  if (name.includes("'") && !/["$\\`!]/.test(name)) return `"${name}"`
  return `'${name.replaceAll("'", "'\\''")}'`
}

/** As `shellQuoted`, with what is `unprintable` as `$'…'`. */
export function shellEscaped(name: string, unprintable: RegExp, always: boolean, colons: boolean): string {
  if (!unprintable.test(name)) return shellQuoted(name, always, colons)
  let text = "'"
  let escaping = false
  for (const char of name) {
    const special = unprintable.test(char)
    if (special !== escaping) text += special ? "'$'" : "''"
    escaping = special
    text += special ? escaped(char) : char === "'" ? "'\\''" : char
  }
  return `${text}'`
}

/** One character as `\n` or in octal, a byte at a time. */
export function escaped(char: string): string {
  const known = ESCAPES.get(char)
  if (known !== undefined) return known
  let text = ''
  for (const byte of encode(char)) text += `\\${byte.toString(8).padStart(3, '0')}`
  return text
}
