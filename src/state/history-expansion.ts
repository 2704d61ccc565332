import { historyWords, skipBlanks, wordEnd } from './history-words.ts'

/** What later expansions refer to: `!??`, `%`, `:&`. Carried from line to line. */
export interface HistoryExpansionState {
  /** Text that `!?TEXT?` last looked for. */
  readonly search: string | null
  /** The word that was found by it. */
  readonly match: string | null
  /** The last substitution. */
  readonly from: string | null
  readonly to: string
}

export interface HistoryExpansionOptions {
  /** The commands that can be referred to, oldest first. */
  readonly lines: readonly string[]
  /** Number of the first of them; 1 when left out. */
  readonly firstNumber?: number
  /** `histchars`: what begins an expansion, a quick substitution, a comment; `!^#` when left out. */
  readonly characters?: string
  /** The quote that an earlier line left open. */
  readonly quote?: '' | "'" | '"'
  /** `!(` is a pattern. */
  readonly extglob?: boolean
  readonly state?: HistoryExpansionState
}

/** What became of a line. `printed`: it goes to the history and is shown, but is not run (`:p`). */
export type HistoryExpansion = { readonly state: HistoryExpansionState } & (
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'expanded' | 'printed'; readonly line: string }
  /** `message` is `!x: event not found` and the like. */
  | { readonly kind: 'failed'; readonly message: string }
)

/** Replaces `!` and `^` references in a line as the interactive bash does before it parses. */
export function expandHistory(line: string, options: HistoryExpansionOptions): HistoryExpansion {
  return new Expander(line, options).run()
}

/** The state before anything was expanded. */
export const noExpansions: HistoryExpansionState = { search: null, match: null, from: null, to: '' }

/** Ends an expansion with a message about the text between two places of the line. */
class Failed extends Error {
  override readonly name: string = 'Failed'
}

const NOT_EXPANDED_BEFORE = ' \t\n\r='
const WORD_DELIMITERS = ' \t\n;&()|<>'
/** These end the text of `!TEXT`: what follows is a word designator. So does a `-` that isn't the first. */
const DESIGNATORS = ':^$*%'
const NUMBER = /\d+/y

class Expander {
  #line: string
  readonly #options: HistoryExpansionOptions
  readonly #mark: string
  readonly #comment: string
  readonly #quick: boolean
  #search: string | null
  #match: string | null
  #from: string | null
  #to: string
  #at = 0
  #output = ''
  #changed = false
  #printOnly = false

  constructor(line: string, options: HistoryExpansionOptions) {
    this.#options = options
    const characters = options.characters ?? '!^#'
    this.#mark = characters[0] ?? ''
    this.#comment = characters[2] ?? ''
    this.#quick = characters.length > 1 && line[0] === characters[1] && (options.quote ?? '') !== "'"
    this.#line = this.#quick ? `${this.#mark}${this.#mark}:s${line}` : line
    const { search, match, from, to } = options.state ?? noExpansions
    this.#search = search
    this.#match = match
    this.#from = from
    this.#to = to
  }

