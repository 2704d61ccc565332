import { asColumns, commonPrefix } from './candidates.ts'
import type { EditBuffer } from './edit-buffer.ts'
import {
  blankWordLeft,
  cutTo,
  emptyBuffer,
  insert,
  leftOf,
  lineDown,
  lineEnd,
  lineStart,
  lineUp,
  moveTo,
  recase,
  rightOf,
  transpose,
  wordLeft,
  wordRight,
} from './edit-buffer.ts'
import { HistoryCursor, searchBack } from './history-cursor.ts'
import type { Key } from './keys.ts'
import { KeyDecoder } from './keys.ts'
import { layOut } from './layout.ts'
import { textWidth } from './text-width.ts'

/** What the editor wants of its host. Until it is answered, or `begin` is called again, keys wait. */
export type EditorRequest =
  | { readonly type: 'line'; readonly text: string }
  /** A line that was submitted, not typed. */
  | { readonly type: 'given'; readonly text: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end' }
  | { readonly type: 'completion'; readonly text: string; readonly cursor: number }

/** What came of some input: bytes for the screen, and at most one request. */
export interface EditorStep {
  readonly screen: string
  readonly request: EditorRequest | null
}

/** What could stand in place of the text from `start` to the cursor. */
export interface Completion {
  readonly start: number
  readonly candidates: readonly { readonly text: string; readonly shown: string }[]
}

export interface LineEditorOptions {
  readonly size: EditorSize
  /** Earlier lines, oldest first. */
  readonly history: readonly string[]
  /** True where a text needs more lines: Enter then adds one instead of ending the input. */
  readonly isIncomplete: (text: string) => boolean
}

/** The screen that is drawn on. */
export interface EditorSize {
  readonly columns: number
  readonly rows: number
  /** Whether the terminal itself wraps what is edited anew when it gets another width. */
  readonly reflows: boolean
}

/** What stands before the lines of the text. What is between U+0001 and U+0002 in it takes no columns. */
export interface Prompts {
  readonly first: string
  readonly further: string
}

/** Where the cursor was left, and the first row that is on the screen; rows are counted from the start of the prompt. */
interface Drawn {
  readonly row: number
  readonly column: number
  readonly top: number
}

const BELL = '\x07'
/** How many candidates are shown without asking. */
const MANY = 100

type Mode =
  | { readonly type: 'edit' }
  | { readonly type: 'quote' }
  | { readonly type: 'search'; readonly query: string; readonly from: number; readonly before: EditBuffer; readonly failed: boolean }
  | { readonly type: 'confirm'; readonly candidates: Completion['candidates'] }
  | { readonly type: 'waiting' }

/**
 * A line editor with the keys of Emacs, as a state machine: bytes of a terminal in, bytes for its screen out. It knows no terminal and
 * no clock, so that a host decides when a lone ESC is a key of its own (`flush`).
 */
export class LineEditor {
  readonly #options: LineEditorOptions
  readonly #keys = new KeyDecoder()
  readonly #history: HistoryCursor
  #mode: Mode = { type: 'waiting' }
  #buffer: EditBuffer = emptyBuffer
  #prompts: Prompts = { first: '', further: '' }
  /** What a submitted line took the place of: it is edited further behind it. */
  #setAside: EditBuffer = emptyBuffer
  #size: EditorSize
  #drawn: Drawn | null = null
  #screen = ''
  #request: EditorRequest | null = null
  #undo: EditBuffer[] = []
  #kills: string[] = []
  #last = ''
  #yanked = { start: 0, index: 0 }
  #lastWords = { start: 0, back: 0 }

  constructor(options: LineEditorOptions) {
    this.#options = options
    this.#size = usable(options.size)
    this.#history = new HistoryCursor(options.history)
  }

  /** True while a lone ESC waits to be told apart from the start of a sequence. */
  get escapeWaits(): boolean {
    return this.#keys.escapeWaits
  }

  /** What is being edited. */
  get buffer(): EditBuffer {
    return this.#buffer
  }

  /** Starts to read a line; keys that were typed ahead act at once. */
  begin(prompts: Prompts): EditorStep {
    this.#prompts = prompts
    this.#buffer = this.#setAside
    this.#setAside = emptyBuffer
    this.#undo = []
    this.#last = ''
    this.#drawn = null
    this.#mode = { type: 'edit' }
    this.#history.rewind()
    this.#draw()
    return this.#run()
  }

  /** Shows a line as if it had been typed, and asks for it to be run. What stood there comes back with the next `begin`. */
  submit(line: string): EditorStep {
    this.#setAside = this.#mode.type === 'search' ? this.#mode.before : this.#buffer
    this.#mode = { type: 'edit' }
    this.#buffer = { text: line, cursor: line.length }
    this.#draw()
    this.#finish({ type: 'given', text: line })
    return this.#run()
  }

  feed(bytes: Uint8Array): EditorStep {
    this.#keys.push(bytes)
    return this.#run()
  }

  /** No more bytes followed: a lone ESC is a key. */
  flush(): EditorStep {
    return this.#run(true)
  }

  /** The bytes behind the key that made the last request, which the editor then forgets: they may be meant for what runs now. */
  takeRest(): Uint8Array {
    return this.#keys.takeRest()
  }

  /** Adds a line to what the arrow keys and ^R find. */
  remember(line: string): void {
    this.#history.add(line)
  }

  /** The lines that the arrow keys and ^R find are others now. */
  recall(lines: readonly string[]): void {
    this.#history.replace(lines)
  }

  /** The prompts are others now. */
  reprompt(prompts: Prompts): EditorStep {
    if (this.#drawn !== null && (prompts.first !== this.#prompts.first || prompts.further !== this.#prompts.further)) {
      this.#prompts = prompts
      this.#draw()
    }
    return this.#run()
  }

  /** Answers a request for a completion. */
  complete(completion: Completion): EditorStep {
    if (this.#mode.type !== 'waiting') return this.#run()
    this.#mode = { type: 'edit' }
    this.#applyCompletion(completion)
    return this.#run()
  }

  /** The terminal has another size. */
  resize(size: EditorSize): EditorStep {
    const before = this.#size
    this.#size = usable(size)
    const { columns, rows, reflows } = this.#size
    if (this.#drawn !== null && (columns !== before.columns || rows !== before.rows)) {
      const { row, column } = reflows ? layOut(this.#source(), columns) : this.#drawn
      const top = reflows ? Math.max(0, row - rows + 1) : Math.max(this.#drawn.top, row - rows + 1)
      this.#drawn = { row, column, top }
      this.#draw()
    }
    return this.#run()
  }

  /** Goes through the keys that are there until one makes a request. */
  #run(complete = false): EditorStep {
    while (this.#mode.type !== 'waiting') {
      const key = this.#keys.next(complete)
      if (key === null) break
      this.#press(key)
    }
    const step = { screen: this.#screen, request: this.#request }
    this.#screen = ''
    this.#request = null
    return step
  }

  #press(key: Key): void {
    const before = this.#buffer
    const mode = this.#mode
    switch (mode.type) {
      case 'waiting':
        return
      case 'quote':
        this.#mode = { type: 'edit' }
        this.#edit(insert(before, key.type === 'key' ? quoted(key.text) : key.text), 'quote')
        break
      case 'search':
        this.#search(key)
        return
      case 'confirm':
        this.#confirm(key)
        return
      case 'edit':
        if (key.type === 'key') this.#command(key.text)
        else this.#edit(insert(before, key.text), 'insert')
        break
    }
    if (this.#mode.type !== 'waiting') this.#redraw(before)
  }

  #command(name: string): void {
    const buffer = this.#buffer
    switch (name) {
      case 'enter':
        return this.#enter()
      case 'M-enter':
        return this.#edit(insert(buffer, '\n'), name)
      case 'C-c':
        return this.#finish({ type: 'interrupt' }, '^C')
      case 'C-d':
        if (buffer.text === '') return this.#finish({ type: 'end' })
        return this.#edit(cutTo(buffer, rightOf(buffer)).buffer, name)
      case 'C-g':
        return this.#bell()
      case 'C-l':
        this.#screen += '\x1b[H\x1b[2J'
        this.#drawn = null
        return this.#draw()
      case 'tab':
        return this.#ask()
      case 'C-r':
        return this.#startSearch()
      case 'C-q':
      case 'C-v':
        this.#mode = { type: 'quote' }
        return
      case 'C-_':
        return this.#takeBack()
      case 'C-a':
      case 'home':
        return this.#move(lineStart(buffer), name)
      case 'C-e':
      case 'end':
        return this.#move(lineEnd(buffer), name)
      case 'C-b':
      case 'left':
        return this.#move(leftOf(buffer), name)
      case 'C-f':
      case 'right':
        return this.#move(rightOf(buffer), name)
      case 'M-b':
      case 'M-left':
      case 'C-left':
        return this.#move(wordLeft(buffer), name)
      case 'M-f':
      case 'M-right':
      case 'C-right':
        return this.#move(wordRight(buffer), name)
      case 'up':
        return this.#step(lineUp(buffer), -1)
      case 'down':
        return this.#step(lineDown(buffer), 1)
      case 'C-p':
        return this.#step(null, -1)
      case 'C-n':
        return this.#step(null, 1)
      case 'M-<':
      case 'page-up':
        return this.#recall(this.#history.first(buffer.text))
      case 'M->':
      case 'page-down':
        return this.#recall(this.#history.last(buffer.text))
      case 'backspace':
        return this.#edit(cutTo(buffer, leftOf(buffer)).buffer, name)
      case 'delete':
        return this.#edit(cutTo(buffer, rightOf(buffer)).buffer, name)
      case 'C-k':
        return this.#kill(buffer.cursor === lineEnd(buffer) ? rightOf(buffer) : lineEnd(buffer), false)
      case 'C-u':
        return this.#kill(buffer.cursor === lineStart(buffer) ? leftOf(buffer) : lineStart(buffer), true)
      case 'C-w':
        return this.#kill(blankWordLeft(buffer), true)
      case 'M-backspace':
        return this.#kill(wordLeft(buffer), true)
      case 'M-d':
        return this.#kill(wordRight(buffer), false)
      case 'C-y':
        return this.#yank()
      case 'M-y':
        return this.#rotateYank()
      case 'C-t':
        return this.#edit(transpose(buffer), name)
      case 'M-u':
        return this.#edit(recase(buffer, 'upper'), name)
      case 'M-l':
        return this.#edit(recase(buffer, 'lower'), name)
      case 'M-c':
        return this.#edit(recase(buffer, 'capital'), name)
      case 'M-.':
      case 'M-_':
        return this.#lastWord()
      default:
        this.#last = name
    }
  }

  #edit(buffer: EditBuffer, name: string): void {
    if (buffer.text !== this.#buffer.text && !(name === 'insert' && this.#last === 'insert')) this.#undo.push(this.#buffer)
    this.#buffer = buffer
    this.#last = name
  }

  #move(cursor: number, name: string): void {
    this.#buffer = moveTo(this.#buffer, cursor)
    this.#last = name
  }

  #takeBack(): void {
    const before = this.#undo.pop()
    if (before === undefined) return this.#bell()
    this.#buffer = before
    this.#last = 'undo'
  }

  #kill(place: number, backwards: boolean): void {
    const { buffer, cut } = cutTo(this.#buffer, place)
    if (cut === '') return
    if (this.#last === 'kill') {
      const top = this.#kills.pop() ?? ''
      this.#kills.push(backwards ? cut + top : top + cut)
    } else this.#kills.push(cut)
    this.#edit(buffer, 'kill')
  }

  #yank(): void {
    const text = this.#kills.at(-1)
    if (text === undefined) return this.#bell()
    this.#yanked = { start: this.#buffer.cursor, index: this.#kills.length - 1 }
    this.#edit(insert(this.#buffer, text), 'yank')
  }

  #rotateYank(): void {
    if (this.#last !== 'yank') return this.#bell()
    const { start, index } = this.#yanked
    const next = (index + this.#kills.length - 1) % this.#kills.length
    this.#yanked = { start, index: next }
    this.#edit(insert(cutTo(this.#buffer, start).buffer, this.#kills[next] ?? ''), 'yank')
  }

  /** The last word of the line before; pressed again, of the one before that. */
  #lastWord(): void {
    const again = this.#last === 'last-word'
    const back = again ? this.#lastWords.back + 1 : 1
    const word = /\S+$/.exec(this.#history.back(back)?.trimEnd() ?? '')?.[0]
    if (word === undefined) return this.#bell()
    const start = again ? this.#lastWords.start : this.#buffer.cursor
    this.#lastWords = { start, back }
    this.#edit(insert(again ? cutTo(this.#buffer, start).buffer : this.#buffer, word), 'last-word')
  }

  /** Up and down move within a text of several lines, and beyond it through the history. */
  #step(within: EditBuffer | null, by: -1 | 1): void {
    if (within !== null) return this.#move(within.cursor, 'move')
    this.#recall(by < 0 ? this.#history.older(this.#buffer.text) : this.#history.newer(this.#buffer.text))
  }

  #recall(line: string | null): void {
    if (line === null) return this.#bell()
    this.#buffer = { text: line, cursor: line.length }
    this.#undo = []
    this.#last = 'history'
  }

  #enter(): void {
    const { text } = this.#buffer
    if (this.#options.isIncomplete(`${text}\n`)) return this.#edit(insert(moveTo(this.#buffer, text.length), '\n'), 'enter')
    this.#finish({ type: 'line', text })
  }

  #finish(request: EditorRequest, mark = ''): void {
    this.#toEnd()
    this.#screen += `${mark}\r\n`
    this.#drawn = null
    this.#mode = { type: 'waiting' }
    this.#request = request
  }

  #ask(): void {
    this.#mode = { type: 'waiting' }
    this.#request = { type: 'completion', text: this.#buffer.text, cursor: this.#buffer.cursor }
  }

  #applyCompletion(completion: Completion): void {
    const before = this.#buffer
    const { candidates, start } = completion
    const again = this.#last === 'tab'
    this.#last = 'tab'
    if (candidates.length === 0) return this.#bell()
    const text = commonPrefix(candidates.map((candidate) => candidate.text))
    const changed = insert(cutTo(before, start).buffer, text)
    if (changed.text !== before.text && text.length >= before.cursor - start) {
      this.#edit(changed, candidates.length === 1 ? 'completed' : 'tab')
      return this.#redraw(before)
    }
    if (!again) return this.#bell()
    if (candidates.length <= MANY) return this.#list(candidates)
    this.#toEnd()
    this.#screen += `\r\nDisplay all ${candidates.length} possibilities? (y or n)`
    this.#drawn = null
    this.#mode = { type: 'confirm', candidates }
  }

  #confirm(key: Key): void {
    if (this.#mode.type !== 'confirm') return
    const { candidates } = this.#mode
    this.#mode = { type: 'edit' }
    this.#screen += '\r\n'
    if (key.type === 'text' && /^[yY ]/.test(key.text)) this.#screen += asColumns(candidates, this.#size.columns)
    this.#draw()
  }

  #list(candidates: Completion['candidates']): void {
    this.#toEnd()
    this.#screen += `\r\n${asColumns(candidates, this.#size.columns)}`
    this.#drawn = null
    this.#draw()
  }

  #startSearch(): void {
    this.#mode = { type: 'search', query: '', from: this.#history.length, before: this.#buffer, failed: false }
    this.#draw()
  }

  #search(key: Key): void {
    const mode = this.#mode
    if (mode.type !== 'search') return
    if (key.type !== 'key') return this.#find({ ...mode, query: mode.query + key.text }, mode.from)
    switch (key.text) {
      case 'C-r':
        return this.#find(mode, mode.from - 1)
      case 'backspace':
        return this.#find(
          { ...mode, query: mode.query.replace(/.$/u, ''), from: this.#history.length, failed: false },
          this.#history.length,
        )
      case 'C-g':
      case 'C-c':
        this.#buffer = mode.before
        return this.#leaveSearch()
      case 'escape':
      case 'C-j':
        return this.#leaveSearch()
      default:
        this.#leaveSearch()
        this.#press(key)
    }
  }

  #find(mode: Extract<Mode, { type: 'search' }>, from: number): void {
    const found = mode.query === '' ? null : searchBack(this.#history, mode.query, from)
    if (found === null) {
      this.#mode = { ...mode, failed: mode.query !== '' }
      if (mode.query !== '') this.#bell()
    } else {
      this.#mode = { ...mode, from: found.index, failed: false }
      this.#buffer = { text: found.line, cursor: found.at }
    }
    this.#draw()
  }

  #leaveSearch(): void {
    this.#mode = { type: 'edit' }
    this.#last = 'search'
    this.#draw()
  }

  #bell(): void {
    this.#screen += BELL
  }

  #source(): { prompt: string; continuation: string; text: string; cursor: number } {
    const prompt =
      this.#mode.type === 'search' ? `(${this.#mode.failed ? 'failed ' : ''}reverse-i-search)\`${this.#mode.query}': ` : this.#prompts.first
    return { prompt, continuation: this.#prompts.further, ...this.#buffer }
  }

  /** Draws what changed: a plain character at the end of a row is simply written. */
  #redraw(before: EditBuffer): void {
    const { text, cursor } = this.#buffer
    if (text === before.text && cursor === before.cursor) return
    const drawn = this.#drawn
    const added = text.slice(before.text.length)
    const atEnd = before.cursor === before.text.length && cursor === text.length && text.startsWith(before.text)
    if (drawn !== null && atEnd && /^[\x20-\x7e]+$/.test(added) && drawn.column + textWidth(added) < this.#size.columns) {
      this.#screen += added
      this.#drawn = { ...drawn, column: drawn.column + added.length }
      return
    }
    this.#draw()
  }

  /** Draws all rows, or where the screen has too few those around the cursor; rows that scroll away are drawn before they do. */
  #draw(): void {
    const { columns, rows: height } = this.#size
    const { rows, row, column } = layOut(this.#source(), columns)
    const before = this.#drawn ?? { row: 0, column: 0, top: 0 }
    const top = Math.max(0, Math.min(before.top, row, rows.length - height), row - height + 1)
    const end = Math.min(rows.length, top + height)
    this.#screen += `${up(before.row - before.top)}\r\x1b[J`
    // What leads to a row that isn't drawn would scroll.
    this.#screen += rows.slice(Math.min(before.top, top), end).join('').replace(/\r\n$/, '')
    this.#screen += `${up(end - 1 - row)}\r`
    if (column > 0) this.#screen += `\x1b[${column}C`
    this.#drawn = { row, column, top }
  }

  /** Moves behind the text, so that what comes next stands below it. */
  #toEnd(): void {
    if (this.#drawn !== null && this.#buffer.cursor === this.#buffer.text.length) return
    this.#buffer = moveTo(this.#buffer, this.#buffer.text.length)
    this.#draw()
  }
}

/** A terminal says 0 while it doesn't know its size. */
function usable({ columns, rows, reflows }: EditorSize): EditorSize {
  return { columns: Math.max(2, columns), rows: Math.max(1, rows), reflows }
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : ''
}

/** The character that a key stands for where it is to be inserted as it is. */
function quoted(name: string): string {
  if (name === 'tab') return '\t'
  if (name === 'enter') return '\r'
  if (name === 'escape') return '\x1b'
  if (name === 'backspace') return '\x7f'
  const control = /^C-([@-_a-z])$/.exec(name)?.[1]
  return control === undefined ? '' : String.fromCharCode(control.toUpperCase().charCodeAt(0) - 0x40)
}
