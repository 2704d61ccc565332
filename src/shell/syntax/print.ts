import type { CaseClause, Command, FunctionDefinition, If, List, ListItem, Pipeline, Redirect, TestExpression, Word } from './ast.ts'

/** A chain of `elif` up to this length is printed as bash prints it, nested; a longer one as it was written. */
const NESTED_CLAUSES = 32

/**
 * The text of commands in bash's own layout, on one line where that has none of the constructs that bash spreads over lines.
 * What it gives parses to an equal tree. Items of `lineEnds` end in a newline instead of a semicolon.
 */
export function printList(list: List, lineEnds?: ReadonlySet<ListItem>): string {
  const printer = new Printer(lineEnds)
  printer.list(list)
  return printer.end()
}

/** The text of one command, as `jobs` and BASH_COMMAND show it. */
export function printCommand(command: Command): string {
  const printer = new Printer()
  printer.command(command)
  return printer.end()
}

/** The text of a function as `declare -f` prints it, without a newline at the end. */
export function printFunction(definition: FunctionDefinition): string {
  const printer = new Printer()
  printer.definition(definition, RESERVED.has(definition.name) ? 'function ' : '')
  return printer.end()
}

const RESERVED: ReadonlySet<string> = new Set(
  'if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc'.split(' '),
)

/** Prints as bash does: the bodies of here-documents wait for the next operator or the end of the construct they are in. */
class Printer {
  #out = ''
  #indentation = 0
  /** Inside a function everything is spread over lines. */
  #functions = 0
  /** Whether the bodies of the command being printed wait for the operator behind it. */
  #defers = false
  #deferred: Redirect[] = []
  #afterHereDocument = false
  #atNewline = false
  readonly #lineEnds: ReadonlySet<ListItem> | undefined

  constructor(lineEnds?: ReadonlySet<ListItem>) {
    this.#lineEnds = lineEnds
  }

  end(): string {
    this.#bodies('')
    return this.#out
  }

  list(list: List): void {
    this.#list(list, false)
  }

  command(command: Command): void {
    this.#command(command)
  }

  definition(definition: FunctionDefinition, keyword: string, defers = false): void {
    const { body } = definition
    this.#write(`${keyword}${definition.name} () \n`)
    this.#indent()
    this.#write('{ \n')
    this.#functions++
    this.#indentation += 4
    const group = body.type === 'group' ? body : null
    if (group !== null) {
      this.#list(group.body, true)
    } else {
      this.#indent()
      this.#command(body)
    }
    this.#bodies('')
    this.#indentation -= 4
    this.#functions--
    if (group !== null && group.redirects.length > 0) {
      this.#line('} ')
      this.#defers = defers
      this.#redirects(group.redirects)
    } else {
      this.#line('}')
    }
    this.#afterHereDocument = false
  }

