import type { Host } from '../host.ts'
import type { Session, ShellOptions, ShellResult } from '../workspace.ts'
import type { TerminalPort } from './terminal-port.ts'

/** What an interactive shell works with. */
export interface InteractiveShellOptions {
  readonly session: Session
  readonly terminal: TerminalPort
  /** Whether the usual prompt has colours; true when left out. A session with PS1 has its own. */
  readonly colours?: boolean
  /** Options that every line runs with. */
  readonly line?: Pick<ShellOptions, 'cwd' | 'env' | 'record' | 'timeoutMs'>
  /** Called when a line begins to run. */
  readonly onLineStart?: (line: string) => void
  /** Called when it has ended, before the next prompt. */
  readonly onLineEnd?: (line: FinishedLine) => void
  /** Where timers come from; web standards when left out. */
  readonly host?: Host
}

/** A line that ran. */
export interface FinishedLine {
  readonly line: string
  readonly exitCode: number
  /** Null where the line was interrupted, or the call failed. Its output was shown and is not kept. */
  readonly result: ShellResult | null
}
