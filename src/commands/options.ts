/**
 * The options a command knows: each key lists its spellings, one letter for a short one, more for a long one, joined by `|`
 * (`'n|lines'`); the first is the name it goes by. The value says whether it takes an argument.
 */
export type OptionTable = Readonly<Record<string, 'none' | 'required' | 'optional'>>

export interface ParsedOption {
  /** The first spelling in the table. */
  readonly name: string
  /** Its argument; null where it has none. */
  readonly value: string | null
}

export interface ParsedOptions {
  /** In the order given. */
  readonly options: readonly ParsedOption[]
  readonly operands: readonly string[]
  /** `--help` or `--version` was among the options. */
  readonly asked: 'help' | 'version' | null
  has(name: string): boolean
  /** The argument of the last occurrence; null where the option was not given or had none. */
  value(name: string): string | null
}

/** Each digit as an option, for commands that have something to say of `-5` (where `numberOption` won't do). */
export const DIGITS: OptionTable = Object.fromEntries(Array.from('0123456789', (digit) => [digit, 'none'] as const))

/** Options that can't be understood; the message is GNU getopt's. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** Reads arguments as GNU getopt_long does: bundles, attached and separate values, abbreviated long options, `--`, options after operands. */
export function parseOptions(
  args: readonly string[],
  definition: { readonly options: OptionTable; readonly operandsEndOptions?: boolean; readonly numberOption?: string },
): ParsedOptions {
  const { short, long } = spellings(definition.options)
  const options: ParsedOption[] = []
  const operands: string[] = []
  let asked: 'help' | 'version' | null = null

  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=')
      const known = longOption(arg, equals < 0 ? arg.slice(2) : arg.slice(2, equals), long)
      if (known.name === 'help' || known.name === 'version') asked ??= known.name
      let value = equals < 0 ? null : arg.slice(equals + 1)
      if (value !== null && known.argument === 'none') throw new UsageError(`option '--${known.spelling}' doesn't allow an argument`)
      if (value === null && known.argument === 'required') {
        at += 1
        if (at >= args.length) throw new UsageError(`option '--${known.spelling}' requires an argument`)
        value = args[at] as string
      }
      options.push({ name: known.name, value })
      if (asked !== null) break
      continue
    }
    if (arg.length < 2 || !arg.startsWith('-')) {
      if (definition.operandsEndOptions === true) {
        operands.push(...args.slice(at))
        break
      }
      operands.push(arg)
      continue
    }
    if (definition.numberOption !== undefined && /^-[0-9]+$/.test(arg)) {
      options.push({ name: definition.numberOption, value: arg.slice(1) })
      continue
    }
    for (let i = 1; i < arg.length; ) {
      const letter = String.fromCodePoint(arg.codePointAt(i) as number)
      i += letter.length
      const known = short.get(letter)
      if (known === undefined) throw new UsageError(`invalid option -- '${letter}'`)
      if (known.argument === 'none') {
        if (known.name === 'help' || known.name === 'version') asked ??= known.name
        options.push({ name: known.name, value: null })
        continue
      }
      let value: string | null = i < arg.length ? arg.slice(i) : null
      if (value === null && known.argument === 'required') {
        at += 1
        if (at >= args.length) throw new UsageError(`option requires an argument -- '${letter}'`)
        value = args[at] as string
      }
      options.push({ name: known.name, value })
      break
    }
  }
  return {
    options,
    operands,
    asked,
    has: (name) => options.some((option) => option.name === name),
    value: (name) => options.findLast((option) => option.name === name)?.value ?? null,
  }
}

interface Spelling {
  readonly name: string
  readonly spelling: string
  readonly argument: 'none' | 'required' | 'optional'
}

const tables = new WeakMap<OptionTable, { short: Map<string, Spelling>; long: Map<string, Spelling> }>()

function spellings(table: OptionTable): { short: Map<string, Spelling>; long: Map<string, Spelling> } {
  const known = tables.get(table)
  if (known !== undefined) return known
  const short = new Map<string, Spelling>()
  const long = new Map<string, Spelling>()
  for (const [key, argument] of Object.entries(table)) {
    const [name, ...others] = key.split('|')
    if (name === undefined) continue
    for (const spelling of [name, ...others]) (spelling.length === 1 ? short : long).set(spelling, { name, spelling, argument })
  }
  for (const name of ['help', 'version']) if (!long.has(name)) long.set(name, { name, spelling: name, argument: 'none' })
  const built = { short, long }
  tables.set(table, built)
  return built
}

function longOption(word: string, given: string, long: ReadonlyMap<string, Spelling>): Spelling {
  const exact = long.get(given)
  if (exact !== undefined) return exact
  const possible = [...long.values()].filter((option) => option.spelling.startsWith(given))
  const first = possible[0]
  if (first === undefined) throw new UsageError(`unrecognized option '${word}'`)
  if (possible.some((option) => option.name !== first.name)) {
    throw new UsageError(`option '${word}' is ambiguous; possibilities: ${possible.map((option) => `'--${option.spelling}'`).join(' ')}`)
  }
  return first
}
