import { decode, encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import { compileRegex, RegexError } from '../regex/regex.ts'
import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { openEach, wholeInput } from './input.ts'
import { lineEnds } from './line-ends.ts'
import type { ParsedOptions } from './options.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: tac [OPTION]... [FILE]...
Write the records of each FILE, usually lines, last record first.
Standard input is read for - and where no FILE is given.

  -b, --before             the separator stands before a record, not after it
  -r, --regex              the separator is a regular expression
  -s, --separator=STRING   STRING parts records, instead of a newline
      --help               show this help
      --version            show the version
`

const CHUNK = 131_072

/** `tac`: records last to first. */
export const tac: Command = utility({
  help: HELP,
  options: { 'b|before': 'none', 'r|regex': 'none', 's|separator': 'required' },
  run: (parsed, context) => proceed(run(parsed, context)),
})

/** Gives the separators from the last one to the first. */
type Search = (bytes: Uint8Array) => Iterable<{ readonly start: number; readonly end: number }>

function* run({ operands, has, value }: ParsedOptions, context: CommandContext): Steps<number> {
  const separator = value('s') ?? '\n'
  const before = has('b')
  if (has('r') && separator === '') throw new CommandFailure('separator cannot be empty')
  const search: Search = has('r') ? searchRegex(separator) : searchText(separator === '' ? '\0' : separator)
  return yield* openEach(
    context,
    operands,
    function* (input) {
      const bytes = yield* wholeInput(input)
      if (/^[\0-\x7f]?$/.test(separator) && !before && !has('r')) yield* writeLinesReversed(bytes, separator.charCodeAt(0) || 0, context)
      else yield* writeReversed(bytes, search, before, context)
    },
    function* (name, error) {
      if (!isExpected(error)) throw error
      if (hasCode(error, 'EISDIR')) yield* wait(complain(context, `${quotedName(name)}: read error: Invalid argument`))
      else yield* wait(complain(context, `failed to open ${quotedFile(name)} for reading: ${errorText(error)}`))
    },
  )
}

function* writeReversed(bytes: Uint8Array, search: Search, before: boolean, context: CommandContext): Steps<void> {
  const built = new ByteBuilder()
  let end = bytes.length
  let first = true
  for (const found of search(bytes)) {
    const cut = before ? found.start : found.end
    if (before || !first || cut !== end) built.appendPart(bytes, cut, end)
    first = false
    end = cut
    if (built.length < CHUNK) continue
    yield* wait(writeTo(context.stdout, built.take()))
    yield* wait(context.pause())
  }
  built.appendPart(bytes, 0, end)
  if (built.length > 0) yield* wait(writeTo(context.stdout, built.take()))
}

/** The usual case: lines with one byte at their end. */
function* writeLinesReversed(bytes: Uint8Array, terminator: number, context: CommandContext): Steps<void> {
  const ends = lineEnds(bytes, terminator)
  const built = new ByteBuilder()
  for (let line = ends.length - 1; line >= 0; line--) {
    const start = line === 0 ? 0 : (ends[line - 1] as number) + 1
    built.appendPart(bytes, start, Math.min((ends[line] as number) + 1, bytes.length))
    if (built.length < CHUNK) continue
    yield* wait(writeTo(context.stdout, built.take()))
    yield* wait(context.pause())
  }
  if (built.length > 0) yield* wait(writeTo(context.stdout, built.take()))
}

function searchText(separator: string): Search {
  const sought = encode(separator)
  return function* (bytes) {
    for (let at = bytes.length - sought.length; at >= 0; at--) {
      if (bytes[at] !== sought[0]) continue
      let same = 1
      while (same < sought.length && bytes[at + same] === sought[same]) same += 1
      if (same < sought.length) continue
      yield { start: at, end: at + sought.length }
      at -= sought.length - 1
    }
  }
}

/** Where a match starts latest comes first, and none reaches into the one after it. */
function searchRegex(source: string): Search {
  let regex: ReturnType<typeof compileRegex>
  try {
    regex = compileRegex(source, { syntax: 'basic', multiline: true })
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new CommandFailure(error.message)
  }
  return function* (bytes) {
    const text = decode(bytes)
    const matches: { start: number; end: number }[] = []
    for (let at = 0; at <= text.length; ) {
      const match = regex.exec(text, at)
      if (match === null) break
      matches.push({ start: match.start, end: match.end })
      at = match.start + 1
    }
    let limit = text.length
    let byteLimit = bytes.length
    for (const { start, end } of matches.toReversed()) {
      if (start >= limit) continue
      let matchEnd = end
      if (end > limit) {
        const shorter = regex.exec(text.slice(0, limit), start)
        if (shorter === null || shorter.start !== start) continue
        matchEnd = shorter.end
      }
      const tail = encode(text.slice(matchEnd, limit)).length
      const inside = encode(text.slice(start, matchEnd)).length
      yield { start: byteLimit - tail - inside, end: byteLimit - tail }
      byteLimit -= tail + inside
      limit = start
    }
  }
}
