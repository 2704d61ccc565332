import { graphemes, graphemeWidth, shownGrapheme, textWidth } from './text-width.ts'

const MARKS = /[\x01\x02]/g
/** What stands between marks, and the control sequences of terminals: colours, titles. */
const UNSEEN = /\x01[^\x02]*\x02?|\x1b\[[0-9;:?]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g

/** Where a prompt and the text behind it come to stand on a terminal. */
export interface Layout {
  /** All that is to be written, with `\r\n` where a line of the text ends. */
  readonly written: string
  /** Row and column of the cursor, counted from the start of the prompt. */
  readonly row: number
  readonly column: number
  /** Row on which the writing ends. */
  readonly lastRow: number
}

/** What is laid out. */
export interface LayoutSource {
  readonly prompt: string
  /** Stands before each further line of the text. */
  readonly continuation: string
  readonly text: string
  readonly cursor: number
}

/** Lays out a prompt and a text for a terminal of so many columns, which breaks long lines by itself. */
export function layOut(source: LayoutSource, columns: number): Layout {
  const pen = new Pen(columns)
  for (const [index, line] of source.prompt.split('\n').entries()) {
    if (index > 0) pen.newline('')
    pen.prompt(line)
  }
  let at: { row: number; column: number } | null = null
  for (const { segment, index } of graphemes(source.text)) {
    if (segment === '\n' || segment === '\r\n') {
      if (index === source.cursor) at = { row: pen.row, column: Math.min(pen.column, columns - 1) }
      pen.newline(source.continuation)
      continue
    }
    const width = graphemeWidth(segment)
    pen.makeRoom(width)
    if (index === source.cursor) at = { row: pen.row, column: pen.column }
    pen.write(shownGrapheme(segment), width)
  }
  // The terminal waits with the break behind a full row until more comes; the cursor is to stand on the next row now.
  if (pen.column === columns) pen.newline('')
  return { written: pen.written, row: at?.row ?? pen.row, column: at?.column ?? pen.column, lastRow: pen.row }
}

class Pen {
  written = ''
  row = 0
  column = 0
  readonly #columns: number

  constructor(columns: number) {
    this.#columns = columns
  }

  /** Goes to the next row, as the terminal does by itself, where this one is too full. */
  makeRoom(width: number): void {
    if (this.column + width <= this.#columns) return
    this.row += 1
    this.column = 0
  }

  write(text: string, width: number): void {
    this.written += text
    const end = this.column + width
    const rows = end > this.#columns ? Math.ceil(end / this.#columns) - 1 : 0
    this.row += rows
    this.column = end - rows * this.#columns
  }

  /** Marks around what takes no columns are not written. */
  prompt(text: string): void {
    this.write(text.replace(MARKS, ''), textWidth(text.replace(UNSEEN, '')))
  }

  newline(prompt: string): void {
    this.written += '\r\n'
    this.row += 1
    this.column = 0
    this.prompt(prompt)
  }
}
