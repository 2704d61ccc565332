import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { webHost } from '../host.ts'
import type { HistoryExpansionState } from '../state/history-expansion.ts'
import { expandHistory, noExpansions } from '../state/history-expansion.ts'
import type { LineTerminal, ShellResult } from '../workspace.ts'
import { completeInSession } from './complete-in-session.ts'
import { defaultPrompt } from './default-prompt.ts'
import { isIncompleteText } from './incomplete-text.ts'
import type { InteractiveShellOptions } from './interactive-shell-options.ts'
import { pasted } from './line-editor/keys.ts'
import type { EditorRequest, EditorStep, Prompts } from './line-editor/line-editor.ts'
import { LineEditor } from './line-editor/line-editor.ts'
import { OutputEnd } from './output-end.ts'
import { promptCommands } from './prompt-commands.ts'
import { SharedTerminal } from './shared-terminal.ts'

/** Lines of history that the arrow keys reach. */
const REMEMBERED = 2000
const INTERRUPTED = 130
const INTERRUPT = 0x03

/** What to do with a line that was typed. */
interface ToDo {
  readonly line: string
  readonly runs: boolean
}

/** How something that ran on the terminal ended: `failed` where the call itself did, or was interrupted. */
type Ended = { readonly type: 'ended'; readonly result: ShellResult } | { readonly type: 'failed'; readonly exitCode: number }

/** A person at work in a session: reads lines and runs them until one ends the shell, or the input ends. */
export class Interaction {
  readonly #options: InteractiveShellOptions
  readonly #terminal: SharedTerminal
  readonly #size: LineTerminal
  /** Lines to run before the next one is read. */
  readonly #given: string[] = []
  #editor: LineEditor | null = null
  /** What was run, and the number of the first of it. */
  #lines: string[] = []
  #firstNumber = 1
  #commandNumber = 1
  #expansions: HistoryExpansionState = noExpansions
  #status = 0
  /** A line runs. */
  #busy = false
  /** Ends what runs. */
  #abort: (() => void) | null = null
  #closed = false

