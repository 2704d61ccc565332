import { encode } from '../bytes.ts'
import type { Command } from './command.ts'
import { say } from './output.ts'

const VALUES: ReadonlyMap<string, string> = new Map([
  ['ARG_MAX', '2097152'],
  ['CHAR_BIT', '8'],
  ['CHILD_MAX', '15619'],
  ['CLK_TCK', '100'],
  ['HOST_NAME_MAX', '64'],
  ['INT_MAX', '2147483647'],
  ['INT_MIN', '-2147483648'],
  ['LINE_MAX', '2048'],
  ['LINK_MAX', '127'],
  ['LOGIN_NAME_MAX', '256'],
  ['LONG_BIT', '64'],
  ['NAME_MAX', '255'],
  ['NGROUPS_MAX', '65536'],
  ['OPEN_MAX', '1024'],
  ['PAGESIZE', '4096'],
  ['PAGE_SIZE', '4096'],
  ['PATH', '/bin:/usr/bin'],
  ['CS_PATH', '/bin:/usr/bin'],
  ['PATH_MAX', '4096'],
  ['PIPE_BUF', '4096'],
  ['POSIX_VERSION', '200809'],
  ['_POSIX_VERSION', '200809'],
  ['RE_DUP_MAX', '32767'],
  ['SSIZE_MAX', '32767'],
  ['SYMLOOP_MAX', ''],
  ['TTY_NAME_MAX', '32'],
  ['UINT_MAX', '4294967295'],
  ['WORD_BIT', '32'],
  ['_NPROCESSORS_CONF', '1'],
  ['_NPROCESSORS_ONLN', '1'],
])

/** Prints limits of the system. */
export const getconf: Command = {
  async run(args, context) {
    const operands = args[0] === '-v' ? args.slice(2) : args
    if (operands[0] === '-a') {
      return say(context.stdout, Array.from(VALUES, ([name, value]) => `${name.padEnd(35)}${value}\n`).join(''))
    }
    const [name] = operands
    if (name === undefined || operands.length > 2) {
      return say(context.stderr, 'Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n', 2)
    }
    const value = VALUES.get(name)
    if (value === undefined) {
      await context.stderr.write(encode(`getconf: Unrecognized variable \`${name}'\n`))
      return 2
    }
    return say(context.stdout, `${value === '' ? 'undefined' : value}\n`)
  },
}
