import type { RegexMatch } from '../../regex/regex.ts'

/** What a match is replaced by: pieces, each a text followed by a group. */
export interface Replacement {
  readonly pieces: readonly ReplacementPiece[]
  /** The whole, where it depends on no group; else null. */
  readonly fixed: string | null
  /** For `String.replace`, where no piece changes its case; else null. */
  readonly template: string | null
  /** The highest group named. */
  readonly groups: number
}

export interface ReplacementPiece {
  readonly text: string
  /** -1 for none. */
  readonly group: number
  readonly change: CaseChange
  /** Of the first character alone. */
  readonly first: CaseChange
}

type CaseChange = 'upper' | 'lower' | null

/** Reads the right side of an `s` command, escapes converted. */
export function parseReplacement(source: string): Replacement {
  const pieces: ReplacementPiece[] = []
  let groups = 0
  let text = ''
  let change: CaseChange = null
  let first: CaseChange = null
  const end = (group: number): void => {
    pieces.push({ text, group, change, first })
    groups = Math.max(groups, group)
    text = ''
    first = null
  }
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string
    if (char === '&') end(0)
    else if (char !== '\\' || at + 1 >= source.length) text += char
    else {
      at += 1
      const next = source[at] as string
      if (next >= '0' && next <= '9') end(Number(next))
      else if (next === 'n') text += '\n'
      else if ('LUElu'.includes(next)) {
        end(-1)
        if (next === 'l' || next === 'u') first = next === 'u' ? 'upper' : 'lower'
        else change = next === 'U' ? 'upper' : next === 'L' ? 'lower' : null
      } else text += next
    }
  }
  end(-1)
  const filled = pieces.filter((piece) => piece.text !== '' || piece.group >= 0)
  const plain = filled.every((piece) => piece.change === null && piece.first === null)
  return {
    pieces: filled,
    fixed: plain && filled.every((piece) => piece.group < 0) ? filled.map((piece) => piece.text).join('') : null,
    template: plain ? filled.map(templateOf).join('') : null,
    groups,
  }
}

/** The text that takes the place of a match. */
export function applyReplacement(replacement: Replacement, match: RegexMatch): string {
  if (replacement.fixed !== null) return replacement.fixed
  let result = ''
  let waiting: CaseChange = null
  for (const { text, group, change, first } of replacement.pieces) {
    let one: CaseChange = first ?? waiting
    waiting = null
    if (text !== '') {
      result += changed(text, change, one)
      one = null
    }
    if (group < 0) continue
    const found = match.text(group) ?? ''
    // A change of the first character waits for a group that has one.
    if (found === '') waiting = first === null ? null : one
    else result += changed(found, change, one)
  }
  return result
}

function changed(text: string, change: CaseChange, first: CaseChange): string {
  if (change === null && first === null) return text
  const whole = change === null ? text : inCase(text, change)
  if (first === null) return whole
  const head = String.fromCodePoint(text.codePointAt(0) as number)
  return inCase(head, first) + (change === null ? text : inCase(text, change)).slice(head.length)
}

/** Each character by itself, as `towupper` has it: none becomes two. */
function inCase(text: string, change: 'upper' | 'lower'): string {
  const whole = change === 'upper' ? text.toUpperCase() : text.toLowerCase()
  if (whole.length === text.length) return whole
  return Array.from(text, (char) => {
    const other = change === 'upper' ? char.toUpperCase() : char.toLowerCase()
    return other.length === char.length ? other : char
  }).join('')
}

function templateOf({ text, group }: ReplacementPiece): string {
  const escaped = text.replaceAll('$', '$$$$')
  // Two digits, so that a digit that follows is not taken for part of the number.
  return group < 0 ? escaped : group === 0 ? `${escaped}$&` : `${escaped}$0${group}`
}
