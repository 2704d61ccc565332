import { concat, decode } from '../../bytes.ts'
import { isPromise } from '../../host.ts'
import { expandGlob } from '../expand/glob.ts'
import { compilePattern, escapePattern } from '../expand/pattern.ts'
import { quoteSingle } from '../expand/quote.ts'
import { callFunction } from '../machine/call.ts'
import { resetTraps } from '../machine/children.ts'
import { SinkDescription } from '../machine/description.ts'
import type { CompletionSpec } from '../machine/environment.ts'
import { fieldSeparators } from '../machine/fields.ts'
import { readText, readValue, unsetVariable } from '../machine/parameters.ts'
import type { BuiltinState, Process } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { calls } from '../machine/specials.ts'
import type { Variable } from '../machine/variables.ts'
import { Attribute, IndexedArray } from '../machine/variables.ts'
import { PENDING, print } from './builtin.ts'
import { actionNames } from './completion-actions.ts'
import { splitWordList, withoutQuotes } from './completion-words.ts'

/** What is completed. */
export interface CompletionRequest {
  /** The command whose argument it is: `$1` of a function. */
  readonly command: string
  /** The word up to the cursor: `$2`. */
  readonly word: string
  /** The word before: `$3`. */
  readonly previous: string
  readonly line: string
  /** Bytes of the line before the cursor. */
  readonly point: number
  readonly words: readonly string[]
  readonly index: number
}

/** What a completion under way remembers: plain data, so that it can be saved while a function runs. */
export interface CompletionState extends BuiltinState {
  readonly builtin: 'completion'
  readonly request: CompletionRequest
  /** A line is being completed; else `compgen` was called. */
  readonly forLine: boolean
  spec: CompletionSpec
  found: string[]
  /** The process whose output is awaited, 0 for none. */
  pid: number
  /** The specification's function runs. */
  inFunction: boolean
  /** How often a function asked to look the specification up again. */
  retries: number
}

/** The completions of a line that were found last, by the shell's process. */
export const lineCompletions: WeakMap<Process, { readonly words: readonly string[]; readonly options: readonly string[] }> = new WeakMap()

/** Starts to complete by a specification; goes on in a frame of its own. */
export function startCompletion(process: Process, spec: CompletionSpec, request: CompletionRequest, forLine: boolean): number {
  const state: CompletionState = {
    builtin: 'completion',
    request,
    forLine,
    spec,
    found: [],
    pid: 0,
    inFunction: false,
    retries: 0,
  }
  process.enter('builtin', COMPLETION, { state })
  return PENDING
}

/** The specification for a command: by its name as given, by the last part of its path, the default one. */
export function specFor(process: Process, command: string): CompletionSpec | undefined {
  const { completions } = process.environment
  return completions.get(command) ?? completions.get(command.slice(command.lastIndexOf('/') + 1)) ?? completions.get('_DefaultCmD_')
}

const RETRY = 124
const RETRIES = 32

function stateOf(process: Process): CompletionState {
  return process.frame.state as CompletionState
}

function takeActions(process: Process): void {
  const state = stateOf(process)
  const { actions, glob } = state.spec
  if (actions.length === 0 && (glob === null || glob === '')) return
  const gather = async (): Promise<readonly string[]> => {
    const names = await actionNames(process, actions, withoutQuotes(state.request.word), pathOf(state))
    if (glob !== null && glob !== '') names.push(...(await globbed(process, glob)))
    return names
  }
  process.block(gather(), 'compgen', (names) => {
    for (const name of names) state.found.push(name)
  })
}

/** The word as the path it stands for: in a line it has quotes, to `compgen` it is given without. */
function pathOf({ request, forLine }: CompletionState): string {
  return forLine ? withoutQuotes(request.word) : request.word
}

async function globbed(process: Process, pattern: string): Promise<readonly string[]> {
  const { cwd, options } = process.environment
  return expandGlob(pattern, {
    fs: process.machine.fs,
    cwd,
    extglob: options.extglob,
    globstar: options.has('globstar'),
    dotglob: options.has('dotglob'),
    nocaseglob: options.has('nocaseglob'),
    globignore: readText(process, 'GLOBIGNORE') ?? '',
    globskipdots: options.has('globskipdots'),
  })
}

