import type {
  Assignment,
  CaseClause,
  Command,
  FunctionDefinition,
  Group,
  If,
  List,
  ListItem,
  Pipeline,
  Redirect,
  Stage,
  Word,
} from './ast.ts'
import { isBlank, LEFT_PAREN, NEWLINE, RIGHT_PAREN, SEMICOLON } from './characters.ts'
import { parseConditional } from './conditional.ts'
import { scanArithmetic, tryArithmetic } from './expansions.ts'
import { delimiterOf } from './here-document.ts'
import { COMMAND, DESCRIPTOR, KEYWORD, Lexer, PREFIX, STAGE } from './lexer.ts'
import type { Source } from './source.ts'
import { ARRAY_ARGUMENT, DECLARATION, PLAIN } from './words.ts'

const NO_REDIRECTS: readonly Redirect[] = []
const NO_ASSIGNMENTS: readonly Assignment[] = []
const NO_REST: ListItem['rest'] = []
const NOTHING: List = { items: [] }

/** Commands whose arguments may be assignments. */
const DECLARES: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

/** The body of `$(…)`, `<(…)` or `>(…)`: reads up to and including the `)`. */
export function parseSubstitution(source: Source): List {
  return new CommandParser(source, true).substitution()
}

/** Parses commands out of tokens, by recursive descent; whatever may be long is a loop. */
export class CommandParser {
  readonly #lexer: Lexer
  readonly #source: Source
  readonly #inSubstitution: boolean

  constructor(source: Source, inSubstitution = false) {
    this.#source = source
    this.#lexer = new Lexer(source)
    this.#inSubstitution = inSubstitution
  }

  get lexer(): Lexer {
    return this.#lexer
  }

