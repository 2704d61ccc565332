import { graphemes, graphemeWidth } from '../../../src/terminal/line-editor/text-width.ts'

/** As much of a terminal as the line editor needs: cells, a cursor, the break that waits behind a full row. */
export class Screen {
  columns: number
  readonly #height: number
  #rows: string[][] = [[]]
  #row = 0
  #top = 0
  #column = 0
  bells = 0
  /** Whether what is pasted is to be bracketed. */
  brackets = false

  constructor(columns: number, height: number = Number.POSITIVE_INFINITY) {
    this.columns = columns
    this.#height = height
  }

  /** Rows from the first to the last that holds something, without blanks at their ends. */
  get rows(): readonly string[] {
    const rows = this.#rows.map((row) =>
      Array.from({ length: row.length }, (_, index) => row[index] ?? ' ')
        .join('')
        .trimEnd(),
    )
    while (rows.length > 1 && rows.at(-1) === '') rows.pop()
    return rows
  }

  /** The rows that are on the screen, and not scrolled away. */
  get visible(): readonly string[] {
    return this.rows.slice(this.#top)
  }

  /** Which of the rows the first visible one is. */
  get top(): number {
    return this.#top
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.#row, Math.min(this.#column, this.columns - 1)]
  }

  write(text: string): void {
    for (const part of text.match(/\x1b\[[0-9;?]*[A-Za-z]|[\r\n\x07\b\t]|[^\x1b\r\n\x07\b\t]+/g) ?? []) {
      if (part === '\r') this.#column = 0
      else if (part === '\n') this.#down()
      else if (part === '\x07') this.bells += 1
      else if (part === '\b') this.#column = Math.max(0, this.#column - 1)
      else if (part === '\t') this.#column = Math.min(this.columns - 1, (this.#column | 7) + 1)
      else if (part.startsWith('\x1b')) this.#control(part)
      else for (const { segment } of graphemes(part)) this.#put(segment)
    }
  }

  #put(grapheme: string): void {
    const width = graphemeWidth(grapheme)
    if (this.#column + width > this.columns) {
      this.#column = 0
      this.#down()
    }
    const row = this.#rows[this.#row] as string[]
    row[this.#column] = grapheme
    if (width === 2) row[this.#column + 1] = ''
    this.#column += width
  }

  #down(): void {
    this.#row += 1
    this.#top = Math.max(this.#top, this.#row - this.#height + 1)
    this.#rows[this.#row] ??= []
  }

  #control(sequence: string): void {
    const count = Number(/\d+/.exec(sequence)?.[0] ?? 1)
    const place = Math.min(this.#column, this.columns - 1)
    switch (sequence.at(-1)) {
      case 'A':
        if (count > this.#row - this.#top) throw new Error('moved above the screen')
        this.#row -= count
        this.#column = place
        return
      case 'C':
        if (place + count >= this.columns) throw new Error('moved beyond the right edge')
        this.#column = place + count
        return
      case 'J':
        if (sequence === '\x1b[3J') return
        if (sequence === '\x1b[2J') this.#rows = [[]]
        else this.#rows = [...this.#rows.slice(0, this.#row), (this.#rows[this.#row] as string[]).slice(0, this.#column)]
        return
      case 'H':
        this.#row = 0
        this.#top = 0
        this.#column = 0
        return
      case 'm':
        return
      case 'h':
      case 'l':
        if (sequence.slice(0, -1) !== '\x1b[?2004') throw new Error(`unknown mode ${JSON.stringify(sequence)}`)
        this.brackets = sequence.endsWith('h')
        return
      default:
        throw new Error(`unknown sequence ${JSON.stringify(sequence)}`)
    }
  }
}
