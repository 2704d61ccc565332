import type { ReadStream, WriteStream } from 'node:tty'
import { LineDiscipline } from './line-discipline.ts'
import type { EditorRequest, EditorStep, LineEditor } from './line-editor/line-editor.ts'

/** Milliseconds after which a lone ESC is a key and not the start of a sequence. */
const ESCAPE_TIME = 50
const PASTE_ON = '\x1b[?2004h'
const PASTE_OFF = '\x1b[?2004l'
const INTERRUPT = 0x03

/**
 * A person's terminal, raw all the time: while a line is edited the editor gets what is typed; while one runs, what it reads is edited by a
 * {@link LineDiscipline}, ^C interrupts it, and what nobody reads waits for the next edit.
 */
export class Terminal {
  readonly #input: ReadStream
  readonly #output: WriteStream
  #reader: (bytes: Uint8Array) => void
  #waiting: Uint8Array[] = []
  #ended = false
  #onEnd: () => void = () => undefined

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input
    this.#output = output
    this.#reader = (bytes) => void this.#waiting.push(bytes)
    input.setRawMode(true)
    input.on('data', (chunk: Buffer) => this.#reader(new Uint8Array(chunk)))
    input.on('end', () => {
      this.#ended = true
      this.#onEnd()
    })
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  write(text: string | Uint8Array): Promise<void> | undefined {
    if (this.#output.write(text)) return undefined
    return new Promise((resolve) => void this.#output.once('drain', resolve))
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.#input.setRawMode(false)
    this.#input.destroy()
  }

  /** Lets a person edit one line; what the editor then asks for. `complete` answers what Tab asks. */
  edit(editor: LineEditor, prompt: string, complete: (text: string, cursor: number) => Promise<EditorStep>): Promise<EditorRequest> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      let done = false
      const resized = (): void => take(editor.resize(this.columns))
      const finish = (request: EditorRequest): void => {
        if (done) return
        done = true
        clearTimeout(timer)
        this.#output.off('resize', resized)
        const rest = editor.takeRest()
        this.#waiting = rest.length > 0 ? [rest] : []
        this.#reader = (bytes) => void this.#waiting.push(bytes)
        this.#onEnd = () => undefined
        this.write(PASTE_OFF)
        resolve(request)
      }
      const take = (step: EditorStep): void => {
        if (step.screen !== '') this.write(step.screen)
        if (step.request === null) return
        if (step.request.type !== 'completion') finish(step.request)
        else void complete(step.request.text, step.request.cursor).then(take)
      }
      this.write(PASTE_ON)
      this.#output.on('resize', resized)
      this.#onEnd = () => finish({ type: 'end' })
      this.#reader = (bytes) => {
        clearTimeout(timer)
        take(editor.feed(bytes))
        if (editor.escapeWaits) timer = setTimeout(() => take(editor.flush()), ESCAPE_TIME)
      }
      const typedAhead = this.#waiting.splice(0)
      take(editor.begin(prompt))
      for (const bytes of typedAhead) this.#reader(bytes)
      if (this.#ended) finish({ type: 'end' })
    })
  }

  /** Lets a line run: `interrupt` is called for ^C; what the line reads comes from `run`'s argument. */
  async lend<T>(interrupt: () => void, run: (lines: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const discipline = new LineDiscipline()
    const lines: Uint8Array[] = []
    let ended = false
    let wake: (() => void) | null = null
    const take = (): void => {
      for (const bytes of this.#waiting.splice(0)) {
        const typed = discipline.feed(bytes)
        this.write(typed.echo)
        lines.push(...typed.lines)
        ended ||= typed.ended
      }
    }
    this.#reader = (bytes) => {
      const interrupted = bytes.lastIndexOf(INTERRUPT)
      if (interrupted !== -1) {
        this.#waiting = []
        this.write('^C')
        interrupt()
      }
      this.#waiting.push(bytes.subarray(interrupted + 1))
      wake?.()
    }
    this.#onEnd = () => {
      ended = true
      wake?.()
    }
    const read = async function* (ready: () => void): AsyncGenerator<Uint8Array> {
      for (;;) {
        ready()
        const line = lines.shift()
        if (line !== undefined) yield line
        else if (ended) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    }
    try {
      return await run(read(take))
    } finally {
      // Lines that nobody read are keys again.
      const unread = [...lines.map((line) => line.map((byte) => (byte === 0x0a ? 0x0d : byte))), discipline.takeRest(), ...this.#waiting]
      this.#waiting = unread.filter((bytes) => bytes.length > 0)
      this.#reader = (bytes) => void this.#waiting.push(bytes)
      this.#onEnd = () => undefined
    }
  }
}
