import { encode } from '../bytes.ts'
import { choice } from './choice.ts'
import type { CommandContext } from './command.ts'
import type { OptionTable, ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { parseSize } from './size.ts'
import type { SortPlan } from './sort-compare.ts'
import { addLetters, incompatibleLetters, isPlain, parseSortKey, plainOrder, type SortKey } from './sort-key.ts'
import { CommandFailure } from './utility.ts'

/** What `sort --help` prints. */
export const SORT_HELP = `Usage: sort [OPTION]... [FILE]...
       sort [OPTION]... --files0-from=F
Write the lines of all FILEs together, in order.
Standard input is read for - and where no FILE is given.

How lines are compared:
  -b, --ignore-leading-blanks   without leading blanks
  -d, --dictionary-order        only blanks, letters and digits count
  -f, --ignore-case             capital letters are as good as small ones
  -g, --general-numeric-sort    as numbers of any form
  -h, --human-numeric-sort      as numbers with a suffix (2K 1G)
  -i, --ignore-nonprinting      only characters that can be printed count
  -M, --month-sort              as months: none < 'JAN' < ... < 'DEC'
  -n, --numeric-sort            as numbers
  -R, --random-sort             shuffled, same keys together
      --random-source=FILE      take chance from FILE
  -r, --reverse                 the other way round
      --sort=WORD               general-numeric -g, human-numeric -h, month -M, numeric -n, random -R, version -V
  -V, --version-sort            as versions, numbers in the text by value

Other options:
      --batch-size=N            accepted and ignored
  -c, --check[=diagnose-first]  tell the first line that is out of order, write nothing
  -C, --check=quiet, --check=silent
                                as -c, without a message
      --compress-program=PROG   accepted and ignored
      --debug                   accepted and ignored
      --files0-from=F           read the names of the files, each ended by NUL, from F (standard input for -)
  -k, --key=KEYDEF              compare by a part of the line; may be given again for what that leaves equal
  -m, --merge                   the files are in order already
  -o, --output=FILE             write to FILE, which may be one that is read
  -s, --stable                  lines with the same keys stay as they came
  -S, --buffer-size=SIZE        accepted and ignored
  -t, --field-separator=SEP     fields end at SEP; without it they start with blanks
  -T, --temporary-directory=DIR accepted and ignored
      --parallel=N              accepted and ignored
  -u, --unique                  one of several lines with the same keys; with -c, none may be the same
  -z, --zero-terminated         lines end in NUL, not in newline
      --help                    show this help
      --version                 show the version

KEYDEF is F[.C][OPTS][,F[.C][OPTS]], where the key starts and ends: F counts fields and C characters in them from 1.
OPTS are letters of the options above, for this key alone.
`

export const SORT_OPTIONS: OptionTable = {
  'b|ignore-leading-blanks': 'none',
  'd|dictionary-order': 'none',
  'f|ignore-case': 'none',
  'g|general-numeric-sort': 'none',
  'h|human-numeric-sort': 'none',
  'i|ignore-nonprinting': 'none',
  'M|month-sort': 'none',
  'n|numeric-sort': 'none',
  'R|random-sort': 'none',
  'random-source': 'required',
  'r|reverse': 'none',
  sort: 'required',
  'V|version-sort': 'none',
  'batch-size': 'required',
  c: 'none',
  C: 'none',
  check: 'optional',
  'compress-program': 'required',
  debug: 'none',
  'files0-from': 'required',
  'k|key': 'required',
  'm|merge': 'none',
  'o|output': 'required',
  's|stable': 'none',
  'S|buffer-size': 'required',
  't|field-separator': 'required',
  'T|temporary-directory': 'required',
  parallel: 'required',
  'u|unique': 'none',
  y: 'optional',
  'z|zero-terminated': 'none',
}

/** All that was asked of `sort`. */
export interface SortRequest {
  readonly plan: Omit<SortPlan, 'salt'>
  readonly operands: readonly string[]
  readonly filesFrom: string | null
  readonly check: 'tell' | 'quiet' | null
  readonly merge: boolean
  readonly output: string | null
  /** Some key is in random order. */
  readonly random: boolean
  readonly randomSource: string | null
}

/** Keys written the old way, `+1.2n -3`, as `-k` has them. */
export function withoutOldSyntax(args: readonly string[]): readonly string[] {
  if (!args.some((arg) => arg.startsWith('+'))) return args
  const modern: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    const start = /^\+([0-9]+)(?:\.([0-9]+))?([A-Za-z]*)$/.exec(arg)
    if (arg === '--' || start === null) {
      modern.push(...(arg === '--' ? args.slice(at) : [arg]))
      if (arg === '--') break
      continue
    }
    let key = `${Number(start[1]) + 1}.${Number(start[2] ?? 0) + 1}${start[3]}`
    const end = /^-([0-9]+)(?:\.([0-9]+))?([A-Za-z]*)$/.exec(args[at + 1] ?? '')
    if (end !== null) {
      at += 1
      const char = Number(end[2] ?? 0)
      key += char > 0 ? `,${Number(end[1]) + 1}.${char}${end[3]}` : Number(end[1]) > 0 ? `,${end[1]}${end[3]}` : ''
    }
    modern.push('-k', key)
  }
  return modern
}

