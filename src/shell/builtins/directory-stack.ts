import { errorText } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, print } from './builtin.ts'
import { findDirectory, setDirectory } from './directories.ts'

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
