import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { webHost } from '../host.ts'
import type { HistoryExpansionState } from '../state/history-expansion.ts'
import { expandHistory, noExpansions } from '../state/history-expansion.ts'
import type { ShellResult } from '../workspace.ts'
import type { CompletionSource } from './completion.ts'
import { completeLine } from './completion.ts'
import { completionSource } from './completion-source.ts'
import { defaultPrompt } from './default-prompt.ts'
import { isIncompleteText } from './incomplete-text.ts'
import type { InteractiveShellOptions } from './interactive-shell-options.ts'
import { pasted } from './line-editor/keys.ts'
import type { EditorRequest, EditorStep } from './line-editor/line-editor.ts'
import { LineEditor } from './line-editor/line-editor.ts'
import { SharedTerminal } from './shared-terminal.ts'

/** Lines of history that the arrow keys reach. */
const REMEMBERED = 2000
const INTERRUPTED = 130
const INTERRUPT = 0x03
const NEWLINE = 0x0a

/** What to do with a line that was typed. */
interface ToDo {
  readonly line: string
  readonly runs: boolean
}

/** A person at work in a session: reads lines and runs them until one ends the shell, or the input ends. */
export class Interaction {
  readonly #options: InteractiveShellOptions
  readonly #terminal: SharedTerminal
  readonly #completion: CompletionSource
  /** Lines to run before the next one is read. */
  readonly #given: string[] = []
  #editor: LineEditor | null = null
  /** What was run, and the number of the first of it. */
  #lines: string[] = []
  #firstNumber = 1
  #expansions: HistoryExpansionState = noExpansions
  #status = 0
  /** Ends the line that runs. */
  #abort: (() => void) | null = null
  #closed = false

  constructor(options: InteractiveShellOptions) {
    this.#options = options
    this.#terminal = new SharedTerminal(options.terminal, options.host ?? webHost)
    this.#completion = completionSource(options.workspace, options.session)
  }

  /** The last exit status, when it is over. */
  async run(): Promise<number> {
    try {
      await this.#work()
      return this.#status
    } finally {
      this.#closed = true
      this.#terminal.close()
    }
  }

  give(line: string): void {
    if (this.#closed) return
    this.#given.push(line)
    this.#submitGiven()
  }

  insert(text: string): void {
    if (!this.#closed) this.#terminal.type(this.#abort === null ? pasted(text) : encode(text))
  }

  interrupt(): void {
    if (!this.#closed) this.#terminal.type(Uint8Array.of(INTERRUPT))
  }

  close(): void {
    this.#closed = true
    this.#abort?.()
    this.#terminal.end()
  }

  async #work(): Promise<void> {
    await this.#recallHistory()
    const editor = new LineEditor({ columns: this.#terminal.columns, history: this.#lines, isIncomplete: isIncompleteText })
    this.#editor = editor
    while (!this.#closed) {
      const request = await this.#edit(editor)
      if (request.type === 'interrupt') this.#status = INTERRUPTED
      if (request.type === 'end') {
        if (!this.#closed) this.#terminal.write('exit\r\n')
        return
      }
      const toDo = this.#toDo(request)
      if (toDo === null) continue
      this.#lines.push(toDo.line)
      editor.remember(toDo.line)
      if (toDo.runs && (await this.#runLine(toDo.line))) return
    }
  }

  async #recallHistory(): Promise<void> {
    const { session } = this.#options
    const entries = await session.history(REMEMBERED)
    this.#lines = entries.map((entry) => entry.command)
    if (entries.length === REMEMBERED) this.#firstNumber = (await session.history()).length - REMEMBERED + 1
  }

  #edit(editor: LineEditor): Promise<EditorRequest> {
    this.#terminal.write(editor.resize(this.#terminal.columns).screen)
    const { session, colours = true } = this.#options
    const prompt = defaultPrompt(session, { status: this.#status, colours })
    const request = this.#terminal.edit(editor, prompt, (text, cursor) => this.#complete(editor, text, cursor))
    this.#submitGiven()
    return request
  }

  async #complete(editor: LineEditor, text: string, cursor: number): Promise<EditorStep> {
    return editor.complete(await completeLine(text, cursor, this.#completion).catch(() => ({ start: cursor, candidates: [] })))
  }

  #submitGiven(): void {
    const line = this.#given[0]
    const editor = this.#editor
    if (line === undefined || editor === null) return
    if (this.#terminal.step(() => editor.submit(line))) this.#given.shift()
  }

  #toDo(request: EditorRequest): ToDo | null {
    if (request.type === 'given') return { line: request.text, runs: true }
    if (request.type !== 'line' || request.text.trim() === '') return null
    const expanded = expandHistory(request.text, { lines: this.#lines, firstNumber: this.#firstNumber, state: this.#expansions })
    this.#expansions = expanded.state
    switch (expanded.kind) {
      case 'unchanged':
        return { line: request.text, runs: true }
      case 'failed':
        this.#terminal.write(`mirage: ${expanded.message}\n`)
        this.#status = 1
        return null
      case 'expanded':
      case 'printed':
        this.#terminal.write(`${expanded.line}\n`)
        return { line: expanded.line, runs: expanded.kind === 'expanded' }
    }
  }

  /** True when the line ended the shell. */
  async #runLine(line: string): Promise<boolean> {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    this.#abort = abort
    let result: ShellResult | null = null
    let last = NEWLINE
    const write = (bytes: Uint8Array): MaybePromise<void> => {
      last = bytes.at(-1) ?? last
      return this.#terminal.write(bytes)
    }
    const { session, line: lineOptions, onLine } = this.#options
    try {
      result = await this.#terminal.lend(abort, (stdin) =>
        session.shell(line, { ...lineOptions, signal: controller.signal, stdin, onOutput: write }),
      )
      this.#status = result.exitCode
      if (last !== NEWLINE && !result.exited) this.#terminal.write('\n')
      this.#warn(result)
    } catch (error) {
      if (hasCode(error, 'CLOSED')) throw error
      this.#status = controller.signal.aborted ? INTERRUPTED : 1
      this.#terminal.write(controller.signal.aborted ? '\n' : `mirage: ${error instanceof Error ? error.message : String(error)}\n`)
    } finally {
      this.#abort = null
    }
    onLine?.({ line, exitCode: this.#status, result })
    return result?.exited === true
  }

  #warn({ cause, conflicts }: ShellResult): void {
    if (cause !== undefined) this.#terminal.write(`mirage: the session's state could not be written yet: ${cause.message}\n`)
    if (conflicts.length > 0) this.#terminal.write(`mirage: changed by somebody else at the same time: ${conflicts.join(', ')}\n`)
  }
}
