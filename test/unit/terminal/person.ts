import { expect } from 'vitest'
import type { Session, Workspace } from '../../../src/index.ts'
import type { InteractiveShell, InteractiveShellOptions, TerminalListener, TerminalPort } from '../../../src/terminal/index.ts'
import { startInteractiveShell } from '../../../src/terminal/index.ts'
import { Screen } from './screen.ts'

/** Somebody at a terminal with a shell on it. */
export interface Person {
  readonly shell: InteractiveShell
  readonly session: Session
  type(keys: string): void
  paste(text: string): void
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void
  /** The terminal is gone. */
  hangUp(): void
  /** Waits until the screen shows exactly these rows; fails, saying what it shows, when that takes too long. */
  sees(rows: readonly string[]): Promise<void>
  /** Waits until a line runs. */
  runs(): Promise<void>
  /** All that was written, as text. */
  written(): string
}

const LIMIT = 5000

/** Sits down at a terminal of 70 columns and 10 rows. */
export async function sitDown(
  workspace: Workspace,
  { columns = 70, ...options }: Partial<InteractiveShellOptions> & { readonly columns?: number } = {},
): Promise<Person> {
  const session = options.session ?? (await workspace.session('main'))
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const size = { columns, rows: 10 }
  const screen = new Screen(columns)
  let written = ''
  let changed = (): void => undefined
  let listener: TerminalListener | null = null
  const terminal: TerminalPort = {
    get columns() {
      return size.columns
    },
    get rows() {
      return size.rows
    },
    write: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      written += text
      screen.write(text.replace(/\r?\n/g, '\r\n'))
      changed()
    },
    listen: (given) => {
      listener = given
      return () => {
        listener = null
      }
    },
  }
  const shell = startInteractiveShell({ colours: false, ...options, session, terminal })
  // A test that closes the workspace need not look how the shell ends.
  shell.ended.catch(() => undefined)
  return {
    shell,
    session,
    type: (keys) => listener?.input(encoder.encode(keys)),
    paste: (text) => listener?.input(encoder.encode(screen.brackets ? `\x1b[200~${text}\x1b[201~` : text)),
    resize: (newColumns, rows) => {
      size.columns = newColumns
      size.rows = rows
      screen.columns = newColumns
      listener?.resize()
    },
    hangUp: () => listener?.end(),
    sees: async (rows) => {
      const wanted = rows.join('\n')
      if (screen.rows.join('\n') === wanted) return
      let timer: NodeJS.Timeout | undefined
      const seen = await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), LIMIT)
        changed = () => {
          if (screen.rows.join('\n') === wanted) resolve(true)
        }
      })
      clearTimeout(timer)
      changed = () => undefined
      if (!seen) expect(screen.rows).toEqual(rows)
    },
    runs: () => expect.poll(() => shell.busy, { interval: 1 }).toBe(true),
    written: () => written,
  }
}