  /** The commands up to the end of a line; the lexer is left at their first token's place. Null at the end of the text. */
  completeCommand(): List {
    const lexer = this.#lexer
    const items: ListItem[] = []
    for (;;) {
      items.push(this.#item())
      if (!lexer.is(';') && !lexer.is('&')) break
      lexer.advance(COMMAND)
      if (!startsCommand(lexer.kind)) break
    }
    if (!lexer.is('newline') && !lexer.is('eof')) this.#unexpected()
    return { items }
  }

  substitution(): List {
    const lexer = this.#lexer
    const source: Source = this.#source
    lexer.advance(COMMAND)
    this.#skipNewlines(COMMAND)
    const list = lexer.is(')') ? NOTHING : this.#list()
    if (!lexer.is(')')) this.#unexpected()
    if (lexer.pending.length > 0) {
      source.warnings.push(`command substitution: ${lexer.pending.length} unterminated here-document`)
      source.leftOver.push(...lexer.pending)
    }
    return list
  }

  #unexpected(): never {
    const { kind, start, word } = this.#lexer
    const source: Source = this.#source
    if (kind === 'eof') {
      source.failAtEnd(this.#inSubstitution ? "unexpected EOF while looking for matching `)'" : 'syntax error: unexpected end of file')
    }
    const isWord = kind === 'word' || kind === 'assignment' || kind === 'number' || kind === 'variable'
    const text = isWord ? quotedToken((word as Word).raw) : kind
    source.fail(`syntax error near unexpected token \`${text}'`, start, isWord ? source.pos : start)
  }

  #expect(kind: string, mode = COMMAND): void {
    if (this.#lexer.kind !== kind) this.#unexpected()
    this.#lexer.advance(mode)
  }

  #skipNewlines(mode: number): void {
    while (this.#lexer.is('newline')) this.#lexer.advance(mode)
  }

  /** At least one command, up to a token that can start none. */
  #list(): List {
    const lexer = this.#lexer
    const items: ListItem[] = []
    this.#skipNewlines(COMMAND)
    for (;;) {
      const item = this.#item()
      items.push(item)
      const { kind } = lexer
      if (this.#inSubstitution && kind === 'newline') this.#source.lineEnds.add(item)
      if (kind !== ';' && kind !== '&' && kind !== 'newline') break
      lexer.advance(COMMAND)
      this.#skipNewlines(COMMAND)
      if (!startsCommand(lexer.kind)) break
    }
    return { items }
  }

  /** Pipelines joined by `&&` and `||`; the lexer is left at what ends them. */
  #item(): ListItem {
    const lexer = this.#lexer
    const first = this.#pipeline()
    let rest = NO_REST
    if (lexer.is('&&') || lexer.is('||')) {
      const others: { operator: '&&' | '||'; pipeline: Pipeline }[] = []
      while (lexer.is('&&') || lexer.is('||')) {
        const operator = lexer.kind as '&&' | '||'
        lexer.advance(COMMAND)
        this.#skipNewlines(COMMAND)
        others.push({ operator, pipeline: this.#pipeline() })
      }
      rest = others
    }
    return { first, rest, background: lexer.is('&') }
  }

  #pipeline(): Pipeline {
    const lexer = this.#lexer
    const { line } = lexer
    let negated = false
    let timed: Pipeline['timed'] = 'no'
    let prefixed = false
    while (lexer.is('!') || lexer.is('time')) {
      prefixed = true
      if (lexer.is('!')) {
        negated = !negated
        lexer.advance(COMMAND)
        continue
      }
      if (timed === 'no') timed = 'time'
      lexer.advance(COMMAND)
      if (lexer.is('word') && lexer.plain === '-p') {
        timed = 'time -p'
        lexer.advance(COMMAND)
      }
      if (lexer.is('word') && lexer.plain === '--') {
        timed = 'time -p'
        lexer.advance(COMMAND)
      }
    }
    if (prefixed && (lexer.is(';') || lexer.is('newline') || lexer.is('eof'))) return { negated, timed, stages: [], line }
    let command = this.#command()
    const stages: Stage[] = []
    while (lexer.is('|') || lexer.is('|&')) {
      // As in bash `|&` is short for `2>&1 |`.
      if (lexer.is('|&')) command = withErrors(command, lexer.line)
      stages.push({ command, errorsToo: false })
      lexer.advance(STAGE)
      this.#skipNewlines(STAGE)
      command = this.#command()
    }
    stages.push({ command, errorsToo: false })
    return { negated, timed, stages, line }
  }

  #command(): Command {
    switch (this.#lexer.kind) {
      case 'word':
      case 'assignment':
      case 'number':
      case 'variable':
        return this.#simple()
      case 'function':
        return this.#keywordFunction()
      case 'coproc':
        return this.#coprocess()
      default:
        if (isRedirect(this.#lexer.kind)) return this.#simple()
        return this.#compound()
    }
  }

  /** A compound command with its redirections. */
  #compound(): Command {
    this.#source.enter()
    const command = this.#bareCompound()
    this.#source.leave()
    const redirects = this.#redirects()
    return redirects.length === 0 ? command : { ...command, redirects }
  }

  #redirects(): readonly Redirect[] {
    if (!isRedirect(this.#lexer.kind)) return NO_REDIRECTS
    const redirects: Redirect[] = []
    while (isRedirect(this.#lexer.kind)) redirects.push(this.#redirect(PLAIN))
    return redirects
  }

  #bareCompound(): Command {
    const lexer = this.#lexer
    const { kind, line } = lexer
    switch (kind) {
      case '(': {
        const arithmetic = this.#arithmetic()
        if (arithmetic !== null) return arithmetic
        lexer.advance(COMMAND)
        const body = this.#list()
        this.#expect(')')
        return { type: 'subshell', body, line, redirects: NO_REDIRECTS }
      }
      case '{': {
        lexer.advance(COMMAND)
        const body = this.#list()
        this.#expect('}')
        return { type: 'group', body, line, redirects: NO_REDIRECTS }
      }
      case 'if':
        return this.#if()
      case 'for':
        return this.#for()
      case 'select':
        return this.#select()
      case 'while':
      case 'until': {
        lexer.advance(COMMAND)
        const test = this.#list()
        this.#expect('do')
        const body = this.#list()
        this.#expect('done')
        return { type: 'while', until: kind === 'until', test, body, line, redirects: NO_REDIRECTS }
      }
      case 'case':
        return this.#case()
      case '[[': {
        const expression = parseConditional(lexer)
        lexer.advance(COMMAND)
        return { type: 'test', expression, line, redirects: NO_REDIRECTS }
      }
      default:
        this.#unexpected()
    }
  }

  /** `((…))`, where that is what the parenthesis opens. */
  #arithmetic(): Command | null {
    const lexer = this.#lexer
    const source: Source = this.#source
    if (source.code(source.pos) !== LEFT_PAREN) return null
    const { line } = lexer
    const expression = lexer.scanning(lexer.start, (start) => tryArithmetic(source, start, start))
    if (expression === null) {
      source.pos = lexer.start + 1
      return null
    }
    source.restoreEdits(0)
    lexer.advance(COMMAND)
    return { type: 'arithmetic', expression, line, redirects: NO_REDIRECTS }
  }

  #if(): Command {
    const lexer = this.#lexer
    const { line } = lexer
    const clauses: If['clauses'][number][] = []
    do {
      lexer.advance(COMMAND)
      const test = this.#list()
      this.#expect('then')
      clauses.push({ test, body: this.#list() })
    } while (lexer.is('elif'))
    let otherwise: List | null = null
    if (lexer.is('else')) {
      lexer.advance(COMMAND)
      otherwise = this.#list()
    }
    this.#expect('fi')
    // `else if …; fi` is `elif …`: bash prints the one for the other.
    const inner = otherwise === null ? null : onlyIf(otherwise)
    if (inner === null) return { type: 'if', clauses, otherwise, line, redirects: NO_REDIRECTS }
    return { type: 'if', clauses: [...clauses, ...inner.clauses], otherwise: inner.otherwise, line, redirects: NO_REDIRECTS }
  }

  #for(): Command {
    const lexer = this.#lexer
    const source: Source = this.#source
    const { line } = lexer
    lexer.advance(PLAIN)
    if (lexer.is('(') && source.code(source.pos) === LEFT_PAREN) return this.#arithmeticFor(line)
    const name = this.#loopName()
    const words = this.#loopWords()
    const body = this.#loopBody()
    return { type: 'for', name, words, body, line, redirects: NO_REDIRECTS }
  }

  #select(): Command {
    const { line } = this.#lexer
    this.#lexer.advance(PLAIN)
    const name = this.#loopName()
    const words = this.#loopWords()
    const body = this.#loopBody()
    return { type: 'select', name, words, body, line, redirects: NO_REDIRECTS }
  }

  #loopName(): string {
    const lexer = this.#lexer
    if (!lexer.is('word')) this.#unexpected()
    const name = (lexer.word as Word).raw
    lexer.advance(KEYWORD)
    return name
  }

