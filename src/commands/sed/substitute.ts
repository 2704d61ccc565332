import type { Regex } from '../../regex/regex.ts'
import { applyReplacement } from './replacement.ts'
import type { SedSubstitution } from './script.ts'

/** The text with its matches replaced; null where none is. */
export function substitute(text: string, regex: Regex, nullable: boolean, { replacement, global, number }: SedSubstitution): string | null {
  if (global && number === 1 && replacement.template !== null && !nullable) {
    const native = regex.native(text)
    if (native !== null) {
      native.lastIndex = 0
      if (!native.test(text)) return null
      native.lastIndex = 0
      return text.replace(native, replacement.template)
    }
  }
  let result = ''
  let done = 0
  let count = 0
  let previous = -1
  for (let from = 0; from <= text.length; ) {
    const match = regex.exec(text, from)
    if (match === null) break
    const isEmpty = match.end === match.start
    from = isEmpty ? match.end + widthAt(text, match.end) : match.end
    // Nothing is matched right behind a match.
    if (isEmpty && match.start === previous) continue
    previous = match.end
    count += 1
    if (count < number) continue
    result += text.slice(done, match.start) + applyReplacement(replacement, match)
    done = match.end
    if (!global) break
  }
  return count < number ? null : result + text.slice(done)
}

/** Does in each line of a text what `substitute` does in one. The number of the match must be 1. */
export function substituteInLines(text: string, regex: Regex, nullable: boolean, substitution: SedSubstitution): string {
  if (substitution.global) return substitute(text, regex, nullable, substitution) ?? text
  const { replacement } = substitution
  let result = ''
  let done = 0
  for (let from = 0; from <= text.length; ) {
    const match = regex.exec(text, from)
    if (match === null) break
    result += text.slice(done, match.start) + applyReplacement(replacement, match)
    done = match.end
    const newline = text.indexOf('\n', match.end)
    if (newline < 0) break
    from = newline + 1
  }
  return done === 0 && result === '' ? text : result + text.slice(done)
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
