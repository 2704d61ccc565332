import { sequence } from '../../regex/node.ts'
import type { Dialect } from '../../regex/posix-syntax.ts'
import { BASIC, EXTENDED, parsePosix } from '../../regex/posix-syntax.ts'
import { regexOf } from '../../regex/regex.ts'
import { RegexError } from '../../regex/regex-error.ts'
import { bytewise } from '../byte-text.ts'
import { CommandFailure } from '../utility.ts'

const EMACS: Dialect = { ...BASIC, barePlus: true, braces: null, oneRepeat: false, emptyRanges: true }
const AWK: Dialect = { ...EXTENDED, braces: null, leadingRepeat: 'literal', gnuEscapes: false }
const LOOSE: Dialect = { ...EXTENDED, leadingRepeat: 'literal', looseIntervals: true }
const MINIMAL: Dialect = { ...BASIC, oneRepeat: false }

/** The kinds of regular expressions `-regextype` knows, in the order of its message. */
const REGEX_TYPES: ReadonlyMap<string, Dialect> = new Map([
  ['findutils-default', EMACS],
  ['ed', BASIC],
  ['emacs', EMACS],
  ['gnu-awk', { ...AWK, gnuEscapes: true }],
  ['grep', BASIC],
  ['posix-awk', { ...AWK, braces: 'bare', gnuEscapes: true }],
  ['awk', AWK],
  ['posix-basic', BASIC],
  ['posix-egrep', LOOSE],
  ['egrep', LOOSE],
  ['posix-extended', EXTENDED],
  ['posix-minimal-basic', MINIMAL],
  ['sed', BASIC],
])

/** The kind used where none is named. */
export const DEFAULT_REGEX_TYPE = 'findutils-default'

/** Names of all kinds, as messages list them. */
export function regexTypes(): string[] {
  return [...REGEX_TYPES.keys()]
}

/** A test whether a whole path matches. Throws a CommandFailure for a pattern that can't be read. */
export function pathRegex(
  source: string,
  { type, ignoreCase, bytes }: { readonly type: string; readonly ignoreCase: boolean; readonly bytes: boolean },
): (path: string) => boolean {
  const dialect = REGEX_TYPES.get(type) ?? EMACS
  try {
    const pattern = parsePosix(bytes ? bytewise(source) : source, { dialect, ignoreCase, bytes, withoutNewline: false })
    const whole = sequence([{ type: 'assertion', kind: 'text-start' }, pattern.node, { type: 'assertion', kind: 'text-end' }])
    const regex = regexOf({ ...pattern, node: whole }, { ignoreCase, bytes })
    return bytes ? (path) => regex.test(bytewise(path)) : (path) => regex.test(path)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new CommandFailure(`failed to compile regular expression '${source}': ${error.message}`)
  }
}
