import type { MaybePromise } from '../host.ts'

/** A person's terminal, as the interactive shell needs it: a tty of a server, xterm.js in a page, or one of your own. */
export interface TerminalPort {
  /** Cells of a row. */
  readonly columns: number
  readonly rows: number
  /** Whether it wraps the line that holds the cursor anew when its width changes; true when left out. */
  readonly reflows?: boolean
  /**
   * Shows bytes: UTF-8, with the control sequences of xterm; `\n` alone goes to the start of the next row. A promise holds the writer back
   * until there is room again: without one a flood of output would pile up. The bytes are the port's to keep.
   */
  write(bytes: Uint8Array): MaybePromise<void>
  /** Makes the terminal raw and tells the listener what comes from it; what is returned ends both. */
  listen(listener: TerminalListener): () => void
}

/** What comes from a terminal. */
export interface TerminalListener {
  /** What was typed, as the terminal encodes it. */
  input(bytes: Uint8Array): void
  /** It has another size now. */
  resize(): void
  /** Nothing more will be typed: it is gone. */
  end(): void
}
