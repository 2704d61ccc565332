import { hasCode } from '../../../src/index.ts'
import { expandHistory, noExpansions } from '../../../src/state/history-expansion.ts'
import type { CompletionSource } from './completion.ts'
import { completeLine } from './completion.ts'
import { isIncompleteText } from './incomplete-text.ts'
import type { EditorStep } from './line-editor/line-editor.ts'
import { LineEditor } from './line-editor/line-editor.ts'
import type { Terminal } from './terminal.ts'

/** What the interactive shell needs of the session it works in. */
export interface InteractiveShell {
  readonly session: string
  readonly completion: CompletionSource
  /** The last lines of the session, oldest first, and the number of the first of them. */
  history(count: number): Promise<{ readonly lines: readonly string[]; readonly first: number }>
  /** Runs a line; `exited` says that it ended the shell. Rejects with an AbortError when the signal fires. */
  run(line: string, options: RunningLine): Promise<{ readonly exitCode: number; readonly exited: boolean; readonly notice: string }>
}

/** How a line is connected to the terminal. */
export interface RunningLine {
  readonly signal: AbortSignal
  readonly stdin: AsyncIterable<Uint8Array>
  readonly write: (bytes: Uint8Array) => Promise<void> | undefined
}

/** Lines of history that the arrow keys reach. */
const REMEMBERED = 2000
const INTERRUPTED = 130

/** Reads lines and runs them until one ends the shell or the input ends; the last exit status. */
export async function interact(shell: InteractiveShell, terminal: Terminal, colours: boolean): Promise<number> {
  const earlier = await shell.history(REMEMBERED)
  const lines = [...earlier.lines]
  const editor = new LineEditor({ columns: terminal.columns, history: lines, isIncomplete: isIncompleteText })
  const complete = async (text: string, cursor: number): Promise<EditorStep> =>
    editor.complete(await completeLine(text, cursor, shell.completion).catch(() => ({ start: cursor, candidates: [] })))
  let status = 0
  let expansions = noExpansions
  for (;;) {
    terminal.write(editor.resize(terminal.columns).screen)
    const request = await terminal.edit(editor, promptOf(shell, status, colours), complete)
    if (request.type === 'interrupt') status = INTERRUPTED
    if (request.type === 'end') {
      terminal.write('exit\r\n')
      return status
    }
    if (request.type !== 'line' || request.text.trim() === '') continue
    const expanded = expandHistory(request.text, { lines, firstNumber: earlier.first, state: expansions })
    expansions = expanded.state
    if (expanded.kind === 'failed') {
      terminal.write(`mirage: ${expanded.message}\n`)
      status = 1
      continue
    }
    const line = expanded.kind === 'unchanged' ? request.text : expanded.line
    if (expanded.kind !== 'unchanged') terminal.write(`${line}\n`)
    lines.push(line)
    editor.remember(line)
    if (expanded.kind === 'printed') continue
    const ended = await runLine(shell, terminal, line)
    status = ended.exitCode
    if (ended.exited) return status
  }
}

async function runLine(shell: InteractiveShell, terminal: Terminal, line: string): Promise<{ exitCode: number; exited: boolean }> {
  const controller = new AbortController()
  const { signal } = controller
  let last = 0x0a
  const write = (bytes: Uint8Array): Promise<void> | undefined => {
    last = bytes.at(-1) ?? last
    return terminal.write(bytes)
  }
  try {
    const ended = await terminal.lend(
      () => controller.abort(),
      (stdin) => shell.run(line, { signal, stdin, write }),
    )
    if (last !== 0x0a && !ended.exited) terminal.write('\n')
    if (ended.notice !== '') terminal.write(`${ended.notice}\n`)
    return ended
  } catch (error) {
    if (hasCode(error, 'CLOSED')) throw error
    terminal.write(signal.aborted ? '\n' : `mirage: ${error instanceof Error ? error.message : String(error)}\n`)
    return { exitCode: signal.aborted ? INTERRUPTED : 1, exited: false }
  }
}

/** `session:directory$ `, the dollar red after a failure. */
function promptOf(shell: InteractiveShell, status: number, colours: boolean): string {
  const { cwd, home } = shell.completion
  const shown = home !== null && home !== '/' && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd
  // A name must not be able to steer the terminal.
  const directory = shown.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  if (!colours) return `${shell.session}:${directory}$ `
  const dollar = status === 0 ? '$' : '\x1b[31m$\x1b[0m'
  return `\x1b[32m${shell.session}\x1b[0m:\x1b[34m${directory}\x1b[0m${dollar} `
}
