import { encode } from '../../bytes.ts'
import type { CompletionSpec } from '../machine/environment.ts'
import type { Process } from '../machine/process.ts'
import type { Shell } from '../shell.ts'
import type { Builtin } from './builtin.ts'
import { fail, invalidOption, print, readOptions } from './builtin.ts'
import { completionWords } from './completion-line.ts'
import type { CompletionState } from './completion-run.ts'
import { lineCompletions, specFor, startCompletion } from './completion-run.ts'
import { COMPLETION_OPTIONS, optionsLine, SPEC_LETTERS, SPECIAL_NAMES, specLine, specNames, specOf } from './completion-spec.ts'

const SPEC_USAGE = '[-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix]'
const COMPLETE_USAGE = `complete [-abcdefgjksuv] [-pr] [-DEI] ${SPEC_USAGE} [name ...]`
const COMPGEN_USAGE = `compgen [-abcdefgjksuv] ${SPEC_USAGE} [word]`
const COMPOPT_USAGE = 'compopt [-o|+o option] [-DEI] [name ...]'

/** `complete`: says how the arguments of commands are completed. */
export const completeBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'complete', args, `${SPEC_LETTERS}prDEI`, COMPLETE_USAGE)
    if (typeof options === 'number') return options
    const spec = specOf(options.letters.filter(({ letter }) => !'prDEI'.includes(letter)))
    if (typeof spec === 'string') return fail(process, 'complete', spec, 2)
    const { environment } = process
    const special = ['D', 'E', 'I'].find((letter) => options.has(letter))
    const names = special === undefined ? options.operands : [SPECIAL_NAMES.get(special) as string]
    if (options.has('p') || (options.letters.length === 0 && names.length === 0)) {
      return show(process, names.length > 0 ? names : specNames(environment.completions))
    }
    if (options.has('r')) return remove(process, names)
    if (names.length === 0) {
      process.complain(`complete: usage: ${COMPLETE_USAGE}\n`)
      return 2
    }
    const completions = new Map(environment.completions)
    for (const name of names) {
      completions.delete(name)
      completions.set(name, spec)
    }
    environment.completions = completions
    return 0
  },
}

function show(process: Process, names: readonly string[]): ReturnType<Builtin['run']> {
  let text = ''
  let status = 0
  for (const name of names) {
    const spec = process.environment.completions.get(name)
    if (spec !== undefined) text += specLine(name, spec)
    else status = missing(process, 'complete', name)
  }
  return print(process, text, status)
}

function missing(process: Process, builtin: string, name: string): number {
  return fail(process, builtin, `${name}: no completion specification`)
}

function remove(process: Process, names: readonly string[]): number {
  const { environment } = process
  const completions = new Map(names.length === 0 ? [] : environment.completions)
  let status = 0
  for (const name of names) if (!completions.delete(name)) status = missing(process, 'complete', name)
  environment.completions = completions
  return status
}

/** `compgen`: writes the completions of a word. */
export const compgenBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'compgen', args, SPEC_LETTERS, COMPGEN_USAGE)
    if (typeof options === 'number') return options
    const spec = specOf(options.letters)
    if (typeof spec === 'string') return fail(process, 'compgen', spec, 2)
    if (options.letters.length === 0) return 0
    for (const letter of ['F', 'C']) {
      if (options.has(letter)) fail(process, 'compgen', `warning: -${letter} option may not work as you expect`)
    }
    const word = options.operands[0] ?? ''
    return startCompletion(process, spec, { command: 'compgen', word, previous: '', line: '', point: 0, words: [], index: -1 }, false)
  },
}

/** `compopt`: changes the options of specifications, in a completion function those of the one that is used. */
export const compoptBuiltin: Builtin = {
  run(process, args) {
    const request = readChanges(process, args)
    if (typeof request === 'number') return request
    const { on, off, names } = request
    const changed = (spec: CompletionSpec): CompletionSpec => {
      const options = spec.options.filter((option) => !off.has(option))
      return { ...spec, options: [...new Set([...options, ...on])] }
    }
    const shows = on.size + off.size === 0
    if (names.length === 0) {
      const state = runningCompletion(process)
      if (state === null) return fail(process, 'compopt', 'not currently executing completion function')
      if (shows) return print(process, optionsLine(state.request.command, state.spec.options))
      state.spec = changed(state.spec)
      return 0
    }
    const { environment } = process
    const completions = new Map(environment.completions)
    let text = ''
    let status = 0
    for (const name of names) {
      const spec = completions.get(name)
      if (spec === undefined) status = missing(process, 'compopt', name)
      else if (shows) text += optionsLine(name, spec.options)
      else completions.set(name, changed(spec))
    }
    environment.completions = completions
    return print(process, text, status)
  },
}

