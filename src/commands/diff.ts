import { errorText } from '../errors.ts'
import { RegexError } from '../regex/regex-error.ts'
import type { Command, CommandContext } from './command.ts'
import { completesLines, patternsOf } from './diff/file-pair.ts'
import { DIFF_HELP } from './diff/help.ts'
import { Page } from './diff/page.ts'
import { DIFF_OPTIONS, diffSettings } from './diff/settings.ts'
import { switchesText } from './diff/switches.ts'
import { Tree } from './diff/tree.ts'
import { wholeFile, wholeInput } from './input.ts'
import { parseOptions, UsageError } from './options.ts'
import { say } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected } from './utility.ts'

/** `diff`: how files differ, line by line. */
export const diff: Command = {
  // Diffutils word what is wrong with the arguments in their own way.
  run: (args, context) => proceed(guarded(args, context)),
}

function* guarded(args: readonly string[], context: CommandContext): Steps<number> {
  try {
    return yield* run(args, context)
  } catch (error) {
    if (error instanceof UsageError) {
      yield* wait(complain(context, error.message))
      yield* wait(complain(context, `Try '${context.name} --help' for more information.`))
    } else if (error instanceof CommandFailure || error instanceof RegexError) yield* wait(complain(context, error.message))
    else throw error
    return 2
  }
}

function* run(args: readonly string[], context: CommandContext): Steps<number> {
  const parsed = parseOptions(args, { options: DIFF_OPTIONS })
  if (parsed.asked === 'help') return yield* wait(say(context.stdout, DIFF_HELP))
  if (parsed.has('v') || parsed.asked === 'version') return yield* wait(say(context.stdout, 'diff (mirage-runtime) 0.1.0\n'))
  const settings = diffSettings(parsed, context)
  const excluded = [...settings.excluded]
  for (const list of settings.excludeFrom) excluded.push(...patternsOf(yield* contentOf(list, context)))
  const pairs = pairsOf(parsed.operands, settings, parsed.operands.at(-1) ?? args.at(-1) ?? context.name)

  const page = new Page(context.stdout, { ...settings, completes: completesLines(settings) })
  const tree = new Tree(settings, context, page, switchesText(args, DIFF_OPTIONS), excluded)
  let status = 0
  try {
    for (const [first, second] of pairs) status = Math.max(status, yield* tree.compare(first, second))
  } finally {
    yield* wait(page.flush())
  }
  return status
}

function pairsOf(
  operands: readonly string[],
  { fromFile, toFile }: { readonly fromFile: string | null; readonly toFile: string | null },
  last: string,
): (readonly [string, string])[] {
  if (fromFile !== null) return operands.map((operand) => [fromFile, operand] as const)
  if (toFile !== null) return operands.map((operand) => [operand, toFile] as const)
  const [first, second, extra] = operands
  if (first === undefined || second === undefined) throw new UsageError(`missing operand after '${last}'`)
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
  return [[first, second]]
}

function* contentOf(name: string, context: CommandContext): Steps<Uint8Array> {
  try {
    if (name === '-') return yield* wholeInput(context.stdin)
    return yield* wholeFile(name, context)
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`${name}: ${errorText(error)}`, 2)
  }
}
