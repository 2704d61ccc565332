/** What becomes of a line whose `!` are replaced. */
export type ExpandedLine =
  | { readonly type: 'same' }
  | { readonly type: 'changed'; readonly text: string; readonly printOnly: boolean }
  | { readonly type: 'failed'; readonly message: string }

/** The earlier lines that a `!` may name, oldest first; `first` is the number of the oldest. */
export interface EarlierLines {
  readonly lines: readonly string[]
  readonly first: number
}

class NotFound extends Error {
  override readonly name: string = 'NotFound'
}

/** Replaces what bash's history expansion does: `!!`, `!n`, `!-n`, `!text`, `!?text?`, `!#`, `^old^new^`, word designators and modifiers. */
export function expandHistory(line: string, earlier: EarlierLines): ExpandedLine {
  const scanner = new Scanner(line, earlier)
  try {
    const text = line.startsWith('^') ? scanner.quickSubstitution() : scanner.whole()
    if (text === null) return { type: 'same' }
    return { type: 'changed', text, printOnly: scanner.printOnly }
  } catch (error) {
    if (error instanceof NotFound) return { type: 'failed', message: error.message }
    throw error
  }
}

class Scanner {
  printOnly = false
  readonly #line: string
  readonly #earlier: EarlierLines
  #at = 0
  #lastSearch = ''
  #substitution: { readonly from: string; readonly to: string } | null = null

  constructor(line: string, earlier: EarlierLines) {
    this.#line = line
    this.#earlier = earlier
  }

