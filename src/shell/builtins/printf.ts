import { strftime } from '../../time/strftime.ts'
import { formatPrintf } from '../expand/printf.ts'
import { assignScalar, isName, splitReference } from '../machine/parameters.ts'
import { timeZone } from '../machine/time-zone.ts'
import { assignTo } from './assign-target.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

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
