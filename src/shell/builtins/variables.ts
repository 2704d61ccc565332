import type { MaybePromise } from '../../host.ts'
import { ShellFault } from '../machine/fault.ts'
import { isSetOption, isShoptOption, SET_OPTIONS, SHOPT_OPTIONS } from '../machine/options.ts'
import {
  assignScalar,
  evaluate,
  isName,
  readText,
  resolveName,
  splitReference,
  unsetElement,
  unsetVariable,
} from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { Variable } from '../machine/variables.ts'
import { Attribute } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, invalidOption, print, readOptions } from './builtin.ts'
import { assignmentLine, functionsText } from './declare.ts'

/** `unset [-fvn] [name …]` */
export const unsetBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const options = readOptions(process, 'unset', args, 'fvn', 'unset [-f] [-v] [-n] [name ...]')
    if (typeof options === 'number') return options
    if (options.has('f') && options.has('v')) return fail(process, 'unset', 'cannot simultaneously unset a function and a variable')
    let status = 0
    for (const name of options.operands) if (!unsetOne(process, name, options.has('f'), options.has('v'), options.has('n'))) status = 1
    return status
  },
}

function unsetOne(process: Process, text: string, functions: boolean, variables: boolean, reference: boolean): boolean {
  const { environment } = process
  if (functions) return unsetFunction(process, text)
  const { name, subscript } = splitReference(text)
  if (!isName(name)) {
    if (!variables && environment.functions.has(text)) return unsetFunction(process, text)
    fail(process, 'unset', `\`${text}': not a valid identifier`)
    return false
  }
  if (subscript !== null) {
    const known = environment.variables.get(resolveName(process, name).name)
    if (known === undefined) return true
    try {
      const assoc = (known.attributes & Attribute.assoc) !== 0
      unsetElement(process, name, assoc ? process.machine.runtime.expandSubscript(process, subscript) : subscript)
      return true
    } catch (error) {
      if (!(error instanceof ShellFault)) throw error
      process.complain(`${process.messagePrefix()}${error.message}\n`)
      return false
    }
  }
  const target = reference ? { name, subscript: null } : resolveName(process, name)
  if (target.subscript !== null) {
    unsetElement(process, target.name, target.subscript)
    return true
  }
  const known = environment.variables.get(target.name)
  if (known === undefined && !variables && environment.functions.has(name)) return unsetFunction(process, name)
  if (unsetVariable(process, target.name)) return true
  fail(process, 'unset', `${target.name}: cannot unset: readonly variable`)
  return false
}

function unsetFunction(process: Process, name: string): boolean {
  const { environment } = process
  const known = environment.functions.get(name)
  if (known === undefined) return true
  if (known.readonly) {
    fail(process, 'unset', `${name}: cannot unset: readonly function`)
    return false
  }
  const functions = new Map(environment.functions)
  functions.delete(name)
  environment.functions = functions
  return true
}

/** `shift [n]` */
export const shiftBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    const [text] = words
    if (text !== undefined && !/^[ \t]*[+-]?[0-9]+[ \t]*$/.test(text)) {
      throw new ShellFault(`shift: ${text}: numeric argument required`, 'shell', 1)
    }
    if (words.length > 1) throw new ShellFault('shift: too many arguments', 'shell', 1)
    const count = text === undefined ? 1 : Number(text)
    const { environment } = process
    if (count < 0) return fail(process, 'shift', `${text}: shift count out of range`)
    if (count > environment.positional.length) {
      return environment.options.has('shift_verbose') ? fail(process, 'shift', `${text}: shift count out of range`) : 1
    }
    environment.positional = environment.positional.slice(count)
    return 0
  },
}

/** `let expression …` */
export const letBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const words = args[0] === '--' ? args.slice(1) : args
    if (words.length === 0) return fail(process, 'let', 'expression expected')
    let value: number | bigint = 0
    for (const word of words) value = evaluate(process, word)
    return Number(value) === 0 ? 1 : 0
  },
}

const SET_USAGE = 'set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]'

