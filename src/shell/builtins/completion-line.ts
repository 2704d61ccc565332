import type { Variable } from '../machine/variables.ts'

/** The words of the command that the cursor is in, as a completion function sees them. */
export interface CompletionWords {
  /** COMP_WORDS: the command first; what breaks words is a word itself. */
  readonly words: readonly string[]
  /** COMP_CWORD: which of them is completed. */
  readonly index: number
  /** Where that word begins in the line. */
  readonly start: number
  /** Its text up to the cursor. */
  readonly word: string
}

const BREAKS = ' \t\n"\'@><=;|&(:'
/** Words behind which a command begins. */
const OPENERS = new Set(['!', '{', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while'])

/** Finds the words of the command around `cursor`. `breaks` is COMP_WORDBREAKS. */
export function completionWords(line: string, cursor: number, breaks?: Variable['value']): CompletionWords {
  const separators = typeof breaks === 'string' ? breaks : BREAKS
  let tokens: Token[] = []
  for (let at = 0; at < line.length; ) {
    const char = line[at] as string
    if (/[;&|(\n`]/.test(char)) {
      if (at >= cursor) break
      tokens = []
      at += 1
    } else if (/\s/.test(char)) at += 1
    else {
      const end = tokenEnd(line, at, separators)
      tokens.push({ text: line.slice(at, end), start: at, end })
      if (end <= cursor && /\s/.test(line[end] ?? ' ') && opensCommand(tokens)) tokens = []
      at = end
    }
  }
  const under = tokens.findIndex(({ start, end, text }) => start < cursor && cursor <= end && !isBreak(text, separators))
  if (under >= 0) {
    const { start, text } = tokens[under] as Token
    return { words: tokens.map((token) => token.text), index: under, start, word: text.slice(0, cursor - start) }
  }
  const index = tokens.filter(({ start }) => start < cursor).length
  const words = tokens.map(({ text }) => text)
  words.splice(index, 0, '')
  return { words, index, start: cursor, word: '' }
}

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** True when the words so far come before the command itself: assignments, and words like `if`. */
function opensCommand(tokens: readonly Token[]): boolean {
  const text = tokens.map((token) => token.text).join('')
  return OPENERS.has(text) || /^[A-Za-z_]\w*\+?=/.test(text)
}

function isBreak(text: string, separators: string): boolean {
  return text !== '' && separators.includes(text[0] as string) && !/^["']/.test(text)
}

/** Characters that break words stand together; a quote holds a word together. */
function tokenEnd(line: string, start: number, separators: string): number {
  const breaks = (char: string): boolean => separators.includes(char) && char !== '"' && char !== "'" && !/\s/.test(char)
  let at = start
  if (breaks(line[at] as string)) {
    while (at < line.length && breaks(line[at] as string)) at += 1
    return at
  }
  let quote = ''
  for (; at < line.length; at++) {
    const char = line[at] as string
    if (char === '\\' && quote !== "'") at += 1
    else if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (/\s/.test(char) || breaks(char) || /[;&|(]/.test(char)) return at
  }
  return Math.min(at, line.length)
}
