import { Interaction } from './interaction.ts'
import type { InteractiveShellOptions } from './interactive-shell-options.ts'

/** A shell that a person works in. */
export interface InteractiveShell {
  /**
   * Resolves with the last exit status when the shell has ended: by `exit`, by ^D, by the end of the terminal's input, by `close`. Rejects
   * with CLOSED when the workspace is closed under it, and with what `onLineStart` and
   * `onLineEnd` throw.
   */
  readonly ended: Promise<number>
  /** True while a line runs. */
  readonly busy: boolean
  /** Runs a line as if it had been typed, when what runs has ended. It is shown and recorded; a `!` in it means nothing. */
  run(line: string): void
  /** Inserts text at the cursor as if it had been pasted; while a line runs, it is what that line reads. */
  insert(text: string): void
  /** Ends the line that runs, as ^C does; where none runs, takes away what is being edited. */
  interrupt(): void
  /** Takes over what others changed in the session: the prompt shows its directory, the arrow keys find their lines. Fails as `session.refresh` does. */
  refresh(): Promise<void>
  /** Ends what runs and the shell, and lets go of the terminal. The session and the workspace stay open. */
  close(): void
}

/**
 * Lets a person work in a session: line editing, history on the arrow keys and ^R, completion with Tab, `!` expansion, ^C.
 *
 * ```ts
 * const shell = startInteractiveShell({ session: await workspace.session(), terminal: xtermPort(terminal) })
 * console.log(await shell.ended)
 * ```
 */
export function startInteractiveShell(options: InteractiveShellOptions): InteractiveShell {
  const interaction = new Interaction(options)
  return {
    ended: interaction.run(),
    run: (line) => interaction.give(line),
    insert: (text) => interaction.insert(text),
    get busy() {
      return interaction.busy
    },
    interrupt: () => interaction.interrupt(),
    refresh: () => interaction.refresh(),
    close: () => interaction.close(),
  }
}
