import { decode } from '../../bytes.ts'
import { errorText } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { readSplit } from '../expand/split.ts'
import type { Description, Reading } from '../machine/description.ts'
import { readFrom, unreadTo } from '../machine/description.ts'
import { fieldSeparators } from '../machine/fields.ts'
import { isTerminal } from '../machine/is-terminal.ts'
import { assignCompound, isName, readText, splitReference } from '../machine/parameters.ts'
import type { BuiltinState, Process } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { assignTo } from './assign-target.ts'
import type { Builtin } from './builtin.ts'
import { fail, PENDING, readOptions } from './builtin.ts'

const USAGE = 'read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]'

/** What a `read` under way remembers: plain data, so that it can be saved while it waits. */
interface ReadState extends BuiltinState {
  readonly builtin: 'read'
  readonly descriptor: number
  readonly delimiter: number
  readonly raw: boolean
  /** Characters at most; -1 for no limit. */
  readonly count: number
  /** `-N`: the delimiter doesn't end it. */
  readonly exact: boolean
  readonly array: string | null
  readonly names: readonly string[]
  /** When to give up, in milliseconds since the epoch; 0 for never. */
  readonly until: number
  /** Bytes so far. */
  bytes: number[]
  /** The last byte was a backslash that may escape the next. */
  escaped: boolean
}

/** `read` */
export const readBuiltin: Builtin = {
  run(process, args) {
    return startRead(process, args)
  },
}

/** Starts `read` with arguments; gives a status or PENDING. */
export function startRead(process: Process, args: readonly string[]): MaybePromise<number> {
  const options = readOptions(process, 'read', args, 'a:d:ei:n:N:p:rst:u:', USAGE)
  if (typeof options === 'number') return options
  for (const name of options.operands) {
    if (!isName(splitReference(name).name)) return fail(process, 'read', `\`${name}': not a valid identifier`)
  }
  const descriptor = options.value('u') ?? '0'
  if (!/^[0-9]+$/.test(descriptor)) return fail(process, 'read', `${descriptor}: invalid file descriptor specification`)
  const count = options.value('N') ?? options.value('n')
  if (count !== null && !/^[0-9]+$/.test(count)) return fail(process, 'read', `${count}: invalid number`)
  const timeout = options.value('t') ?? (Number(readText(process, 'TMOUT') ?? 0) > 0 ? (readText(process, 'TMOUT') as string) : null)
  if (timeout !== null && !/^[0-9]*\.?[0-9]*$/.test(timeout)) return fail(process, 'read', `${timeout}: invalid timeout specification`)
  const description = process.descriptors.get(Number(descriptor))
  if (description === undefined) return fail(process, 'read', `${descriptor}: invalid file descriptor: Bad file descriptor`)
  if (timeout !== null && Number(timeout) === 0) return ready(description) ? 0 : 1
  const prompt = options.value('p')
  if (prompt !== null && isTerminal(process, Number(descriptor))) process.complain(prompt)
  const delimiter = options.value('d')
  const array = options.value('a')
  const state: ReadState = {
    builtin: 'read',
    descriptor: Number(descriptor),
    delimiter: delimiter === null ? 10 : delimiter === '' ? 0 : (new TextEncoder().encode(delimiter)[0] ?? 0),
    raw: options.has('r'),
    count: count === null ? -1 : Number(count),
    exact: options.has('N'),
    array,
    names: options.operands,
    until: timeout === null ? 0 : process.machine.host.now() + Number(timeout) * 1000,
    bytes: [],
    escaped: false,
  }
  const mode = { echo: !options.has('s'), lines: state.count < 0 && state.delimiter === 10 }
  if (!(mode.echo && mode.lines) && isTerminal(process, state.descriptor)) process.machine.terminal?.setMode?.(mode)
  const atOnce = readAtOnce(process, description, state)
  if (atOnce === 0) return 0
  process.enter('builtin', READ, { state })
  if (atOnce !== null) takeWhenThere(process, state, description, atOnce)
  return PENDING
}

/** A whole line that is there already: the common case, without a frame. A promise of more, or null where one has to look more closely. */
function readAtOnce(process: Process, description: Description, state: ReadState): 0 | Promise<Reading> | null {
  if (state.count >= 0 || state.until > 0 || (description.kind !== 'file' && description.kind !== 'pipe' && description.kind !== 'text'))
    return null
  if ((description.kind === 'file' && !description.readable) || (description.kind === 'pipe' && description.end !== 'read')) return null
  const chunk = readFrom(description)
  if (isPromise(chunk)) return chunk
  if (chunk === null || chunk === 'wait') return null
  const end = chunk.indexOf(state.delimiter)
  const line = end < 0 ? null : chunk.subarray(0, end)
  if (line === null || (!state.raw && line.includes(92)) || line.includes(0)) {
    unreadTo(description, chunk)
    return null
  }
  unreadTo(description, chunk.subarray(end + 1))
  assign(process, state, decode(line))
  return 0
}

function ready(description: Description): boolean {
  if (description.kind === 'pipe') return description.pipe.size > 0 || description.pipe.writers === 0
  return description.kind !== 'closed'
}

