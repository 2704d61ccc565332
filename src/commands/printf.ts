import { encode } from '../bytes.ts'
import { formatPrintf } from '../shell/expand/printf.ts'
import { strftime } from '../time/strftime.ts'
import { zone } from '../time/zone.ts'
import type { Command, CommandContext } from './command.ts'
import { say, writeTo } from './output.ts'
import { quoted } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { complain } from './utility.ts'

const HELP = `Usage: printf FORMAT [ARGUMENT]...
Write the ARGUMENTs as FORMAT has it, which is used again while arguments are left.

      --help     show this help
      --version  show the version

Escapes: \\" \\\\ \\a \\b \\c (nothing more) \\e \\f \\n \\r \\t \\v \\NNN (octal) \\xHH \\uHHHH \\UHHHHHHHH
Conversions: those of C for numbers and text, %% for %, %b for text with escapes, %q for text quoted for a shell
`

/** `printf` as a program; the shell has its own. */
export const printf: Command = {
  run(args, context) {
    if (args.length === 1 && args[0] === '--help') return say(context.stdout, HELP)
    if (args.length === 1 && args[0] === '--version') return say(context.stdout, `${context.name} (mirage-runtime)\n`)
    return proceed(run(args[0] === '--' ? args.slice(1) : args, context))
  },
}

function* run([format, ...args]: readonly string[], context: CommandContext): Steps<number> {
  if (format === undefined) {
    yield* wait(complain(context, `missing operand\nTry '${context.name} --help' for more information.`))
    return 1
  }
  // Other than in the shell's, \c ends it all in the format too.
  const end = /^(?:[^\\]|\\[^c])*?(?=\\c)/s.exec(format)?.[0]
  const conversions = end === undefined ? args.length : (end.replaceAll('%%', '').match(/%/g)?.length ?? 0)
  const result = formatPrintf(end ?? format, args.slice(0, conversions), {
    now: () => context.host.now(),
    strftime: (pattern, ms) => strftime(pattern, ms, zone(context.env.get('TZ'))),
  })
  if (result.text !== '') yield* wait(writeTo(context.stdout, encode(result.text)))
  for (const error of result.errors) yield* wait(complain(context, programMessage(error.replace(/^printf: /, ''), context)))
  // A format without a conversion has no use for arguments.
  const unused = end === undefined && args[0] !== undefined && !/%[^%]/.test(format.replaceAll('%%', ''))
  if (unused) yield* wait(complain(context, `warning: ignoring excess arguments, starting with ${quoted(context, args[0] as string)}`))
  return result.errors.some((error) => error.includes('Numerical result out of range')) ? 1 : result.status
}

/** What the shell's printf says, as the program says it. */
function programMessage(message: string, context: CommandContext): string {
  const [, number] = /^(.*): invalid (?:hex )?number$/s.exec(message) ?? []
  if (number !== undefined) {
    const started = /^\s*[-+]?(?:\d|\.\d|inf|nan)/i.test(number)
    return `${quoted(context, number)}: ${started ? 'value not completely converted' : 'expected a numeric value'}`
  }
  const [, large] = /^warning: (.*): Numerical result out of range$/s.exec(message) ?? []
  return large === undefined ? message : `${quoted(context, large)}: Numerical result out of range`
}
