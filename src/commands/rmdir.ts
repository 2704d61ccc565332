import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { complain, complainOf, isExpected, utility } from './utility.ts'

/** Removes empty directories. */
export const rmdir: Command = utility({
  help: `Usage: rmdir [OPTION]... DIRECTORY...
Removes directories that are empty.

      --ignore-fail-on-non-empty  don't complain of a directory that isn't empty
  -p, --parents    remove the directories above as well: a/b/c, a/b, a
  -v, --verbose    say what is removed
      --help       show this text
      --version    show the version
`,
  options: { 'ignore-fail-on-non-empty': 'none', 'p|path|parents': 'none', 'v|verbose': 'none' },
  run: removeDirectories,
})

async function removeDirectories(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  if (parsed.operands.length === 0) throw new UsageError('missing operand')
  const ignoresFull = parsed.has('ignore-fail-on-non-empty')
  const isVerbose = parsed.has('v')
  const remove = async (name: string, above: boolean): Promise<'done' | 'full' | 'failed'> => {
    if (isVerbose) await context.stdout.write(encode(`rmdir: removing directory, ${quotedFile(name)}\n`))
    try {
      await context.fs.rmdir(operandPath(context, name))
      return 'done'
    } catch (error) {
      if (ignoresFull && hasCode(error, 'ENOTEMPTY')) return 'full'
      if (hasCode(error, 'ENOTDIR') && (await isLinkWithSlash(name, context))) {
        await complain(context, `failed to remove ${quotedFile(name)}: Symbolic link not followed`)
        return 'failed'
      }
      await complainOf(context, `failed to remove ${above ? 'directory ' : ''}${quotedFile(name)}`, error)
      return 'failed'
    }
  }
  let status = 0
  for (const operand of parsed.operands) {
    let result = await remove(operand, false)
    if (parsed.has('p')) {
      let name = operand.replace(/\/+$/, '')
      while (result === 'done') {
        const slash = name.lastIndexOf('/')
        if (slash < 0) break
        name = name.slice(0, slash).replace(/\/+$/, '')
        if (name === '') break
        result = await remove(name, true)
      }
    }
    if (result === 'failed') status = 1
  }
  return status
}

/** Removing `link/` would remove what the link leads to, which rmdir(2) won't. */
async function isLinkWithSlash(name: string, context: CommandContext): Promise<boolean> {
  if (!name.endsWith('/')) return false
  try {
    const { type } = await context.fs.lstat(operandPath(context, name.replace(/\/+$/, '')))
    return type === 'symlink' && (await context.fs.stat(operandPath(context, name))).type === 'directory'
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}
