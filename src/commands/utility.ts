import { encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { Command, CommandContext } from './command.ts'
import { BrokenPipe } from './command.ts'
import type { OptionTable, ParsedOptions } from './options.ts'
import { parseOptions, UsageError } from './options.ts'

/** A utility described: its options, its help, and what it does. */
export interface UtilityDefinition {
  /** What `--help` prints. */
  readonly help: string
  readonly options: OptionTable
  /** Exit status of a usage error, 1 when left out. */
  readonly usageStatus?: number
  /** Options end at the first operand (as for `env`, `xargs`, `timeout`). */
  readonly operandsEndOptions?: boolean
  /** An argument `-N` with digits only is given to this option (`head -5`). */
  readonly numberOption?: string
  run(parsed: ParsedOptions, context: CommandContext): MaybePromise<number>
}

/** Ends the command with `NAME: MESSAGE` on standard error and a status. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure'
  readonly status: number

  constructor(message: string, status = 1) {
    super(message)
    this.status = status
  }
}

/** A command that reads its options as GNU tools do, answers `--help` and `--version`, and reports usage errors and {@link CommandFailure}s. */
export function utility(definition: UtilityDefinition): Command {
  return {
    run(args, context) {
      try {
        const status = start(definition, args, context)
        return isPromise(status) ? status.catch((error: unknown) => report(error, definition, context)) : status
      } catch (error) {
        return report(error, definition, context)
      }
    },
  }
}

/** Writes `NAME: MESSAGE` to standard error. */
export function complain(context: CommandContext, message: string): MaybePromise<void> {
  return context.stderr.write(encode(`${context.name}: ${message}\n`))
}

/** Writes `NAME: SUBJECT: REASON` for a failed operation; rethrows what must not be swallowed (aborts, a broken pipe, faults). */
export function complainOf(context: CommandContext, subject: string, error: unknown): MaybePromise<void> {
  if (!isExpected(error)) throw error
  return complain(context, `${subject}: ${errorText(error)}`)
}

/** True for a failure of the file system that a command may report and go on from. */
export function isExpected(error: unknown): boolean {
  if (error instanceof BrokenPipe) return false
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name !== 'AbortError'
}

function start(definition: UtilityDefinition, args: readonly string[], context: CommandContext): MaybePromise<number> {
  const parsed = parseOptions(args, definition)
  if (parsed.asked === 'help') return answer(definition.help, context)
  if (parsed.asked === 'version') return answer(`${context.name} (mirage-runtime)\n`, context)
  return definition.run(parsed, context)
}

function answer(text: string, context: CommandContext): MaybePromise<number> {
  const written = context.stdout.write(encode(text))
  return isPromise(written) ? written.then(() => 0) : 0
}

async function report(error: unknown, definition: UtilityDefinition, context: CommandContext): Promise<number> {
  if (error instanceof UsageError) {
    await complain(context, `${error.message}\nTry '${context.name} --help' for more information.`)
    return definition.usageStatus ?? 1
  }
  if (error instanceof CommandFailure) {
    await complain(context, error.message)
    return error.status
  }
  throw error
}
