import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { parseMode } from './file-mode.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complainOf, isExpected, utility } from './utility.ts'

/** Makes directories. */
export const mkdir: Command = utility({
  help: `Usage: mkdir [OPTION]... DIRECTORY...
Makes directories that don't exist yet.

  -m, --mode=MODE   permissions as chmod takes them, instead of a=rwx less the umask
  -p, --parents     make the directories above too; one that exists is no error
  -v, --verbose     say what is made
  -Z, --context     ignored
      --help        show this text
      --version     show the version
`,
  options: { 'm|mode': 'required', 'p|parents': 'none', 'v|verbose': 'none', Z: 'none', context: 'optional' },
  run: makeDirectories,
})

async function makeDirectories(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  if (parsed.operands.length === 0) throw new UsageError('missing operand')
  const modeText = parsed.value('m')
  const change = modeText === null ? null : parseMode(modeText)
  if (modeText !== null && change === null) throw new CommandFailure(`invalid mode ${quoted(context, modeText)}`)
  const { fs, umask } = context
  const usual = 0o777 & ~umask
  // What the change doesn't speak of is left to the umask.
  const mode = change === null ? usual : change.apply(0o777, true, umask) & ~(umask & ~change.named(umask))
  const say = (name: string): unknown =>
    parsed.has('v') ? context.stdout.write(encode(`${context.name}: created directory ${quotedFile(name)}\n`)) : undefined

  /** Makes what is missing above `name`; false after a complaint. */
  const makeAbove = async (name: string): Promise<boolean> => {
    const parts = name.replace(/\/+$/, '').split('/')
    for (let count = 1; count < parts.length; count++) {
      const above = parts.slice(0, count).join('/')
      if (above === '' || /(?:^|\/)\.$/.test(above) || parts[count - 1] === '') continue
      try {
        // The user must be able to go on inside.
        await fs.mkdir(operandPath(context, above), usual | 0o300)
        await say(above)
      } catch (error) {
        if (hasCode(error, 'EEXIST') && (await isDirectory(context, above))) continue
        const isOther = hasCode(error, 'EEXIST') && !(await leadsNowhere(context, above))
        const reason = isOther ? Object.assign(new Error('Not a directory'), { code: 'ENOTDIR' }) : error
        await complainOf(context, `cannot create directory ${quotedFile(above)}`, reason)
        return false
      }
    }
    return true
  }

  let status = 0
  for (const name of parsed.operands) {
    const path = operandPath(context, name)
    try {
      if (parsed.has('p') && (await isDirectory(context, name))) continue
      if (parsed.has('p') && !(await makeAbove(name))) {
        status = 1
        continue
      }
      await fs.mkdir(path, mode)
      await say(name)
    } catch (error) {
      if (parsed.has('p') && hasCode(error, 'EEXIST') && (await isDirectory(context, name))) continue
      await complainOf(context, `cannot create directory ${quotedFile(name)}`, error)
      status = 1
    }
  }
  return status
}

async function isDirectory(context: CommandContext, name: string): Promise<boolean> {
  try {
    return (await context.fs.stat(operandPath(context, name))).type === 'directory'
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP') || hasCode(error, 'EACCES')) return false
    throw error
  }
}

async function leadsNowhere(context: CommandContext, name: string): Promise<boolean> {
  try {
    await context.fs.stat(operandPath(context, name))
    return false
  } catch (error) {
    if (isExpected(error)) return true
    throw error
  }
}
