import { canReturn, leaveLoops, loopDepth, returnFrom } from '../machine/control.ts'
import { ShellFault } from '../machine/fault.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, PENDING } from './builtin.ts'

const INTEGER = /^[ \t]*[+-]?[0-9]+[ \t]*$/

function loopBuiltin(how: 'break' | 'continue'): Builtin {
  return {
    special: true,
    control: true,
    run(process, args) {
      const words = args[0] === '--' ? args.slice(1) : args
      const [count] = words
      if (loopDepth(process) === 0) {
        process.complain(`${process.messagePrefix()}${how}: only meaningful in a \`for', \`while', or \`until' loop\n`)
        return 0
      }
      if (count !== undefined && !INTEGER.test(count)) {
        fail(process, how, `${count}: numeric argument required`)
        process.machine.exit(process, 128)
        return PENDING
      }
      if (words.length > 1) throw new ShellFault(`${how}: too many arguments`, 'reader', 1)
      const levels = count === undefined ? 1 : Number(count)
      if (levels < 1) {
        fail(process, how, `${count}: loop count out of range`)
        leaveLoops(process, Number.MAX_SAFE_INTEGER, 'break', 1)
        return 1
      }
      process.status = 0
      leaveLoops(process, levels, how)
      return 0
    },
  }
}

/** `break [n]` */
export const breakBuiltin: Builtin = loopBuiltin('break')

/** `continue [n]` */
export const continueBuiltin: Builtin = loopBuiltin('continue')

/** `return [n]` */
export const returnBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    if (!canReturn(process)) {
      return fail(process, 'return', "can only `return' from a function or sourced script", 2)
    }
    const status = statusArgument(process, 'return', words)
    if (status === null) return PENDING
    returnFrom(process, status)
    return PENDING
  },
}

/** `exit [n]` */
export const exitBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    const status = statusArgument(process, 'exit', words)
    if (status === null) return PENDING
    if (process.environment.interactive) process.machine.exited = true
    process.machine.exit(process, status)
    return PENDING
  },
}

function statusArgument(process: Process, name: string, words: readonly string[]): number | null {
  const [text] = words
  if (text === undefined) return trapStatus(process)
  if (!INTEGER.test(text)) {
    fail(process, name, `${text}: numeric argument required`)
    if (name === 'exit') process.machine.exit(process, 2)
    else returnFrom(process, 2)
    return null
  }
  if (words.length > 1) throw new ShellFault(`${name}: too many arguments`, 'reader', 1)
  return Number(BigInt.asUintN(8, BigInt(text.trim().replace(/^\+/, ''))))
}

/** `exit` and `return` without a number in a trap give the status from before the trap. */
function trapStatus(process: Process): number {
  for (let i = process.frames.length - 1; i >= 0; i--) {
    const frame = process.frames[i]
    if (frame?.trap != null) return frame.trap.status
    if (frame?.scope != null) break
  }
  return process.status
}

/** `:` and `true` */
export const trueBuiltin: Builtin = { control: true, run: () => 0 }

/** `:` */
export const colonBuiltin: Builtin = { special: true, control: true, run: () => 0 }

/** `false` */
export const falseBuiltin: Builtin = { control: true, run: () => 1 }