/** Understands the options; what can't be ends the command with status 2. */
export function sortRequest({ options, operands, has, value }: ParsedOptions, context: CommandContext): SortRequest {
  const order = plainOrder()
  const given: SortKey[] = []
  let tab = -1
  let check: SortRequest['check'] = null
  const fail = (message: string): never => {
    throw new CommandFailure(message, 2)
  }
  const checkAs = (how: 'tell' | 'quiet') => {
    if (check !== null && check !== how) fail("options '-cC' are incompatible")
    check = how
  }
  const word = (name: string, argument: string, groups: readonly (readonly string[])[]): string => {
    try {
      return choice(context, name, argument, groups)
    } catch (error) {
      throw error instanceof CommandFailure ? new CommandFailure(error.message, 2) : error
    }
  }
  for (const option of options) {
    const argument = option.value ?? ''
    switch (option.name) {
      case 'k':
        given.push(parseSortKey(argument, context))
        break
      case 't': {
        const byte = tabByte(argument, context)
        if (tab >= 0 && tab !== byte) fail('incompatible tabs')
        tab = byte
        break
      }
      case 'sort':
        addLetters(order, SORT_WORDS.get(word('--sort', argument, SORT_WORD_GROUPS)) ?? '', 'both')
        break
      case 'c':
        checkAs('tell')
        break
      case 'C':
        checkAs('quiet')
        break
      case 'check':
        checkAs(word('--check', option.value ?? 'diagnose-first', [['quiet', 'silent'], ['diagnose-first']]) === 'quiet' ? 'quiet' : 'tell')
        break
      case 'o':
        if (value('o') !== argument) fail('multiple output files specified')
        break
      case 'S':
        checkBufferSize(argument)
        break
      case 'parallel':
      case 'batch-size':
        checkCount(option.name, argument, context)
        break
      default:
        if (option.name.length === 1) addLetters(order, option.name, 'both')
    }
  }
  const keys = given.map((key): SortKey => (isPlain(key) && !key.reverse ? { ...key, ...order } : key))
  if (keys.length === 0 && !isPlain(order)) keys.push({ ...order, field: 0, char: 0, endField: null, endChar: 0 })
  for (const key of keys) {
    const letters = incompatibleLetters(key)
    if (letters !== null) fail(`options '-${letters}' are incompatible`)
  }
  const filesFrom = value('files0-from')
  if (filesFrom !== null && operands[0] !== undefined) {
    throw new UsageError(`extra operand ${quotedFile(operands[0])}\nfile operands cannot be combined with --files0-from`)
  }
  if (check !== null) {
    const letter = check === 'tell' ? 'c' : 'C'
    if (operands[1] !== undefined) fail(`extra operand ${quotedFile(operands[1])} not allowed with -${letter}`)
    if (has('o')) fail(`options '-${letter}o' are incompatible`)
  }
  return {
    plan: { keys, tab, reverse: order.reverse, unique: has('u'), stable: has('s'), terminator: has('z') ? 0 : 10 },
    operands,
    filesFrom,
    check,
    merge: has('m'),
    output: value('o'),
    random: keys.some(({ random }) => random),
    randomSource: value('random-source'),
  }
}

const SORT_WORDS: ReadonlyMap<string, string> = new Map([
  ['general-numeric', 'g'],
  ['human-numeric', 'h'],
  ['month', 'M'],
  ['numeric', 'n'],
  ['random', 'R'],
  ['version', 'V'],
])

const SORT_WORD_GROUPS = [...SORT_WORDS.keys()].map((name) => [name])

function tabByte(text: string, context: CommandContext): number {
  if (text === '') throw new CommandFailure('empty tab', 2)
  if (text === '\\0') return 0
  const bytes = encode(text)
  if (bytes.length > 1) throw new CommandFailure(`multi-character tab ${quoted(context, text)}`, 2)
  return bytes[0] as number
}

function checkBufferSize(text: string): void {
  if (/^[0-9]+[%b]?$/.test(text)) return
  const digits = /^[0-9]+/.exec(text)?.[0]
  if (digits === undefined) throw new CommandFailure(`invalid -S argument ${quotedFile(text)}`, 2)
  if (Number.isNaN(parseSize(text))) throw new CommandFailure(`invalid suffix in -S argument ${quotedFile(text)}`, 2)
}

function checkCount(name: string, text: string, context: CommandContext): void {
  if (!/^[0-9]+$/.test(text)) throw new CommandFailure(`invalid --${name} argument ${quotedFile(text)}`, 2)
  if (name === 'parallel' && Number(text) === 0) throw new CommandFailure('number in parallel must be nonzero', 2)
  if (name === 'batch-size' && Number(text) < 2) {
    const message = `invalid --batch-size argument ${quoted(context, text)}`
    throw new CommandFailure(`${message}\n${context.name}: minimum --batch-size argument is ${quoted(context, '2')}`, 2)
  }
}
