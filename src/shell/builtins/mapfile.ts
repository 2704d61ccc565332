import { concat, decode } from '../../bytes.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { quoteReusable } from '../expand/quote.ts'
import type { Description } from '../machine/description.ts'
import { readFrom, unreadTo } from '../machine/description.ts'
import { asArray, isName, refuseReadonly, resolveName } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { Attribute, IndexedArray } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, PENDING, readOptions } from './builtin.ts'

/** `mapfile`, `readarray` */
export const mapfileBuiltin: Builtin = {
  run(process, args, name) {
    const usage = `${name} [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]`
    const options = readOptions(process, name, args, 'd:n:O:s:tu:C:c:', usage)
    if (typeof options === 'number') return options
    const number = (letter: string, fallback: number, what: string): number | null => {
      const text = options.value(letter)
      if (text === null) return fallback
      if (/^[0-9]+$/.test(text)) return Number(text)
      fail(process, name, `${text}: invalid ${what}`)
      return null
    }
    const count = number('n', 0, 'line count')
    const skip = number('s', 0, 'line count')
    const origin = number('O', -1, 'array origin')
    const descriptor = number('u', 0, 'file descriptor specification')
    const quantum = number('c', 5000, 'callback quantum')
    if (count === null || skip === null || origin === null || descriptor === null || quantum === null) return 1
    const target = options.operands[0] ?? 'MAPFILE'
    if (!isName(target)) return fail(process, name, `\`${target}': not a valid identifier`)
    const variable = process.environment.variables.get(resolveName(process, target).name)
    if (variable !== undefined) {
      refuseReadonly(target, variable)
      if ((variable.attributes & Attribute.assoc) !== 0) return fail(process, name, `${target}: not an indexed array`)
    }
    const description = process.descriptors.get(descriptor)
    if (description === undefined) return fail(process, name, `${descriptor}: invalid file descriptor: Bad file descriptor`)
    const delimiter = options.value('d')
    const end = delimiter === null ? 10 : delimiter === '' ? 0 : (new TextEncoder().encode(delimiter)[0] as number)
    const store = (lines: string[]): number => {
      const kept = options.has('t') ? lines.map((line) => (line.charCodeAt(line.length - 1) === end ? line.slice(0, -1) : line)) : lines
      return assign(process, target, kept, origin, options.value('C'), quantum)
    }
    const lines = readLines(description, end, skip, count)
    return isPromise(lines) ? lines.then(store) : store(lines)
  },
}

function assign(
  process: Process,
  target: string,
  lines: readonly string[],
  origin: number,
  callback: string | null,
  quantum: number,
): number {
  const { variables } = process.environment
  const name = resolveName(process, target).name
  if (origin < 0) {
    variables.put(name, variables.make(IndexedArray.of(lines), Attribute.array))
  } else {
    const array = asArray(variables.writable(name))
    for (const [i, line] of lines.entries()) array.set(origin + i, line)
  }
  if (callback === null) return 0
  const calls = lines
    .map((line, i) => ({ line, index: Math.max(origin, 0) + i, turn: i + 1 }))
    .filter(({ turn }) => turn % quantum === 0)
    .map(({ line, index }) => `${callback} ${index} ${quoteReusable(line)}`)
  if (calls.length > 0) process.machine.runtime.enterScript(process, calls.join('\n'), 'eval', process.line)
  return calls.length > 0 ? PENDING : 0
}

/** Lines with their ends, after `skip` and at most `count` (0: all). What isn't used is given back. */
function readLines(description: Description, end: number, skip: number, count: number): MaybePromise<string[]> {
  const lines: string[] = []
  let pending: Uint8Array[] = []
  let skipped = 0
  const take = (line: Uint8Array): boolean => {
    if (skipped < skip) {
      skipped += 1
      return false
    }
    lines.push(decode(line))
    return count > 0 && lines.length >= count
  }
  const use = (chunk: Uint8Array): boolean => {
    let from = 0
    for (let at = chunk.indexOf(end, from); at >= 0; at = chunk.indexOf(end, from)) {
      const line = pending.length === 0 ? chunk.subarray(from, at + 1) : concat([...pending, chunk.subarray(from, at + 1)])
      pending = []
      from = at + 1
      if (take(line)) {
        unreadTo(description, chunk.subarray(from))
        return true
      }
    }
    if (from < chunk.length) pending.push(chunk.subarray(from))
    return false
  }
  const step = (): MaybePromise<string[]> => {
    for (;;) {
      const reading = readFrom(description)
      if (isPromise(reading)) {
        return reading.then((chunk) => {
          if (chunk === null) return done()
          if (chunk !== 'wait' && use(chunk)) return lines
          return step()
        })
      }
      if (reading === null) return done()
      if (reading === 'wait')
        return new Promise<void>((resolve) => description.kind === 'pipe' && description.pipe.onReadable(resolve)).then(step)
      if (use(reading)) return lines
    }
  }
  const done = (): string[] => {
    if (pending.length > 0) take(concat(pending))
    return lines
  }
  return step()
}
