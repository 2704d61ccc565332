import type { Command } from './command.ts'
import { say } from './output.ts'
import { utility } from './utility.ts'

/** Prints the environment, or some of it. */
export const printenv: Command = utility({
  help: `Usage: printenv [OPTION]... [VARIABLE]...
Prints the values of environment variables, or all names and values.

  -0, --null     end lines with NUL
      --help     show this text
      --version  show the version
`,
  options: { '0|null': 'none' },
  operandsEndOptions: true,
  usageStatus: 2,
  run({ operands, has }, { env, stdout }) {
    const end = has('0') ? '\0' : '\n'
    if (operands.length === 0) return say(stdout, Array.from(env, ([name, value]) => `${name}=${value}${end}`).join(''))
    const found = operands.map((name) => (name.includes('=') ? undefined : env.get(name)))
    const text = found.map((value) => (value === undefined ? '' : value + end)).join('')
    return say(stdout, text, found.includes(undefined) ? 1 : 0)
  },
})
