import { encode } from '../bytes.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import { Output } from './output.ts'
import { isExpected } from './utility.ts'

/** Finds programs on PATH, as Debian's `which` does. */
export const which: Command = {
  async run(args, context) {
    let all = false
    let at = 0
    for (; at < args.length; at++) {
      const arg = args[at] as string
      if (arg === '--') {
        at += 1
        break
      }
      if (!/^-./.test(arg)) break
      if (!/^-[as]+$/.test(arg)) {
        await context.stderr.write(encode(`Illegal option ${arg.startsWith('--') ? '--' : `-${arg.replace(/^-[as]*/, '')[0]}`}\n`))
        await context.stdout.write(encode('Usage: which [-a] args\n'))
        return 2
      }
      if (arg.includes('a')) all = true
    }
    const names = args.slice(at)
    const output = new Output(context.stdout)
    let status = names.length === 0 ? 1 : 0
    for (const name of names) if (!(await find(name, all, output, context))) status = 1
    await output.flush()
    return status
  },
}

async function find(name: string, all: boolean, output: Output, context: CommandContext): Promise<boolean> {
  if (name.includes('/')) {
    if (!(await isProgram(name, context))) return false
    output.text(`${name}\n`)
    return true
  }
  let isFound = false
  for (const element of (context.env.get('PATH') ?? '').split(':')) {
    const path = `${element === '' ? '.' : element}/${name}`
    if (name === '' || !(await isProgram(path, context))) continue
    output.text(`${path}\n`)
    isFound = true
    if (!all) break
  }
  return isFound
}

async function isProgram(name: string, context: CommandContext): Promise<boolean> {
  try {
    const { type, mode } = await context.fs.stat(operandPath(context, name))
    return type === 'file' && (mode & 0o111) !== 0
  } catch (error) {
    if (isExpected(error)) return false
    throw error
  }
}
