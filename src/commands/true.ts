import type { Command } from './command.ts'
import { say } from './output.ts'

/** `true`: does nothing, and succeeds. */
export const succeed: Command = status(0)

/** `false`: does nothing, and fails. */
export const fail: Command = status(1)

/** Only a single `--help` or `--version` is looked at. */
function status(code: number): Command {
  return {
    run(args, { name, stdout }) {
      if (args.length !== 1) return code
      if (args[0] === '--version') return say(stdout, `${name} (mirage-runtime)\n`, code)
      if (args[0] !== '--help') return code
      return say(
        stdout,
        `Usage: ${name} [ignored arguments]\nExit with status ${code}.\n\n      --help      show this help\n      --version   show the version\n`,
        code,
      )
    },
  }
}
