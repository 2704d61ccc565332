import { expect, test } from 'vitest'
import type { List } from '../../../src/shell/syntax/ast.ts'
import { printList } from '../../../src/shell/syntax/print.ts'
import { bash, bashInstalled, parse, random, shape } from './reference.ts'

/** Writes scripts that use the whole grammar. */
class Writer {
  readonly #random: (bound: number) => number
  /** Here-documents whose bodies are due behind the line. */
  #due: string[] = []
  #count = 0
  #substitutions = 0

  constructor(seed: number) {
    this.#random = random(seed)
  }

  script(): string {
    return `${this.#list(2)}${this.#newline()}`
  }

  #pick<T>(...choices: readonly T[]): T {
    return choices[this.#random(choices.length)] as T
  }

  /** A newline, with the bodies that are due. */
  #newline(): string {
    const bodies = this.#due.join('')
    this.#due = []
    return `\n${bodies}`
  }

  /** What separates commands, with the bodies that are due where it ends the line. */
  #broken(separator: string): string {
    return separator.endsWith('\n') ? separator.slice(0, -1) + this.#newline() : separator
  }

  #several(limit: number, make: () => string, separator: string): string {
    const parts: string[] = []
    for (let i = this.#random(limit) + 1; i > 0; i--) parts.push(make())
    return parts.join(separator)
  }

  #list(depth: number): string {
    let text = this.#item(depth)
    for (let i = this.#random(8); i > 4; i -= 2) {
      text += this.#broken(this.#pick('; ', ' & ', '\n', ' &\n'))
      text += this.#item(depth)
    }
    return text
  }

  /** A list and what ends it before a reserved word. */
  #block(depth: number): string {
    return this.#list(depth) + this.#broken(this.#pick('; ', ' & ', '\n'))
  }

  #item(depth: number): string {
    let text = this.#pipeline(depth)
    while (this.#random(6) === 0) text += this.#broken(this.#pick(' && ', ' || ', ' &&\n')) + this.#pipeline(depth)
    return text
  }

  #pipeline(depth: number): string {
    // Not `time` in substitutions, where bash has trouble with what follows it.
    const prefix = this.#pick('', '', '', '', '! ', 'time ', 'time -p ')
    let text = (this.#substitutions > 0 && prefix !== '! ' ? '' : prefix) + this.#command(depth)
    while (this.#random(6) === 0) text += this.#pick(' | ', ' |& ') + this.#command(depth)
    return text
  }

  #command(depth: number): string {
    if (depth === 0 || this.#random(3) > 0) return this.#simple(depth)
    const inner = depth - 1
    const redirects = () => (this.#random(3) === 0 ? ` ${this.#redirect(inner)}` : '')
    switch (this.#random(15)) {
      case 0:
        return `{ ${this.#block(inner)}}${redirects()}`
      case 1:
        return `( ${this.#list(inner)} )${redirects()}`
      case 2:
        return `if ${this.#block(inner)}then ${this.#block(inner)}fi${redirects()}`
      case 3:
        return `if ${this.#block(inner)}then ${this.#block(inner)}elif ${this.#block(inner)}then ${this.#block(inner)}else ${this.#block(inner)}fi`
      case 4:
        return `${this.#pick('while', 'until')} ${this.#block(inner)}do ${this.#block(inner)}done${redirects()}`
      case 5:
        return `for ${this.#name()} in ${this.#several(3, () => this.#word(inner), ' ')}; do ${this.#block(inner)}done${redirects()}`
      case 6:
        return `for ${this.#name()}; do ${this.#block(inner)}done`
      case 7:
        return `for ((${this.#pick('', ' i=0', 'i = 1 ')};${this.#pick('', 'i<3')};${this.#pick('', 'i++', 'i+=$x')})); do ${this.#block(inner)}done`
      case 8:
        return `case ${this.#word(inner)} in ${this.#several(3, () => this.#clause(inner), ' ')} esac${redirects()}`
      case 9:
        return `select ${this.#name()} in a b; do ${this.#block(inner)}done`
      case 10:
        return `((${this.#pick('x + 1', ' (x) * 2 ', 'x[1] = $y', 'a ? b : c')}))${redirects()}`
      case 11:
        return `[[ ${this.#test(inner)} ]]${redirects()}`
      case 12:
        return `${this.#name()}() { ${this.#block(inner)}}${redirects()}`
      case 13:
        return `function ${this.#name()} ( ${this.#list(inner)} )`
      default:
        return `coproc ${this.#pick('', 'NAME ')}{ ${this.#block(inner)}}`
    }
  }

  #clause(depth: number): string {
    const body = this.#random(3) === 0 ? ' ' : ` ${this.#list(depth)} `
    return `${this.#pick('', '(')}${this.#several(2, () => this.#word(depth), ' | ')})${body}${this.#pick(';;', ';&', ';;&')}${this.#newline()}`
  }

  #test(depth: number): string {
    switch (this.#random(8)) {
      case 0:
        return this.#word(depth)
      case 1:
        return `-f ${this.#word(depth)}`
      case 2:
        return `! ${this.#test(depth)}`
      case 3:
        return `( ${this.#test(depth)} )`
      case 4:
        return `${this.#test(depth)} && ${this.#test(depth)}`
      case 5:
        return `${this.#test(depth)} || ${this.#test(depth)}`
      case 6:
        return `${this.#word(depth)} =~ ${this.#pick('^(a|b c)$', 'x+', '"a b"c', '$r')}`
      default:
        return `${this.#word(depth)} ${this.#pick('==', '!=', '<', '-nt', '-eq', '=')} ${this.#word(depth)}`
    }
  }

  #simple(depth: number): string {
    const parts: string[] = []
    while (this.#random(5) === 0) parts.push(this.#assignment(depth))
    if (parts.length === 0 || this.#random(2) === 0) {
      parts.push(this.#pick('echo', 'a', './b', 'x-y', '"q"', ':'))
      while (this.#random(5) < 2) parts.push(this.#word(depth))
      if (this.#random(12) === 0) return `declare -a ${this.#assignment(depth)}`
    }
    while (this.#random(6) === 0) parts.push(this.#redirect(depth))
    return parts.join(' ')
  }

  #assignment(depth: number): string {
    const target = this.#name() + this.#pick('', '', '[1]', '[i + 1]', '["k"]') + this.#pick('=', '+=')
    if (!target.includes(']') && this.#random(4) === 0) {
      return `${target}(${this.#several(3, () => this.#pick('', '[x]=') + this.#word(depth), this.#due.length > 0 ? ' ' : this.#pick(' ', '  ', ' # c\n'))})`
    }
    return target + this.#pick('', '~', this.#word(depth))
  }

  #redirect(depth: number): string {
    if (this.#random(4) === 0) {
      const delimiter = `E${this.#count++}`
      const written = this.#pick(delimiter, `'${delimiter}'`, `\\${delimiter}`, `"${delimiter}"`)
      const strip = this.#random(3) === 0
      const body = this.#pick('', 'text\n', 'a $x ${y:-z}\n', '$(echo a; echo b)\n', 'it\'s "q" \\$x `b`\n', '\tb\n')
      this.#due.push(`${body}${strip ? '\t' : ''}${delimiter}\n`)
      return `${this.#pick('', '', '3')}<<${strip ? '-' : ''}${written}`
    }
    return (
      this.#pick('', '2', '', '{fd}') +
      this.#pick('>', '>>', '<', '>|', '<>', '<<< ', '>&', '<&') +
      this.#pick('f', '"$f"', '1', ` ${this.#word(depth)}`)
    )
  }

  #word(depth: number): string {
    return this.#several(3, () => this.#part(depth), '')
  }

  #part(depth: number): string {
    if (depth > 0 && this.#random(6) === 0) {
      // Bodies due outside must not land in the substitution, nor those of the substitution outside.
      const outside = this.#due
      this.#due = []
      this.#substitutions++
      const list = this.#list(depth - 1)
      this.#substitutions--
      const end = this.#due.length > 0 ? this.#newline() : this.#pick('', ' ')
      this.#due = outside
      return this.#pick(`$( ${list}${end})`, `"x$( ${list}${end})"`, `\${x:-$( ${list}${end})}`, `<( ${list}${end})`)
    }
    return this.#pick(
      'a', 'b1', '-j', './d', "'q r'", '"s t"', '"$x"', '$x', '${x}', '${#x}', '${x:-a b}', '"${x:-"a b"}"', "${x#'a'*}", '${x//a/b}', '${x:1:2}',
      '${!x}', '${a[@]}', '"${a[i+1]}"', '${x^^}', '${x@Q}', '$((1 + x))', '$[2*3]', '`c d`', '"`e \\"f\\"`"', "$'t\\tu'", '$"v"', '\\;', '\\ ', '*', '?',
      '[a-z]', '{a,b}', '~', '=', ':', '%', '""', "''", '$1', '$@', '"$*"', '@', '+', 'é', 'c\\\nd', '${x?"m n"}', '${a b}', '$(<f)', '$((a) )',
    ) // biome-ignore format: one part after another
  }

  #name(): string {
    return this.#pick('x', 'y', 'name', 'i')
  }
}

