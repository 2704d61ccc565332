import type { Regex } from '../../regex/regex.ts'
import { compileRegex, RegexError } from '../../regex/regex.ts'
import type { CommandContext } from '../command.ts'
import type { OptionTable, ParsedOption, ParsedOptions } from '../options.ts'
import { DIGITS, UsageError } from '../options.ts'
import { CommandFailure } from '../utility.ts'
import type { Colors } from './colors.ts'
import { diffColors } from './colors.ts'
import type { WhiteSpace } from './line-classes.ts'
import type { MergeFormats } from './merge-formats.ts'
import { FormatChoice } from './merge-formats.ts'

export const DIFF_OPTIONS: OptionTable = {
  ...DIGITS,
  // In the order in which they are named where an abbreviation isn't clear.
  C: 'required',
  U: 'required',
  c: 'none',
  h: 'none',
  u: 'none',
  binary: 'none',
  'q|brief': 'none',
  'changed-group-format': 'required',
  color: 'optional',
  context: 'optional',
  'e|ed': 'none',
  'x|exclude': 'required',
  'X|exclude-from': 'required',
  't|expand-tabs': 'none',
  'f|forward-ed': 'none',
  'from-file': 'required',
  help: 'none',
  'horizon-lines': 'required',
  'D|ifdef': 'required',
  'w|ignore-all-space': 'none',
  'B|ignore-blank-lines': 'none',
  'i|ignore-case': 'none',
  'ignore-file-name-case': 'none',
  'I|ignore-matching-lines': 'required',
  'b|ignore-space-change': 'none',
  'E|ignore-tab-expansion': 'none',
  'Z|ignore-trailing-space': 'none',
  'T|initial-tab': 'none',
  'L|label': 'required',
  'left-column': 'none',
  'line-format': 'required',
  'd|minimal': 'none',
  'N|new-file': 'none',
  'new-group-format': 'required',
  'new-line-format': 'required',
  'no-dereference': 'none',
  'no-ignore-file-name-case': 'none',
  normal: 'none',
  'old-group-format': 'required',
  'old-line-format': 'required',
  'l|paginate': 'none',
  palette: 'required',
  'n|rcs': 'none',
  'r|recursive': 'none',
  's|report-identical-files': 'none',
  'p|show-c-function': 'none',
  'F|show-function-line': 'required',
  'y|side-by-side': 'none',
  'H|speed-large-files': 'none',
  'S|starting-file': 'required',
  'strip-trailing-cr': 'none',
  'suppress-blank-empty': 'none',
  'suppress-common-lines': 'none',
  tabsize: 'required',
  'a|text': 'none',
  'to-file': 'required',
  'unchanged-group-format': 'required',
  'unchanged-line-format': 'required',
  'P|unidirectional-new-file': 'none',
  unified: 'optional',
  'v|version': 'none',
  'W|width': 'required',
}

export type OutputStyle = 'normal' | 'context' | 'unified' | 'ed' | 'forward-ed' | 'rcs' | 'columns' | 'merged'

export interface DiffSettings {
  readonly style: OutputStyle
  readonly brief: boolean
  readonly reportIdentical: boolean
  /** Lines shown around a change. */
  readonly context: number
  readonly horizon: number
  readonly width: number
  readonly leftColumn: boolean
  readonly suppressCommon: boolean
  /** Of the function lines to show; null for none. */
  readonly functionLine: Regex | null
  readonly labels: readonly string[]
  readonly expandTabs: boolean
  readonly initialTab: boolean
  readonly tabSize: number
  readonly suppressBlankEmpty: boolean
  readonly recursive: boolean
  readonly dereference: boolean
  readonly newFile: boolean
  readonly newFirstFile: boolean
  readonly ignoreNameCase: boolean
  readonly excluded: readonly string[]
  readonly excludeFrom: readonly string[]
  readonly startingFile: string | null
  readonly fromFile: string | null
  readonly toFile: string | null
  readonly ignoreCase: boolean
  readonly whiteSpace: WhiteSpace
  readonly ignoreBlankLines: boolean
  readonly ignoreLines: Regex | null
  readonly text: boolean
  readonly stripReturns: boolean
  readonly formats: MergeFormats
  readonly minimal: boolean
  readonly hasty: boolean
  readonly colors: Colors | null
  /** Files that don't differ give no output. */
  readonly silentWhenSame: boolean
}

const STYLES: ReadonlyMap<string, OutputStyle> = new Map([
  ['normal', 'normal'],
  ['c', 'context'],
  ['C', 'context'],
  ['context', 'context'],
  ['u', 'unified'],
  ['U', 'unified'],
  ['unified', 'unified'],
  ['e', 'ed'],
  ['f', 'forward-ed'],
  ['n', 'rcs'],
  ['y', 'columns'],
])
const FUNCTION_LINE = '^[[:alpha:]$_]'

