import type { Pattern } from './pattern.ts'

/**
 * `${x/p/r}`: replaces the first match, all of them, or one at the start or end of the text. `replacement` gives the text for what
 * was matched. The empty pattern matches nothing but at the start and the end.
 */
export function replaceMatch(
  text: string,
  pattern: Pattern,
  where: 'first' | 'all' | 'prefix' | 'suffix',
  replacement: (matched: string) => string,
): string {
  if (where === 'prefix') {
    const end = pattern.prefix(text, true)
    return end < 0 ? text : replacement(text.slice(0, end)) + text.slice(end)
  }
  if (where === 'suffix') {
    const start = pattern.suffix(text, true)
    return start < 0 ? text : text.slice(0, start) + replacement(text.slice(start))
  }
  if (pattern.literal === '') return text
  return where === 'all' ? replaceAll(text, pattern, replacement) : replaceFirst(text, pattern, replacement)
}

function replaceFirst(text: string, pattern: Pattern, replacement: (matched: string) => string): string {
  const match = pattern.find(text, 0)
  if (match === null) return text
  return text.slice(0, match.start) + replacement(text.slice(match.start, match.end)) + text.slice(match.end)
}

function replaceAll(text: string, pattern: Pattern, replacement: (matched: string) => string): string {
  const pieces: string[] = []
  let at = 0
  // An empty match counts before every character, but at the end only of an empty text.
  do {
    const match = pattern.find(text, at)
    if (match === null || (match.start === match.end && match.start === text.length && text !== '')) break
    pieces.push(text.slice(at, match.start), replacement(text.slice(match.start, match.end)))
    at = match.end
    if (match.start === match.end && at < text.length) {
      const width = (text.codePointAt(at) as number) > 0xffff ? 2 : 1
      pieces.push(text.slice(at, at + width))
      at += width
    }
  } while (at < text.length)
  pieces.push(text.slice(at))
  return pieces.join('')
}