/** `set [options] [args]` */
export const setBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    const { environment } = process
    if (args.length === 0) return print(process, allVariables(process))
    let at = 0
    let positional: string[] | null = null
    for (; at < args.length; at++) {
      const arg = args[at] as string
      if (arg === '--') {
        positional = args.slice(at + 1)
        break
      }
      if (arg === '-') {
        environment.options.set('xtrace', false)
        environment.options.set('verbose', false)
        if (at + 1 < args.length) positional = args.slice(at + 1)
        break
      }
      if (arg === '+') continue
      if (arg.length < 2 || (arg[0] !== '-' && arg[0] !== '+')) {
        positional = args.slice(at)
        break
      }
      const on = arg[0] === '-'
      for (const letter of arg.slice(1)) {
        if (letter === 'o') {
          const name = args[at + 1]
          if (name === undefined || /^[-+]/.test(name)) {
            const shown = print(process, optionList(process, on))
            if (typeof shown !== 'number') return shown
            continue
          }
          at += 1
          if (!isSetOption(name)) {
            fail(process, 'set', `${name}: invalid option name`)
            return environment.options.posix ? 1 : 1
          }
          setOption(process, name, on)
          continue
        }
        const name = SET_OPTIONS.find(([, short]) => short === letter)?.[0]
        if (name === undefined) {
          process.complain(`${process.messagePrefix()}set: ${arg[0]}${letter}: invalid option\nset: usage: ${SET_USAGE}\n`)
          return 2
        }
        setOption(process, name, on)
      }
    }
    if (positional !== null) environment.positional = positional
    return 0
  },
}

function setOption(process: Process, name: string, on: boolean): void {
  const { options } = process.environment
  options.set(name, on)
  if (name === 'vi' && on) options.set('emacs', false)
  if (name === 'emacs' && on) options.set('vi', false)
  if (name === 'posix') options.set('inherit_errexit', on || options.has('inherit_errexit'))
}

function optionList(process: Process, readable: boolean): string {
  const { options } = process.environment
  return SET_OPTIONS.map(([name]) => {
    const on = options.has(name)
    return readable ? `${name.padEnd(15)}\t${on ? 'on' : 'off'}\n` : `set ${on ? '-' : '+'}o ${name}\n`
  }).join('')
}

function allVariables(process: Process): string {
  const { variables, options } = process.environment
  const text = variables
    .names()
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => assignmentLine(process, name, variables.get(name) as Variable))
    .join('')
  return options.posix ? text : text + functionsText(process)
}

const SHOPT_USAGE = 'shopt [-pqsu] [-o] [optname ...]'

/** `shopt [-pqsu] [-o] [name …]` */
export const shoptBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const options = readOptions(process, 'shopt', args, 'psuqo', SHOPT_USAGE)
    if (typeof options === 'number') return options
    const { options: shell } = process.environment
    const setNames = options.has('o')
    const known = setNames ? isSetOption : isShoptOption
    const all = setNames ? SET_OPTIONS.map(([name]) => name) : SHOPT_OPTIONS
    if (options.has('s') && options.has('u')) return fail(process, 'shopt', 'cannot set and unset shell options simultaneously')
    const line = (name: string): string => {
      const on = shell.has(name)
      if (options.has('p')) return setNames ? `set ${on ? '-' : '+'}o ${name}\n` : `shopt ${on ? '-s' : '-u'} ${name}\n`
      return `${name.padEnd(setNames ? 15 : 20)}\t${on ? 'on' : 'off'}\n`
    }
    if (options.operands.length === 0) {
      const wanted = options.has('s')
        ? all.filter((name) => shell.has(name))
        : options.has('u')
          ? all.filter((name) => !shell.has(name))
          : all
      return options.has('q') ? 0 : print(process, wanted.map(line).join(''))
    }
    let status = 0
    let text = ''
    for (const name of options.operands) {
      if (!known(name)) {
        fail(process, 'shopt', setNames ? `${name}: invalid option name` : `${name}: invalid shell option name`)
        status = 1
        continue
      }
      if (options.has('s') || options.has('u')) {
        shell.set(name, options.has('s'))
        continue
      }
      if (!shell.has(name)) status = 1
      text += line(name)
    }
    return options.has('q') ? status : print(process, text, status)
  },
}

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