  /** The line with every event replaced; null when there is none. */
  whole(): string | null {
    let text = ''
    let changed = false
    let single = false
    let double = false
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at] as string
      if (char === '\\' && !single) {
        text += this.#line.slice(this.#at, this.#at + 2)
        this.#at += 2
        continue
      }
      if (char === "'" && !double) single = !single
      else if (char === '"' && !single) double = !double
      else if (char === '!' && !single && this.#startsEvent(double)) {
        this.#at += 1
        text += this.#event(text)
        changed = true
        continue
      }
      text += char
      this.#at += 1
    }
    return changed ? text : null
  }

  /** `^old^new^`: the line before, with the first `old` replaced. */
  quickSubstitution(): string {
    const [, from = '', to = '', rest = ''] = /^\^([^^]*)\^?([^^]*)\^?(.*)$/s.exec(this.#line) ?? []
    const line = this.#earlier.lines.at(-1)
    if (line === undefined || from === '' || !line.includes(from)) throw new NotFound(':s'.concat(this.#line, ': substitution failed'))
    this.#at = this.#line.length - rest.length
    const replaced = line.replace(from, () => to)
    return this.#line[this.#at] === ':' ? this.#modify(replaced) + this.#line.slice(this.#at) : replaced + rest
  }

  #startsEvent(inDouble: boolean): boolean {
    const next = this.#line[this.#at + 1]
    if (next === undefined || /[\s=]/.test(next)) return false
    // $!, ${!name} and the pattern [!a] are no events.
    if (/(\$|\$\{|\[)$/.test(this.#line.slice(0, this.#at))) return false
    return !(inDouble && next === '"')
  }

  #event(before: string): string {
    const start = this.#at - 1
    const line = this.#eventLine(before)
    if (line === undefined) throw new NotFound(`${this.#line.slice(start, this.#at)}: event not found`)
    const words = this.#designatedWords(line, start)
    return this.#modify(words)
  }

  #eventLine(before: string): string | undefined {
    const rest = this.#line.slice(this.#at)
    const { lines, first } = this.#earlier
    const number = /^-?\d+/.exec(rest)?.[0]
    if (rest.startsWith('!')) {
      this.#at += 1
      return lines.at(-1)
    }
    if (rest.startsWith('#')) {
      this.#at += 1
      return before
    }
    if (number !== undefined) {
      this.#at += number.length
      return number.startsWith('-') ? lines[lines.length + Number(number)] : lines[Number(number) - first]
    }
    if (rest.startsWith('?')) {
      const [whole = '', search = ''] = /^\?([^?\n]*)\??/.exec(rest) ?? []
      this.#at += whole.length
      this.#lastSearch = search
      return lines.findLast((line) => line.includes(search))
    }
    // A word designator may follow at once: of the line before.
    if (/^[$*^:]/.test(rest)) return lines.at(-1)
    const prefix = /^[^\s:;&|()<>"'`$*^]+/.exec(rest)?.[0] ?? ''
    this.#at += prefix.length
    return prefix === '' ? undefined : lines.findLast((line) => line.startsWith(prefix))
  }

  #designatedWords(line: string, start: number): string {
    const rest = this.#line.slice(this.#at)
    const found = /^:?(?:(\*)|(\^|\$|%)(?:-(\d+|\$)?|(\*))?|-(\d+|\$)|-)/.exec(rest) ?? /^:(\d+)(?:-(\d+|\$|\^)?|(\*))?/.exec(rest)
    if (found === null) return line
    this.#at += found[0].length
    const words = wordsOf(line)
    const last = words.length - 1
    const [from, to] = this.#range(found[0].replace(/^:/, ''), words)
    if (from > last + 1 || to > last || (from > to && !(from === to + 1 && found[0].includes('*')))) {
      throw new NotFound(`${this.#line.slice(start, this.#at).replace(/^![^:*^$-]*/, '')}: bad word specifier`)
    }
    return words.slice(from, to + 1).join(' ')
  }

  #range(designator: string, words: readonly string[]): readonly [from: number, to: number] {
    const last = words.length - 1
    const place = (text: string): number => {
      if (text === '^') return 1
      if (text === '$') return last
      if (text === '%')
        return Math.max(
          0,
          words.findIndex((word) => word.includes(this.#lastSearch)),
        )
      return Number(text)
    }
    if (designator === '*') return [1, last]
    if (designator.endsWith('*')) return [place(designator.slice(0, -1)), last]
    const dash = designator.indexOf('-')
    if (dash === -1) return [place(designator), place(designator)]
    const from = dash === 0 ? 0 : place(designator.slice(0, dash))
    const end = designator.slice(dash + 1)
    return [from, end === '' ? last - 1 : place(end)]
  }

  #modify(text: string): string {
    let held = text
    for (;;) {
      const rest = this.#line.slice(this.#at)
      const found = /^:([gaG]?)([htrepqx&]|s(.)((?:\\.|(?!\3).)*)\3((?:\\.|(?!\3).)*)(?:\3|$))/s.exec(rest)
      if (found === null) {
        const unknown = /^:([a-zA-Z])/.exec(rest)?.[1]
        if (unknown !== undefined) throw new NotFound(`${unknown}: unrecognized history modifier`)
        return held
      }
      this.#at += found[0].length
      const [, scope = '', kind = '', delimiter = '', from = '', to = ''] = found
      if (kind.startsWith('s') && delimiter !== '')
        this.#substitution = { from: withoutBackslash(from, delimiter), to: withoutBackslash(to, delimiter) }
      held = this.#apply(kind, scope, held)
    }
  }

  #apply(kind: string, scope: string, text: string): string {
    switch (kind) {
      case 'h':
        return /^(.*)\/[^/]*$/s.exec(text)?.[1] ?? text
      case 't':
        return text.slice(text.lastIndexOf('/') + 1)
      case 'r':
        return /^(.*)\.[^./]*$/s.exec(text)?.[1] ?? text
      case 'e':
        return /\.[^./]*$/.exec(text)?.[0] ?? text
      case 'p':
        this.printOnly = true
        return text
      case 'q':
        return singleQuoted(text)
      case 'x':
        return text.split(/\s+/).map(singleQuoted).join(' ')
      default:
        return this.#substitute(text, scope)
    }
  }

  #substitute(text: string, scope: string): string {
    const { from, to } = this.#substitution ?? { from: '', to: '' }
    if (from === '' || !text.includes(from)) throw new NotFound(`:s/${from}/${to}: substitution failed`)
    const replacement = to.replace(/(^|[^\\])&/g, (_, before: string) => before + from).replaceAll('\\&', '&')
    if (scope === 'G')
      return text
        .split(' ')
        .map((word) => word.replace(from, () => replacement))
        .join(' ')
    return scope === '' ? text.replace(from, () => replacement) : text.replaceAll(from, () => replacement)
  }
}

/** The words of a line as history expansion counts them: quotes keep words together, operators are words of their own. */
function wordsOf(line: string): readonly string[] {
  const word =
    /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|[^\s;&|()<>'"`])+|\d*(?:<<<|<<-|<<|>>|<&|>&|<>|>\||&>|&&|\|\||;;|[;&|()<>])/gs
  return line.match(word) ?? []
}

function withoutBackslash(text: string, delimiter: string): string {
  return text.replaceAll(`\\${delimiter}`, delimiter)
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
