import { decodeEcho } from '../syntax/escape-sequence.ts'
import type { Builtin } from './builtin.ts'
import { print } from './builtin.ts'

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
