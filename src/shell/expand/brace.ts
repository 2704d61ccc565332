import { WorkspaceError } from '../../errors.ts'
import type { Word, WordPart } from '../syntax/ast.ts'

/**
 * Brace expansion: `{a,b}`, `{1..9..2}`, `{a..e}`, nested and side by side. Only unquoted text counts, and braces that make no such
 * expression stay as they are. The words made keep the `raw` of the one they come from. Throws LIMIT_EXCEEDED where it would make
 * more than a million words.
 */
export function expandBraces(word: Word): readonly Word[] {
  if (!word.parts.some((part) => part.type === 'text' && !part.quoted && part.text.includes('{'))) return [word]
  const expander = new BraceExpander(tokensOf(word.parts))
  const items = expander.expand()
  return expander.expanded ? items.map((item) => toWord(item, word.raw)) : [word]
}

const MAX_WORDS = 1_000_000
const MAX_DEPTH = 500
/** Tokens looked at before a word is given up: thousands of braces that close nothing would take quadratic time. */
const MAX_STEPS = 5_000_000

/** A character of unquoted text, or a part that is passed through as it is. */
type Token = string | WordPart

/** One result: text alone, or a row of texts and parts. */
type Item = string | readonly Token[]

function tokensOf(parts: readonly WordPart[]): readonly Token[] {
  return parts.flatMap((part): readonly Token[] => (part.type === 'text' && !part.quoted ? part.text.split('') : [part]))
}

class BraceExpander {
  expanded = false
  readonly #tokens: readonly Token[]
  #steps = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  expand(): readonly Item[] {
    return this.#range(0, this.#tokens.length)
  }

  #range(from: number, to: number): readonly Item[] {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new WorkspaceError('LIMIT_EXCEEDED', `brace expansion: braces nest deeper than ${MAX_DEPTH}`)
    let result: readonly Item[] = ['']
    let start = from
    while (start < to) {
      const open = this.#opening(start, to)
      result = product(result, [this.#item(start, open ?? to)])
      if (open === null) break
      const close = this.#find('}', open + 1, to) as number
      const made = this.#hasComma(open + 1, close) ? this.#alternatives(open + 1, close) : this.#sequence(open + 1, close)
      if (made !== null) this.expanded = true
      result = product(result, made ?? [this.#item(open, close + 1)])
      start = close + 1
    }
    this.#depth -= 1
    return result
  }

  /** The next `{` that a `}` with a comma or `..` between them closes. */
  #opening(from: number, to: number): number | null {
    let at = from
    for (;;) {
      const open = this.#find('{', at, to, from)
      if (open === null) return null
      if (this.#find('}', open + 1, to) !== null) return open
      at = open + 1
    }
  }

  /** Offset of the wanted token outside inner braces. A `}` counts only behind a comma or `..`; `{}` at the start is passed over. */
  #find(wanted: '{' | '}' | ',', from: number, to: number, start = from): number | null {
    let level = 0
    let separated = wanted !== '}'
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at]
      if (token === wanted && level === 0 && separated) {
        const emptyPair = token === '{' && at === start && this.#tokens[at + 1] === '}' && at + 1 < to
        if (!emptyPair) return at
      } else if (token === '{') level += 1
      else if (token === '}') {
        if (level > 0) level -= 1
      } else if (level === 0 && !separated) {
        separated = token === ',' || (token === '.' && this.#tokens[at + 1] === '.' && this.#tokens[at + 2] !== '}')
      }
      this.#steps += 1
      if (this.#steps > MAX_STEPS) throw new WorkspaceError('LIMIT_EXCEEDED', 'brace expansion: too many braces in one word')
    }
    return null
  }

  #hasComma(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#tokens[at] === ',') return true
    return false
  }

  #alternatives(from: number, to: number): readonly Item[] {
    const items: Item[] = []
    let start = from
    for (;;) {
      const comma = this.#find(',', start, to)
      for (const item of this.#range(start, comma ?? to)) items.push(item)
      limit(items.length)
      if (comma === null) return items
      start = comma + 1
    }
  }

  #sequence(from: number, to: number): readonly Item[] | null {
    let text = ''
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at]
      if (typeof token !== 'string') return null
      text += token
    }
    return characterSequence(text) ?? integerSequence(text)
  }

  #item(from: number, to: number): Item {
    const tokens = this.#tokens.slice(from, to)
    return tokens.every((token) => typeof token === 'string') ? tokens.join('') : tokens
  }
}

function characterSequence(text: string): readonly Item[] | null {
  const match = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.([+-]?\d+))?$/.exec(text)
  if (match === null) return null
  const codes = series(BigInt((match[1] as string).charCodeAt(0)), BigInt((match[2] as string).charCodeAt(0)), match[3])
  // Between Z and a there is a backslash, which then quotes nothing: an empty word, as in bash.
  return codes?.map((code) => (code === 92 ? [{ type: 'text', text: '', quoted: true }] : String.fromCharCode(Number(code)))) ?? null
}

