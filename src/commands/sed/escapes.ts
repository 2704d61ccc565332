/** Turns `\a \f \v \t \r`, `\cX`, `\dNNN`, `\oNNN` and `\xHH` into the characters they stand for; other escapes stay. */
export function convertEscapes(text: string, kind: 'text' | 'pattern' | 'replacement', fail: (message: string) => never): string {
  if (!text.includes('\\')) return text
  let converted = ''
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string
    const next = text[at + 1]
    if (char !== '\\' || next === undefined) {
      converted += char
      at += 1
      continue
    }
    const simple = SIMPLE.get(next)
    const number = NUMBERS.get(next)
    if (simple !== undefined) {
      converted += simple
      at += 2
    } else if (next === 'c') {
      const { letter, length } = controlled(text, at + 2, fail)
      converted += letter === '' ? '\\c' : produced(letter.toUpperCase().charCodeAt(0) ^ 64, kind)
      at += 2 + length
    } else if (number !== undefined) {
      const digits = new RegExp(number.digits, 'y')
      digits.lastIndex = at + 2
      const found = digits.exec(text)?.[0] ?? ''
      converted += found === '' ? `\\${next}` : produced(Number.parseInt(found, number.radix) & 255, kind)
      at += 2 + found.length
    } else {
      converted += char + next
      at += 2
    }
  }
  return converted
}

const SIMPLE = new Map([
  ['a', '\x07'],
  ['f', '\f'],
  ['v', '\v'],
  ['t', '\t'],
  ['r', '\r'],
])
const NUMBERS = new Map([
  ['d', { digits: '[0-9]{1,3}', radix: 10 }],
  ['o', { digits: '[0-7]{1,3}', radix: 8 }],
  ['x', { digits: '[0-9a-fA-F]{1,2}', radix: 16 }],
])

function controlled(text: string, at: number, fail: (message: string) => never): { letter: string; length: number } {
  const letter = text[at]
  if (letter === undefined) return { letter: '', length: 0 }
  if (letter !== '\\') return { letter, length: 1 }
  if (text[at + 1] !== '\\') return fail('recursive escaping after \\c not allowed')
  return { letter, length: 2 }
}

/** A byte beyond ASCII is a stray one; `&` made by an escape in a replacement means itself. */
function produced(code: number, kind: 'text' | 'pattern' | 'replacement'): string {
  const char = String.fromCharCode(code < 128 ? code : 0xdc00 + code)
  return kind === 'replacement' && (char === '&' || char === '\\') ? `\\${char}` : kind === 'pattern' && char === '\\' ? '\\\\' : char
}
