import { encode } from '../../bytes.ts'

/** The text as `l` prints it: lines broken before `width` columns, never where it is 0. */
export function unambiguous(text: string, width: number): string {
  let result = ''
  let column = 0
  for (const byte of encode(text)) {
    const shown = VISIBLE.get(byte) ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)
    if (width > 0 && column + shown.length > width - 1) {
      result += '\\\n'
      column = 0
    }
    result += shown
    column += shown.length
  }
  return `${result}$\n`
}

const VISIBLE = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
  [92, '\\\\'],
])