function integerSequence(text: string): readonly Item[] | null {
  const match = /^([+-]?\d+)\.\.([+-]?\d+)(?:\.\.([+-]?\d+))?$/.exec(text)
  if (match === null) return null
  const left = match[1] as string
  const right = match[2] as string
  const start = BigInt(unsigned(left))
  const end = BigInt(unsigned(right))
  if (!fits(start) || !fits(end)) return null
  const padded = /^-?0\d/.test(left) || /^-?0\d/.test(right)
  const width = padded ? Math.max(left.length, right.length) : 0
  return series(start, end, match[3])?.map((value) => (width === 0 ? String(value) : pad(String(value), width))) ?? null
}

function series(start: bigint, end: bigint, step: string | undefined): readonly (number | bigint)[] | null {
  const given = BigInt(step === undefined ? '1' : unsigned(step))
  if (!fits(given)) return null
  const size = given === 0n ? 1n : given < 0n ? -given : given
  const count = Number((end > start ? end - start : start - end) / size) + 1
  limit(count)
  const by = end >= start ? size : -size
  const last = start + by * BigInt(count - 1)
  // Numbers where they will do are faster by far.
  if (isSafe(start) && isSafe(last) && isSafe(by)) {
    const [from, stride] = [Number(start), Number(by)]
    return Array.from({ length: count }, (_, at) => from + at * stride)
  }
  return Array.from({ length: count }, (_, at) => start + BigInt(at) * by)
}

function isSafe(value: bigint): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER
}

/** BigInt() takes no plus sign. */
function unsigned(digits: string): string {
  return digits.startsWith('+') ? digits.slice(1) : digits
}

function fits(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

function pad(digits: string, width: number): string {
  return digits.startsWith('-') ? `-${digits.slice(1).padStart(width - 1, '0')}` : digits.padStart(width, '0')
}

function product(left: readonly Item[], right: readonly Item[]): readonly Item[] {
  if (left.length === 1 && left[0] === '') return right
  limit(left.length * right.length)
  return left.flatMap((one) => right.map((other) => joined(one, other)))
}

function joined(left: Item, right: Item): Item {
  if (typeof left === 'string' && typeof right === 'string') return left + right
  return [...(typeof left === 'string' ? [left] : left), ...(typeof right === 'string' ? [right] : right)]
}

function limit(words: number): void {
  if (words > MAX_WORDS) throw new WorkspaceError('LIMIT_EXCEEDED', `brace expansion: ${words} words, the limit is ${MAX_WORDS}`)
}

function toWord(item: Item, raw: string): Word {
  if (typeof item === 'string' && item !== '' && !item.startsWith('~')) {
    return { type: 'word', parts: [{ type: 'text', text: item, quoted: false }], raw }
  }
  const parts: WordPart[] = []
  for (const token of typeof item === 'string' ? [item] : item) {
    if (token === '') continue
    const previous = parts.at(-1)
    if (typeof token !== 'string') parts.push(token)
    else if (previous?.type === 'text' && !previous.quoted) parts[parts.length - 1] = { ...previous, text: previous.text + token }
    else parts.push({ type: 'text', text: token, quoted: false })
  }
  return { type: 'word', parts: withTilde(withLongerNames(parts)), raw }
}

/** Braces come before parameters: in `$x{a,b}` the variables are `xa` and `xb`. */
function withLongerNames(parts: WordPart[]): WordPart[] {
  for (let at = 0; at + 1 < parts.length; at++) {
    const part = parts[at] as WordPart
    const next = parts[at + 1] as WordPart
    if (part.type !== 'parameter' || part.braced || next.type !== 'text' || next.quoted || !/^[a-zA-Z_]/.test(part.name)) continue
    const more = /^[a-zA-Z_0-9]*/.exec(next.text)?.[0] ?? ''
    if (more === '') continue
    parts[at] = { ...part, name: part.name + more }
    parts[at + 1] = { ...next, text: next.text.slice(more.length) }
  }
  return parts
}

/** And before tildes: `{~,x}` has one. */
function withTilde(parts: WordPart[]): WordPart[] {
  const first = parts[0]
  if (first?.type !== 'text' || first.quoted || !first.text.startsWith('~')) return parts
  const match = /^~([a-zA-Z0-9_.+-]*)(?=\/|$)/.exec(first.text)
  if (match === null) return parts
  const rest = first.text.slice(match[0].length)
  if (rest === '' && parts.length > 1) return parts
  return [{ type: 'tilde', user: match[1] as string }, ...(rest === '' ? [] : [{ ...first, text: rest }]), ...parts.slice(1)]
}