function takeWhenThere(process: Process, state: ReadState, description: Description, reading: Promise<Reading>): void {
  const limited = state.until > 0 && description.kind === 'stream' ? inTime(process, state, reading) : reading
  process.block(limited, 'read', (chunk) => {
    if (chunk === 'late') {
      if (description.kind === 'stream') description.leave(reading)
      finish(process, state, 142)
    } else if (chunk === 'wait') waitForInput(process, description, state)
    else take(process, state, description, chunk)
  })
}

/** What is read, or that it did not come in time. */
function inTime({ machine }: Process, state: ReadState, reading: Promise<Reading>): Promise<Reading | 'late'> {
  return new Promise((resolve, reject) => {
    const cancel = machine.host.timer(Math.max(0, state.until - machine.host.now()), () => resolve('late'))
    reading.then(resolve, reject).finally(cancel)
  })
}

/** Reads on until the line is there; run again whenever there may be more. */
function step(process: Process): void {
  const state = process.frame.state as ReadState
  process.frame.counter = 0
  if (state.count === 0) {
    finish(process, state, 0)
    return
  }
  let reading: ReturnType<typeof readFrom>
  const description = process.descriptors.get(state.descriptor)
  try {
    if (description === undefined) throw new Error('closed')
    reading = readFrom(description)
  } catch (error) {
    process.leave()
    process.status = fail(process, 'read', `read error: ${state.descriptor}: ${errorText(error)}`)
    return
  }
  if (reading === 'wait') {
    waitForInput(process, description, state)
    return
  }
  if (isPromise(reading)) {
    takeWhenThere(process, state, description, reading)
    return
  }
  take(process, state, description, reading)
}

const READ: Program = fixedProgram('read', [step])

function waitForInput(process: Process, description: Description, state: ReadState): void {
  if (state.until > 0 && process.machine.host.now() >= state.until) {
    finish(process, state, 142)
    return
  }
  process.wait({ for: 'input', descriptor: state.descriptor })
  const { waiting } = process
  const wake = (): void => {
    if (process.waiting === waiting) process.wake()
  }
  if (description.kind === 'pipe') description.pipe.onReadable(wake)
  if (state.until > 0) process.cancelTimer = process.machine.host.timer(state.until - process.machine.host.now(), wake)
}

function take(process: Process, state: ReadState, description: Description, chunk: Uint8Array | null): void {
  if (chunk === null) {
    finish(process, state, 1)
    return
  }
  const used = scan(state, chunk)
  if (used < 0) return
  unreadTo(description, chunk.subarray(used))
  finish(process, state, 0)
}

/** Takes bytes up to the end of what is wanted: how many were used, or -1 when more is needed. */
function scan(state: ReadState, chunk: Uint8Array): number {
  const { bytes, delimiter, raw, exact } = state
  for (let i = 0; i < chunk.length; i++) {
    const byte = chunk[i] as number
    if (state.escaped) {
      state.escaped = false
      if (byte === 10) bytes.pop()
      else bytes.push(byte)
    } else if (byte === delimiter && !exact) return i + 1
    else {
      // A NUL can't be part of a text.
      if (byte !== 0) bytes.push(byte)
      if (byte === 92 && !raw) state.escaped = true
    }
    if (state.count > 0 && !state.escaped && wholeCharacters(bytes, raw) >= state.count) return i + 1
  }
  return -1
}

function wholeCharacters(bytes: readonly number[], raw: boolean): number {
  let count = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number
    if (byte === 92 && !raw) {
      i += 1
      byte = bytes[i] as number
    }
    if (byte >= 0xc2 && byte <= 0xf4) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      if (i + length > bytes.length) return count
      i += length - 1
    }
    count += 1
  }
  return count
}

function finish(process: Process, state: ReadState, status: number): void {
  if (isTerminal(process, state.descriptor)) process.machine.terminal?.setMode?.({ echo: true, lines: true })
  process.leave()
  process.status = status
  try {
    assign(process, state, decode(Uint8Array.from(state.bytes)))
  } catch (error) {
    process.status = 1
    throw error
  }
}

function assign(process: Process, state: ReadState, line: string): void {
  const { raw } = state
  const ifs = fieldSeparators(process)
  if (state.array !== null) {
    const fields = readSplit(line, ifs, Number.POSITIVE_INFINITY, raw)
    assignCompound(
      process,
      state.array,
      fields.map((text) => ({ subscript: null, text, append: false })),
      false,
    )
    return
  }
  if (state.names.length === 0) {
    assignTo(process, 'REPLY', raw ? line : unescaped(line))
    return
  }
  if (state.exact) {
    for (const [i, name] of state.names.entries()) assignTo(process, name, i === 0 ? (raw ? line : unescaped(line)) : '')
    return
  }
  const fields = readSplit(line, ifs, state.names.length, raw)
  for (const [i, name] of state.names.entries()) assignTo(process, name, fields[i] ?? '')
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\([\s\S]?)/g, '$1') : text
}
