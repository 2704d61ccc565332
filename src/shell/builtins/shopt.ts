import { isSetOption, isShoptOption, SET_OPTIONS, SHOPT_OPTIONS } from '../machine/options.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

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
      return `${name.padEnd(15)}\t${on ? 'on' : 'off'}\n`
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