  run(): HistoryExpansion {
    try {
      if (this.#mark !== '' && this.#mayExpand()) this.#scan()
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      return { kind: 'failed', message: error.message, state: this.#state() }
    }
    const state = this.#state()
    if (!this.#changed) return { kind: 'unchanged', state }
    return { kind: this.#printOnly ? 'printed' : 'expanded', line: this.#output, state }
  }

  #state(): HistoryExpansionState {
    return { search: this.#search, match: this.#match, from: this.#from, to: this.#to }
  }

  /** Bash first looks whether there is anything to expand, by rules that take a backslash less seriously than those it then expands by. */
  #mayExpand(): boolean {
    if (this.#quick) return true
    const line = this.#line
    let inDouble = this.#options.quote === '"'
    for (let at = this.#start(); at < line.length; at++) {
      const [character, next] = [line[at], line[at + 1]]
      if (character === this.#comment && !inDouble && this.#isWordStart(at)) return false
      if (character === this.#mark) {
        if (!this.#isPlain(line, at, inDouble)) return true
      } else if (character === '\\') {
        if (inDouble ? next === '"' || next === this.#mark || next === "'" : next === "'" || next === this.#mark) at += 1
      } else if (character === '"') inDouble = !inDouble
      else if (character === "'" && !inDouble) at = this.#singleQuoteEnd(at + 1, line[at - 1] === '$') - 1
    }
    return false
  }

  /** Index after a single quote that an earlier line left open. */
  #start(): number {
    return this.#options.quote === "'" ? this.#singleQuoteEnd(0, false) : 0
  }

  #scan(): void {
    let inDouble = this.#options.quote === '"'
    this.#copy(this.#start())
    while (this.#at < this.#line.length) {
      const at = this.#at
      const character = this.#line[at] as string
      if (character === this.#mark) {
        // Bash looks at what it has written so far, and one character more.
        const written = this.#output + this.#line.slice(at, at + 2)
        if (this.#isPlain(written, this.#output.length, inDouble)) this.#copy(at + 1)
        else this.#expand(inDouble ? '"' : '')
      } else if (character === this.#comment && !inDouble && this.#isWordStart(at)) this.#copy(this.#line.length)
      else if (character === '\\') this.#copy(at + 2)
      else if (character === "'" && !inDouble) this.#copy(this.#singleQuoteEnd(at + 1, this.#line[at - 1] === '$'))
      else {
        if (character === '"') inDouble = !inDouble
        this.#copy(at + 1)
      }
    }
  }

  #copy(end: number): void {
    this.#output += this.#line.slice(this.#at, end)
    this.#at = Math.min(end, this.#line.length)
  }

  #isWordStart(at: number): boolean {
    return at === 0 || WORD_DELIMITERS.includes(this.#line[at - 1] as string)
  }

  /** Index after the closing quote; in `$'…'` a backslash quotes. */
  #singleQuoteEnd(start: number, escapes: boolean, line: string = this.#line): number {
    for (let at = start; at < line.length; at++) {
      if (escapes && line[at] === '\\') at += 1
      else if (line[at] === "'") return at + 1
    }
    return line.length
  }

  /** Whether the mark at `at` of a line stands for itself. */
  #isPlain(line: string, at: number, inDouble: boolean): boolean {
    const next = line[at + 1]
    if (next === undefined || NOT_EXPANDED_BEFORE.includes(next) || (inDouble && next === '"')) return true
    if (line[at - 1] === '[' && line.includes(']', at + 1)) return true
    if (at > 1 && line[at - 1] === '{' && line[at - 2] === '$' && line.includes('}', at + 1)) return true
    if (at > 1 && line[at - 1] === '$' && line[at] === '!') return true
    if (this.#options.extglob === true && at > 1 && next === '(' && line.includes(')', at + 2)) return true
    return this.#isQuoted(line, at)
  }

  /** Whether quotes that begin inside a substitution, and so are not seen from outside, protect the mark at `target`. */
  #isQuoted(line: string, target: number): boolean {
    // Not even a double quote that an earlier line left open counts here, so bash protects what follows a `'` in it.
    let inDouble = false
    let outside = false
    let commands = 0
    let inBackquotes = false
    for (let at = this.#start(); at < line.length; at++) {
      const character = line[at] as string
      if (character === '\\') at += 1
      else if (character === '`') {
        if (!inBackquotes) outside = inDouble
        inDouble = inBackquotes ? outside : false
        inBackquotes = !inBackquotes
      } else if (character === this.#mark) {
        if (inDouble && line[at + 1] === '"') continue
        if (at === 0 || at === target) return false
        if (at > target) return true
      } else if (character === "'" && !inDouble) {
        at = this.#singleQuoteEnd(at + 1, false, line) - 1
      } else if (character === '"') inDouble = !inDouble
      else if (character === '$' && line[at + 1] === '(') {
        commands += 1
        outside = inDouble
        inDouble = false
        at += 1
      } else if (character === ')' && commands > 0) {
        commands -= 1
        inDouble = outside
      }
    }
    return true
  }

  #expand(quote: string): void {
    const start = this.#at
    const event = this.#event(quote)
    if (event === null) this.#fail(start, this.#at, 'event not found')
    const specifier = this.#at
    const words = this.#words(event)
    if (words === null) this.#fail(specifier, this.#at, 'bad word specifier')
    this.#output += this.#modified(words)
    this.#changed = true
  }

  #fail(start: number, end: number, why: string): never {
    throw new Failed(`${this.#line.slice(start, Math.max(end, start + 1))}: ${why}`)
  }

  /** The command that is referred to; null where there is none. */
  #event(quote: string): string | null {
    const line = this.#line
    const { lines, firstNumber = 1 } = this.#options
    const next = line[this.#at + 1] as string
    if (':$*%^'.includes(next)) {
      this.#at += 1
      return lines.at(-1) ?? null
    }
    this.#at += 2
    if (next === '#') return this.#output
    if (next === this.#mark) return lines.at(-1) ?? null
    this.#at -= 1
    const negative = next === '-' && /\d/.test(line[this.#at + 1] ?? '')
    if (negative) this.#at += 1
    const number = this.#number()
    if (number !== null) return lines[negative ? lines.length - number : number - firstNumber] ?? null
    if (next === '?') return this.#eventWith()
    return this.#eventFrom(quote)
  }

  #number(): number | null {
    NUMBER.lastIndex = this.#at
    const digits = NUMBER.exec(this.#line)?.[0]
    if (digits === undefined) return null
    this.#at += digits.length
    return Number(digits)
  }

  /** `!?TEXT?` */
  #eventWith(): string | null {
    const start = this.#at + 1
    let end = start
    while (end < this.#line.length && this.#line[end] !== '?' && this.#line[end] !== '\n') end += 1
    this.#at = this.#line[end] === '?' ? end + 1 : end
    const text = this.#line.slice(start, end) || this.#search
    if (text === null || text === '') return null
    const found = this.#options.lines.findLast((command) => command.includes(text))
    if (found === undefined) return null
    const at = found.lastIndexOf(text)
    this.#search = text
    this.#match = historyWords(found, this.#comment).find((word) => at >= word.start && at < word.end)?.text ?? null
    return found
  }

  /** `!TEXT` */
  #eventFrom(quote: string): string | null {
    const start = this.#at
    let end = start
    while (end < this.#line.length) {
      const character = this.#line[end] as string
      if (WORD_DELIMITERS.includes(character) || DESIGNATORS.includes(character) || character === quote) break
      if (character === '-' && end > start) break
      end += 1
    }
    this.#at = end
    const text = this.#line.slice(start, end)
    if (text === '') return null
    return this.#options.lines.findLast((command) => command.startsWith(text)) ?? null
  }

  /** What a word designator takes of the event: all of it where there is none; null where it names words that aren't there. */
  #words(event: string): string | null {
    const line = this.#line
    const start = this.#at
    const colon = line[start] === ':'
    if (colon) this.#at += 1
    const first = line[this.#at]
    if (first === '%') {
      this.#at += 1
      return this.#match ?? ''
    }
    if (first === '*') {
      this.#at += 1
      return this.#pick(event, 1, 'last') ?? ''
    }
    if (first === '$') {
      this.#at += 1
      // An event without words has no last one: it stands for itself.
      return this.#pick(event, 'last', 'last') ?? event
    }
    const from = this.#firstWord(colon)
    if (from === null) {
      this.#at = start
      return event
    }
    const to = this.#lastWord(from)
    return typeof to === 'number' && to >= 0 && to < from ? null : this.#pick(event, from, to)
  }

  #firstWord(colon: boolean): number | null {
    const character = this.#line[this.#at]
    if (character === '-') return 0
    if (character === '^') {
      this.#at += 1
      return 1
    }
    return colon ? this.#number() : null
  }

  /** -1 stands for the last word but one. */
  #lastWord(from: number): number | 'last' {
    const character = this.#line[this.#at]
    if (character === '^' || character === '*') {
      this.#at += 1
      return character === '^' ? 1 : 'last'
    }
    if (character !== '-') return from
    this.#at += 1
    const number = this.#number()
    if (number !== null) return number
    const end = this.#line[this.#at]
    if (end !== '$' && end !== '^') return -1
    this.#at += 1
    return end === '$' ? 'last' : 1
  }

  #pick(event: string, from: number | 'last', to: number | 'last'): string | null {
    const words = historyWords(event, this.#comment).map(({ text }) => text)
    if (words.length === 0) return null
    const first = from === 'last' ? words.length - 1 : from
    const last = to === 'last' ? words.length - 1 : to < 0 ? words.length - 2 : to
    if (first >= words.length || last >= words.length || first > last + 1) return null
    return words.slice(first, last + 1).join(' ')
  }

  #modified(words: string): string {
    const line = this.#line
    const start = this.#at
    let text = words
    let quoting = ''
    while (line[this.#at] === ':') {
      let letter = line[this.#at + 1] ?? ''
      let scope: 'first' | 'all' | 'each word' = 'first'
      if ('ga'.includes(letter) && letter !== '') scope = 'all'
      else if (letter === 'G') scope = 'each word'
      if (scope !== 'first') {
        this.#at += 1
        letter = line[this.#at + 1] ?? ''
      }
      if (letter === 's' || letter === '&') {
        text = this.#substituted(text, letter, scope, start)
        continue
      }
      switch (letter) {
        case 'q':
        case 'x':
          quoting = letter
          break
        case 'p':
          this.#printOnly = true
          break
        case 't':
          text = text.slice(text.lastIndexOf('/') + 1)
          break
        case 'h':
          text = before(text, '/')
          break
        case 'r':
          text = before(text, '.')
          break
        case 'e':
          text = text.slice(Math.max(0, text.lastIndexOf('.')))
          break
        default:
          this.#fail(this.#at + 1, this.#at + 2, 'unrecognized history modifier')
      }
      this.#at += 2
    }
    if (quoting === 'q') return singleQuoted(text)
    return quoting === 'x'
      ? text
          .split(/([ \t\n])/)
          .map((part, i) => (i % 2 === 0 ? singleQuoted(part) : part))
          .join('')
      : text
  }

  #substituted(text: string, letter: string, scope: 'first' | 'all' | 'each word', start: number): string {
    const line = this.#line
    if (letter === 's') {
      const delimiter = line[this.#at + 2]
      if (delimiter === undefined) {
        this.#at += 2
        return text
      }
      this.#at += 3
      const from = this.#pattern(delimiter)
      if (from !== '') this.#from = from
      else this.#from ??= this.#search
      const by = this.#from ?? ''
      this.#to = this.#pattern(delimiter).replace(/\\&|&/g, (found) => (found === '&' ? by : '&'))
    } else this.#at += 2
    if (this.#from === null || this.#from === '') this.#fail(start, this.#at, 'no previous substitution')
    const replaced = replace(text, this.#from, this.#to, scope)
    if (replaced === null) this.#fail(start, this.#at, 'substitution failed')
    return replaced
  }

  /** The text up to the delimiter, which a backslash quotes. */
  #pattern(delimiter: string): string {
    const line = this.#line
    let pattern = ''
    while (this.#at < line.length && line[this.#at] !== delimiter) {
      if (line[this.#at] === '\\' && line[this.#at + 1] === delimiter) this.#at += 1
      pattern += line[this.#at]
      this.#at += 1
    }
    if (this.#at < line.length) this.#at += 1
    return pattern
  }
}

function before(text: string, mark: string): string {
  const at = text.lastIndexOf(mark)
  return at === -1 ? text : text.slice(0, at)
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Null where `from` isn't found. */
function replace(text: string, from: string, to: string, scope: 'first' | 'all' | 'each word'): string | null {
  if (!text.includes(from)) return null
  if (scope === 'all') return text.replaceAll(from, () => to)
  if (scope === 'first') return text.replace(from, () => to)
  return replaceInWords(text, from, to)
}

/** As bash counts: where a word was replaced in, the next is looked for after where that word ended before. */
function replaceInWords(text: string, from: string, to: string): string {
  let result = text
  let end = 0
  for (let at = 0; at + from.length <= result.length; at++) {
    if (at > end) {
      at = skipBlanks(result, at)
      end = wordEnd(result, at)
    }
    if (!result.startsWith(from, at)) continue
    result = result.slice(0, at) + to + result.slice(at + from.length)
    at = end
  }
  return result
}
