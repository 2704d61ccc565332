import { decode } from '../../bytes.ts'

/** How input is cut into words. */
export interface WordRules {
  /** A line is one word, leading blanks dropped. */
  readonly lines: boolean
  /** Where lines end is wanted. */
  readonly countsLines: boolean
  /** A word that ends the input; null for none. */
  readonly end: string | null
}

/** What a piece of input holds. */
export interface Words {
  readonly words: readonly string[]
  /** For each word, whether its line ends with it; empty where that isn't wanted. */
  readonly endsLine: readonly boolean[]
  /** The word that ends all input was among them. */
  readonly isEnd: boolean
  /** A quote was left open, after those words. */
  readonly open: { readonly quote: 'single' | 'double'; readonly text: string } | null
  /** A zero byte is among them. */
  readonly hasNul: boolean
}

const PLAIN = /^[^'"\\\0]*$/
const BLANKS = /[ \t\n]+/

/** Cuts input into words as xargs does: blanks and newlines apart them, quotes and backslashes keep them together. */
export class WordReader {
  readonly #rules: WordRules
  /** A word that a backslash carries over to the next piece. */
  #carried: string | null = null
  #isFirst = true

  constructor(rules: WordRules) {
    this.#rules = rules
  }

  /** Words of a piece of whole lines; the `last` may lack its newline. */
  read(bytes: Uint8Array, last: boolean): Words {
    const text = decode(bytes)
    const { lines, countsLines, end } = this.#rules
    if (!lines && !countsLines && end === null && !last && this.#carried === null && PLAIN.test(text)) return plainWords(text)
    return this.#scan(text, last)
  }

  #scan(text: string, last: boolean): Words {
    const { lines, end } = this.#rules
    const words: string[] = []
    const endsLine: boolean[] = []
    let word = this.#carried
    this.#carried = null
    const done = (isEnd: boolean, open: Words['open'] = null): Words => ({ words, endsLine, isEnd, open, hasNul: text.includes('\0') })
    const push = (atNewline: boolean): boolean => {
      const kept = word as string
      word = null
      if (end !== null && beforeNul(kept) === end) return false
      words.push(kept)
      endsLine.push(atNewline)
      this.#isFirst = atNewline
      return true
    }
    for (let at = 0; at < text.length; at++) {
      const char = text[at] as string
      if (char === '\n') {
        if (word !== null && !push(true)) return done(true)
        continue
      }
      if (char === ' ' || char === '\t') {
        if (word === null) continue
        if (lines) word += char
        else if (!push(false)) return done(true)
        continue
      }
      if (char === '\\') {
        at += 1
        word ??= ''
        word += text[at] ?? ''
        // The newline is part of the word, and what follows lies in the next piece.
        if (at === text.length - 1 && !last) {
          this.#carried = word
          return done(false)
        }
        continue
      }
      if (char === "'" || char === '"') {
        const newline = text.indexOf('\n', at)
        const close = text.indexOf(char, at + 1)
        if (close < 0 || (newline >= 0 && newline < close)) {
          const partial = (word ?? '') + text.slice(at + 1, newline < 0 ? text.length : newline)
          if (partial === '' && newline < 0) return done(false)
          return done(false, { quote: char === '"' ? 'double' : 'single', text: partial })
        }
        word = (word ?? '') + text.slice(at + 1, close)
        at = close
        continue
      }
      const from = at
      while (at + 1 < text.length && !SPECIAL.has(text.charCodeAt(at + 1))) at += 1
      word = (word ?? '') + text.slice(from, at + 1)
    }
    // Quotes around nothing are no word where the input ends behind them.
    if (word !== null && word !== '') {
      // A word that ends the input with no newline behind it only counts as the mark where it stands first.
      const mark = this.#isFirst || lines
      if (word !== end || mark) {
        if (!push(true)) return done(true)
      } else {
        words.push(word)
        endsLine.push(true)
      }
    }
    return done(false)
  }
}

/** A word as a C string. */
export function beforeNul(word: string): string {
  const nul = word.indexOf('\0')
  return nul < 0 ? word : word.slice(0, nul)
}

const SPECIAL: ReadonlySet<number> = new Set([9, 10, 32, 34, 39, 92])

function plainWords(text: string): Words {
  const words = text.split(BLANKS)
  if (words[0] === '') words.shift()
  if (words.at(-1) === '') words.pop()
  return { words, endsLine: [], isEnd: false, open: null, hasNul: false }
}
