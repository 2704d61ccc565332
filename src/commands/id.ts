import type { Command, CommandContext } from './command.ts'
import { identity, idOfName, nameOfId } from './identity.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complain, utility } from './utility.ts'

/** Prints who the session runs as. */
export const id: Command = utility({
  help: `Usage: id [OPTION]... [USER]...
Prints the user and groups of USER, or of the session.

  -a             ignored
  -Z, --context  refused
  -g, --group    only the group id
  -G, --groups   only the ids of all groups
  -n, --name     with -u, -g, -G: names instead of ids
  -r, --real     with -u, -g, -G: the real id
  -u, --user     only the user id
  -z, --zero     with -u, -g, -G: end lines with NUL
      --help     show this text
      --version  show the version
`,
  options: {
    a: 'none',
    'Z|context': 'none',
    'g|group': 'none',
    'G|groups': 'none',
    'n|name': 'none',
    'r|real': 'none',
    'u|user': 'none',
    'z|zero': 'none',
  },
  run: printIdentity,
})

/** Prints the user's name. */
export const whoami: Command = utility({
  help: `Usage: whoami [OPTION]...
Prints the name of the user the session runs as.

      --help     show this text
      --version  show the version
`,
  options: {},
  run({ operands }, context) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    return say(context.stdout, `${identity(context.env).user}\n`)
  },
})

/** Prints the name one logged in with. */
export const logname: Command = utility({
  help: `Usage: logname [OPTION]
Prints the user's login name.

      --help     show this text
      --version  show the version
`,
  options: {},
  run({ operands }, context) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    return say(context.stdout, `${context.env.get('LOGNAME') || identity(context.env).user}\n`)
  },
})

/** Prints the groups of users. */
export const groups: Command = utility({
  help: `Usage: groups [OPTION]... [USERNAME]...
Prints the groups of each user, or of the session.

      --help     show this text
      --version  show the version
`,
  options: {},
  async run({ operands }, context) {
    const { env } = context
    if (operands.length === 0) return say(context.stdout, `${identity(env).group}\n`)
    let status = 0
    for (const name of operands) {
      const uid = idOfName(name, env)
      if (uid === null) {
        await complain(context, `${quoted(context, name)}: no such user`)
        status = 1
      } else await say(context.stdout, `${name} : ${nameOfId(uid, env) ?? uid}\n`)
    }
    return status
  },
})

async function printIdentity(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const { env } = context
  if (parsed.has('Z')) throw new CommandFailure('--context (-Z) works only on an SELinux-enabled kernel')
  const chosen = ['u', 'g', 'G'].filter((name) => parsed.has(name))
  if (chosen.length > 1) throw new CommandFailure('cannot print "only" of more than one choice')
  const [only] = chosen
  if (only === undefined && (parsed.has('n') || parsed.has('r'))) {
    throw new CommandFailure('cannot print only names or real IDs in default format')
  }
  if (only === undefined && parsed.has('z')) throw new CommandFailure('option --zero not permitted in default format')
  const end = parsed.has('z') ? '\0' : '\n'
  let status = 0
  for (const operand of parsed.operands.length === 0 ? [null] : parsed.operands) {
    let { user, uid, group, gid } = identity(env)
    if (operand !== null) {
      const found = idOfName(operand, env) ?? (/^\+?\d+$/.test(operand) && nameOfId(Number(operand), env) !== null ? Number(operand) : null)
      if (found === null) {
        await complain(context, `${quoted(context, operand)}: no such user`)
        status = 1
        continue
      }
      uid = found
      gid = found
      user = nameOfId(found, env) ?? String(found)
      group = user
    }
    if (only === undefined) await say(context.stdout, `uid=${uid}(${user}) gid=${gid}(${group}) groups=${gid}(${group})\n`)
    else if (only === 'u') await say(context.stdout, `${parsed.has('n') ? user : uid}${end}`)
    else await say(context.stdout, `${parsed.has('n') ? group : gid}${end}`)
  }
  return status
}
