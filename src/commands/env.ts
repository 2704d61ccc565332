import { encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { OptionTable, ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { signalNumber } from './signal-names.ts'
import { splitString } from './split-string.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

const FAILED = 125

const options: OptionTable = {
  'i|ignore-environment': 'none',
  '0|null': 'none',
  'u|unset': 'required',
  'C|chdir': 'required',
  'default-signal': 'optional',
  'ignore-signal': 'optional',
  'block-signal': 'optional',
  'list-signal-handling': 'none',
  'v|debug': 'none',
  'S|split-string': 'required',
}

const program: Command = utility({
  help: `Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Sets each NAME to VALUE and runs COMMAND; without one, prints the environment.

  -i, --ignore-environment  start with an empty environment; - does the same
  -0, --null             end lines with NUL
  -u, --unset=NAME       take NAME out of the environment
  -C, --chdir=DIR        change to DIR
  -S, --split-string=S   split S into arguments, as a shell's first line needs it
      --block-signal[=SIG], --default-signal[=SIG], --ignore-signal[=SIG], --list-signal-handling  accepted
  -v, --debug            say what is done
      --help             show this text
      --version          show the version

Status: 125 when env itself fails, 126 when COMMAND can't be run, 127 when it isn't found, else that of COMMAND.
`,
  options,
  operandsEndOptions: true,
  usageStatus: FAILED,
  run: runInEnvironment,
})

/** Runs a command in a changed environment. */
export const env: Command = {
  async run(args, context) {
    let split: string[]
    try {
      split = splitOptions(args, context)
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      await context.stderr.write(encode(`${context.name}: ${error.message}\n`))
      return FAILED
    }
    return program.run(split, context)
  },
}

/** Replaces `-S TEXT` by what TEXT holds, which may be options again. */
function splitOptions(args: readonly string[], context: CommandContext): string[] {
  const pending = [...args].reverse()
  const done: string[] = []
  for (;;) {
    const arg = pending.pop()
    if (arg === undefined) return done
    if (arg === '--' || arg === '-' || !arg.startsWith('-')) {
      done.push(arg, ...pending.reverse())
      return done
    }
    const short = /^-([i0v]*)S([\s\S]*)$/.exec(arg)
    const long = /^--s(?:p(?:l(?:i(?:t(?:-(?:s(?:t(?:r(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?)?)?(?:=([\s\S]*))?$/.exec(arg)
    if (short === null && long === null) {
      done.push(arg)
      // The next one is this option's argument.
      if (/^-[i0v]*[uC]$/.test(arg) || /^--(?:u[a-z]*|c[a-z]*)$/.test(arg)) {
        const value = pending.pop()
        if (value !== undefined) done.push(value)
      }
      continue
    }
    if (short?.[1] !== undefined && short[1] !== '') done.push(`-${short[1]}`)
    const attached = short === null ? long?.[1] : short[2] === '' ? undefined : short[2]
    const text = attached ?? pending.pop()
    if (text === undefined) {
      done.push(arg)
      continue
    }
    pending.push(...splitString(text, context).reverse())
  }
}

async function runInEnvironment(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const debug: string[] = []
  const note = (line: string): void => {
    if (parsed.has('v')) debug.push(`${line}\n`)
  }
  const operands = [...parsed.operands]
  let starts = new Map(context.env)
  if (operands[0] === '-') {
    operands.shift()
    starts = new Map()
    note('cleaning environ')
  } else if (parsed.has('i')) {
    starts = new Map()
    note('cleaning environ')
  }
  let directory: string | null = null
  for (const { name, value } of parsed.options) {
    if (name === 'u') {
      const variable = value ?? ''
      if (variable === '' || variable.includes('=')) {
        throw new CommandFailure(`cannot unset ${quoted(context, variable)}: Invalid argument`, FAILED)
      }
      if (!parsed.has('i')) note(`unset:    ${variable}`)
      starts.delete(variable)
    } else if (name === 'C') directory = value
    else if (name.endsWith('-signal') && value !== null) {
      for (const signal of value.split(',')) {
        if (signalNumber(signal) === null) throw new UsageError(`${quoted(context, signal)}: invalid signal`)
      }
    }
  }
  for (;;) {
    const [operand] = operands
    const equals = operand?.indexOf('=') ?? -1
    if (operand === undefined || equals < 0) break
    operands.shift()
    note(`setenv:   ${operand}`)
    if (equals === 0) throw new CommandFailure(`cannot set ${quoted(context, '')}: Invalid argument`, FAILED)
    starts.set(operand.slice(0, equals), operand.slice(equals + 1))
  }
  const [command] = operands
  if (command === undefined) {
    if (directory !== null) throw new UsageError('must specify command with --chdir (-C)')
    if (debug.length > 0) await context.stderr.write(encode(debug.join('')))
    const end = parsed.has('0') ? '\0' : '\n'
    return say(context.stdout, Array.from(starts, ([name, value]) => `${name}=${value}${end}`).join(''))
  }
  if (parsed.has('0')) throw new UsageError('cannot specify --null (-0) with command')
  let cwd = context.cwd
  if (directory !== null) {
    note(`chdir:    ${quotedFile(directory)}`)
    cwd = await enter(directory, context)
  }
  note(`executing: ${command}`)
  for (const [at, arg] of operands.entries()) note(`   arg[${at}]= ${quotedFile(arg)}`)
  if (debug.length > 0) await context.stderr.write(encode(debug.join('')))
  return context.run(operands, { env: starts, cwd })
}

async function enter(directory: string, context: CommandContext): Promise<string> {
  const path = operandPath(context, directory)
  try {
    const { type } = await context.fs.stat(path)
    if (type !== 'directory') throw Object.assign(new Error('Not a directory'), { code: 'ENOTDIR' })
    return path
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`cannot change directory to ${quotedFile(directory)}: ${errorText(error)}`, FAILED)
  }
}