function startWords(process: Process): void {
  const state = stateOf(process)
  const { words } = state.spec
  if (words === null || words === '') return
  const list = splitWordList(words, fieldSeparators(process))
  if (list === null) {
    process.complain(`${process.messagePrefix()}${words}: bad substitution\n`)
    giveUp(process)
    return
  }
  if (list.plain !== null) {
    takeMatching(state, list.plain)
    return
  }
  // The words are expanded by a subshell, which tells where each of them ends.
  startReader(process, state, `printf '%s\\0' : ${list.texts.join(' ')}`, (child) => {
    child.environment.options.set('noglob', true)
    child.environment.functions = new Map([...child.environment.functions].filter(([name]) => name !== 'printf'))
  })
}

function takeWords(process: Process): void {
  const state = stateOf(process)
  const output = readerOutput(process, state)
  if (output === null) return
  if (output.status !== 0) giveUp(process)
  else takeMatching(state, output.text.split('\0').slice(1, -1))
}

/** The command being run is given up, as after any expansion that fails. */
function giveUp(process: Process): void {
  process.status = 1
  process.machine.discard(process)
}

function takeMatching(state: CompletionState, words: readonly string[]): void {
  const start = withoutQuotes(state.request.word)
  for (const word of words) if (word.startsWith(start)) state.found.push(word)
}

function startFunction(process: Process): void {
  const state = stateOf(process)
  const name = state.spec.function
  if (name === null) return
  const shellFunction = process.environment.functions.get(name)
  if (shellFunction === undefined) {
    process.complain(`${process.messagePrefix()}completion: function \`${name}' not found\n`)
    return
  }
  const { variables } = process.environment
  for (const [variable, value] of boundVariables(state)) variables.put(variable, variables.make(value))
  const { words, index, command, word, previous } = state.request
  variables.put('COMP_WORDS', variables.make(IndexedArray.of(words), Attribute.array))
  variables.put('COMP_CWORD', variables.make(String(index)))
  state.inFunction = true
  callFunction(process, shellFunction, [name, command, word, previous])
}

function boundVariables({ request, forLine }: CompletionState): readonly (readonly [string, string])[] {
  const key = forLine ? '9' : '0'
  return [
    ['COMP_LINE', request.line],
    ['COMP_POINT', String(request.point)],
    ['COMP_TYPE', key],
    ['COMP_KEY', key],
  ]
}

function takeReply(process: Process): void {
  const state = stateOf(process)
  if (!state.inFunction) return
  state.inFunction = false
  const { variables } = process.environment
  for (const name of ['COMP_LINE', 'COMP_POINT', 'COMP_TYPE', 'COMP_KEY', 'COMP_WORDS', 'COMP_CWORD']) variables.put(name, undefined)
  const reply = elements(readValue(process, 'COMPREPLY'))
  unsetVariable(process, 'COMPREPLY')
  if (process.status === RETRY) {
    const spec = state.forLine && state.retries < RETRIES ? specFor(process, state.request.command) : undefined
    if (spec === undefined) return
    state.spec = spec
    state.found = []
    state.retries += 1
    process.frame.counter = 0
    return
  }
  for (const text of reply) state.found.push(text)
}

function elements(value: Variable['value']): readonly string[] {
  if (value === undefined) return []
  if (value instanceof IndexedArray) return value.keys().map((key) => value.get(key) as string)
  return value instanceof Map ? [...value.values()] : [String(value)]
}

function startCommand(process: Process): void {
  const state = stateOf(process)
  const { command } = state.spec
  if (command === null || command === '') return
  const args = [state.request.command, state.request.word, state.request.previous].map((text) => quoteSingle(text))
  startReader(process, state, `${command} ${args.join(' ')}`, (child) => {
    const { variables } = child.environment
    for (const [name, value] of boundVariables(state)) variables.put(name, variables.make(value, Attribute.exported))
  })
}

/** Each line is a completion; a backslash before its end makes it go on. */
function takeLines(process: Process): void {
  const state = stateOf(process)
  const output = readerOutput(process, state)
  if (output === null) return
  const text = output.text.replace(/\n+$/, '')
  if (text === '') return
  for (const line of text.match(/(?:\\[\s\S]|[^\\\n])+/g) ?? []) state.found.push(line.replaceAll('\\\n', '\n'))
}

