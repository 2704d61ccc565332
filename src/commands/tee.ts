import { errorText } from '../errors.ts'
import { choice } from './choice.ts'
import type { ByteWriter, Command, CommandContext } from './command.ts'
import { BrokenPipe } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: tee [OPTION]... [FILE]...
Copy standard input to each FILE, and to standard output.

  -a, --append               add to the FILEs, do not overwrite them
  -i, --ignore-interrupts    accepted and ignored
  -p                         same as --output-error=warn-nopipe
      --output-error[=MODE]  what to do when writing fails: warn, warn-nopipe, exit, exit-nopipe;
                               the nopipe ones make nothing of a closed pipe
      --help                 show this help
      --version              show the version
`

/** `tee`: one input, several outputs. */
export const tee: Command = utility({
  help: HELP,
  options: { 'a|append': 'none', 'i|ignore-interrupts': 'none', p: 'none', 'output-error': 'optional' },
  run: (parsed, context) => proceed(run(parsed, context)),
})

interface Outlet {
  readonly name: string
  readonly to: ByteWriter
  open: boolean
}

function* run({ options, operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  let mode: string | null = null
  for (const { name, value } of options) {
    if (name === 'p' || (name === 'output-error' && value === null)) mode = 'warn-nopipe'
    else if (name === 'output-error')
      mode = choice(context, '--output-error', value ?? '', [['warn'], ['warn-nopipe'], ['exit'], ['exit-nopipe']])
  }
  let status = 0
  const outlets: Outlet[] = [{ name: 'standard output', to: context.stdout, open: true }]
  for (const name of operands) {
    try {
      // GNU's tee has no special meaning for -.
      outlets.push({ name, to: yield* wait(context.create(context.resolve(name), { append: has('a') })), open: true })
    } catch (error) {
      if (!isExpected(error)) throw error
      yield* wait(complain(context, `${quotedName(name)}: ${errorText(error)}`))
      status = 1
      if (mode === 'exit' || mode === 'exit-nopipe') return status
    }
  }
  try {
    while (outlets.some(({ open }) => open)) {
      const chunk = yield* wait(context.stdin.read())
      if (chunk === null) break
      for (const outlet of outlets) {
        if (!outlet.open) continue
        try {
          yield* wait(outlet.to.write(chunk))
        } catch (error) {
          const broken = error instanceof BrokenPipe
          if (broken ? mode === null : !isExpected(error)) throw error
          outlet.open = false
          if (broken && mode?.endsWith('nopipe') === true) continue
          yield* wait(complain(context, `${quotedName(outlet.name)}: ${errorText(error)}`))
          status = 1
          if (mode === 'exit' || mode === 'exit-nopipe') return status
        }
      }
      yield* wait(context.pause())
    }
  } finally {
    for (const outlet of outlets.slice(1)) yield* wait(outlet.to.close())
  }
  return status
}
