/** A script that doesn't parse. Messages read as bash's, without the `bash: line N:` before them. */
export class ShellSyntaxError extends Error {
  override readonly name: string = 'ShellSyntaxError'
  readonly code = 'SYNTAX'
  /** 1-based line and column of the token at fault. */
  readonly line: number
  readonly column: number
  /** The text simply ended: more lines could complete it. */
  readonly incomplete: boolean

  constructor(message: string, at: { line: number; column: number; incomplete: boolean }) {
    super(message)
    this.line = at.line
    this.column = at.column
    this.incomplete = at.incomplete
  }
}
