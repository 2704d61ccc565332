import { errorText } from '../../errors.ts'
import { realPath } from '../../fs/follow-links.ts'
import { normalise } from '../../fs/path.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { assignScalar, readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { Attribute } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

/** `cd [-L|-P] [dir]` */
export const cdBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'cd', args, 'LPe@', 'cd [-L|[-P [-e]] [-@]] [dir]')
    if (typeof options === 'number') return options
    if (options.operands.length > 1) return fail(process, 'cd', 'too many arguments')
    const last = options.letters.findLast(({ letter }) => letter === 'L' || letter === 'P')
    const physical = last === undefined ? process.environment.options.has('physical') : last.letter === 'P'
    let [target] = options.operands
    let shows = false
    if (target === undefined) {
      target = readText(process, 'HOME')
      if (target === undefined) return fail(process, 'cd', 'HOME not set')
      if (target === '') return 0
    } else if (target === '-') {
      target = readText(process, 'OLDPWD')
      if (target === undefined || target === '') return fail(process, 'cd', 'OLDPWD not set')
      shows = true
    }
    if (target === '') return 0
    return search(process, target, physical, shows)
  },
}

/** Tries the folders of CDPATH, then the directory itself. */
function search(process: Process, target: string, physical: boolean, shows: boolean): MaybePromise<number> {
  const path = readText(process, 'CDPATH') ?? ''
  const candidates = path === '' || /^\.{0,2}(?:\/|$)/.test(target) ? [] : path.split(':').filter((folder) => folder !== '')
  const step = (at: number): MaybePromise<number> => {
    const folder = candidates[at]
    if (folder === undefined) return enter(process, target, physical, shows, null)
    const next = enter(process, `${folder}/${target}`, physical, true, -1)
    if (isPromise(next)) return next.then((status) => (status === -1 ? step(at + 1) : status))
    return next === -1 ? step(at + 1) : next
  }
  return step(0)
}

/** Changes to a directory. `silent`: the status to give where that fails, without a word. */
function enter(process: Process, target: string, physical: boolean, shows: boolean, silent: number | null): MaybePromise<number> {
  const { environment } = process
  const before = environment.cwd
  const done = (cwd: string): MaybePromise<number> => {
    setDirectory(process, cwd, before)
    return shows ? print(process, `${cwd}\n`) : 0
  }
  const failed = (error: unknown): number => silent ?? fail(process, 'cd', `${target}: ${errorText(error)}`)
  try {
    const found = findDirectory(process, target, physical)
    return isPromise(found) ? found.then(done, failed) : done(found)
  } catch (error) {
    return failed(error)
  }
}

/** The absolute path of a directory: as it is spelled, or with links resolved. Fails where it is none. */
export function findDirectory(process: Process, target: string, physical: boolean): MaybePromise<string> {
  const { fs } = process.machine
  const { cwd } = process.environment
  const path = target.startsWith('/') ? target : `${cwd === '/' ? '' : cwd}/${target}`
  const check = (real: string): MaybePromise<string> => {
    const names = fs.stat(`${real === '/' ? '' : real}/`)
    return isPromise(names) ? names.then(() => real) : real
  }
  if (physical) {
    const real = realPath(fs, path, { missing: 'error' })
    return isPromise(real) ? real.then(check) : check(real)
  }
  // As it is spelled, every directory passed on the way must be there.
  const stat = fs.stat(`${path}/`)
  const logical = normalise(path)
  return isPromise(stat) ? stat.then(() => check(logical)) : check(logical)
}

/** Makes a directory the working one. */
export function setDirectory(process: Process, cwd: string, before: string): void {
  const { environment } = process
  environment.cwd = cwd
  const old = environment.variables.get('OLDPWD')
  assignScalar(process, 'OLDPWD', readText(process, 'PWD') ?? before)
  if (old === undefined) environment.variables.writable('OLDPWD').attributes |= Attribute.exported
  const known = environment.variables.get('PWD')
  assignScalar(process, 'PWD', cwd)
  if (known === undefined) environment.variables.writable('PWD').attributes |= Attribute.exported
}

/** `pwd [-LP]` */
export const pwdBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'pwd', args, 'LP', 'pwd [-LP]')
    if (typeof options === 'number') return options
    const { cwd, options: shell } = process.environment
    const physical = options.letters.at(-1)?.letter === 'P' || (options.letters.length === 0 && shell.has('physical'))
    if (!physical) return print(process, `${cwd}\n`)
    const show = (real: string): MaybePromise<number> => print(process, `${real}\n`)
    try {
      const real = realPath(process.machine.fs, cwd, { missing: 'error' })
      return isPromise(real) ? real.then(show, () => show(cwd)) : show(real)
    } catch {
      // A working directory that was removed still has its name.
      return show(cwd)
    }
  },
}
