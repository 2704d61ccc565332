import { errorText, hasCode } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

/** Makes a file or directory with a name that nobody has. */
export const mktemp: Command = utility({
  help: `Usage: mktemp [OPTION]... [TEMPLATE]
Makes a temporary file or directory and prints its name. TEMPLATE has at least three X in its last part, which are
replaced; it is tmp.XXXXXXXXXX in TMPDIR or /tmp by default.

  -d, --directory      make a directory
  -u, --dry-run        make nothing, only print a name
  -q, --quiet          no message when it can't be made
      --suffix=SUFF    append SUFF to TEMPLATE
  -p DIR, --tmpdir[=DIR]  in DIR; without DIR in TMPDIR or /tmp
  -t                   TEMPLATE is a bare name in TMPDIR, DIR of -p, or /tmp
      --help           show this text
      --version        show the version
`,
  options: {
    'd|directory': 'none',
    'u|dry-run': 'none',
    'q|quiet': 'none',
    suffix: 'required',
    p: 'required',
    tmpdir: 'optional',
    t: 'none',
  },
  run: makeTemporary,
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const TRIES = 100

async function makeTemporary(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const { operands } = parsed
  if (operands.length > 1) throw new UsageError('too many templates')
  const [given] = operands
  let template = given ?? 'tmp.XXXXXXXXXX'
  const suffixGiven = parsed.value('suffix')
  if (suffixGiven !== null && !template.endsWith('X')) {
    throw new CommandFailure(`with --suffix, template ${quoted(context, template)} must end in X`)
  }
  const suffix = suffixGiven ?? template.slice(template.lastIndexOf('X') + 1)
  if (suffix.includes('/')) throw new CommandFailure(`invalid suffix ${quoted(context, suffix)}, contains directory separator`)
  const stem = suffixGiven === null ? template.slice(0, template.length - suffix.length) : template
  template = stem + suffix
  const holes = stem.length - stem.replace(/X+$/, '').length
  if (holes < 3) throw new CommandFailure(`too few X's in template ${quoted(context, template)}`)

  const directoryOption = parsed.options.findLast(({ name }) => name === 'p' || name === 'tmpdir')
  const isPlaced = given === undefined || directoryOption !== undefined || parsed.has('t')
  if (isPlaced) {
    const inEnvironment = context.env.get('TMPDIR') || null
    const asked = directoryOption?.value || null
    const directory = parsed.has('t') ? (inEnvironment ?? asked ?? '/tmp') : (asked ?? inEnvironment ?? '/tmp')
    if (parsed.has('t') && template.includes('/')) {
      throw new CommandFailure(`invalid template, ${quoted(context, template)}, contains directory separator`)
    }
    if (template.startsWith('/')) {
      throw new CommandFailure(`invalid template, ${quoted(context, template)}; with --tmpdir, it may not be absolute`)
    }
    template = directory.endsWith('/') ? directory + template : `${directory}/${template}`
  }
  const start = template.slice(0, template.length - suffix.length - holes)
  try {
    const name = await create(start, holes, suffix, parsed, context)
    return say(context.stdout, `${name}\n`)
  } catch (error) {
    if (!isExpected(error)) throw error
    if (parsed.has('q')) return 1
    const what = parsed.has('u') ? 'name' : parsed.has('d') ? 'directory' : 'file'
    throw new CommandFailure(`failed to create ${what} via template ${quotedFile(template)}: ${errorText(error)}`)
  }
}

async function create(start: string, holes: number, suffix: string, parsed: ParsedOptions, context: CommandContext): Promise<string> {
  const { fs } = context
  for (let tries = 1; ; tries++) {
    const name = start + randomLetters(holes, context) + suffix
    const path = operandPath(context, name)
    try {
      if (parsed.has('u')) {
        await fs.lstat(path)
        continue
      }
      if (parsed.has('d')) await fs.mkdir(path, 0o700 & ~context.umask)
      else await fs.write(path, new Uint8Array(0), { mode: 0o600 & ~context.umask, exclusive: true })
      return name
    } catch (error) {
      if (parsed.has('u') && hasCode(error, 'ENOENT')) return name
      if (!hasCode(error, 'EEXIST') || tries === TRIES) throw error
    }
  }
}

function randomLetters(count: number, { host }: CommandContext): string {
  const bytes = new Uint8Array(count * 2)
  host.random(bytes)
  let text = ''
  for (let at = 0; at < count; at++) text += LETTERS[((bytes[at * 2] as number) * 256 + (bytes[at * 2 + 1] as number)) % LETTERS.length]
  return text
}
