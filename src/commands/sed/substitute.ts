import type { Regex } from '../../regex/regex.ts'
import { applyReplacement } from './replacement.ts'
import type { SedPattern, SedSubstitution } from './script.ts'

/** The text with its matches replaced; null where none is. */
export function substitute(text: string, pattern: NonNullable<SedPattern>, substitution: SedSubstitution): string | null {
  const { regex, literal } = pattern
  if (substitution.number > 1 || pattern.nullable) return replaceEach(text, regex, substitution)
  const { fixed } = substitution.replacement
  if (literal !== null && fixed !== null && !substitution.global) {
    const at = text.indexOf(literal)
    return at < 0 ? null : text.slice(0, at) + fixed + text.slice(at + literal.length)
  }
  if (literal === null ? regex.find(text, 0) < 0 : !text.includes(literal)) return null
  return replaceFilled(text, regex, literal, substitution)
}

/** Does in each line of a text what `substitute` does in one. The number of the match must be 1. */
export function substituteInLines(text: string, regex: Regex, pattern: NonNullable<SedPattern>, substitution: SedSubstitution): string {
  if (substitution.global) {
    if (pattern.nullable) return replaceEach(text, regex, substitution) ?? text
    return replaceFilled(text, regex, pattern.literal, substitution)
  }
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

/** The first match, or all, replaced; each takes at least one character. */
function replaceFilled(text: string, regex: Regex, literal: string | null, substitution: SedSubstitution): string {
  const { global, replacement } = substitution
  const { template } = replacement
  if (template !== null) {
    if (literal !== null) return global ? text.replaceAll(literal, template) : text.replace(literal, template)
    const native = regex.native(text)
    if (native !== null) {
      native.lastIndex = 0
      return text.replace(global ? native : once(native), template)
    }
  }
  return replaceEach(text, regex, substitution) ?? text
}

function replaceEach(text: string, regex: Regex, { replacement, global, number }: SedSubstitution): string | null {
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

const singles = new WeakMap<RegExp, RegExp>()

/** The same RegExp without the flag that makes `replace` go on. */
function once(native: RegExp): RegExp {
  let single = singles.get(native)
  if (single === undefined) {
    single = new RegExp(native.source, native.flags.replace('g', ''))
    singles.set(native, single)
  }
  return single
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
