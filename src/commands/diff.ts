import type { Command } from './command.ts'
import { readAll } from './input.ts'
import { say } from './output.ts'
import { CommandFailure, utility } from './utility.ts'

/** `diff`: how two files differ. */
export const diff: Command = utility({
  help: 'Usage: diff [OPTION]... FILES\nCompare files line by line.\n',
  options: { 'q|brief': 'none' },
  usageStatus: 2,
  async run(parsed, context) {
    const [first, second] = parsed.operands
    if (first === undefined || second === undefined) throw new CommandFailure('missing operand', 2)
    const [a, b] = [await readAll(await context.open(context.resolve(first))), await readAll(await context.open(context.resolve(second)))]
    if (a.length === b.length && a.every((byte, at) => byte === b[at])) return 0
    return say(context.stdout, `Files ${first} and ${second} differ\n`, 1)
  },
})