  /** What stands between a loop's name and its body. */
  #loopWords(): readonly Word[] | null {
    const lexer = this.#lexer
    if (lexer.is(';')) {
      lexer.advance(COMMAND)
      this.#skipNewlines(COMMAND)
      return null
    }
    if (lexer.is('do')) return null
    if (!lexer.is('in')) {
      if (!lexer.is('newline')) this.#unexpected()
      this.#skipNewlines(COMMAND)
      if (!lexer.is('in')) return null
    }
    const words: Word[] = []
    lexer.advance(PLAIN)
    while (lexer.is('word')) {
      words.push(lexer.word as Word)
      lexer.advance(PLAIN)
    }
    if (!lexer.is(';') && !lexer.is('newline')) this.#unexpected()
    lexer.advance(COMMAND)
    this.#skipNewlines(COMMAND)
    return words.length === 1 && (words[0] as Word).raw === '"$@"' ? null : words
  }

  #loopBody(): List {
    const lexer = this.#lexer
    const end = lexer.is('{') ? '}' : 'done'
    this.#expect(end === '}' ? '{' : 'do')
    const body = this.#list()
    this.#expect(end)
    return body
  }

  #arithmeticFor(line: number): Command {
    const lexer = this.#lexer
    const source: Source = this.#source
    const parts = lexer.scanning(lexer.start, (start) => {
      source.pos = start + 2
      const found: (Word | null)[] = []
      for (;;) {
        while (isBlank(source.code(source.pos)) || source.code(source.pos) === NEWLINE) source.pos++
        const part = scanArithmetic(source, start, RIGHT_PAREN, SEMICOLON)
        // A part left out counts as 1, and prints so.
        found.push(part.raw === '' || part.raw === '1' ? null : part)
        if (source.code(source.pos) !== SEMICOLON) break
        source.pos++
      }
      if (source.code(source.pos + 1) !== RIGHT_PAREN) source.failUnclosed(')', start)
      if (found.length < 3) source.fail('syntax error: arithmetic expression required', start)
      if (found.length > 3) source.fail("syntax error: `;' unexpected", start)
      source.pos += 2
      return found
    })
    source.restoreEdits(0)
    lexer.advance(COMMAND)
    if (lexer.is(';')) lexer.advance(COMMAND)
    this.#skipNewlines(COMMAND)
    const [init = null, test = null, step = null] = parts
    const body = this.#loopBody()
    return { type: 'arithmetic-for', init, test, step, body, line, redirects: NO_REDIRECTS }
  }

  #case(): Command {
    const lexer = this.#lexer
    const { line } = lexer
    lexer.advance(PLAIN)
    if (!lexer.is('word')) this.#unexpected()
    const word = lexer.word as Word
    lexer.advance(KEYWORD)
    this.#skipNewlines(KEYWORD)
    this.#expect('in', PLAIN)
    const clauses: CaseClause[] = []
    for (;;) {
      this.#skipNewlines(PLAIN)
      if (lexer.is('word') && lexer.plain === 'esac') break
      clauses.push(this.#clause())
      if (lexer.is('esac')) break
    }
    lexer.advance(COMMAND)
    return { type: 'case', word, clauses, line, redirects: NO_REDIRECTS }
  }

  #clause(): CaseClause {
    const lexer = this.#lexer
    if (lexer.is('(')) lexer.advance(PLAIN)
    const patterns: Word[] = []
    for (;;) {
      if (!lexer.is('word')) this.#unexpected()
      patterns.push(lexer.word as Word)
      lexer.advance(PLAIN)
      if (!lexer.is('|')) break
      lexer.advance(PLAIN)
    }
    this.#expect(')')
    this.#skipNewlines(COMMAND)
    const body = startsCommand(lexer.kind) ? this.#list() : NOTHING
    const terminator = lexer.kind
    if (terminator === 'esac') return { patterns, body, terminator: ';;' }
    if (terminator !== ';;' && terminator !== ';&' && terminator !== ';;&') this.#unexpected()
    lexer.advance(PLAIN)
    return { patterns, body, terminator }
  }

  #keywordFunction(): Command {
    const lexer = this.#lexer
    const { line } = lexer
    lexer.advance(PLAIN)
    if (!lexer.is('word')) this.#unexpected()
    const name = (lexer.word as Word).raw
    lexer.advance(COMMAND)
    if (lexer.is('(') && this.#closesAtOnce()) {
      lexer.advance(COMMAND)
      lexer.advance(COMMAND)
    }
    this.#skipNewlines(COMMAND)
    return this.#function(name, line, true)
  }

  /** Whether `)` is the next token but for blanks. */
  #closesAtOnce(): boolean {
    const source: Source = this.#source
    let at = source.pos
    while (isBlank(source.code(at))) at++
    return source.code(at) === RIGHT_PAREN
  }

  /** As in bash a body that is no group becomes the only command of one. */
  #function(name: string, line: number, keyword: boolean): FunctionDefinition {
    const command = this.#compound()
    const body = command.type === 'group' ? command : groupOf(command)
    return { type: 'function', name, body, keyword, line, redirects: NO_REDIRECTS }
  }

  #coprocess(): Command {
    const lexer = this.#lexer
    const source: Source = this.#source
    const { line } = lexer
    lexer.advance(COMMAND)
    if (startsCompound(lexer.kind)) {
      return { type: 'coproc', name: 'COPROC', body: this.#compound(), line, redirects: NO_REDIRECTS }
    }
    if (lexer.is('word')) {
      const word = lexer.word as Word
      const { plain, start, line: wordLine } = lexer
      const { pos, line: sourceLine, newline, lineStart, text } = source
      lexer.advance(KEYWORD)
      if (startsCompound(lexer.kind)) {
        return { type: 'coproc', name: word.raw, body: this.#compound(), line, redirects: NO_REDIRECTS }
      }
      if (source.text === text) {
        source.pos = pos
        source.line = sourceLine
        source.newline = newline
        source.lineStart = lineStart
        lexer.kind = 'word'
        lexer.word = word
        lexer.plain = plain
        lexer.start = start
        lexer.line = wordLine
      } else {
        this.#unexpected()
      }
    }
    return { type: 'coproc', name: 'COPROC', body: this.#simple(), line, redirects: NO_REDIRECTS }
  }

  /** A simple command, or the definition of a function that begins like one. */
  #simple(): Command {
    const lexer = this.#lexer
    // bash notes the line once it has read an assignment, or the second word.
    let { line } = lexer
    let assignments = NO_ASSIGNMENTS
    let redirects = NO_REDIRECTS
    const words: Word[] = []
    let mode = PREFIX
    // Still looking for the word that says what the arguments are.
    let looking = true
    for (;;) {
      switch (lexer.kind) {
        case 'word': {
          words.push(lexer.word as Word)
          if (words.length < 3 && assignments.length === 0 && redirects.length === 0) line = this.#source.lineAt(this.#source.pos)
          if (looking) {
            mode = argumentMode(lexer.plain, words.length === 1)
            looking = mode === LOOKING
          }
          lexer.advance(mode)
          if (words.length === 1 && lexer.is('(') && assignments.length === 0 && redirects.length === 0) {
            return this.#parenthesesFunction(words[0] as Word, line)
          }
          continue
        }
        case 'assignment':
          if (assignments.length === 0) {
            assignments = [lexer.assignment as Assignment]
            if (redirects.length === 0) line = this.#source.lineAt(this.#source.pos)
          } else (assignments as Assignment[]).push(lexer.assignment as Assignment)
          lexer.advance(PREFIX)
          continue
        default:
          if (!isRedirect(lexer.kind)) break
          if (redirects.length === 0) redirects = [this.#redirect(mode)]
          else (redirects as Redirect[]).push(this.#redirect(mode))
          continue
      }
      break
    }
    if (words.length === 0 && assignments.length === 0 && redirects.length === 0) this.#unexpected()
    return { type: 'simple', assignments, words, line, redirects }
  }

  #parenthesesFunction(name: Word, line: number): Command {
    const lexer = this.#lexer
    lexer.advance(PLAIN)
    this.#expect(')')
    this.#skipNewlines(COMMAND)
    return this.#function(name.raw, line, false)
  }

  /** At a redirection's first token; `mode` is for the token behind it. */
  #redirect(mode: number): Redirect {
    const lexer = this.#lexer
    const { line } = lexer
    let descriptor: Redirect['descriptor'] = null
    if (lexer.is('number')) {
      descriptor = Number(lexer.plain)
      lexer.advance(PLAIN)
    } else if (lexer.is('variable')) {
      descriptor = { variable: (lexer.plain as string).slice(1, -1) }
      lexer.advance(PLAIN)
    }
    const operator = lexer.kind as Redirect['operator']
    lexer.advance(operator === '>&' || operator === '<&' ? DESCRIPTOR : PLAIN)
    if (!lexer.is('word')) this.#unexpected()
    const target = lexer.word as Word
    if (operator === '<<' || operator === '<<-') {
      const { delimiter, quoted } = delimiterOf(target)
      const redirect = {
        descriptor: descriptor === 0 ? null : descriptor,
        operator,
        target: delimiterWord(delimiter, quoted),
        hereDocument: null,
        line,
      }
      lexer.pending.push({ redirect, delimiter, quoted, stripTabs: operator === '<<-', line })
      lexer.advance(mode)
      return redirect
    }
    const redirect = canonical(descriptor, operator, target, lexer.plain, line)
    lexer.advance(mode)
    return redirect
  }
}

