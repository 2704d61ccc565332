import { calls } from '../machine/specials.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'
import { HELP } from './help.ts'

/** `caller [n]` */
export const callerBuiltin: Builtin = {
  run(process, args) {
    const list = calls(process)
    const [text] = args[0] === '--' ? args.slice(1) : args
    if (text === undefined) {
      const call = list[0]
      return call === undefined ? 1 : print(process, `${call.line} ${list[1]?.file ?? 'NULL'}\n`)
    }
    if (!/^[0-9]+$/.test(text)) {
      process.complain(`${process.messagePrefix()}caller: ${text}: invalid number\ncaller: usage: caller [expr]\n`)
      return 2
    }
    const at = Number(text)
    const call = list[at]
    const outer = list[at + 1]
    if (call === undefined || outer === undefined) return 1
    return print(process, `${call.line} ${outer.name} ${outer.file}\n`)
  },
}

/** `times` */
export const timesBuiltin: Builtin = {
  special: true,
  run(process) {
    return print(process, '0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n')
  },
}

const LIMITS: readonly (readonly [letter: string, description: string, unit: string, value: string])[] = [
  ['R', 'real-time non-blocking time', 'microseconds, ', 'unlimited'],
  ['c', 'core file size', 'blocks, ', '0'],
  ['d', 'data seg size', 'kbytes, ', 'unlimited'],
  ['e', 'scheduling priority', '', '0'],
  ['f', 'file size', 'blocks, ', 'unlimited'],
  ['i', 'pending signals', '', '16384'],
  ['l', 'max locked memory', 'kbytes, ', 'unlimited'],
  ['m', 'max memory size', 'kbytes, ', 'unlimited'],
  ['n', 'open files', '', '1024'],
  ['p', 'pipe size', '512 bytes, ', '128'],
  ['q', 'POSIX message queues', 'bytes, ', '819200'],
  ['r', 'real-time priority', '', '0'],
  ['s', 'stack size', 'kbytes, ', '8192'],
  ['t', 'cpu time', 'seconds, ', 'unlimited'],
  ['u', 'max user processes', '', '16384'],
  ['v', 'virtual memory', 'kbytes, ', 'unlimited'],
  ['x', 'file locks', '', 'unlimited'],
]

/** `ulimit [-SHa…] [limit]`: limits are kept and shown; of them `-u` (processes) is enforced by the machine's own limit. */
export const ulimitBuiltin: Builtin = {
  run(process, args) {
    const usage = 'ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]'
    const options = readOptions(process, 'ulimit', args, 'SHabcdefiklmnpqrstuvxPRT', usage)
    if (typeof options === 'number') return options
    const { environment } = process
    const value = (letter: string, fallback: string): string => environment.limits.get(letter) ?? fallback
    if (options.has('a')) {
      const lines = LIMITS.map(([letter, description, unit, fallback]) => {
        const shown = `(${unit}-${letter})`
        return `${description.padEnd(28)}${shown.padStart(19 - 0 > shown.length ? 12 : shown.length)} ${value(letter, fallback)}\n`
      })
      return print(process, lines.join(''))
    }
    const letter = options.letters.find((option) => !'SH'.includes(option.letter))?.letter ?? 'f'
    const known = LIMITS.find(([name]) => name === letter)
    if (known === undefined) return fail(process, 'ulimit', `-${letter}: invalid option`, 2)
    const [limit] = options.operands
    if (limit === undefined) return print(process, `${value(letter, known[3])}\n`)
    if (!/^(?:[0-9]+|unlimited|hard|soft)$/.test(limit)) return fail(process, 'ulimit', `${limit}: invalid number`)
    environment.limits = new Map(environment.limits).set(letter, limit === 'hard' || limit === 'soft' ? value(letter, known[3]) : limit)
    return 0
  },
}

/** `help [-dms] [pattern …]` */
export const helpBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'help', args, 'dms', 'help [-dms] [pattern ...]')
    if (typeof options === 'number') return options
    if (options.operands.length === 0) {
      const lines = [...HELP.values()].map(({ usage }) => ` ${usage}\n`)
      return print(process, `The commands of the shell itself. \`help NAME' tells more of one.\n\n${lines.join('')}`)
    }
    let text = ''
    let status = 0
    for (const name of options.operands) {
      const help = HELP.get(name)
      if (help === undefined) {
        fail(process, 'help', `no help topics match \`${name}'.  Try \`help help' or \`man -k ${name}' or \`info ${name}'.`)
        status = 1
      } else if (options.has('s')) text += `${name}: ${help.usage}\n`
      else if (options.has('d')) text += `${name} - ${help.about}\n`
      else text += `${name}: ${help.usage}\n    ${help.about}\n`
    }
    return print(process, text, status)
  },
}

/** `logout` */
export const logoutBuiltin: Builtin = {
  run(process) {
    return fail(process, 'logout', "not login shell: use `exit'")
  },
}

/** `bind`: an interactive front end has its own line editor; nothing is bound here. */
export const bindBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(
      process,
      'bind',
      args,
      'lpPsSvVXf:q:u:m:r:x:',
      'bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]',
    )
    return typeof options === 'number' ? options : 0
  },
}
