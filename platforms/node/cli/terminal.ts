import type { ReadStream, WriteStream } from 'node:tty'
import type { EditorRequest, EditorStep, LineEditor } from './line-editor/line-editor.ts'

/** Milliseconds after which a lone ESC is a key and not the start of a sequence. */
const ESCAPE_TIME = 50
const PASTE_ON = '\x1b[?2004h'
const PASTE_OFF = '\x1b[?2004l'

/** A person's terminal: raw while a line is edited, as the system has it while one runs. */
export class Terminal {
  readonly #input: ReadStream
  readonly #output: WriteStream
  /** Gets the bytes that come in; null lets them wait. */
  #reader: ((bytes: Uint8Array) => void) | null = null
  #waiting: Uint8Array[] = []
  #ended = false
  #onEnd: (() => void) | null = null

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input
    this.#output = output
    input.on('data', (chunk: Buffer) => {
      const bytes = new Uint8Array(chunk)
      if (this.#reader === null) this.#waiting.push(bytes)
      else this.#reader(bytes)
    })
    input.on('end', () => {
      this.#ended = true
      this.#onEnd?.()
    })
    input.pause()
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  write(text: string | Uint8Array): void {
    this.#output.write(text)
  }

  /** Lets a person edit one line; what the editor then asks for. `complete` answers what Tab asks. */
  edit(editor: LineEditor, prompt: string, complete: (text: string, cursor: number) => Promise<EditorStep>): Promise<EditorRequest> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const resized = (): void => take(editor.resize(this.columns))
      const finish = (request: EditorRequest): void => {
        clearTimeout(timer)
        this.#output.off('resize', resized)
        this.#reader = null
        this.#onEnd = null
        this.#input.pause()
        this.write(PASTE_OFF)
        this.#input.setRawMode(false)
        resolve(request)
      }
      const take = (step: EditorStep): void => {
        if (step.screen !== '') this.write(step.screen)
        if (step.request === null) return
        if (step.request.type !== 'completion') return finish(step.request)
        void complete(step.request.text, step.request.cursor).then(take)
      }
      const read = (bytes: Uint8Array): void => {
        clearTimeout(timer)
        take(editor.feed(bytes))
        if (editor.escapeWaits) timer = setTimeout(() => take(editor.flush()), ESCAPE_TIME)
      }
      this.#input.setRawMode(true)
      this.write(PASTE_ON)
      this.#output.on('resize', resized)
      this.#onEnd = () => finish({ type: 'end' })
      take(editor.begin(prompt))
      if (this.#ended) return finish({ type: 'end' })
      this.#reader = read
      for (const bytes of this.#waiting.splice(0)) this.#reader?.(bytes)
      this.#input.resume()
    })
  }

  /** What a running line reads from the terminal, line by line as the system edits them; the rest waits for the next edit. */
  async *lines(): AsyncGenerator<Uint8Array> {
    try {
      while (!this.#ended) {
        const bytes = this.#waiting.shift() ?? (await this.#next())
        if (bytes === null || bytes.length === 0) return
        yield bytes
      }
    } finally {
      this.#reader = null
      this.#onEnd = null
      this.#input.pause()
    }
  }

  #next(): Promise<Uint8Array | null> {
    return new Promise((resolve) => {
      this.#onEnd = () => resolve(null)
      this.#reader = (bytes) => {
        this.#reader = null
        this.#input.pause()
        resolve(bytes)
      }
      this.#input.resume()
    })
  }
}
