import type { IBufferCell, Terminal } from '@xterm/xterm'
import { remember, remembered } from '../remembered.ts'

/** Rows that are kept, and characters with their colours. */
const ROWS = 400
const CHARACTERS = 64 * 1024
const RESET = '\x1b[0m'

/** Keeps what a session's terminal shows for the next time the page is opened, without the line that is edited. */
export function keepScreen(session: string, terminal: Terminal): void {
  const { normal } = terminal.buffer
  const end = startOfLine(terminal, normal.baseY + normal.cursorY)
  let text = ''
  let style = ''
  const cell = normal.getNullCell()
  for (let row = Math.max(0, end - ROWS); row < end; row += 1) {
    const line = normal.getLine(row)
    if (line === undefined) continue
    if (!line.isWrapped && text !== '') text += '\r\n'
    const width = line.translateToString(true).length === 0 ? 0 : line.length
    let blanks = ''
    for (let column = 0; column < width; column += 1) {
      line.getCell(column, cell)
      if (cell.getWidth() === 0) continue
      const next = styleOf(cell)
      const characters = cell.getChars() || ' '
      if (next === '' && characters === ' ') {
        blanks += ' '
        continue
      }
      // Blanks have no colours, and those at the end of a row are none.
      if (blanks !== '' && style !== '') {
        text += RESET
        style = ''
      }
      text += blanks
      blanks = ''
      if (next !== style) text += `\x1b[0${next}m`
      style = next
      text += characters
    }
    if (style !== '') text += RESET
    style = ''
  }
  while (text.length > CHARACTERS) text = text.slice(text.indexOf('\n', text.length - CHARACTERS) + 1)
  remember(`screen:${session}`, text === '' ? null : `${text}\r\n`)
}

/** What the terminal of a session showed the last time; '' where nothing is kept. */
export function keptScreen(session: string): string {
  return remembered(`screen:${session}`) ?? ''
}

/** Forgets it. */
export function forgetScreen(session: string): void {
  remember(`screen:${session}`, null)
}

/** The parameters that switch a cell's look on, each with a `;` before it. */
function styleOf(cell: IBufferCell): string {
  const on = [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isItalic() ? ';3' : '',
    cell.isUnderline() ? ';4' : '',
    cell.isInverse() ? ';7' : '',
  ]
  const colour = (first: number, value: number, isPalette: boolean, isTrue: boolean): string => {
    if (isTrue) return `;${first};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`
    return isPalette ? `;${first};5;${value}` : ''
  }
  on.push(
    colour(38, cell.getFgColor(), cell.isFgPalette(), cell.isFgRGB()),
    colour(48, cell.getBgColor(), cell.isBgPalette(), cell.isBgRGB()),
  )
  return on.join('')
}

function startOfLine({ buffer }: Terminal, row: number): number {
  let start = row
  while (buffer.normal.getLine(start)?.isWrapped === true) start -= 1
  return start
}
