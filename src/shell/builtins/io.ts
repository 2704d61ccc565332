import type { MaybePromise } from '../../host.ts'
import { strftime } from '../../time/strftime.ts'
import { decodeEcho } from '../expand/escape-sequence.ts'
import { formatPrintf } from '../expand/printf.ts'
import { ShellFault } from '../machine/fault.ts'
import { assignElement, assignScalar, isName, splitReference } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { timeZone } from '../machine/time-zone.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

/** `echo [-neE] [words]` */
export const echoBuiltin: Builtin = {
  run(process, args) {
    const { options } = process.environment
    let newline = true
    let escapes = options.has('xpg_echo')
    let at = 0
    if (!(options.posix && options.has('xpg_echo'))) {
      for (; at < args.length; at++) {
        const arg = args[at] as string
        if (arg.length < 2 || arg.charCodeAt(0) !== 45 || !/^-[neE]+$/.test(arg)) break
        for (const letter of arg.slice(1)) {
          if (letter === 'n') newline = false
          else escapes = letter === 'e'
        }
      }
    }
    let text = args.length - at === 1 ? (args[at] as string) : args.slice(at).join(' ')
    if (escapes && text.includes('\\')) {
      const decoded = decodeEcho(text)
      text = decoded.text
      if (decoded.stopped) newline = false
    }
    return print(process, newline ? `${text}\n` : text)
  },
}

/** `printf [-v name] format [args]` */
export const printfBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'printf', args, 'v:', 'printf [-v var] format [arguments]')
    if (typeof options === 'number') return options
    const [format, ...rest] = options.operands
    const variable = options.value('v')
    if (variable !== null && !isName(splitReference(variable).name))
      return fail(process, 'printf', `\`${variable}': not a valid identifier`, 2)
    if (format === undefined) {
      process.complain('printf: usage: printf [-v var] format [arguments]\n')
      return 2
    }
    const { environment, machine } = process
    const result = formatPrintf(format, rest, {
      now: () => machine.host.now(),
      started: () => environment.startedAt,
      strftime: (pattern, ms) => strftime(pattern, ms, timeZone(process)),
    })
    for (const error of result.errors) process.complain(`${process.messagePrefix()}${error}\n`)
    for (const { name, value } of result.assignments) assignScalar(process, name, value)
    if (variable === null) return print(process, result.text, result.status)
    assignTo(process, variable, result.text)
    return result.status
  },
}

/** Sets a variable or an element, as `printf -v` and `read` name them. */
export function assignTo(process: Process, target: string, text: string): void {
  const { name, subscript } = splitReference(target)
  if (!isName(name)) throw new ShellFault(`\`${target}': not a valid identifier`, 'command')
  if (subscript === null) assignScalar(process, name, text)
  else assignElement(process, name, process.machine.runtime.expandSubscript(process, subscript), text)
}

/** `umask [-p] [-S] [mode]` */
export const umaskBuiltin: Builtin = {
  run(process, args): MaybePromise<number> {
    const options = readOptions(process, 'umask', args, 'pS', 'umask [-p] [-S] [mode]')
    if (typeof options === 'number') return options
    const [mode] = options.operands
    const { environment } = process
    if (mode === undefined) {
      const text = options.has('S') ? symbolicMask(environment.umask) : environment.umask.toString(8).padStart(4, '0')
      return print(process, options.has('p') ? `umask ${options.has('S') ? '-S ' : ''}${text}\n` : `${text}\n`)
    }
    if (/^[0-9]+$/.test(mode)) {
      const mask = Number.parseInt(mode, 8)
      if (!/^[0-7]+$/.test(mode) || mask > 0o777) return fail(process, 'umask', `${mode}: octal number out of range`)
      environment.umask = mask
      return options.has('S') ? print(process, `${symbolicMask(mask)}\n`) : 0
    }
    const mask = parseSymbolicMask(process, mode, environment.umask)
    if (mask === null) return 1
    environment.umask = mask
    return options.has('S') ? print(process, `${symbolicMask(mask)}\n`) : 0
  },
}

function symbolicMask(mask: number): string {
  const letters = (bits: number): string => `${bits & 4 ? 'r' : ''}${bits & 2 ? 'w' : ''}${bits & 1 ? 'x' : ''}`
  const allowed = ~mask & 0o777
  return `u=${letters(allowed >> 6)},g=${letters((allowed >> 3) & 7)},o=${letters(allowed & 7)}`
}

function parseSymbolicMask(process: Process, text: string, mask: number): number | null {
  let allowed = ~mask & 0o777
  for (const clause of text.split(',')) {
    const match = /^([ugoa]*)([-+=]?)([rwx]*)(.?)/.exec(clause) as RegExpExecArray
    const [, who, operator, permissions, rest] = match as unknown as [string, string, string, string, string]
    if (operator === '') {
      fail(process, 'umask', `\`${clause[who.length] ?? ''}': invalid symbolic mode operator`)
      return null
    }
    if (rest !== '') {
      fail(process, 'umask', `\`${rest}': invalid symbolic mode character`)
      return null
    }
    let bits = 0
    for (const letter of permissions) bits |= letter === 'r' ? 4 : letter === 'w' ? 2 : 1
    for (const one of who === '' || who.includes('a') ? 'ugo' : who) {
      const shift = one === 'u' ? 6 : one === 'g' ? 3 : 0
      if (operator === '+') allowed |= bits << shift
      else if (operator === '-') allowed &= ~(bits << shift)
      else allowed = (allowed & ~(7 << shift)) | (bits << shift)
    }
  }
  return ~allowed & 0o777
}
