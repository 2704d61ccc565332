import { concat, decode } from './bytes.ts'
import type { WorkspaceError } from './errors.ts'
import type { CommitResult } from './state/session.ts'

/** How a line ended. A status other than 0 is a result; what throws is a fault of the host. */
export interface ShellResult {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly stdoutText: string
  readonly stderrText: string
  readonly exitCode: number
  /** `pending`: the session's new state is not in the store yet; it goes there first with the next line, `flush()` or `close()`. */
  readonly durability: 'committed' | 'pending'
  /** Why it is pending. */
  readonly cause?: WorkspaceError
  /** What another instance changed at the same time, to something else, as `cwd` or `variable x`: this line's value stands. */
  readonly conflicts: readonly string[]
  /**
   * Another instance changed the session while this line ran, or one before it that was pending: what the line read was out of date. Only where
   * the store has no leases (S3), could not be reached, or the lease was taken over because this instance seemed dead.
   */
  readonly outdated?: true
  /** Where the line doesn't parse. */
  readonly syntaxError?: LineSyntaxError
  /** `exit` was among its commands: an interactive front end ends here. */
  readonly exited: boolean
}

/** Where a line doesn't parse. `incomplete`: more text might make it right. */
export interface LineSyntaxError {
  readonly message: string
  readonly line: number
  readonly column: number
  readonly incomplete: boolean
}

/** What a line left behind. */
export interface LineOutcome {
  readonly stdout: readonly Uint8Array[]
  readonly stderr: readonly Uint8Array[]
  readonly exitCode: number
  readonly syntaxError: LineSyntaxError | null
  readonly exited: boolean
}

/** The result of a line whose state was kept. Its bytes are nobody else's. */
export function shellResult(outcome: LineOutcome, kept: CommitResult): ShellResult {
  return new Result(outcome, kept)
}

class Result implements ShellResult {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly exitCode: number
  readonly durability: 'committed' | 'pending'
  declare readonly cause?: WorkspaceError
  readonly conflicts: readonly string[]
  declare readonly outdated?: true
  declare readonly syntaxError?: LineSyntaxError
  readonly exited: boolean

  constructor(outcome: LineOutcome, kept: CommitResult) {
    this.stdout = ownBytes(outcome.stdout)
    this.stderr = ownBytes(outcome.stderr)
    this.exitCode = outcome.exitCode
    this.durability = kept.durability
    this.conflicts = kept.conflicts
    this.exited = outcome.exited
    if (kept.cause !== undefined) this.cause = kept.cause
    if (kept.outdated) this.outdated = true
    if (outcome.syntaxError !== null) {
      const { message, line, column, incomplete } = outcome.syntaxError
      this.syntaxError = { message, line, column, incomplete }
    }
  }

  get stdoutText(): string {
    return decode(this.stdout)
  }

  get stderrText(): string {
    return decode(this.stderr)
  }
}

/** A single chunk may be part of a file. */
function ownBytes(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? (chunks[0] as Uint8Array).slice() : concat(chunks)
}
