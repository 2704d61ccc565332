import { Backtracker } from './backtracker.ts'
import type { Pattern } from './node.ts'
import { someNode } from './node.ts'
import type { PerlOptions, PerlPattern } from './perl-syntax.ts'
import { parsePerl } from './perl-syntax.ts'
import { compileProgram } from './program.ts'
import type { Regex, RegexMatch } from './regex.ts'
import { characterStart, hasLongLine, runNative, TracedMatch } from './regex.ts'
import type { Translation } from './to-regexp.ts'
import { toRegExp } from './to-regexp.ts'

export type { PerlOptions, PerlPattern } from './perl-syntax.ts'
export { parsePerl } from './perl-syntax.ts'

/** A Perl pattern, which matches in the order Perl tries things. Throws a `RegexError` that can't be read; so does matching that takes too many steps. */
export function compilePerlRegex(source: string, options: PerlOptions): Regex & { readonly names: PerlPattern['names'] } {
  const pattern = parsePerl(source, options)
  return Object.assign(compilePerl(pattern, { ignoreCase: options.ignoreCase === true, lines: false }), { names: pattern.names })
}

/** Compiles a pattern that has been read, or put together. `lines`: no match leaves its line. */
export function compilePerl(pattern: Pattern, options: { readonly ignoreCase: boolean; readonly lines: boolean }): Regex {
  return new PerlRegex(pattern, options)
}

class PerlRegex implements Regex {
  readonly groups: number
  readonly #pattern: Pattern
  readonly #options: { readonly ignoreCase: boolean; readonly lines: boolean }
  readonly #translation: Translation | null
  #regexp: RegExp | undefined
  #backtracker: Backtracker | undefined

  constructor(pattern: Pattern, options: { readonly ignoreCase: boolean; readonly lines: boolean }) {
    this.#pattern = pattern
    this.groups = pattern.groups
    this.#options = options
    const own = someNode(
      pattern.node,
      (node) => node.type === 'atomic' || node.type === 'keep' || (node.type === 'reference' && options.ignoreCase),
    )
    this.#translation = own ? null : toRegExp(pattern, { multiline: true })
    if (this.#translation === null) this.#backtracking()
  }

  exec(text: string, at: number): RegexMatch | null {
    const from = characterStart(text, at)
    const native = this.native(text)
    if (native !== null) {
      const found = runNative(native, text, from)
      if (found !== undefined) return found
    }
    if (this.#options.lines && text.includes('\n')) return this.#execLines(text, from)
    const registers = this.#backtracking().first(text, from)
    return registers === null ? null : new TracedMatch(text, registers[0] as number, registers[1] as number, () => registers)
  }

  test(text: string): boolean {
    return this.exec(text, 0) !== null
  }

  find(text: string, from: number): number {
    return this.exec(text, from)?.end ?? -1
  }

  native(text: string): RegExp | null {
    const translation = this.#translation
    if (translation === null || (translation.splitsPairs && /[\ud800-\udbff]/.test(text))) return null
    if (text.length > translation.longest && (!this.#options.lines || hasLongLine(text, translation.longest))) return null
    this.#regexp ??= new RegExp(translation.source, 'gu')
    return this.#regexp
  }

  /** One line at a time, so that the bound on steps is one for each. */
  #execLines(text: string, from: number): RegexMatch | null {
    let start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1
    for (let at = from; ; ) {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? text.length : newline
      const line = text.slice(start, end)
      const found = this.#backtracking().first(line, at - start)
      if (found !== null) {
        const moved = found.map((place) => (place < 0 ? place : place + start))
        return new TracedMatch(text, moved[0] as number, moved[1] as number, () => moved)
      }
      if (newline < 0) return null
      start = newline + 1
      at = start
    }
  }

  #backtracking(): Backtracker {
    this.#backtracker ??= new Backtracker(compileProgram(this.#pattern.node, this.#pattern.groups), {
      multiline: true,
      ignoreCase: this.#options.ignoreCase,
      exhausted: "exceeded PCRE's backtracking limit",
    })
    return this.#backtracker
  }
}
