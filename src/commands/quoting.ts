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

const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\udc80-\udcff]/u

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
  if (name !== '' && !/[\s!"$&'()*:;<=>?[\\^`|]|^[~#]|^[{}]$/.test(name) && !UNPRINTABLE.test(name)) return name
  if (UNPRINTABLE.test(name)) return withEscapes(name)
  if (name.includes("'") && !/["$\\`!]/.test(name)) return `"${name}"`
  return `'${name.replaceAll("'", "'\\''")}'`
}

function withEscapes(name: string): string {
  let text = "'"
  let escaping = false
  for (const char of name) {
    const special = UNPRINTABLE.test(char)
    if (special !== escaping) text += special ? "'$'" : "''"
    escaping = special
    text += special ? escaped(char) : char === "'" ? "'\\''" : char
  }
  return `${text}'`
}

function escaped(char: string): string {
  const known = ESCAPES.get(char)
  if (known !== undefined) return known
  let text = ''
  for (const byte of encode(char)) text += `\\${byte.toString(8).padStart(3, '0')}`
  return text
}
