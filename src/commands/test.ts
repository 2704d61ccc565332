import { encode } from '../bytes.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { TestContext } from '../shell/expand/conditional.ts'
import { evaluateTest } from '../shell/expand/conditional.ts'
import type { Command, CommandContext } from './command.ts'
import { identity } from './identity.ts'
import { operandPath } from './operand-path.ts'
import { isExpected } from './utility.ts'

/** Evaluates a condition: `test` and, under that name, `[`. */
export const test: Command = {
  run(args, context) {
    const said: string[] = []
    const finish = (status: number): MaybePromise<number> => {
      if (said.length === 0) return status
      const written = context.stderr.write(encode(said.join('')))
      return isPromise(written) ? written.then(() => status) : status
    }
    const status = evaluateTest(args, testContext(context, said))
    return isPromise(status) ? status.then(finish) : finish(status)
  },
}

function testContext(context: CommandContext, said: string[]): TestContext {
  const { uid, gid } = identity(context.env)
  return {
    name: context.name,
    stat: (path) => orNull(() => context.fs.stat(operandPath(context, path))),
    lstat: (path) => orNull(() => context.fs.lstat(operandPath(context, path))),
    isTerminal: (descriptor) => (descriptor === 0 || descriptor === 1 || descriptor === 2) && context.isTerminal(descriptor),
    isSet: () => false,
    isNameReference: () => false,
    isOptionOn: () => false,
    uid,
    gid,
    report: (message) => {
      said.push(`${message}\n`)
    },
  }
}

function orNull(look: () => MaybePromise<FileStat>): MaybePromise<FileStat | null> {
  const none = (error: unknown): null => {
    if (isExpected(error)) return null
    throw error
  }
  try {
    const stat = look()
    return isPromise(stat) ? stat.catch(none) : stat
  } catch (error) {
    return none(error)
  }
}
