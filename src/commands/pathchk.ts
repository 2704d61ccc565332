import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted, quotedName } from './quoting.ts'
import { complain, complainOf, utility } from './utility.ts'

/** Says which names can't be used. */
export const pathchk: Command = utility({
  help: `Usage: pathchk [OPTION]... NAME...
Reports names that can't be used as files.

  -p                 check for most POSIX systems
  -P                 check for empty names and a leading -
      --portability  check for all POSIX systems (-p -P)
      --help         show this text
      --version      show the version
`,
  options: { p: 'none', P: 'none', portability: 'none' },
  async run(parsed, context) {
    if (parsed.operands.length === 0) throw new UsageError('missing operand')
    let status = 0
    for (const name of parsed.operands) if (!(await check(name, parsed, context))) status = 1
    return status
  },
})

const PORTABLE = { name: 14, path: 255 }
const HERE = { name: 255, path: 4095 }

async function check(name: string, parsed: ParsedOptions, context: CommandContext): Promise<boolean> {
  const isPortable = parsed.has('p') || parsed.has('portability')
  const refuse = async (message: string): Promise<false> => {
    await complain(context, message)
    return false
  }
  if ((parsed.has('P') || parsed.has('portability')) && /(?:^|\/)-/.test(name)) {
    return refuse(`leading '-' in a component of file name ${quotedFile(name)}`)
  }
  if (name === '' && (isPortable || parsed.has('P') || parsed.has('portability'))) return refuse('empty file name')
  const odd = isPortable ? /[^A-Za-z0-9._/-]/u.exec(name) : null
  if (odd !== null) return refuse(`nonportable character ${quoted(context, odd[0])} in file name ${quotedFile(name)}`)
  const limits = isPortable ? PORTABLE : HERE
  if (!isPortable) {
    try {
      await context.fs.lstat(operandPath(context, name))
      return true
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || name === '') {
        await complainOf(context, name === '' ? "''" : quotedName(name), error)
        return false
      }
    }
  }
  const length = encode(name).length
  if (length > limits.path) return refuse(`limit ${limits.path} exceeded by length ${length} of file name ${quotedFile(name)}`)
  for (const part of name.split('/')) {
    const size = encode(part).length
    if (size > limits.name) {
      return refuse(`limit ${limits.name} exceeded by length ${size} of file name component ${quotedFile(part)}`)
    }
  }
  return true
}
