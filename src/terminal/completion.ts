import type { MaybePromise } from '../host.ts'
import type { Completion } from './line-editor/line-editor.ts'

/** What a word can be completed from. */
export interface CompletionSource {
  readonly cwd: string
  readonly home: string | null
  /** Names that can be run. */
  commands(): MaybePromise<Iterable<string>>
  /** Names of variables. */
  variables(): MaybePromise<Iterable<string>>
  /** What a directory holds; nothing where it can't be read. The path is absolute, and may hold `.` and `..`. */
  entries(directory: string): MaybePromise<Iterable<{ readonly name: string; readonly isDirectory: boolean }>>
}

type Quote = '' | "'" | '"'

/** The word that ends at the cursor. */
interface Word {
  readonly start: number
  /** Its text without quotes and backslashes. */
  readonly value: string
  /** Where the text behind its last slash starts, in the line and in `value`. */
  readonly base: { readonly at: number; readonly inValue: number }
  /** Open at the cursor. */
  readonly quote: Quote
  /** Where an unquoted `$` begins a variable that goes to the cursor, in the line. */
  readonly variable: number | null
  readonly isCommand: boolean
}

/** Words behind which a command begins. */
const OPENERS = new Set(['!', '{', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while'])
const SPECIAL = /[\s"'\\$`&|;()<>*?[\]{}!#~=%^]/g

/** What could stand in place of the word before the cursor: a command, a variable or a path. */
export async function completeLine(text: string, cursor: number, source: CompletionSource): Promise<Completion> {
  const word = wordAt(text.slice(0, cursor))
  if (word.variable !== null) return completeVariable(text.slice(word.variable, cursor), word.variable, source)
  if (word.isCommand && !word.value.includes('/') && !word.value.startsWith('~')) {
    const names = await source.commands()
    return candidates(word.start, startingWith(word.value, names), (name) => `${quoted(name, word.quote)}${closing(word.quote)} `)
  }
  return completePath(word, source)
}

async function completeVariable(typed: string, start: number, source: CompletionSource): Promise<Completion> {
  const brace = typed.startsWith('${')
  const opening = brace ? '${' : '$'
  const names = startingWith(typed.slice(opening.length), await source.variables())
  return candidates(start, names, (name) => `${opening}${name}${brace ? '}' : ''}`)
}

async function completePath(word: Word, source: CompletionSource): Promise<Completion> {
  const folder = word.value.slice(0, word.base.inValue)
  const base = word.value.slice(word.base.inValue)
  const entries = [...(await source.entries(absolute(folder, source)))]
  const found = entries.filter((entry) => entry.name.startsWith(base) && (base.startsWith('.') || !entry.name.startsWith('.')))
  const isDirectory = new Map(found.map((entry) => [entry.name, entry.isDirectory]))
  const shown = (name: string): string => (isDirectory.get(name) ? `${name}/` : name)
  return candidates(
    word.base.at,
    [...isDirectory.keys()],
    (name) => (isDirectory.get(name) ? `${quoted(name, word.quote)}/` : `${quoted(name, word.quote)}${closing(word.quote)} `),
    shown,
  )
}

function absolute(folder: string, source: CompletionSource): string {
  const home = /^~\//.test(folder) && source.home !== null ? source.home + folder.slice(1) : folder
  return home.startsWith('/') ? home : `${source.cwd === '/' ? '' : source.cwd}/${home}`
}

function startingWith(prefix: string, names: Iterable<string>): readonly string[] {
  return [...new Set(names)].filter((name) => name.startsWith(prefix))
}

function candidates(
  start: number,
  names: readonly string[],
  written: (name: string) => string,
  shown = (name: string): string => name,
): Completion {
  const sorted = [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return { start, candidates: sorted.map((name) => ({ text: written(name), shown: shown(name) })) }
}

/** A name as it stands in the line. */
export function quoted(name: string, quote: Quote): string {
  if (quote === "'") return name.replaceAll("'", "'\\''")
  if (quote === '"') return name.replace(/["\\$`]/g, '\\$&')
  return name.replace(SPECIAL, '\\$&')
}

function closing(quote: Quote): string {
  return quote
}

function wordAt(line: string): Word {
  let start = 0
  let value = ''
  let base = { at: 0, inValue: 0 }
  let quote: Quote = ''
  let isCommand = true
  let inWord = false
  let variable: number | null = null

  const begin = (at: number): void => {
    start = at
    value = ''
    base = { at, inValue: 0 }
    inWord = false
    variable = null
  }
  const finish = (at: number): void => {
    if (inWord && !OPENERS.has(value) && !/^[A-Za-z_]\w*\+?=/.test(value)) isCommand = false
    begin(at)
  }

  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string
    if (variable !== null && !/^(\$\{?\w*)$/.test(line.slice(variable, at + 1))) variable = null
    if (quote === "'" && char !== "'") {
      value += char
    } else if (char === "'" && quote !== '"') {
      quote = quote === '' ? "'" : ''
      if (quote !== '' && !inWord) base = { at: at + 1, inValue: 0 }
      inWord = true
    } else if (char === '"') {
      quote = quote === '' ? '"' : ''
      if (quote !== '' && !inWord) base = { at: at + 1, inValue: 0 }
      inWord = true
    } else if (char === '\\' && at + 1 < line.length) {
      at += 1
      value += line[at]
      inWord = true
    } else if (quote === '' && /\s/.test(char)) {
      finish(at + 1)
      if (char === '\n') isCommand = true
    } else if (quote === '' && /[|&;(`]/.test(char)) {
      begin(at + 1)
      isCommand = true
    } else if (quote === '' && /[<>]/.test(char)) {
      begin(at + 1)
      isCommand = false
    } else {
      if (char === '$') variable = at
      value += char
      inWord = true
    }
    if ((char === '/' || (char === '=' && quote === '')) && value.endsWith(char)) base = { at: at + 1, inValue: value.length }
  }
  return { start, value: valueFrom(value, base.inValue), base: shifted(value, base), quote, variable, isCommand }
}

/** Behind `NAME=` and `--option=` a path of its own begins. */
function valueFrom(value: string, inValue: number): string {
  return value.slice(value.lastIndexOf('=', inValue) + 1)
}

function shifted(value: string, base: Word['base']): Word['base'] {
  return { at: base.at, inValue: base.inValue - (value.lastIndexOf('=', base.inValue) + 1) }
}
