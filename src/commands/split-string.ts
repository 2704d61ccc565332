import type { CommandContext } from './command.ts'
import { CommandFailure } from './utility.ts'

const FAILED = 125

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['#', '#'],
  ['$', '$'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
])

/** Splits the text of `env -S`: words, quotes, escapes, `${VARIABLE}` and comments. Fails with GNU's messages, status 125. */
export function splitString(text: string, context: CommandContext): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (quote === "'" && char !== "'" && char !== '\\') {
      word += char
      continue
    }
    if ((char === "'" || char === '"') && (quote === '' || quote === char)) {
      quote = quote === '' ? char : ''
      word ??= ''
      continue
    }
    if (/[ \t\n\v\f\r]/.test(char) && quote === '') {
      if (word !== null) words.push(word)
      word = null
      continue
    }
    if (char === '#' && quote === '' && word === null) break
    if (char === '\\') {
      at += 1
      const next = text[at]
      if (next === undefined) throw new CommandFailure('invalid backslash at end of string in -S', FAILED)
      if (quote === "'" && next !== '\\' && next !== "'") {
        word = `${word ?? ''}\\${next}`
        continue
      }
      if (next === '_') {
        if (quote === '"') word = `${word ?? ''} `
        else {
          if (word !== null) words.push(word)
          word = null
        }
        continue
      }
      if (next === 'c') {
        if (quote === '"') throw new CommandFailure("'\\c' must not appear in double-quoted -S string", FAILED)
        break
      }
      const known = ESCAPES.get(next)
      if (known === undefined) throw new CommandFailure(`invalid sequence '\\${next}' in -S`, FAILED)
      word = (word ?? '') + known
      continue
    }
    if (char === '$') {
      const reference = /^\$\{([A-Za-z_]\w*)\}/.exec(text.slice(at))
      if (reference === null) {
        throw new CommandFailure(`only \${VARNAME} expansion is supported, error at: ${text.slice(at)}`, FAILED)
      }
      const value = context.env.get(reference[1] as string)
      if (value !== undefined) word = (word ?? '') + value
      at += reference[0].length - 1
      continue
    }
    word = (word ?? '') + char
  }
  if (quote !== '') throw new CommandFailure('no terminating quote in -S string', FAILED)
  if (word !== null) words.push(word)
  return words
}
