import { isWithin } from '../fs/path.ts'
import type { Existing } from './canonical.ts'
import { canonicalPath, relativePath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import { complainOf, isExpected, utility } from './utility.ts'

/** Prints canonical names. */
export const realpath: Command = utility({
  help: `Usage: realpath [OPTION]... FILE...
Prints the absolute name of each file, without symbolic links, . and ..; all but the last part must exist.

  -e, --canonicalize-existing  all of it must exist
  -m, --canonicalize-missing   nothing need exist
  -L, --logical                take .. away before following links
  -P, --physical               follow links as they come (the default)
  -q, --quiet                  no error messages
      --relative-to=DIR        print names relative to DIR
      --relative-base=DIR      print absolute names unless they are below DIR
  -s, --strip, --no-symlinks   don't follow links
  -z, --zero                   end lines with NUL
      --help                   show this text
      --version                show the version
`,
  options: {
    'e|canonicalize-existing': 'none',
    'm|canonicalize-missing': 'none',
    'relative-to': 'required',
    'relative-base': 'required',
    'q|quiet': 'none',
    's|strip|no-symlinks': 'none',
    'z|zero': 'none',
    'L|logical': 'none',
    'P|physical': 'none',
  },
  run: printPaths,
})

async function printPaths(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  if (parsed.operands.length === 0) throw new UsageError('missing operand')
  let existing: Existing = 'all but the last'
  let rules: { keepLinks: boolean; logical: boolean } = { keepLinks: false, logical: false }
  for (const { name } of parsed.options) {
    if (name === 'e') existing = 'all'
    else if (name === 'm') existing = 'none'
    else if (name === 's') rules = { keepLinks: true, logical: true }
    else if (name === 'L') rules = { keepLinks: false, logical: true }
    else if (name === 'P') rules = { keepLinks: false, logical: false }
  }
  const isQuiet = parsed.has('q')
  const end = parsed.has('z') ? '\0' : '\n'

  const directory = async (name: string): Promise<string | null> => {
    try {
      const path = await canonicalPath(context, name, existing, rules)
      if (existing === 'all' && (await context.fs.stat(path)).type !== 'directory') {
        throw Object.assign(new Error('Not a directory'), { code: 'ENOTDIR' })
      }
      return path
    } catch (error) {
      await complainOf(context, quotedName(name), error)
      return null
    }
  }
  const toName = parsed.value('relative-to')
  const baseName = parsed.value('relative-base')
  let to = toName === null ? null : await directory(toName)
  if (toName !== null && to === null) return 1
  let base = baseName === null ? null : await directory(baseName)
  if (baseName !== null && base === null) return 1
  if (base !== null && to !== null && !isWithin(to, base)) {
    base = null
    to = null
  }
  if (base !== null) to ??= base

  const output = new Output(context.stdout)
  let status = 0
  for (const name of parsed.operands) {
    try {
      const path = await canonicalPath(context, name, existing, rules)
      const isRelative = to !== null && (base === null || isWithin(path, base))
      output.text((isRelative ? relativePath(path, to ?? '/') : path) + end)
      await output.settle()
    } catch (error) {
      if (!isQuiet) await complainOf(context, name === '' ? "''" : quotedName(name), error)
      else if (!isExpected(error)) throw error
      status = 1
    }
  }
  await output.flush()
  return status
}
