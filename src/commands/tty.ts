import type { Command } from './command.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { utility } from './utility.ts'

/** Prints the terminal that standard input is. */
export const tty: Command = utility({
  help: `Usage: tty [OPTION]...
Prints the name of the terminal on standard input.

  -s, --silent, --quiet  print nothing, only give a status
      --help             show this text
      --version          show the version
`,
  options: { 's|silent|quiet': 'none' },
  usageStatus: 2,
  run({ operands, has }, context) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    const isTerminal = context.isTerminal(0)
    if (has('s')) return isTerminal ? 0 : 1
    return isTerminal ? say(context.stdout, '/dev/tty\n') : say(context.stdout, 'not a tty\n', 1)
  },
})

/** Clears the terminal. */
export const clear: Command = utility({
  help: `Usage: clear [OPTION]...
Clears the terminal.

  -T TYPE        ignored
  -V             show the version
  -x             keep what has scrolled away
      --help     show this text
`,
  options: { T: 'required', V: 'none', x: 'none' },
  run: ({ has }, { stdout }) => say(stdout, has('V') ? 'clear (mirage-runtime)\n' : `\x1b[H\x1b[2J${has('x') ? '' : '\x1b[3J'}`),
})
