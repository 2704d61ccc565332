import { graphemes, graphemeWidth, shownGrapheme, textWidth } from './text-width.ts'

const MARKS = /[\x01\x02]/g
/** What stands between marks, and the control sequences of terminals: colours, titles. */
const UNSEEN = /\x01[^\x02]*\x02?|\x1b\[[0-9;:?]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g

/** Where a prompt and the text behind it come to stand on a terminal. */
export interface Layout {
  /** What is written into each row, counted from the start of the prompt, with what leads to the next one. */
  readonly rows: readonly string[]
  /** Row and column of the cursor. */
  readonly row: number
  readonly column: number
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
  if (pen.column === columns) pen.goOn()
  return { rows: pen.rows, row: at?.row ?? pen.row, column: at?.column ?? pen.column }
}

class Pen {
  readonly rows: string[] = ['']
  column = 0
  readonly #columns: number

  constructor(columns: number) {
    this.#columns = columns
  }

  get row(): number {
    return this.rows.length - 1
  }

  /** Goes to the next row, as the terminal does by itself, where this one is too full. */
  makeRoom(width: number): void {
    if (this.column + width <= this.#columns) return
    this.rows.push('')
    this.column = 0
  }

  write(text: string, width: number): void {
    this.#add(text)
    this.column += width
  }

  /** Marks around what takes no columns are not written. */
  prompt(text: string): void {
    this.#add(text.replace(MARKS, ''))
    const end = this.column + textWidth(text.replace(UNSEEN, ''))
    // A prompt longer than a row is kept in one piece: the terminal breaks it.
    const rows = end > this.#columns ? Math.ceil(end / this.#columns) - 1 : 0
    for (let i = 0; i < rows; i++) this.rows.push('')
    this.column = end - rows * this.#columns
  }

  newline(prompt: string): void {
    this.#add('\r\n')
    this.rows.push('')
    this.column = 0
    this.prompt(prompt)
  }

  /** Goes to the next row as the terminal does by itself, so that it takes both for one line. */
  goOn(): void {
    this.rows.push(' \r')
    this.column = 0
  }

  #add(text: string): void {
    this.rows[this.rows.length - 1] += text
  }
}
