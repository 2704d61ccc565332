/**
 * How far an error in an expansion, an assignment or a builtin reaches:
 * the command alone; the complete command being run (the next line goes on); that too, but the whole shell in posix mode; what the shell
 * itself reads, out of every `eval` and sourced file, and `bash -c` whole; the whole shell.
 */
export type FaultReach = 'command' | 'line' | 'assignment' | 'reader' | 'shell'

/** Something in a script that can't go on. The machine reports it and unwinds as far as it reaches. */
export class ShellFault extends Error {
  override readonly name: string = 'ShellFault'
  readonly reach: FaultReach
  readonly status: number

  constructor(message: string, reach: FaultReach = 'line', status = 1) {
    super(message)
    this.reach = reach
    this.status = status
  }
}
