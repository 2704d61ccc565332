import { isPromise } from '../../host.ts'
import { ShellFault } from '../machine/fault.ts'
import { isSetOption, SET_OPTIONS } from '../machine/options.ts'
import { evaluate, isName, readText, resolveName, splitReference, unsetElement, unsetVariable } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { loadPrompts } from '../machine/report.ts'
import { Attribute } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

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
    if (!variables) return unsetFunction(process, text)
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
      return fail(process, 'shift', `${text}: numeric argument required`)
    }
    if (words.length > 1) throw new ShellFault('shift: too many arguments', 'reader', 1)
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
    if (args.length === 0) return import('./variable-listing.ts').then(({ allVariables }) => print(process, allVariables(process)))
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
            return fail(process, 'set', `${name}: invalid option name`, 2)
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
    if (!environment.options.xtrace || readText(process, 'PS4')?.includes('\\') !== true) return 0
    const loading = loadPrompts()
    return isPromise(loading) ? loading.then(() => 0) : 0
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