/** What the options ask for. Throws {@link UsageError} and {@link CommandFailure}. */
export function diffSettings({ options, has, value }: ParsedOptions, context: CommandContext): DiffSettings {
  const chosen = new Set<OutputStyle>()
  const choose = (style: OutputStyle): void => {
    chosen.add(style)
    if (chosen.size > 1) throw new UsageError('conflicting output style options')
  }
  const shown = new ContextLines()
  const formats = new FormatChoice()
  const labels: string[] = []
  const numbers = new Map<string, number>()
  let space = 0
  for (const option of options) {
    const { name, value: argument } = option
    const known = STYLES.get(name)
    if (known !== undefined) choose(known)
    shown.take(option)
    if (name === 'L') {
      if (labels.length === 2) throw new CommandFailure('too many file label options', 2)
      labels.push(argument ?? '')
    } else if (formats.take(option)) choose('merged')
    else if (name === 'W' || name === 'tabsize') {
      const what = name === 'W' ? 'width' : name
      const given = count(argument ?? '', what, 1)
      if (numbers.has(what) && numbers.get(what) !== given) throw new CommandFailure(`conflicting ${what} options`, 2)
      numbers.set(what, given)
    } else if (name === 'horizon-lines') numbers.set(name, Math.max(numbers.get(name) ?? 0, count(argument ?? '', 'horizon length', 0)))
    else if (name === 'w') space = ALL
    else if (name === 'b') space = Math.max(space, AMOUNT)
    else if (name === 'E' && space < AMOUNT) space |= 1
    else if (name === 'Z' && space < AMOUNT) space |= 2
  }
  if (has('from-file') && has('to-file')) throw new CommandFailure('--from-file and --to-file both specified', 2)
  if (chosen.size === 0 && has('p')) shown.atLeastUsual()
  const style = [...chosen][0] ?? (has('p') ? 'context' : 'normal')
  const contextLines = shown.settled(style)
  const suppressCommon = has('suppress-common-lines')
  const functions = options.flatMap(({ name, value: argument }) => (name === 'p' ? [FUNCTION_LINE] : name === 'F' ? [argument ?? ''] : []))
  const ignored = options.flatMap(({ name, value: argument }) => (name === 'I' ? [argument ?? ''] : []))
  const namesOption = options.findLast(({ name }) => name.endsWith('ignore-file-name-case'))
  return {
    style,
    brief: has('q'),
    reportIdentical: has('s'),
    context: contextLines,
    horizon: Math.max(numbers.get('horizon-lines') ?? 0, contextLines),
    width: numbers.get('width') ?? 130,
    leftColumn: has('left-column'),
    suppressCommon,
    functionLine: anyOf(functions),
    labels,
    expandTabs: has('t'),
    initialTab: has('T'),
    tabSize: numbers.get('tabsize') ?? 8,
    suppressBlankEmpty: has('suppress-blank-empty'),
    recursive: has('r'),
    dereference: !has('no-dereference'),
    newFile: has('N'),
    newFirstFile: has('P'),
    ignoreNameCase: namesOption?.name === 'ignore-file-name-case',
    excluded: valuesOf(options, 'x'),
    excludeFrom: valuesOf(options, 'X'),
    startingFile: value('S'),
    fromFile: value('from-file'),
    toFile: value('to-file'),
    ignoreCase: has('i'),
    whiteSpace: SPACES[space] as WhiteSpace,
    ignoreBlankLines: has('B'),
    ignoreLines: anyOf(ignored),
    text: has('a'),
    stripReturns: has('strip-trailing-cr'),
    formats: formats.settled(),
    minimal: has('d'),
    hasty: has('H'),
    colors: diffColors(options, context),
    silentWhenSame: style === 'merged' ? formats.silentWhenSame() : style !== 'columns' || suppressCommon,
  }
}

const AMOUNT = 4
const ALL = 5
// GNU diff forgets about the tabs where trailing space is ignored too.
const SPACES: readonly WhiteSpace[] = ['nothing', 'tabs', 'trailing', 'trailing', 'amount', 'all']

/** How many lines to show around a change, from `-U 5`, `-u`, `-5` and the like. */
class ContextLines {
  #lines = -1
  #old = -1
  #explicit = false
  #afterDigit = false

  take({ name, value }: ParsedOption): void {
    const isDigit = /^[0-9]$/.test(name)
    if (isDigit) this.#old = this.#afterDigit ? Math.min(this.#old * 10 + Number(name), 2 ** 31) : Number(name)
    this.#afterDigit = isDigit
    if (!/^(?:[cCuU]|context|unified)$/.test(name)) return
    if (value === null) return this.atLeastUsual()
    this.#lines = Math.max(this.#lines, count(value, 'context length', 0))
    this.#explicit = true
  }

  atLeastUsual(): void {
    this.#lines = Math.max(this.#lines, 3)
  }

  settled(style: OutputStyle): number {
    const old = this.#old
    if (old < 0 || (style !== 'context' && style !== 'unified')) return Math.max(this.#lines, 0)
    return this.#lines < old || (old < this.#lines && !this.#explicit) ? old : this.#lines
  }
}

function count(text: string, what: string, least: number): number {
  if (!/^\s*\+?[0-9]+$/.test(text) || Number(text) < least) throw new UsageError(`invalid ${what} '${text}'`)
  return Math.min(Number(text), 2 ** 31)
}

function valuesOf(options: readonly ParsedOption[], wanted: string): string[] {
  return options.flatMap(({ name, value }) => (name === wanted && value !== null ? [value] : []))
}

function anyOf(patterns: readonly string[]): Regex | null {
  if (patterns.length === 0) return null
  for (const pattern of patterns) checked(pattern)
  return checked(patterns.join('\\|'))
}

function checked(pattern: string): Regex {
  try {
    return compileRegex(pattern, { syntax: 'basic' })
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new CommandFailure(`${pattern}: ${error.message}`, 2)
  }
}
