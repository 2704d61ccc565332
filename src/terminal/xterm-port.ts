import { encode } from '../bytes.ts'
import type { MaybePromise } from '../host.ts'
import type { TerminalPort } from './terminal-port.ts'
import type { XtermUnicode } from './xterm-widths.ts'
import { xtermWidths } from './xterm-widths.ts'

/** What is used of xterm.js's `Terminal`. */
export interface XtermTerminal {
  readonly cols: number
  readonly rows: number
  readonly options?: { readonly allowProposedApi?: boolean | undefined; readonly reflowCursorLine?: boolean | undefined }
  readonly unicode?: XtermUnicode
  write(bytes: Uint8Array, callback?: () => void): void
  onData(listener: (text: string) => void): { dispose(): void }
  onBinary(listener: (text: string) => void): { dispose(): void }
  onResize(listener: () => void): { dispose(): void }
}

/** Bytes that may wait to be shown before the writer waits, too: shown within a few frames, so that ^C seems to act at once. */
const HIGH_WATER = 64 * 1024
const NEWLINE = 0x0a

/**
 * A terminal of xterm.js in a page. It needs none of its options (`convertEol` does no harm), but with `allowProposedApi` emoji and other
 * characters that are composed are as wide as they look: xterm.js's own tables don't know them.
 */
export function xtermPort(terminal: XtermTerminal): TerminalPort {
  if (terminal.options?.allowProposedApi === true && terminal.unicode !== undefined) {
    terminal.unicode.register(xtermWidths)
    terminal.unicode.activeVersion = xtermWidths.version
  }
  let waiting = 0
  let full: Promise<void> | null = null
  let release = (): void => undefined
  return {
    get columns() {
      return terminal.cols
    },
    get rows() {
      return terminal.rows
    },
    get reflows() {
      return terminal.options?.reflowCursorLine === true
    },
    write: (bytes): MaybePromise<void> => {
      const size = bytes.length
      waiting += size
      terminal.write(withReturns(bytes), () => {
        waiting -= size
        if (full === null || waiting > HIGH_WATER / 2) return
        full = null
        release()
      })
      if (waiting < HIGH_WATER) return undefined
      full ??= new Promise((resolve) => {
        release = resolve
      })
      return full
    },
    listen: (listener) => {
      const listeners = [
        terminal.onData((text) => listener.input(encode(text))),
        terminal.onBinary((text) => listener.input(Uint8Array.from(text, (char) => char.charCodeAt(0)))),
        terminal.onResize(() => listener.resize()),
      ]
      return () => {
        for (const one of listeners) one.dispose()
      }
    },
  }
}

/** A copy in which every newline returns to the start of the row. */
function withReturns(bytes: Uint8Array): Uint8Array {
  let newlines = 0
  for (const byte of bytes) if (byte === NEWLINE) newlines += 1
  const returned = new Uint8Array(bytes.length + newlines)
  let at = 0
  for (const byte of bytes) {
    if (byte === NEWLINE) returned[at++] = 0x0d
    returned[at++] = byte
  }
  return returned
}
