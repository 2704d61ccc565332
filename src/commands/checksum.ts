import { encode } from '../bytes.ts'
import { checkSums, parseCheckOptions } from './checksum-check.ts'
import { type Algorithm, digestOf } from './checksum-digest.ts'
import type { Command, CommandContext } from './command.ts'
import { openEach } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { writeTo } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { utility } from './utility.ts'

/** `md5sum` and its kin: writes checksums of files, or checks them. `load` gives what computes them. */
export function checksumCommand(name: string, load: () => Promise<Algorithm>): Command {
  return utility({
    help: help(name),
    options: {
      'b|binary': 'none',
      'c|check': 'none',
      tag: 'none',
      't|text': 'none',
      'z|zero': 'none',
      'ignore-missing': 'none',
      quiet: 'none',
      status: 'none',
      strict: 'none',
      'w|warn': 'none',
    },
    run: (parsed, context) => proceed(run(parsed, load, context)),
  })
}

function* run(parsed: ParsedOptions, load: () => Promise<Algorithm>, context: CommandContext): Steps<number> {
  const { options, operands, has } = parsed
  checkOptions(parsed)
  const algorithm = yield* wait(load())
  if (has('c')) return yield* checkSums(operands, algorithm, parseCheckOptions(parsed), context)
  const binary = options.findLast(({ name }) => name === 'b' || name === 't')?.name === 'b'
  return yield* openEach(context, operands, function* (input, name) {
    const digest = yield* digestOf(input, algorithm, context)
    const escaped = has('z') ? name : name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    const mark = escaped === name ? '' : '\\'
    const line = has('tag') ? `${algorithm.name} (${escaped}) = ${digest}` : `${digest} ${binary ? '*' : ' '}${escaped}`
    yield* wait(writeTo(context.stdout, encode(`${mark}${line}${has('z') ? '\0' : '\n'}`)))
  })
}

function checkOptions({ has, options }: ParsedOptions): void {
  const mode = options.findLast(({ name }) => name === 'b' || name === 't' || name === 'tag')?.name
  if (has('tag') && mode === 't') throw new UsageError('--tag does not support --text mode')
  if (has('z') && has('c')) throw new UsageError('the --zero option is not supported when verifying checksums')
  if (has('tag') && has('c')) throw new UsageError('the --tag option is meaningless when verifying checksums')
  if ((has('b') || has('t')) && has('c')) {
    throw new UsageError('the --binary and --text options are meaningless when verifying checksums')
  }
  if (has('c')) return
  // Of status, warn and quiet only the last one counts.
  const tone = options.findLast(({ name }) => name === 'status' || name === 'w' || name === 'quiet')?.name
  for (const name of [has('ignore-missing') ? 'ignore-missing' : undefined, tone, has('strict') ? 'strict' : undefined]) {
    if (name === undefined) continue
    throw new UsageError(`the --${name === 'w' ? 'warn' : name} option is meaningful only when verifying checksums`)
  }
}

function help(name: string): string {
  return `Usage: ${name} [OPTION]... [FILE]...
Write the checksum of each FILE, or check files against checksums.
Standard input is read for - and where no FILE is given.

  -b, --binary          mark the files with *
  -c, --check           read checksums from the FILEs and check them
      --tag             write checksums in BSD's form
  -t, --text            mark the files with a blank
  -z, --zero            end lines with NUL, and write names as they are

With --check:
      --ignore-missing  pass over files that are not there
      --quiet           no OK for files that are well
      --status          write nothing, tell by the exit status alone
      --strict          fail for lines that hold no checksum
  -w, --warn            tell of each line that holds no checksum

      --help            show this help
      --version         show the version
`
}