  constructor(options: InteractiveShellOptions) {
    this.#options = options
    const terminal = new SharedTerminal(options.terminal, options.host ?? webHost)
    this.#terminal = terminal
    this.#size = {
      get columns() {
        return terminal.size.columns
      },
      get rows() {
        return terminal.size.rows
      },
      onResize: (resized) => terminal.onResize(resized),
      setMode: (mode) => terminal.setMode(mode),
    }
  }

  get busy(): boolean {
    return this.#busy
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
    if (!this.#closed) this.#terminal.type(this.#busy ? encode(text) : pasted(text))
  }

  interrupt(): void {
    if (!this.#closed) this.#terminal.type(Uint8Array.of(INTERRUPT))
  }

  close(): void {
    this.#closed = true
    this.#abort?.()
    this.#terminal.end()
  }

  async refresh(): Promise<void> {
    const { session } = this.#options
    await session.refresh()
    const length = await session.historyLength()
    const editor = this.#editor
    if (this.#closed || this.#busy || editor === null) return
    if (length !== this.#firstNumber - 1 + this.#lines.length) editor.recall(await this.#recallHistory())
    if (!this.#terminal.isEdited) return
    const prompts = await this.#prompts(new AbortController().signal)
    this.#terminal.step(() => editor.reprompt(prompts))
  }

  async #work(): Promise<void> {
    const editor = new LineEditor({
      size: this.#terminal.size,
      history: await this.#recallHistory(),
      isIncomplete: isIncompleteText,
    })
    this.#editor = editor
    while (!this.#closed) {
      const request = await this.#edit(editor)
      if (request.type === 'interrupt') this.#status = INTERRUPTED
      if (request.type === 'end') {
        if (!this.#closed) this.#terminal.write('exit\n')
        return
      }
      const toDo = this.#toDo(request)
      if (toDo === null) continue
      this.#lines.push(toDo.line)
      editor.remember(toDo.line)
      if (toDo.runs && (await this.#runLine(toDo.line))) return
    }
  }

  async #recallHistory(): Promise<readonly string[]> {
    const { session } = this.#options
    const entries = await session.history(REMEMBERED)
    this.#lines = entries.map((entry) => entry.command)
    this.#firstNumber = (await session.historyLength()) - entries.length + 1
    return this.#lines
  }

  async #edit(editor: LineEditor): Promise<EditorRequest> {
    await this.#beforePrompt()
    const prompts = await this.#onTerminal((signal) => this.#prompts(signal))
    this.#terminal.write(editor.resize(this.#terminal.size).screen)
    const request = this.#terminal.edit(editor, prompts, (text, cursor, signal) => this.#complete(editor, text, cursor, signal))
    this.#submitGiven()
    return request
  }

  /** What PROMPT_COMMAND holds is run; `$?` stays what it was. */
  async #beforePrompt(): Promise<void> {
    for (const command of promptCommands(this.#options.session.fields)) {
      if (this.#closed) return
      await this.#runOnTerminal(`${command}\n(exit ${this.#status})`, false)
    }
  }

  async #prompts(signal: AbortSignal): Promise<Prompts> {
    const { session, colours = true } = this.#options
    const usual = defaultPrompt(session, { status: this.#status, colours })
    const { variables } = session.fields
    if (!variables.has('PS1') && !variables.has('PS2')) return { first: usual, further: '> ' }
    const onOutput = (bytes: Uint8Array): MaybePromise<void> => this.#terminal.write(bytes)
    const { primary, continuation } = await session.prompts({ commandNumber: this.#commandNumber, signal, onOutput })
    return { first: primary ?? usual, further: continuation ?? '> ' }
  }

  async #complete(editor: LineEditor, text: string, cursor: number, signal: AbortSignal): Promise<EditorStep> {
    const found = await completeInSession(this.#options.session, { text, cursor, signal }).catch(() => null)
    return editor.complete(found === null || signal.aborted ? { start: cursor, candidates: [] } : found)
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
    const { onLineStart, onLineEnd } = this.#options
    this.#busy = true
    onLineStart?.(line)
    const ended = await this.#runOnTerminal(line, true).finally(() => {
      this.#busy = false
    })
    this.#commandNumber += 1
    this.#status = ended.type === 'ended' ? ended.result.exitCode : ended.exitCode
    onLineEnd?.({ line, exitCode: this.#status, result: ended.type === 'ended' ? ended.result : null })
    return ended.type === 'ended' && ended.result.exited
  }

  /** Runs a text with the terminal as its input and output. Fails with CLOSED alone. */
  async #runOnTerminal(text: string, isLine: boolean): Promise<Ended> {
    const { session, line: lineOptions } = this.#options
    const end = new OutputEnd()
    const onOutput = (bytes: Uint8Array): MaybePromise<void> => {
      end.add(bytes)
      return this.#terminal.write(bytes)
    }
    const own = isLine ? {} : { record: false }
    let aborted = false
    try {
      const result = await this.#onTerminal((signal, stdin) => {
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return session.shell(text, { ...lineOptions, ...own, signal, stdin, onOutput, keepOutput: false, terminal: this.#size })
      })
      if (!end.isAtRowStart && isLine && !result.exited) this.#terminal.write('\n')
      this.#warn(result)
      return { type: 'ended', result }
    } catch (error) {
      if (hasCode(error, 'CLOSED')) throw error
      this.#terminal.write(aborted ? '\n' : `mirage: ${error instanceof Error ? error.message : String(error)}\n`)
      return { type: 'failed', exitCode: aborted ? INTERRUPTED : 1 }
    }
  }

  /** Lets something have the terminal, until it ends or ^C ends it. */
  async #onTerminal<T>(work: (signal: AbortSignal, stdin: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    this.#abort = abort
    try {
      return await this.#terminal.lend(abort, (stdin) => work(controller.signal, stdin))
    } finally {
      this.#abort = null
    }
  }

  #warn({ cause, conflicts, outdated }: ShellResult): void {
    if (cause !== undefined) this.#terminal.write(`mirage: the session's state could not be written yet: ${cause.message}\n`)
    if (conflicts.length > 0) this.#terminal.write(`mirage: changed by somebody else at the same time: ${conflicts.join(', ')}\n`)
    else if (outdated) this.#terminal.write('mirage: somebody else changed the session at the same time\n')
  }
}
