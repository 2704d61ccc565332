import { encode } from '../../bytes.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { Integer } from '../expand/arithmetic.ts'
import { compileArithmetic } from '../expand/arithmetic.ts'
import { quoteTraced } from '../expand/quote.ts'
import { writeTo } from './description.ts'
import { ShellFault } from './fault.ts'
import { asFault } from './machine.ts'
import { NO_SLOTS, readText, runArithmetic } from './parameters.ts'
import type { Process } from './process.ts'

/**
 * A command is about to run: notes it for BASH_COMMAND and runs the DEBUG trap. True when that trap has to run first; the instruction is then
 * run again.
 */
export function begin(process: Process, text: () => string): boolean {
  if (process.trapDepth === 0) process.commandText = text
  return process.environment.traps.size > 0 && debugTrap(process, text)
}

/** Runs the DEBUG trap before what comes next. True when it has to run first. */
export function debugTrap(process: Process, text: () => string): boolean {
  const action = process.environment.traps.get('DEBUG')
  if (action === undefined || action === '' || process.inTrap('DEBUG')) return false
  if (process.debugged) {
    process.debugged = false
    process.skipped = process.skipping
    process.skipping = false
    return false
  }
  if (process.trapDepth === 0) process.commandText = text
  process.debugged = true
  const { line } = process
  process.frame.counter -= 1
  process.enterTrap('DEBUG', action, line)
  return true
}

/** A command failed where failure counts: runs the ERR trap, once. True when it has to run first; the instruction is then run again. */
export function errorTrap(process: Process): boolean {
  const action = process.environment.traps.get('ERR')
  if (action === undefined || action === '' || process.inTrap('ERR')) return false
  if (process.errorTrapped) {
    process.errorTrapped = false
    return false
  }
  process.errorTrapped = true
  const { line } = process
  process.frame.counter -= 1
  process.enterTrap('ERR', action, line)
  return true
}

/** Writes one line of `set -x`. */
export function trace(process: Process, text: string): void {
  const line = `${tracePrefix(process)}${text}\n`
  const descriptor = Number(readText(process, 'BASH_XTRACEFD') ?? 2)
  const description = process.descriptors.get(descriptor)
  if (description === undefined) return
  try {
    const written = writeTo(description, encode(line))
    if (isPromise(written)) written.catch(() => undefined)
  } catch {
    // A trace that can't be written is lost, as in bash.
  }
}

type PromptModule = typeof import('./prompt.ts')

let promptModule: PromptModule | null = null

/** Loads what resolves the escapes of prompts. */
export function loadPrompts(): MaybePromise<void> {
  if (promptModule !== null) return undefined
  return import('./prompt.ts').then((loaded) => {
    promptModule = loaded
  })
}

/** Resolves the backslash escapes of a prompt. Until {@link loadPrompts} has loaded them, they stay as they are. */
export function promptEscapes(process: Process, text: string): string {
  return promptModule === null ? text : promptModule.promptEscapes(process, text)
}

/** How many substitutions, evaluated texts and sourced files surround what runs. */
export function indirection(process: Process): number {
  let depth = process.indirection
  for (let i = 1; i < process.frames.length; i++) if (process.frames[i]?.script != null) depth += 1
  return depth
}

function tracePrefix(process: Process): string {
  const prompt = readText(process, 'PS4') ?? ''
  if (prompt === '') return ''
  const { environment } = process
  const depth = indirection(process) + 1
  environment.options.xtrace = false
  let text = prompt
  try {
    text = process.machine.runtime.expandText(process, promptEscapes(process, prompt))
  } catch (error) {
    // A prompt that can't be expanded is shown as it is.
    if (asFault(error) === null) throw error
  }
  environment.options.xtrace = true
  const first = text === '' ? '' : String.fromCodePoint(text.codePointAt(0) as number)
  return first.repeat(depth) + text.slice(first.length)
}

/** A command's words as `set -x` shows them. */
export function traceCommand(process: Process, args: readonly string[]): void {
  trace(process, args.map((arg) => quoteTraced(arg.includes('\u0000') ? arg.slice(0, arg.indexOf('\u0000')) : arg)).join(' '))
}

/** `${…}` that makes no sense. */
export function badSubstitution(raw: string): ShellFault {
  return new ShellFault(`${raw}: bad substitution`)
}

/** `$-` */
export function optionLetters(process: Process): string {
  const { environment } = process
  const { options } = environment
  let letters = ''
  for (const [name, letter] of LETTERS) if (options.has(name)) letters += letter
  if (environment.interactive) letters += 'i'
  for (const [name, letter] of LATE_LETTERS) if (options.has(name)) letters += letter
  if (environment.executionString !== null) letters += 'c'
  if (environment.readsStandardInput) letters += 's'
  return letters
}

const LETTERS: readonly (readonly [string, string])[] = [
  ['allexport', 'a'],
  ['notify', 'b'],
  ['errexit', 'e'],
  ['noglob', 'f'],
  ['hashall', 'h'],
]
const LATE_LETTERS: readonly (readonly [string, string])[] = [
  ['keyword', 'k'],
  ['monitor', 'm'],
  ['noexec', 'n'],
  ['privileged', 'p'],
  ['onecmd', 't'],
  ['nounset', 'u'],
  ['verbose', 'v'],
  ['xtrace', 'x'],
  ['braceexpand', 'B'],
  ['noclobber', 'C'],
  ['errtrace', 'E'],
  ['histexpand', 'H'],
  ['physical', 'P'],
  ['functrace', 'T'],
]

/** Evaluates arithmetic whose text was just expanded. */
export function evaluateText(process: Process, text: string): Integer {
  return runArithmetic(process, compileArithmetic(text), NO_SLOTS)
}

/** Arithmetic of `((…))` or `[[` failed: says so; the command's status is 1 and the script goes on. */
export function arithmeticFailed(process: Process, error: unknown, prefix: string): void {
  const fault = asFault(error)
  if (fault === null || fault.reach === 'shell' || !(error instanceof Error) || error.name !== 'ArithmeticError') throw error
  process.complain(`${process.messagePrefix()}${prefix}${fault.message}\n`)
  process.status = 1
}
