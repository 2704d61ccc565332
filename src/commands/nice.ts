import type { MaybePromise } from '../host.ts'
import type { Command, CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, utility } from './utility.ts'

const FAILED = 125

/** Runs a command with another niceness, which makes no difference here. */
export const nice: Command = {
  run: (args, context) => niced.run(adjustments(args), context),
}

const niced: Command = utility({
  help: `Usage: nice [OPTION] [COMMAND [ARG]...]
Runs COMMAND with its niceness changed by 10; without one, prints the niceness.

  -n, --adjustment=N  change it by N
      --help          show this text
      --version       show the version
`,
  options: { 'n|adjustment': 'required' },
  operandsEndOptions: true,
  usageStatus: FAILED,
  run: runNice,
})

/** `-5` and `--5` are adjustments too. */
function adjustments(args: readonly string[]): string[] {
  const found: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    const match = /^-([-+]?\d+.*)$/.exec(arg)
    if (match !== null) found.push('-n', match[1] as string)
    else if (arg === '-n' || arg === '--adjustment') {
      found.push(arg, ...args.slice(at + 1, at + 2))
      at += 1
    } else if (arg.startsWith('-') && arg !== '--' && arg.length > 1) found.push(arg)
    else return [...found, ...args.slice(at)]
  }
  return found
}

function runNice(parsed: ParsedOptions, context: CommandContext): MaybePromise<number> {
  const adjustment = parsed.value('n')
  if (adjustment !== null && !/^\s*[-+]?\d+$/.test(adjustment)) {
    throw new CommandFailure(`invalid adjustment ${quoted(context, adjustment)}`, FAILED)
  }
  if (parsed.operands.length === 0) {
    if (adjustment !== null) throw new UsageError('a command must be given with an adjustment')
    return say(context.stdout, '0\n')
  }
  return context.run(parsed.operands)
}
