import { encode } from '../bytes.ts'
import type { TerminalMode } from '../commands/command.ts'
import type { Host, MaybePromise } from '../host.ts'
import { LineDiscipline } from './line-discipline.ts'
import type { EditorRequest, EditorSize, EditorStep, LineEditor, Prompts } from './line-editor/line-editor.ts'
import type { TerminalPort } from './terminal-port.ts'

/** Milliseconds after which a lone ESC is a key and not the start of a sequence. */
const ESCAPE_TIME = 50
const PASTE_ON = '\x1b[?2004h'
const PASTE_OFF = '\x1b[?2004l'
const INTERRUPT = 0x03
const COOKED: TerminalMode = { echo: true, lines: true }

/**
 * A person's terminal, which is the editor's and the running line's by turns: while a line is edited the editor gets what is typed; while one
 * runs, what it reads is edited by a {@link LineDiscipline}, ^C interrupts it, and what nobody reads waits for the next edit.
 */
export class SharedTerminal {
  readonly #port: TerminalPort
  readonly #host: Host
  readonly #release: () => void
  #reader: (bytes: Uint8Array) => void
  #waiting: Uint8Array[] = []
  #ended = false
  #onEnd: () => void = () => undefined
  readonly #resized = new Set<() => void>()
  #mode: TerminalMode = COOKED
  /** Takes a step that did not come from the keys; null while nothing is edited. */
  #take: ((step: EditorStep) => void) | null = null

  constructor(port: TerminalPort, host: Host) {
    this.#port = port
    this.#host = host
    this.#reader = (bytes) => void this.#waiting.push(bytes)
    this.#release = port.listen({
      input: (bytes) => this.#reader(bytes),
      resize: () => {
        for (const resized of this.#resized) resized()
      },
      end: () => this.end(),
    })
  }

  get size(): EditorSize {
    const { columns, rows, reflows = true } = this.#port
    return { columns, rows, reflows }
  }

  /** True while a line is edited. */
  get isEdited(): boolean {
    return this.#take !== null
  }

  /** Calls `resized` when the size is another one, until what is returned is called. */
  onResize(resized: () => void): () => void {
    this.#resized.add(resized)
    return () => void this.#resized.delete(resized)
  }

  /** How what is typed comes to the line that runs. */
  setMode(mode: TerminalMode): void {
    this.#mode = mode
  }

  write(text: string | Uint8Array): MaybePromise<void> {
    return this.#port.write(typeof text === 'string' ? encode(text) : text)
  }

  /** Acts as if the terminal had sent this. */
  type(bytes: Uint8Array): void {
    this.#reader(bytes)
  }

  /** Nothing more is to come. */
  end(): void {
    this.#ended = true
    this.#onEnd()
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.#release()
  }

  /** What an editor was made to do by something else than keys. False while nothing is edited. */
  step(make: () => EditorStep): boolean {
    if (this.#take === null) return false
    this.#take(make())
    return true
  }

  /** Lets a person edit one line; what the editor then asks for. `complete` answers what Tab asks; ^C ends it. */
  edit(
    editor: LineEditor,
    prompts: Prompts,
    complete: (text: string, cursor: number, signal: AbortSignal) => Promise<EditorStep>,
  ): Promise<EditorRequest> {
    return new Promise((resolve) => {
      let completing: AbortController | null = null
      let stopTimer: (() => void) | undefined
      let done = false
      const finish = (request: EditorRequest): void => {
        if (done) return
        done = true
        stopTimer?.()
        const rest = editor.takeRest()
        this.#waiting = rest.length > 0 ? [rest] : []
        this.#reader = (bytes) => void this.#waiting.push(bytes)
        this.#onEnd = () => undefined
        stopResize()
        completing?.abort()
        this.#take = null
        this.write(PASTE_OFF)
        resolve(request)
      }
      const take = (step: EditorStep): void => {
        if (done) return
        if (step.screen !== '') this.write(step.screen)
        if (step.request === null) return
        if (step.request.type !== 'completion') return finish(step.request)
        completing = new AbortController()
        void complete(step.request.text, step.request.cursor, completing.signal).then((answer) => {
          completing = null
          take(answer)
        })
      }
      this.write(PASTE_ON)
      this.#take = take
      const stopResize = this.onResize(() => take(editor.resize(this.size)))
      this.#onEnd = () => finish({ type: 'end' })
      this.#reader = (bytes) => {
        stopTimer?.()
        stopTimer = undefined
        const interrupted = completing === null ? -1 : bytes.lastIndexOf(INTERRUPT)
        if (interrupted !== -1) completing?.abort()
        take(editor.feed(bytes.subarray(interrupted + 1)))
        if (editor.escapeWaits && !done) stopTimer = this.#host.timer(ESCAPE_TIME, () => take(editor.flush()))
      }
      const typedAhead = this.#waiting.splice(0)
      take(editor.begin(prompts))
      for (const bytes of typedAhead) this.#reader(bytes)
      if (this.#ended) finish({ type: 'end' })
    })
  }

  /** Lets a line run: `interrupt` is called for ^C; what the line reads comes from `run`'s argument. */
  async lend<T>(interrupt: () => void, run: (lines: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const discipline = new LineDiscipline()
    const lines: Uint8Array[] = []
    let ended = this.#ended
    let wake: (() => void) | null = null
    const take = (): void => {
      while (lines.length === 0 && !ended && this.#waiting.length > 0) {
        const bytes = this.#waiting.shift() as Uint8Array
        if (bytes.length === 0) continue
        const typed = discipline.take(bytes, this.#mode)
        if (typed.used < bytes.length) this.#waiting.unshift(bytes.subarray(typed.used))
        if (typed.echo !== '') this.write(typed.echo)
        lines.push(...typed.lines)
        ended ||= typed.ended
      }
    }
    this.#mode = COOKED
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
