import type { Command } from './command.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, utility } from './utility.ts'

// There is no kernel and no processor to speak of. Scripts choose between systems by these words, and the commands
// here are those of a GNU system, so they are a common one's.
const KERNEL = 'Linux'
const RELEASE = '6.1.0'
const VERSION = '#1 SMP mirage-runtime'
const MACHINE = 'x86_64'
const SYSTEM = 'GNU/Linux'

/** Says what system this is. */
export const uname: Command = utility({
  help: `Usage: uname [OPTION]...
Says what system this is, its name by default.

  -a, --all               everything, in this order (-p and -i left out where unknown)
  -s, --kernel-name       the name of the system
  -n, --nodename          the name of the host
  -r, --kernel-release    the release
  -v, --kernel-version    the version
  -m, --machine           the kind of machine
  -p, --processor         the processor
  -i, --hardware-platform the platform
  -o, --operating-system  the operating system
      --help              show this text
      --version           show the version
`,
  options: {
    'a|all': 'none',
    's|kernel-name|sysname': 'none',
    'n|nodename': 'none',
    'r|kernel-release|release': 'none',
    'v|kernel-version': 'none',
    'm|machine': 'none',
    'p|processor': 'none',
    'i|hardware-platform': 'none',
    'o|operating-system': 'none',
  },
  run({ operands, options, has }, context) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    const isAll = has('a')
    const wants = (letter: string): boolean => isAll || has(letter) || (letter === 's' && options.length === 0)
    const parts: string[] = []
    if (wants('s')) parts.push(KERNEL)
    if (wants('n')) parts.push(hostName(context.env))
    if (wants('r')) parts.push(RELEASE)
    if (wants('v')) parts.push(VERSION)
    if (wants('m')) parts.push(MACHINE)
    if (has('p')) parts.push('unknown')
    if (has('i')) parts.push('unknown')
    if (wants('o')) parts.push(SYSTEM)
    return say(context.stdout, `${parts.join(' ')}\n`)
  },
})

/** Prints the kind of machine. */
export const arch: Command = utility({
  help: `Usage: arch [OPTION]...
Prints the kind of machine, as uname -m.

      --help     show this text
      --version  show the version
`,
  options: {},
  run({ operands }, context) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    return say(context.stdout, `${MACHINE}\n`)
  },
})

/** Prints the number of processors a program may use: one, since everything runs in turns. */
export const nproc: Command = utility({
  help: `Usage: nproc [OPTION]...
Prints the number of processors.

      --all       all there are
      --ignore=N  N less, at least 1
      --help      show this text
      --version   show the version
`,
  options: { all: 'none', ignore: 'required' },
  run({ operands, has, value }, context) {
    const ignore = value('ignore')
    if (ignore !== null && !/^\+?\d+$/.test(ignore)) throw new CommandFailure(`invalid number: ${quoted(context, ignore)}`)
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoted(context, operands[0])}`)
    const asked = Number.parseInt(context.env.get('OMP_NUM_THREADS') ?? '', 10)
    const count = !has('all') && asked > 0 ? asked : 1
    return say(context.stdout, `${Math.max(count - Number(ignore ?? 0), 1)}\n`)
  },
})

/** Prints the name of the host, which can't be set. */
export const hostname: Command = utility({
  help: `Usage: hostname [OPTION]
Prints the name of the host: HOSTNAME, or localhost.

  -s, --short            up to the first dot
  -f, --fqdn, --long     all of it
  -d, --domain           what follows the first dot
  -i, --ip-address, -I, --all-ip-addresses  its address
  -a, --alias, -A, --all-fqdns, -y, --yp, --nis  accepted
  -F, --file=FILE, -b, --boot  refused: the name can't be set
      --help             show this text
      --version          show the version
`,
  options: {
    's|short': 'none',
    'f|fqdn|long': 'none',
    'd|domain': 'none',
    'i|ip-address': 'none',
    'I|all-ip-addresses': 'none',
    'a|alias': 'none',
    'A|all-fqdns': 'none',
    'y|yp|nis': 'none',
    'b|boot': 'none',
    'F|file': 'required',
  },
  run({ operands, has }, context) {
    if (operands.length > 0 || has('F') || has('b')) throw new CommandFailure('you must be root to change the host name')
    const name = hostName(context.env)
    const dot = name.indexOf('.')
    if (has('i') || has('I')) return say(context.stdout, '127.0.0.1\n')
    if (has('s')) return say(context.stdout, `${dot < 0 ? name : name.slice(0, dot)}\n`)
    if (has('d')) return say(context.stdout, `${dot < 0 ? '' : name.slice(dot + 1)}\n`)
    if (has('a')) return say(context.stdout, '\n')
    return say(context.stdout, `${name}\n`)
  },
})

function hostName(env: ReadonlyMap<string, string>): string {
  return env.get('HOSTNAME') || 'localhost'
}
