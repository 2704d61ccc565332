import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { Process } from '../machine/process.ts'

/** Given instead of a status by a builtin that goes on by itself: it entered a frame, or waits. */
export const PENDING = -1

/** A command that works on the shell itself. */
export interface Builtin {
  /** A special builtin of POSIX. */
  readonly special?: boolean
  /** No rule of a session forbids it: the shell couldn't be used without. */
  readonly control?: boolean
  /** `args` come without the name. Gives the status, now or later, or {@link PENDING}. */
  run(process: Process, args: string[], name: string): MaybePromise<number>
}

/** A builtin whose code is loaded when it is first run, so that a page doesn't pay for what it doesn't use. */
export interface LazyBuiltin {
  readonly special?: boolean
  readonly control?: boolean
  readonly load: () => Promise<Builtin>
  loaded: Builtin | null
}

/** A builtin that is there, or can be loaded. */
export type AnyBuiltin = Builtin | LazyBuiltin

/** Writes to standard output and gives a status. */
export function print(process: Process, text: string, status = 0): MaybePromise<number> {
  if (text === '') return status
  const written = process.write(1, text)
  return isPromise(written) ? written.then(() => status) : status
}

/** Writes `PREFIXname: message` to standard error and gives a status. */
export function fail(process: Process, name: string, message: string, status = 1): number {
  process.complain(`${process.messagePrefix()}${name}: ${message}\n`)
  return status
}

/** An option a builtin doesn't know: the message, the usage line, status 2. */
export function invalidOption(process: Process, name: string, option: string, usage: string): number {
  process.complain(`${process.messagePrefix()}${name}: ${option}: invalid option\n${name}: usage: ${usage}\n`)
  return 2
}

/** Letters of a builtin's options, and its operands. */
export interface BuiltinOptions {
  readonly letters: readonly { readonly letter: string; readonly value: string }[]
  readonly operands: string[]
  has(letter: string): boolean
  value(letter: string): string | null
}

/** Reads options as bash's builtins do: `spec` lists the letters, a `:` after one that takes a value. A number is the status of a refusal that has been said. */
export function readOptions(process: Process, name: string, args: readonly string[], spec: string, usage: string): BuiltinOptions | number {
  const letters: { letter: string; value: string }[] = []
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (arg.length < 2 || !arg.startsWith('-')) break
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] as string
      const index = letter === ':' ? -1 : spec.indexOf(letter)
      if (index < 0) return invalidOption(process, name, `-${letter}`, usage)
      if (spec[index + 1] !== ':') {
        letters.push({ letter, value: '' })
        continue
      }
      let value = arg.slice(i + 1)
      if (value === '') {
        at += 1
        if (at >= args.length) {
          process.complain(`${process.messagePrefix()}${name}: -${letter}: option requires an argument\n${name}: usage: ${usage}\n`)
          return 2
        }
        value = args[at] as string
      }
      letters.push({ letter, value })
      break
    }
  }
  return {
    letters,
    operands: args.slice(at),
    has: (letter) => letters.some((option) => option.letter === letter),
    value: (letter) => letters.findLast((option) => option.letter === letter)?.value ?? null,
  }
}