  #write(text: string): void {
    if (text === '') return
    this.#out += text
    this.#atNewline = text.endsWith('\n')
  }

  #indent(): void {
    if (this.#indentation > 0) this.#write(' '.repeat(this.#indentation))
  }

  #line(text: string): void {
    this.#write('\n')
    this.#indent()
    this.#write(text)
  }

  #semicolon(): void {
    if (!this.#atNewline && !this.#out.endsWith('&')) this.#write(';')
  }

  /** Writes an operator, and behind it the here-documents that waited for it; then a blank, where something follows. */
  #bodies(operator: string, followed: boolean = operator !== ''): void {
    this.#write(operator)
    if (this.#deferred.length === 0) return
    const waiting = this.#deferred
    this.#deferred = []
    this.#hereDocuments(waiting)
    if (followed) this.#write(' ')
  }

  #hereDocuments(redirects: readonly Redirect[]): void {
    this.#write('\n')
    for (const redirect of redirects) {
      if (redirect.hereDocument === null) continue
      this.#write(redirect.hereDocument.body.raw)
      this.#write(`${redirect.hereDocument.delimiter}\n`)
    }
    this.#afterHereDocument = true
  }

  #list(list: List, indent: boolean): void {
    const { items } = list
    if (indent) this.#indent()
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as ListItem
      const last = i === items.length - 1
      this.#item(item, item.background, i === 0 && !last)
      if (item.background) {
        this.#bodies(' &', !last)
        if (!last) this.#write(' ')
      } else if (!last) {
        this.#separator(item)
      }
    }
  }

  #separator(item: ListItem): void {
    if (this.#functions > 0) {
      if (this.#deferred.length > 0) {
        this.#bodies('')
      } else {
        // As in bash, where the command behind a here-document loses its semicolon too.
        if (!this.#afterHereDocument) this.#write(';')
        this.#afterHereDocument = false
      }
      this.#write('\n')
      this.#indent()
      return
    }
    if (this.#deferred.length > 0) {
      this.#bodies('')
      this.#write(' ')
    } else {
      const lineEnds = this.#lineEnds?.has(item) === true
      this.#write(this.#atNewline ? ' ' : lineEnds ? '\n' : '; ')
    }
    this.#afterHereDocument = false
  }

  /** `waits`: bodies must wait for the operator behind; `may`: they do so in bash where the first command is the only one. */
  #item(item: ListItem, waits: boolean, may: boolean): void {
    const { first, rest } = item
    if (rest.length === 0) return this.#pipeline(first, waits, may)
    this.#pipeline(first, true, false)
    rest.forEach(({ operator, pipeline }, index) => {
      this.#bodies(` ${operator} `)
      this.#pipeline(pipeline, waits || index < rest.length - 1, false)
    })
  }

  #pipeline(pipeline: Pipeline, waits: boolean, may: boolean): void {
    const { timed, negated, stages } = pipeline
    if (timed !== 'no') this.#write(`${timed} `)
    if (negated) this.#write('! ')
    stages.forEach((stage, index) => {
      const last = index === stages.length - 1
      this.#defers = waits || !last || (may && stages.length === 1)
      this.#command(stage.command)
      if (last) return
      this.#bodies(stage.errorsToo ? ' |&' : ' |')
      this.#write(' ')
    })
  }

  #command(command: Command): void {
    const defers = this.#defers
    this.#defers = false
    switch (command.type) {
      case 'simple': {
        const words: string[] = []
        for (const assignment of command.assignments) words.push(assignment.raw)
        for (const word of command.words) words.push(word.raw)
        this.#write(words.join(' '))
        if (command.redirects.length === 0) return
        if (words.length > 0) this.#write(' ')
        this.#defers = defers
        this.#redirects(command.redirects)
        return
      }
      case 'subshell':
        this.#write('( ')
        this.#list(command.body, false)
        this.#bodies('')
        this.#write(' )')
        break
      case 'group':
        this.#group(command.body)
        break
      case 'if':
        this.#if(command, 0)
        break
      case 'for':
      case 'select':
        this.#write(`${command.type} ${command.name} in ${command.words === null ? '"$@"' : command.words.map(rawOf).join(' ')};`)
        this.#loop(command.body)
        break
      case 'arithmetic-for':
        this.#write(`for ((${command.init?.raw ?? '1'}; ${command.test?.raw ?? '1'}; ${command.step?.raw ?? '1'}))`)
        this.#loop(command.body)
        break
      case 'while':
        this.#write(command.until ? 'until ' : 'while ')
        this.#list(command.test, false)
        this.#bodies('')
        this.#semicolon()
        this.#write(' do\n')
        this.#indented(command.body)
        this.#line('done')
        break
      case 'case':
        this.#write(`case ${command.word.raw} in `)
        this.#indentation += 4
        for (const clause of command.clauses) this.#clause(clause)
        this.#indentation -= 4
        this.#line('esac')
        break
      case 'arithmetic':
        this.#write(`((${command.expression.raw}))`)
        break
      case 'test':
        this.#write('[[ ')
        this.#test(command.expression)
        this.#write(' ]]')
        break
      case 'function':
        this.definition(command, 'function ', defers)
        break
      case 'coproc':
        this.#write(command.body.type === 'simple' ? 'coproc ' : `coproc ${command.name} `)
        this.#defers = defers
        this.#command(command.body)
        break
      default:
        command satisfies never
    }
    if (command.redirects.length === 0) return
    this.#write(' ')
    this.#defers = defers
    this.#redirects(command.redirects)
  }

  #group(body: List): void {
    this.#write('{ ')
    if (this.#functions > 0) {
      this.#write('\n')
      this.#indentation += 4
      this.#list(body, true)
      this.#bodies('')
      this.#write('\n')
      this.#indentation -= 4
      this.#indent()
    } else {
      this.#list(body, false)
      this.#bodies('')
      this.#semicolon()
      this.#write(' ')
    }
    this.#write('}')
  }

  #if(command: If, from: number): void {
    const { clauses, otherwise } = command
    const nested = clauses.length <= NESTED_CLAUSES
    let keyword = 'if'
    for (let i = from; i < clauses.length; i++) {
      const { test, body } = clauses[i] as If['clauses'][number]
      this.#write(`${keyword} `)
      this.#list(test, false)
      this.#bodies('')
      this.#semicolon()
      this.#write(' then\n')
      this.#indented(body)
      if (nested && i + 1 < clauses.length) {
        this.#line('else\n')
        this.#indentation += 4
        this.#indent()
        this.#if(command, i + 1)
        this.#indentation -= 4
        this.#semicolon()
        this.#line('fi')
        return
      }
      if (i + 1 < clauses.length) this.#line('')
      keyword = 'elif'
    }
    if (otherwise !== null) {
      this.#line('else\n')
      this.#indented(otherwise)
    }
    this.#line('fi')
  }

  #loop(body: List): void {
    this.#line('do\n')
    this.#indented(body)
    this.#line('done')
  }

  #indented(body: List): void {
    this.#indentation += 4
    this.#list(body, true)
    this.#bodies('')
    this.#indentation -= 4
    this.#semicolon()
  }

  #clause(clause: CaseClause): void {
    this.#line(`${clause.patterns.map(rawOf).join(' | ')})\n`)
    if (clause.body.items.length > 0) {
      this.#indentation += 4
      this.#list(clause.body, true)
      this.#indentation -= 4
      this.#bodies('')
    }
    this.#line(clause.terminator)
  }

  #test(expression: TestExpression): void {
    switch (expression.type) {
      case 'word':
        return this.#write(`-n ${expression.word.raw}`)
      case 'unary':
        return this.#write(`${expression.operator} ${expression.word.raw}`)
      case 'binary':
        return this.#write(`${expression.left.raw} ${expression.operator} ${expression.right.raw}`)
      case 'not':
        this.#write('! ')
        return this.#test(expression.operand)
      case 'parens':
        this.#write('( ')
        this.#test(expression.operand)
        return this.#write(' )')
      default:
        expression.operands.forEach((operand, index) => {
          if (index > 0) this.#write(expression.type === 'and' ? ' && ' : ' || ')
          this.#test(operand)
        })
    }
  }

  #redirects(redirects: readonly Redirect[]): void {
    this.#afterHereDocument = false
    const documents: Redirect[] = []
    redirects.forEach((redirect, index) => {
      if (index > 0) this.#write(' ')
      this.#write(redirectText(redirect))
      if (redirect.hereDocument !== null) documents.push(redirect)
    })
    if (documents.length === 0) return
    if (this.#defers) this.#deferred.push(...documents)
    else this.#hereDocuments(documents)
  }
}

function rawOf(word: Word): string {
  return word.raw
}

function redirectText({ descriptor, operator, target }: Redirect): string {
  const before = descriptor === null ? '' : typeof descriptor === 'number' ? String(descriptor) : `{${descriptor.variable}}`
  switch (operator) {
    case '>&':
    case '<&':
    case '<<':
    case '<<-':
      return `${before}${operator}${target.raw}`
    default:
      return `${before}${operator} ${target.raw}`
  }
}
