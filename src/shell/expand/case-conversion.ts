import type { Pattern } from './pattern.ts'

/**
 * `${x^^}` and its kin: changes the case of the first character, or of `all`, that `pattern` matches (null: every one).
 * A character whose other case is more than one character stays.
 */
export function convertCase(text: string, to: 'upper' | 'lower' | 'toggle', all: boolean, pattern: Pattern | null): string {
  if (pattern === null && all && to !== 'toggle' && ASCII.test(text)) return to === 'upper' ? text.toUpperCase() : text.toLowerCase()
  const [first] = text
  if (first === undefined) return text
  if (!all) return convertOne(first, to, pattern) + text.slice(first.length)
  let converted = ''
  for (const char of text) converted += convertOne(char, to, pattern)
  return converted
}

/** Its lower case is two characters in Unicode, one in C. */
const DOTTED_I = '\u0130'
const ASCII = /^[\0-\x7f]*$/

function convertOne(char: string, to: 'upper' | 'lower' | 'toggle', pattern: Pattern | null): string {
  if (pattern !== null && !pattern.matches(char)) return char
  const upper = oneCharacter(char.toUpperCase(), char)
  const lower = char === DOTTED_I ? 'i' : oneCharacter(char.toLowerCase(), char)
  if (to === 'upper') return upper
  if (to === 'lower') return lower
  return char === lower ? upper : lower
}

function oneCharacter(converted: string, original: string): string {
  return converted.length === ((converted.codePointAt(0) as number) > 0xffff ? 2 : 1) ? converted : original
}
