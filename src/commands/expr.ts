import type { Command } from './command.ts'
import { say } from './output.ts'
import { CommandFailure, utility } from './utility.ts'

/** `expr`: the value of an expression. */
export const expr: Command = utility({
  help: 'Usage: expr EXPRESSION\nPrint the value of EXPRESSION.\n',
  options: {},
  usageStatus: 2,
  operandsEndOptions: true,
  run(parsed, context) {
    const [value, ...rest] = parsed.operands
    if (value === undefined || rest.length > 0) throw new CommandFailure('syntax error', 2)
    return say(context.stdout, `${value}\n`, value === '' || value === '0' ? 1 : 0)
  },
})