/** Behind `command` and `builtin`, whose own arguments are still to come. */
const LOOKING: number = DECLARATION

/** How to read the arguments behind the command word `plain`. */
function argumentMode(plain: string | null, first: boolean): number {
  if (plain === null) return PLAIN
  switch (plain) {
    case 'command':
    case 'builtin':
      return LOOKING
    case 'eval':
    case 'let':
    case 'alias':
      return first ? ARRAY_ARGUMENT : PLAIN
    default:
      if (DECLARES.has(plain)) return first ? DECLARATION | ARRAY_ARGUMENT : DECLARATION
      return !first && plain.startsWith('-') ? LOOKING : PLAIN
  }
}

/** The form in which bash keeps a redirection: descriptors said where that is the rule, left out where they are the operator's own. */
function canonical(
  given: Redirect['descriptor'],
  operator: Redirect['operator'],
  target: Word,
  plain: string | null,
  line: number,
): Redirect {
  let descriptor = given
  let kept = operator
  const input = operator === '<' || operator === '<&' || operator === '<>' || operator === '<<<'
  const own = input ? 0 : 1
  if ((operator === '>&' || operator === '<&') && plain !== null && /^(?:-|\d+-?)$/.test(plain)) {
    descriptor ??= own
    if (plain === '-') kept = '>&'
  } else if (operator === '<>') {
    descriptor ??= own
  } else if (descriptor === own) {
    descriptor = null
  }
  return { descriptor, operator: kept, target, hereDocument: null, line }
}

