import type { Host } from '../host.ts'
import type { Session, ShellOptions, ShellResult, Workspace } from '../workspace.ts'
import type { TerminalPort } from './terminal-port.ts'

/** What an interactive shell works with. */
export interface InteractiveShellOptions {
  /** The workspace of the session: what paths are completed from. */
  readonly workspace: Workspace
  readonly session: Session
  readonly terminal: TerminalPort
  /** Whether the prompt has colours; true when left out. */
  readonly colours?: boolean
  /** Options that every line runs with. */
  readonly line?: Pick<ShellOptions, 'cwd' | 'env' | 'record' | 'timeoutMs'>
  /** Called after each line that ran, before the next prompt. */
  readonly onLine?: (line: FinishedLine) => void
  /** Where timers come from; web standards when left out. */
  readonly host?: Host
}

/** A line that ran. */
export interface FinishedLine {
  readonly line: string
  readonly exitCode: number
  /** Null where the line was interrupted, or the call failed. */
  readonly result: ShellResult | null
}