interface OptionChanges {
  readonly on: ReadonlySet<string>
  readonly off: ReadonlySet<string>
  readonly names: readonly string[]
}

function readChanges(process: Process, args: readonly string[]): OptionChanges | number {
  const on = new Set<string>()
  const off = new Set<string>()
  let special: string | undefined
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (arg.length < 2 || !/^[-+]/.test(arg)) break
    const sign = arg[0] as string
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i] as string
      if ('DEI'.includes(letter) && sign === '-') special = letter
      else if (letter !== 'o') return invalidOption(process, 'compopt', `${sign}${letter}`, COMPOPT_USAGE)
      if (letter !== 'o') continue
      const name = arg.slice(i + 1) || args[++at]
      if (name === undefined) {
        process.complain(`${process.messagePrefix()}compopt: ${sign}o: option requires an argument\ncompopt: usage: ${COMPOPT_USAGE}\n`)
        return 2
      }
      if (!COMPLETION_OPTIONS.includes(name)) return fail(process, 'compopt', `${name}: invalid option name`, 2)
      ;(sign === '-' ? on : off).add(name)
      break
    }
  }
  return { on, off, names: special === undefined ? args.slice(at) : [SPECIAL_NAMES.get(special) as string] }
}

/** The completion of a line whose function runs. */
function runningCompletion(process: Process): CompletionState | null {
  const frame = process.frames.findLast(({ state }) => state?.builtin === 'completion')
  const state = (frame?.state ?? null) as CompletionState | null
  return state?.inFunction === true && state.forLine ? state : null
}

/** What a line's specification gives for the word at the cursor. */
export interface LineCompletion {
  /** Where the word begins in the line. */
  readonly start: number
  /** What may stand in its place, not quoted; in the order of the function with `nosort`. */
  readonly words: readonly string[]
  /** Options of the specification, with what `compopt` changed: `nospace`, `filenames` (also where its actions complete files), `default` … */
  readonly options: readonly string[]
}

/**
 * Completes the word at `cursor` as the line's command says by `complete`; null where nothing says so. The shell must be idle. What the
 * command's function changes in the shell stays; `$?` and `$_` don't change. Where nothing is found and the options hold `default` or
 * `bashdefault`, an editor completes as it does without a specification.
 */
export async function completeBySpecification(shell: Shell, line: string, cursor: number): Promise<LineCompletion | null> {
  const { process } = shell
  const { environment } = process
  if (environment.completions.size === 0) return null
  const { words, index, start, word } = completionWords(line, cursor, environment.variables.get('COMP_WORDBREAKS')?.value)
  const command = words[0] ?? ''
  const { completions } = environment
  const isFirst = index === 0
  const spec = isFirst ? completions.get(SPECIAL_NAMES.get(word === '' ? 'E' : 'I') as string) : specFor(process, command)
  if (spec === undefined) return null
  const { status, lastArgument } = process
  const { traps, pipeStatus } = environment
  // The end of this is not the end of the shell.
  environment.traps = new Map([...traps].filter(([name]) => name !== 'EXIT'))
  const kept = environment.traps
  lineCompletions.delete(process)
  const point = encode(line.slice(0, cursor)).length
  const request = { command, word, previous: words[index - 1] ?? '', line, point, words, index }
  try {
    const silent = { stdin: new Uint8Array(0), stdout: (): undefined => undefined, stderr: (): undefined => undefined }
    await shell.run((shellProcess) => startCompletion(shellProcess, spec, request, true), silent)
  } finally {
    // An interrupt takes all traps away.
    if (environment.traps === kept || environment.traps.size === 0) environment.traps = traps
    process.status = status
    process.lastArgument = lastArgument
    environment.pipeStatus = pipeStatus
  }
  const found = lineCompletions.get(process)
  if (found === undefined) return null
  const unique = [...new Set(found.words)]
  if (!found.options.includes('nosort')) unique.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return { start, words: unique, options: found.options }
}