/** Starts a subshell that runs a text; what it writes is awaited. */
function startReader(process: Process, state: CompletionState, text: string, prepare: (child: Process) => void): void {
  const { machine } = process
  const child = machine.fork(process)
  child.environment.depth += 1
  resetTraps(child)
  child.outerCalls = calls(process)
  child.conditionDepth = 0
  prepare(child)
  machine.runtime.enterScript(child, text, 'line', process.line)
  const sink = new SinkDescription(machine.limits.substitutionBytes)
  machine.sinks.set(child.pid, sink)
  child.assign(1, sink)
  state.pid = child.pid
  machine.ready(child)
}

/** What the subshell wrote, once it has ended; null while there is nothing to take. */
function readerOutput(process: Process, state: CompletionState): { readonly text: string; readonly status: number } | null {
  const { pid } = state
  if (pid === 0) return null
  const status = process.zombies.get(pid)
  if (status === undefined) {
    process.frame.counter -= 1
    process.machine.waitFor(process, [pid], false)
    return null
  }
  process.zombies.delete(pid)
  state.pid = 0
  const sink = process.machine.sinks.get(pid)
  process.machine.sinks.delete(pid)
  return { text: sink === undefined ? '' : decode(concat(sink.chunks)), status }
}

function finish(process: Process): void {
  const state = stateOf(process)
  const { spec, request } = state
  const pattern = spec.filter
  let found = pattern === null ? state.found : filtered(process, state.found, pattern, request.word)
  if (spec.prefix !== null || spec.suffix !== null) found = found.map((text) => `${spec.prefix ?? ''}${text}${spec.suffix ?? ''}`)
  const others = otherNames(process, state, found)
  if (others === null) end(process, state, found)
  else process.block(others, 'compgen', (more) => end(process, state, [...found, ...more]))
}

/** `!` before a pattern keeps what matches; `&` in it is the word. */
function filtered(process: Process, found: readonly string[], filter: string, word: string): string[] {
  const keeps = filter.startsWith('!')
  const text = (keeps ? filter.slice(1) : filter).replace(/\\?&/g, (mark) => (mark === '&' ? escapePattern(word) : '&'))
  const { options } = process.environment
  const pattern = compilePattern(text, { extglob: options.extglob, nocase: options.has('nocasematch') })
  return found.filter((candidate) => pattern.matches(candidate) === keeps)
}

/** What the options `dirnames`, `plusdirs`, `bashdefault` and `default` add; a line's last two are its editor's business. */
function otherNames(
  process: Process,
  { spec, request, forLine }: CompletionState,
  found: readonly string[],
): Promise<readonly string[]> | null {
  const word = withoutQuotes(request.word)
  const { options } = spec
  if (options.includes('plusdirs') || (found.length === 0 && options.includes('dirnames'))) {
    const directories = actionNames(process, ['directory'], word)
    if (found.length > 0 || forLine || !options.includes('default')) return directories
    return directories.then((names) => (names.length > 0 ? names : actionNames(process, ['file'], word)))
  }
  if (found.length > 0 || forLine) return null
  if (options.includes('bashdefault') && word.startsWith('$')) {
    return actionNames(process, ['variable'], word.slice(1)).then((names) => names.map((name) => `$${name}`))
  }
  return options.includes('default') ? actionNames(process, ['file'], word) : null
}

function end(process: Process, state: CompletionState, found: readonly string[]): void {
  process.leave()
  process.status = found.length === 0 ? 1 : 0
  if (state.forLine) {
    const { options, actions } = state.spec
    const isFile = actions.includes('file') || actions.includes('directory')
    lineCompletions.set(process, { words: found, options: isFile ? [...new Set([...options, 'filenames'])] : options })
    return
  }
  const written = print(process, found.map((text) => `${text}\n`).join(''), process.status)
  if (isPromise(written)) process.block(written, 'compgen', () => undefined)
}

const COMPLETION: Program = fixedProgram('completion', [
  takeActions,
  startWords,
  takeWords,
  startFunction,
  takeReply,
  startCommand,
  takeLines,
  finish,
])
