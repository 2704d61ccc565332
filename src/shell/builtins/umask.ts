import type { MaybePromise } from '../../host.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

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
