import type { Command } from './command.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { utility } from './utility.ts'

/** Prints names without their last part. */
export const dirname: Command = utility({
  help: `Usage: dirname [OPTION] NAME...
Prints each NAME without its last part; . where it has no other.

  -z, --zero     end lines with NUL
      --help     show this text
      --version  show the version
`,
  options: { 'z|zero': 'none' },
  run(parsed, context) {
    if (parsed.operands.length === 0) throw new UsageError('missing operand')
    const end = parsed.has('z') ? '\0' : '\n'
    return say(context.stdout, parsed.operands.map((name) => directoryOf(name) + end).join(''))
  },
})

function directoryOf(name: string): string {
  const clean = name.replace(/\/+$/, '')
  if (clean === '') return name === '' ? '.' : '/'
  const slash = clean.lastIndexOf('/')
  if (slash < 0) return '.'
  return clean.slice(0, slash).replace(/\/+$/, '') || '/'
}