function parsed(script: string, seed: number): List {
  try {
    return parse(script)
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}\n${script}`, { cause: error })
  }
}

test('printing and parsing again gives the same tree', () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const script = new Writer(seed * 7919).script()
    const list = parsed(script, seed)
    const printed = printList(list)
    const again = shape(parsed(`${printed}\n`, seed))
    expect(again, `seed ${seed}\n${script}\n---\n${printed}`).toBe(shape(list))
    expect(printList(parse(`${printed}\n`)), `seed ${seed}`).toBe(printed)
  }
})

test.runIf(bashInstalled)('bash accepts what is written and what is printed', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const script = new Writer(seed * 104_729).script()
    for (const text of [script, printList(parsed(script, seed))]) {
      const { stderr } = bash(text, '-n')
      expect(stderr, `seed ${seed}\n${text}`).toBe('')
    }
  }
})

test.runIf(bashInstalled)('bash prints the same functions', () => {
  let compared = 0
  for (let seed = 1; seed <= 200; seed++) {
    const script = new Writer(seed * 15_485_863).script()
    // Bash prints some here-documents where they don't parse, and `coproc` with a name it may not have.
    if (/<<-?["'\\E]|coproc/.test(script)) continue
    const text = `f() {\n${script}\n}\n`
    const definition = parsed(text, seed).items[0]?.first.stages[0]?.command
    if (definition?.type !== 'function') throw new Error(`seed ${seed} is no function`)
    expect(`${printList(parse(text)).replace(/^function /, '')}\n`, `seed ${seed}\n${script}`).toBe(bash(`${text}declare -f f`).stdout)
    compared++
  }
  expect(compared).toBeGreaterThan(80)
})
