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

function stackOf(process: Process): string[] {
  return [process.environment.cwd, ...process.environment.directories]
}

/** Position a `+n` or `-n` names; null when it is none, -1 when out of range. */
function position(text: string, size: number): number | null {
  const match = /^([+-])([0-9]+)$/.exec(text)
  if (match === null) return null
  const number = Number(match[2])
  const index = match[1] === '+' ? number : size - 1 - number
  return index >= 0 && index < size ? index : -1
}

function short(process: Process, path: string): string {
  const home = readText(process, 'HOME') ?? ''
  if (home !== '' && home !== '/' && (path === home || path.startsWith(`${home}/`))) return `~${path.slice(home.length)}`
  return path
}

function listStack(process: Process): MaybePromise<number> {
  return print(
    process,
    `${stackOf(process)
      .map((path) => short(process, path))
      .join(' ')}\n`,
  )
}

/** `dirs [-clpv] [+N] [-N]` */
export const dirsBuiltin: Builtin = {
  run(process, args) {
    const usage = 'dirs [-clpv] [+N] [-N]'
    let long = false
    let lines = false
    let numbered = false
    let at: number | null = null
    const stack = stackOf(process)
    for (const arg of args) {
      const index = position(arg, stack.length)
      if (index !== null) {
        if (index < 0) return fail(process, 'dirs', `${arg.replace(/^\+/, '')}: directory stack index out of range`)
        at = index
        continue
      }
      if (!/^-[clpv]+$/.test(arg)) {
        if (arg === '--') continue
        if (arg.startsWith('-')) {
          process.complain(`${process.messagePrefix()}dirs: ${arg}: invalid number\ndirs: usage: ${usage}\n`)
          return 2
        }
        process.complain(`${process.messagePrefix()}dirs: ${arg}: invalid number\ndirs: usage: ${usage}\n`)
        return 2
      }
      for (const letter of arg.slice(1)) {
        if (letter === 'c') {
          process.environment.directories = []
          return 0
        }
        if (letter === 'l') long = true
        if (letter === 'p') lines = true
        if (letter === 'v') numbered = true
      }
    }
    const shown = stack.map((path) => (long ? path : short(process, path)))
    if (at !== null) return print(process, `${numbered ? `${String(at).padStart(2)}  ` : ''}${shown[at]}\n`)
    if (numbered) return print(process, shown.map((path, i) => `${String(i).padStart(2)}  ${path}\n`).join(''))
    return print(process, lines ? shown.map((path) => `${path}\n`).join('') : `${shown.join(' ')}\n`)
  },
}

/** `pushd [-n] [dir | +N | -N]` */
export const pushdBuiltin: Builtin = {
  run(process, args) {
    let stays = false
    let target: string | null = null
    let ended = false
    for (const arg of args) {
      if (arg === '--' && !ended) ended = true
      else if (arg === '-n' && !ended) stays = true
      else if (!ended && arg.startsWith('-') && arg !== '-' && position(arg, 1) === null) {
        process.complain(`${process.messagePrefix()}pushd: ${arg}: invalid number\npushd: usage: pushd [-n] [+N | -N | dir]\n`)
        return 2
      } else if (target !== null) return fail(process, 'pushd', 'too many arguments')
      else target = arg
    }
    const stack = stackOf(process)
    if (target === null) {
      if (stack.length < 2) return fail(process, 'pushd', 'no other directory')
      return change(process, 'pushd', [stack[1] as string, stack[0] as string, ...stack.slice(2)])
    }
    const index = position(target, stack.length)
    if (index !== null) {
      if (index < 0)
        return fail(process, 'pushd', stack.length === 1 ? `directory stack empty` : `${target}: directory stack index out of range`)
      return change(process, 'pushd', [...stack.slice(index), ...stack.slice(0, index)])
    }
    if (stays) {
      process.environment.directories = [target, ...process.environment.directories]
      return listStack(process)
    }
    return change(process, 'pushd', [target === '-' ? (readText(process, 'OLDPWD') ?? '') : target, ...stack])
  },
}

/** `popd [-n] [+N | -N]` */
export const popdBuiltin: Builtin = {
  run(process, args) {
    let stays = false
    let index = 0
    const stack = stackOf(process)
    for (const arg of args) {
      if (arg === '--') continue
      if (arg === '-n') {
        stays = true
        continue
      }
      const at = position(arg, stack.length)
      if (at === null) {
        if (arg.startsWith('-')) {
          process.complain(`${process.messagePrefix()}popd: ${arg}: invalid number\npopd: usage: popd [-n] [+N | -N]\n`)
          return 2
        }
        process.complain(`${process.messagePrefix()}popd: ${arg}: invalid argument\npopd: usage: popd [-n] [+N | -N]\n`)
        return 2
      }
      if (at < 0) return fail(process, 'popd', stack.length === 1 ? 'directory stack empty' : `${arg}: directory stack index out of range`)
      index = at
    }
    if (stack.length < 2) return fail(process, 'popd', 'directory stack empty')
    if (stays && index === 0) index = 1
    if (index === 0) return change(process, 'popd', stack.slice(1))
    process.environment.directories = stack.filter((_path, i) => i !== index).slice(1)
    return listStack(process)
  },
}

function change(process: Process, name: string, stack: readonly string[]): MaybePromise<number> {
  const [target, ...rest] = stack
  const before = process.environment.cwd
  const done = (cwd: string): MaybePromise<number> => {
    setDirectory(process, cwd, before)
    process.environment.directories = rest
    return listStack(process)
  }
  const failed = (error: unknown): number => fail(process, name, `${target}: ${errorText(error)}`)
  try {
    const found = findDirectory(process, target ?? '', process.environment.options.has('physical'))
    return isPromise(found) ? found.then(done, failed) : done(found)
  } catch (error) {
    return failed(error)
  }
}
