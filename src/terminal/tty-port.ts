import type { MaybePromise } from '../host.ts'
import type { TerminalPort } from './terminal-port.ts'

/** What is read from: `process.stdin` of Node, Deno or Bun where it is a terminal. */
export interface TTYInput {
  setRawMode(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
  off(event: 'data' | 'end', listener: (chunk: Uint8Array) => void): unknown
  pause(): unknown
}

/** What is written to: `process.stdout` where it is a terminal. */
export interface TTYOutput {
  readonly columns: number
  readonly rows: number
  write(bytes: Uint8Array): boolean
  once(event: 'drain', listener: () => void): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

/** The terminal of a process. */
export function ttyPort(input: TTYInput, output: TTYOutput): TerminalPort {
  return {
    // A terminal that doesn't know its size says 0.
    get columns() {
      return output.columns || 80
    },
    get rows() {
      return output.rows || 24
    },
    write: (bytes): MaybePromise<void> => {
      if (output.write(bytes)) return undefined
      return new Promise((resolve) => void output.once('drain', resolve))
    },
    listen: (listener) => {
      const onData = (chunk: Uint8Array): void => listener.input(chunk.slice())
      const onEnd = (): void => listener.end()
      const onResize = (): void => listener.resize()
      input.setRawMode(true)
      input.on('data', onData)
      input.on('end', onEnd)
      output.on('resize', onResize)
      return () => {
        input.off('data', onData)
        input.off('end', onEnd)
        output.off('resize', onResize)
        input.setRawMode(false)
        input.pause()
      }
    },
  }
}
