import { textWidth } from './text-width.ts'

/** What all the texts begin with. */
export function commonPrefix(texts: readonly string[]): string {
  let prefix = texts[0] ?? ''
  for (const text of texts) {
    let length = 0
    while (length < prefix.length && prefix[length] === text[length]) length += 1
    prefix = prefix.slice(0, length)
  }
  // Never half a surrogate pair, never a backslash without what it quotes.
  const isHalf = /[\ud800-\udbff]$/.test(prefix) || (/(^|[^\\])(\\\\)*\\$/.test(prefix) && texts.some((text) => text !== prefix))
  return isHalf ? prefix.slice(0, -1) : prefix
}

/** Candidates in columns, down first, as lines that end in `\r\n`. */
export function asColumns(candidates: readonly { readonly shown: string }[], columns: number): string {
  const widths = candidates.map((candidate) => textWidth(candidate.shown))
  const cell = widths.reduce((widest, width) => Math.max(widest, width), 0) + 2
  const perRow = Math.max(1, Math.floor((columns + 1) / cell))
  const rows = Math.ceil(candidates.length / perRow)
  let text = ''
  for (let row = 0; row < rows; row++) {
    let line = ''
    for (let index = row; index < candidates.length; index += rows)
      line += (candidates[index]?.shown ?? '') + ' '.repeat(cell - (widths[index] ?? 0))
    text += `${line.trimEnd()}\r\n`
  }
  return text
}