function delimiterWord(delimiter: string, quoted: boolean): Word {
  const raw = quoted ? `'${delimiter.replaceAll("'", "'\\''")}'` : delimiter
  return { type: 'word', parts: [{ type: 'text', text: delimiter, quoted }], raw }
}

function withErrors(command: Command, line: number): Command {
  const target: Word = { type: 'word', parts: [{ type: 'text', text: '1', quoted: false }], raw: '1' }
  const redirect: Redirect = { descriptor: 2, operator: '>&', target, hereDocument: null, line }
  if (command.type === 'coproc' || command.type === 'function') return { ...command, body: withErrors(command.body, line) }
  return { ...command, redirects: [...command.redirects, redirect] } satisfies Command
}

/** A token as an error shows it: `$'…'` where it holds control characters. */
function quotedToken(text: string): string {
  if (!/[\x00-\x1f\x7f]/.test(text)) return text
  return `$'${text.replace(/[\x00-\x1f\x7f\\']/g, escaped)}'`
}

function escaped(character: string): string {
  const at = '\x07\b\t\n\v\f\r\x1b'.indexOf(character)
  if (at >= 0) return `\\${'abtnvfrE'.charAt(at)}`
  if (character === '\\' || character === "'") return `\\${character}`
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

function groupOf(command: Command): Group {
  const { line } = command
  const first: Pipeline = { negated: false, timed: 'no', stages: [{ command, errorsToo: false }], line }
  return { type: 'group', body: { items: [{ first, rest: NO_REST, background: false }] }, line, redirects: NO_REDIRECTS }
}

/** The `if` that is all a list consists of. */
function onlyIf(list: List): If | null {
  const item = list.items[0]
  if (item === undefined || list.items.length > 1 || item.background || item.rest.length > 0) return null
  const { negated, timed, stages } = item.first
  const command = stages[0]?.command
  if (negated || timed !== 'no' || stages.length !== 1 || command?.type !== 'if' || command.redirects.length > 0) return null
  return command
}

function isRedirect(kind: string): boolean {
  switch (kind) {
    case 'number':
    case 'variable':
    case '<':
    case '>':
    case '>>':
    case '>|':
    case '<>':
    case '<&':
    case '>&':
    case '&>':
    case '&>>':
    case '<<<':
    case '<<':
    case '<<-':
      return true
    default:
      return false
  }
}

function startsCompound(kind: string): boolean {
  switch (kind) {
    case '(':
    case '{':
    case 'if':
    case 'for':
    case 'while':
    case 'until':
    case 'case':
    case 'select':
    case '[[':
      return true
    default:
      return false
  }
}

function startsCommand(kind: string): boolean {
  switch (kind) {
    case 'word':
    case 'assignment':
    case 'function':
    case 'coproc':
    case 'time':
    case '!':
      return true
    default:
      return startsCompound(kind) || isRedirect(kind)
  }
}
