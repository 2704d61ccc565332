import type { Command } from './command.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { utility } from './utility.ts'

/** Prints the last part of a name. */
export const basename: Command = utility({
  help: `Usage: basename NAME [SUFFIX]
  or:  basename OPTION... NAME...
Prints NAME without the directories before it, and without SUFFIX at its end.

  -a, --multiple       every operand is a NAME
  -s, --suffix=SUFFIX  take SUFFIX away; implies -a
  -z, --zero           end lines with NUL
      --help           show this text
      --version        show the version
`,
  options: { 'a|multiple': 'none', 's|suffix': 'required', 'z|zero': 'none' },
  operandsEndOptions: true,
  run(parsed, context) {
    const { operands } = parsed
    const [first, second] = operands
    if (first === undefined) throw new UsageError('missing operand')
    const isMultiple = parsed.has('a') || parsed.has('s')
    if (!isMultiple && operands.length > 2) throw new UsageError(`extra operand ${quoted(context, operands[2] as string)}`)
    const end = parsed.has('z') ? '\0' : '\n'
    const suffix = isMultiple ? (parsed.value('s') ?? '') : (second ?? '')
    const names = isMultiple ? operands : [first]
    return say(context.stdout, names.map((name) => lastName(name, suffix) + end).join(''))
  },
})

function lastName(name: string, suffix: string): string {
  const clean = name.replace(/\/+$/, '')
  if (clean === '') return name === '' ? '' : '/'
  const base = clean.slice(clean.lastIndexOf('/') + 1)
  return suffix !== '' && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base
}
