import { encode } from '../../bytes.ts'
import { quoteMinimal, quoteSingle } from '../expand/quote.ts'
import type { CompletionSpec } from '../machine/environment.ts'

/** Actions that have a letter, in the order `complete -p` shows them. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['a', 'alias'],
  ['b', 'builtin'],
  ['c', 'command'],
  ['d', 'directory'],
  ['e', 'export'],
  ['f', 'file'],
  ['g', 'group'],
  ['j', 'job'],
  ['k', 'keyword'],
  ['s', 'service'],
  ['u', 'user'],
  ['v', 'variable'],
])

/** Actions without one, likewise. */
const LONG: readonly string[] = [
  'arrayvar',
  'binding',
  'disabled',
  'enabled',
  'function',
  'helptopic',
  'hostname',
  'running',
  'setopt',
  'shopt',
  'signal',
  'stopped',
]

const ACTIONS: ReadonlySet<string> = new Set([...LETTERS.values(), ...LONG])

/** What `-o` may name, in the order it is shown. */
export const COMPLETION_OPTIONS: readonly string[] = [
  'bashdefault',
  'default',
  'dirnames',
  'filenames',
  'noquote',
  'nosort',
  'nospace',
  'plusdirs',
]

/** Letters that say what is completed, as `readOptions` takes them. */
export const SPEC_LETTERS = 'abcdefgjksuvo:A:G:W:P:S:X:F:C:'

/** The specification that options make; a message where one of them is wrong. */
export function specOf(letters: readonly { readonly letter: string; readonly value: string }[]): CompletionSpec | string {
  const actions = new Set<string>()
  const options = new Set<string>()
  const values = new Map<string, string>()
  for (const { letter, value } of letters) {
    const action = LETTERS.get(letter)
    if (action !== undefined) actions.add(action)
    else if (letter === 'A') {
      if (!ACTIONS.has(value)) return `${value}: invalid action name`
      actions.add(value)
    } else if (letter === 'o') {
      if (!COMPLETION_OPTIONS.includes(value)) return `${value}: invalid option name`
      options.add(value)
    } else if (letter === 'F' && /[ \t\n;&|()<>]/.test(value)) return `\`${value}': not a valid identifier`
    else values.set(letter, value)
  }
  const text = (letter: string): string | null => values.get(letter) ?? null
  return {
    actions: [...actions],
    options: [...options],
    glob: text('G'),
    words: text('W'),
    prefix: text('P'),
    suffix: text('S'),
    filter: text('X'),
    command: text('C'),
    function: text('F'),
  }
}

/** Names under which `-D`, `-E` and `-I` are kept. */
export const SPECIAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['D', '_DefaultCmD_'],
  ['E', '_EmptycmD_'],
  ['I', '_InitialWorD_'],
])

/** The command that makes a specification again, as `complete -p` prints it. */
export function specLine(name: string, spec: CompletionSpec): string {
  const words = ['complete']
  for (const option of COMPLETION_OPTIONS) if (spec.options.includes(option)) words.push(`-o ${option}`)
  for (const [letter, action] of LETTERS) if (spec.actions.includes(action)) words.push(`-${letter}`)
  for (const action of LONG) if (spec.actions.includes(action)) words.push(`-A ${action}`)
  const quoted = (letter: string, text: string | null): void => {
    if (text !== null) words.push(`-${letter} ${text === '' ? "''" : quoteSingle(text)}`)
  }
  quoted('G', spec.glob)
  quoted('W', spec.words)
  quoted('P', spec.prefix)
  quoted('S', spec.suffix)
  quoted('X', spec.filter)
  quoted('C', spec.command)
  if (spec.function !== null) words.push(`-F ${spec.function}`)
  const special = [...SPECIAL_NAMES].find(([, kept]) => kept === name)?.[0]
  words.push(special === undefined ? (name === '' ? "''" : quoteMinimal(name)) : `-${special}`)
  return `${words.join(' ')}\n`
}

/** The options of a specification, as `compopt` prints them. */
export function optionsLine(name: string, options: readonly string[]): string {
  const special = [...SPECIAL_NAMES].find(([, kept]) => kept === name)?.[0]
  const shown = COMPLETION_OPTIONS.map((option) => `${options.includes(option) ? '-' : '+'}o ${option}`)
  return `${['compopt', ...shown, ...(name === '' ? [] : [special === undefined ? quoteMinimal(name) : `-${special}`])].join(' ')}\n`
}

/** Names in the order bash's own table has them. */
export function specNames(completions: ReadonlyMap<string, CompletionSpec>): string[] {
  let buckets = 512
  while (completions.size >= buckets * 2) buckets *= 4
  return [...completions.keys()]
    .map((name, at) => ({ name, at, bucket: bucketOf(name, buckets) }))
    .sort((a, b) => a.bucket - b.bucket || b.at - a.at)
    .map(({ name }) => name)
}

function bucketOf(name: string, buckets: number): number {
  let hash = 2_166_136_261
  for (const byte of encode(name)) hash = Math.imul(hash, 16_777_619) ^ byte
  return hash & (buckets - 1)
}
