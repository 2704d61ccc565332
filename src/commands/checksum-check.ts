import { decode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { type Algorithm, digestOf } from './checksum-digest.ts'
import type { CommandContext } from './command.ts'
import { wholeInput } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'
import { complain, isExpected } from './utility.ts'

export interface CheckOptions {
  readonly ignoreMissing: boolean
  readonly quiet: boolean
  readonly status: boolean
  readonly strict: boolean
  readonly warn: boolean
}

export function parseCheckOptions({ options, has }: ParsedOptions): CheckOptions {
  // Of these three the last one given is in force.
  const tone = options.findLast(({ name }) => name === 'quiet' || name === 'status' || name === 'w')?.name
  return {
    ignoreMissing: has('ignore-missing'),
    quiet: tone === 'quiet',
    status: tone === 'status',
    strict: has('strict'),
    warn: tone === 'w',
  }
}

/** Reads lists of checksums and checks the files they name; the status. */
export function* checkSums(
  operands: readonly string[],
  algorithm: Algorithm,
  options: CheckOptions,
  context: CommandContext,
): Steps<number> {
  let status = 0
  for (const list of operands.length === 0 ? ['-'] : operands) {
    if (!(yield* checkList(list, algorithm, options, context))) status = 1
  }
  return status
}

function* checkList(list: string, algorithm: Algorithm, options: CheckOptions, context: CommandContext): Steps<boolean> {
  const shown = list === '-' ? "'standard input'" : quotedName(list)
  let text: string
  try {
    const input = list === '-' ? context.stdin : yield* wait(context.open(context.resolve(list)))
    text = decode(yield* wholeInput(input))
    if (list !== '-') yield* wait(input.close())
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    yield* wait(complain(context, hasCode(error, 'EISDIR') ? `${shown}: read error` : `${shown}: ${reason}`))
    return false
  }
  const output = new Output(context.stdout)
  let malformed = 0
  let wellFormed = 0
  let mismatched = 0
  let unreadable = 0
  let verified = 0
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '')
    if (line === '' || line.startsWith('#')) continue
    const entry = parseLine(line, algorithm)
    if (entry === null || (list === '-' && entry.name === '-')) {
      malformed += 1
      if (!options.warn) continue
      yield* wait(output.flush())
      yield* wait(complain(context, `${shown}: ${index + 1}: improperly formatted ${algorithm.name} checksum line`))
      continue
    }
    wellFormed += 1
    const name = displayName(entry.name)
    let digest: string
    try {
      const input = entry.name === '-' ? context.stdin : yield* wait(context.open(context.resolve(entry.name)))
      digest = yield* digestOf(input, algorithm, context)
      if (entry.name !== '-') yield* wait(input.close())
    } catch (error) {
      if (!isExpected(error)) throw error
      if (options.ignoreMissing && hasCode(error, 'ENOENT')) continue
      yield* wait(output.flush())
      yield* wait(complain(context, `${quotedName(entry.name)}: ${errorText(error)}`))
      unreadable += 1
      if (!options.status) output.text(`${name}: FAILED open or read\n`)
      continue
    }
    if (digest !== entry.digest) mismatched += 1
    else verified += 1
    if (options.status || (digest === entry.digest && options.quiet)) continue
    output.text(`${name}: ${digest === entry.digest ? 'OK' : 'FAILED'}\n`)
  }
  yield* wait(output.flush())
  if (wellFormed === 0) {
    yield* wait(complain(context, `${shown}: no properly formatted checksum lines found`))
    return false
  }
  if (!options.status) {
    const warn = (message: string) => wait(complain(context, `WARNING: ${message}`))
    if (malformed > 0) yield* warn(malformed === 1 ? '1 line is improperly formatted' : `${malformed} lines are improperly formatted`)
    if (unreadable > 0) yield* warn(`${unreadable} listed file${unreadable === 1 ? '' : 's'} could not be read`)
    if (mismatched > 0) yield* warn(`${mismatched} computed checksum${mismatched === 1 ? '' : 's'} did NOT match`)
    if (options.ignoreMissing && verified === 0 && mismatched === 0 && unreadable === 0) {
      yield* wait(complain(context, `${shown}: no file was verified`))
    }
  }
  const found = !options.ignoreMissing || verified > 0
  return found && mismatched === 0 && unreadable === 0 && (!options.strict || malformed === 0)
}

function displayName(name: string): string {
  return name.includes('\n') ? `\\${name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}` : name
}

interface Entry {
  readonly digest: string
  readonly name: string
}

function parseLine(line: string, { name, length }: Algorithm): Entry | null {
  const escaped = line.trimStart().startsWith('\\')
  const text = line.replace(/^[ \t]+/, '').slice(escaped ? 1 : 0)
  const digits = `[0-9a-fA-F]{${length * 2}}`
  const tagged = new RegExp(`^${name} ?\\((.*)\\) = (${digits})$`, 's').exec(text)
  const plain = new RegExp(`^(${digits})[ \\t](?:[ *])?(.+)$`, 's').exec(text)
  const [digest, file] = tagged !== null ? [tagged[2], tagged[1]] : [plain?.[1], plain?.[2]]
  if (digest === undefined || file === undefined) return null
  const unescaped = escaped ? unescapeName(file) : file
  return unescaped === null ? null : { digest: digest.toLowerCase(), name: unescaped }
}

function unescapeName(text: string): string | null {
  if (/\\(?![\\nr])/.test(text.replaceAll('\\\\', ''))) return null
  return text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char === 'r' ? '\r' : '\\'))
}
