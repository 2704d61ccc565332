const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}

/** The text between `$'` and `'` as it is meant; as in bash it ends at a NUL. */
export function decodeAnsiC(text: string): string {
  let result = ''
  let bytes = false
  let at = 0
  while (at < text.length) {
    const backslash = text.indexOf('\\', at)
    if (backslash < 0 || backslash + 1 >= text.length) return finish(result + text.slice(at), bytes)
    result += text.slice(at, backslash)
    const letter = text.charAt(backslash + 1)
    at = backslash + 2
    const simple = Object.hasOwn(SIMPLE, letter) ? SIMPLE[letter] : undefined
    if (simple !== undefined) {
      result += simple
      continue
    }
    let value = -1
    switch (letter) {
      case 'c': {
        // A backslash that is the control character takes a second one with it.
        if (at >= text.length) return finish(`${result}\\c`, bytes)
        const control = text.charAt(at)
        at += control === '\\' && text.charAt(at + 1) === '\\' ? 2 : 1
        result += control === '?' ? '\x7f' : String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
        if (result.endsWith('\0')) return finish(result.slice(0, -1), bytes)
        continue
      }
      case 'u':
      case 'U': {
        const end = digitsEnd(text, at, letter === 'u' ? 4 : 8, 16)
        if (end === at) break
        const point = Number.parseInt(text.slice(at, end), 16)
        at = end
        if (point === 0) return finish(result, bytes)
        result += point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? strayBytes(point) : String.fromCodePoint(point)
        continue
      }
      case 'x': {
        const braced = text.charAt(at) === '{'
        const start = braced ? at + 1 : at
        const end = digitsEnd(text, start, braced ? text.length : 2, 16)
        if (end === start) break
        value = Number.parseInt(text.slice(Math.max(start, end - 2), end), 16)
        at = braced && text.charAt(end) === '}' ? end + 1 : end
        break
      }
      default:
        if (letter >= '0' && letter <= '7') {
          const end = digitsEnd(text, at - 1, 3, 8)
          value = Number.parseInt(text.slice(at - 1, end), 8) & 0xff
          at = end
        }
    }
    if (value === 0) return finish(result, bytes)
    if (value < 0) {
      result += `\\${letter}`
    } else if (value < 0x80) {
      result += String.fromCharCode(value)
    } else {
      result += String.fromCharCode(0xdc00 + value)
      bytes = true
    }
  }
  return finish(result, bytes)
}

/** Bytes given one by one may make up characters together. */
function finish(text: string, bytes: boolean): string {
  return bytes ? text.replace(/[\udc80-\udcff]+/gu, joinBytes) : text
}

/** Stray bytes, with those that are UTF-8 together joined. */
function joinBytes(strays: string): string {
  let result = ''
  for (let at = 0; at < strays.length; ) {
    const first = strays.charCodeAt(at) - 0xdc00
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    let point = first & (0xff >> (length + 1))
    let valid = first >= 0xc2 && first <= 0xf4 && at + length <= strays.length
    for (let i = 1; valid && i < length; i++) {
      const byte = strays.charCodeAt(at + i) - 0xdc00
      valid = (byte & 0xc0) === 0x80
      point = (point << 6) | (byte & 0x3f)
    }
    // Overlong forms, surrogates and what lies beyond Unicode stay bytes.
    valid &&= point >= (length === 4 ? 0x10000 : length === 3 ? 0x800 : 0x80) && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    result += valid ? String.fromCodePoint(point) : strays.charAt(at)
    at += valid ? length : 1
  }
  return result
}

/** A number that is no character, in the bytes that UTF-8 would once have had for it. */
function strayBytes(point: number): string {
  const more = point < 0x10000 ? 2 : point < 0x200000 ? 3 : point < 0x4000000 ? 4 : 5
  if (point > 0x7fffffff) return ''
  let result = ''
  let rest = point
  for (let i = 0; i < more; i++) {
    result = String.fromCharCode(0xdc80 + (rest & 0x3f)) + result
    rest >>>= 6
  }
  return String.fromCharCode(0xdc00 + ((0xff00 >> (more + 1)) & 0xff) + rest) + result
}

function digitsEnd(text: string, from: number, limit: number, base: 8 | 16): number {
  let at = from
  while (at < text.length && at - from < limit && isDigitOf(text.charCodeAt(at), base)) at++
  return at
}

function isDigitOf(code: number, base: 8 | 16): boolean {
  if (base === 8) return code >= 48 && code <= 55
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
}
