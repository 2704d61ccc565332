import type { MaybePromise } from '../../host.ts'
import { assignScalar, isName, readText, unsetVariable } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, invalidOption } from './builtin.ts'

/** `getopts optstring name [args]` */
export const getoptsBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    const [first] = words
    if (first !== undefined && /^-[^-]/.test(first) && args[0] !== '--') {
      return invalidOption(process, 'getopts', first.slice(0, 2), 'getopts optstring name [arg ...]')
    }
    const [spec, name, ...given] = words
    if (spec === undefined || name === undefined) {
      process.complain('getopts: usage: getopts optstring name [arg ...]\n')
      return 2
    }
    return getopts(process, spec, name, words.length > 2 ? given : process.environment.positional)
  },
}

function getopts(process: Process, spec: string, name: string, args: readonly string[]): MaybePromise<number> {
  const { environment } = process
  let index = Number.parseInt(readText(process, 'OPTIND') ?? '1', 10) || 1
  if (index !== environment.optionIndex) environment.optionLetter = 1
  if (index < 1) index = 1
  if (index > args.length + 1) index = args.length + 1
  const silent = spec.startsWith(':')
  const finish = (value: string, argument: string | null, status: number): number => {
    environment.optionIndex = index
    assignScalar(process, 'OPTIND', String(index))
    if (argument === null) unsetVariable(process, 'OPTARG')
    else assignScalar(process, 'OPTARG', argument)
    if (!isName(name)) return fail(process, 'getopts', `\`${name}': not a valid identifier`)
    assignScalar(process, name, value)
    return status
  }
  const arg = args[index - 1]
  if (environment.optionLetter <= 1) {
    if (arg === undefined || arg === '-' || !arg.startsWith('-')) return finish('?', null, 1)
    if (arg === '--') {
      index += 1
      return finish('?', null, 1)
    }
    environment.optionLetter = 1
  }
  const word = arg ?? ''
  const letter = word[environment.optionLetter] ?? ''
  environment.optionLetter += 1
  const last = environment.optionLetter >= word.length
  const next = (): void => {
    index += 1
    environment.optionLetter = 1
  }
  const at = letter === ':' || letter === '' ? -1 : spec.indexOf(letter, silent ? 1 : 0)
  const complains = !silent && readText(process, 'OPTERR') !== '0'
  if (at < 0) {
    if (last) next()
    if (complains) process.complain(`${environment.name}: illegal option -- ${letter}\n`)
    return finish('?', silent ? letter : null, 0)
  }
  if (spec[at + 1] !== ':') {
    if (last) next()
    return finish(letter, null, 0)
  }
  if (!last) {
    const value = word.slice(environment.optionLetter)
    next()
    return finish(letter, value, 0)
  }
  next()
  const value = args[index - 1]
  if (value !== undefined) {
    index += 1
    return finish(letter, value, 0)
  }
  if (complains) process.complain(`${environment.name}: option requires an argument -- ${letter}\n`)
  return silent ? finish(':', letter, 0) : finish('?', null, 0)
}
