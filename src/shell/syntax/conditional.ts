import type { TestExpression, Word } from './ast.ts'
import type { Lexer } from './lexer.ts'
import type { Source } from './source.ts'
import { PATTERN, PLAIN, REGEX } from './words.ts'

const UNARY = 'abcdefghknoprstuvwxzGLNORS'
const BINARY: ReadonlySet<string> = new Set('= == != =~ -nt -ot -ef -eq -ne -lt -le -gt -ge'.split(' '))

/** Parses what stands between `[[` and `]]`; the lexer is at `[[` and is left at `]]`. */
export function parseConditional(lexer: Lexer): TestExpression {
  const { start } = lexer
  lexer.advance(PLAIN)
  const expression = parseOr(lexer)
  if (isPlain(lexer, ']]')) return expression
  const source: Source = lexer.source
  if (lexer.kind === 'eof') source.failAtEnd("unexpected EOF while looking for `]]'", start)
  const rest = lexer.kind === 'word' ? '' : `: unexpected token \`${lexer.kind}'`
  source.fail(`syntax error in conditional expression${rest}`, lexer.start)
}

function parseOr(lexer: Lexer): TestExpression {
  const operands = [parseAnd(lexer)]
  while (lexer.kind === '||') {
    lexer.advance(PLAIN)
    operands.push(parseAnd(lexer))
  }
  return operands.length === 1 ? (operands[0] as TestExpression) : { type: 'or', operands }
}

function parseAnd(lexer: Lexer): TestExpression {
  const operands = [parseTerm(lexer)]
  while (lexer.kind === '&&') {
    lexer.advance(PLAIN)
    operands.push(parseTerm(lexer))
  }
  return operands.length === 1 ? (operands[0] as TestExpression) : { type: 'and', operands }
}

function parseTerm(lexer: Lexer): TestExpression {
  skipNewlines(lexer)
  let negated = false
  while (isPlain(lexer, '!')) {
    negated = !negated
    lexer.advance(PLAIN)
    skipNewlines(lexer)
  }
  const operand = parseOperand(lexer)
  skipNewlines(lexer)
  return negated ? { type: 'not', operand } : operand
}

function parseOperand(lexer: Lexer): TestExpression {
  const source: Source = lexer.source
  if (lexer.kind === '(') return parseParens(lexer)
  if (lexer.kind !== 'word' || isPlain(lexer, ']]')) {
    if (isPlain(lexer, ']]')) source.fail("syntax error near `]]'", lexer.start)
    if (lexer.kind === 'eof') source.failAtEnd("unexpected token `EOF' in conditional command")
    source.fail(`unexpected token \`${tokenText(lexer)}' in conditional command`, lexer.start)
  }
  const word = lexer.word as Word
  if (word.raw.length === 2 && word.raw.startsWith('-') && UNARY.includes(word.raw.charAt(1))) {
    lexer.advance(PLAIN)
    if (lexer.kind !== 'word' || isPlain(lexer, ']]')) {
      source.fail(`unexpected argument \`${tokenText(lexer)}' to conditional unary operator`, lexer.start)
    }
    const argument = lexer.word as Word
    lexer.advance(PLAIN)
    return { type: 'unary', operator: word.raw, word: argument }
  }
  lexer.advance(PLAIN)
  return parseBinary(lexer, word)
}

function parseParens(lexer: Lexer): TestExpression {
  const source: Source = lexer.source
  source.enter()
  lexer.advance(PLAIN)
  if (isPlain(lexer, ']]')) source.fail("expected `)'", lexer.start)
  const operand = parseOr(lexer)
  if (lexer.kind !== ')') {
    if (lexer.kind === 'eof') source.failAtEnd("expected `)'")
    source.fail(`unexpected token \`${tokenText(lexer)}', expected \`)'`, lexer.start)
  }
  lexer.advance(PLAIN)
  source.leave()
  return { type: 'parens', operand }
}

/** What follows the first word of a term. */
function parseBinary(lexer: Lexer, left: Word): TestExpression {
  const source: Source = lexer.source
  const isWord = lexer.kind === 'word'
  const operator = isWord ? (lexer.word as Word).raw : lexer.kind
  if (operator === '<' || operator === '>' ? !isWord : isWord && BINARY.has(operator)) {
    lexer.advance(operator === '=~' ? REGEX : operator.endsWith('=') ? PATTERN : PLAIN)
    if (lexer.kind !== 'word' || isPlain(lexer, ']]')) {
      source.fail(`unexpected argument \`${tokenText(lexer)}' to conditional binary operator`, lexer.start)
    }
    const right = lexer.word as Word
    lexer.advance(PLAIN)
    return { type: 'binary', operator, left, right }
  }
  // As bash keeps it: a word alone is tested for being there.
  if (isPlain(lexer, ']]') || operator === '&&' || operator === '||' || operator === ')')
    return { type: 'unary', operator: '-n', word: left }
  if (isWord || lexer.is('number')) source.fail('conditional binary operator expected', lexer.start)
  source.fail(`unexpected token \`${tokenText(lexer)}', conditional binary operator expected`, lexer.start)
}

function skipNewlines(lexer: Lexer): void {
  while (lexer.kind === 'newline') lexer.advance(PLAIN)
}

function isPlain(lexer: Lexer, text: string): boolean {
  return lexer.kind === 'word' && lexer.plain === text
}

function tokenText(lexer: Lexer): string {
  if (lexer.kind === 'eof') return 'newline'
  return lexer.kind === 'word' || lexer.kind === 'number' ? (lexer.word as Word).raw : lexer.kind
}
