import { expect, test } from 'vitest'
import { createParser } from '../../../src/shell/syntax/parser.ts'
import { bash, bashInstalled, errorOf } from './reference.ts'

/** Script, message, line, and whether more lines could complete it. */
const CASES: readonly (readonly [string, string, number, boolean])[] = [
  [')', "syntax error near unexpected token `)'", 1, false],
  ['a\nb\n;', "syntax error near unexpected token `;'", 3, false],
  ['in', "syntax error near unexpected token `in'", 1, false],
  ['done', "syntax error near unexpected token `done'", 1, false],
  ['a;; b', "syntax error near unexpected token `;;'", 1, false],
  ['a &; b', "syntax error near unexpected token `;'", 1, false],
  ['a | ! b', "syntax error near unexpected token `!'", 1, false],
  ['a >', "syntax error near unexpected token `newline'", 1, false],
  ['a > ;', "syntax error near unexpected token `;'", 1, false],
  ['echo (b)', "syntax error near unexpected token `b'", 1, false],
  ['echo a (b)', "syntax error near unexpected token `('", 1, false],
  ['()', "syntax error near unexpected token `)'", 1, false],
  ['{ }', "syntax error near unexpected token `}'", 1, false],
  ['for', "syntax error near unexpected token `newline'", 1, false],
  ['for x in a; b', "syntax error near unexpected token `b'", 1, false],
  ['f() echo', "syntax error near unexpected token `echo'", 1, false],
  ['x=(1;2)', "syntax error near unexpected token `;'", 1, false],
  ['$(if)', "syntax error near unexpected token `)'", 1, false],
  ['case a in b) c;; d', "syntax error near unexpected token `newline'", 1, false],
  ["? 'a\nb' (", "syntax error near unexpected token `('", 2, false],
  ['if true', 'syntax error: unexpected end of file', 2, true],
  ['if true; then\n', 'syntax error: unexpected end of file', 2, true],
  ['(', 'syntax error: unexpected end of file', 2, true],
  ['{ a', 'syntax error: unexpected end of file', 2, true],
  ['f()', 'syntax error: unexpected end of file', 2, true],
  ['a &&', 'syntax error: unexpected end of file', 2, true],
  ['a |\n\n', 'syntax error: unexpected end of file', 3, true],
  ['case x in', 'syntax error: unexpected end of file', 2, true],
  ['echo "abc', 'unexpected EOF while looking for matching `"\'', 1, true],
  ["a\necho 'abc\n", "unexpected EOF while looking for matching `''", 2, true],
  ["echo $'a", "unexpected EOF while looking for matching `''", 1, true],
  ['echo `abc', "unexpected EOF while looking for matching ``'", 1, true],
  ['echo ${x', "unexpected EOF while looking for matching `}'", 1, true],
  ['echo "${x-it\'s}"', "unexpected EOF while looking for matching `''", 1, true],
  ['echo $((1+2', "unexpected EOF while looking for matching `)'", 1, true],
  ['((1+2', "unexpected EOF while looking for matching `)'", 1, true],
  ['echo $(abc', "unexpected EOF while looking for matching `)'", 2, true],
  ['echo <(abc', "unexpected EOF while looking for matching `)'", 2, true],
  ['echo $[1', "unexpected EOF while looking for matching `]'", 1, true],
  ['x[1', "unexpected EOF while looking for matching `]'", 1, true],
  ['x=(1 2', "unexpected EOF while looking for matching `)'", 1, true],
  ['[[ a b ]]', 'conditional binary operator expected', 1, false],
  ['[[ a', "unexpected token `newline', conditional binary operator expected", 1, false],
  ['[[ a; b ]]', "unexpected token `;', conditional binary operator expected", 1, false],
  ['[[ -f ]]', "unexpected argument `]]' to conditional unary operator", 1, false],
  ['[[ a == ]]', "unexpected argument `]]' to conditional binary operator", 1, false],
  ['[[ < a ]]', "unexpected token `<' in conditional command", 1, false],
  ['[[ (a ]]', "unexpected token `]]', expected `)'", 1, false],
  ['[[ ( ]]', "expected `)'", 1, false],
  ['[[ -f a b ]]', 'syntax error in conditional expression', 1, false],
  ['[[ a =~ b;c ]]', "syntax error in conditional expression: unexpected token `;'", 1, false],
  ['[[ a == b', "unexpected EOF while looking for `]]'", 1, true],
  ['[[ a == b &&', "unexpected token `EOF' in conditional command", 2, true],
]

test.each(CASES)('%s', (script, message, line, incomplete) => {
  expect(errorOf(script)).toMatchObject({ code: 'SYNTAX', message, line, incomplete })
})

test.runIf(bashInstalled)('bash says the same', () => {
  for (const [script, message, line] of CASES) {
    expect(bash(script, '-n').stderr.split('\n')[0]).toBe(`bash: -c: line ${line}: ${message}`)
  }
})

test('the column is that of the token at fault', () => {
  const at = (script: string) => {
    const error = errorOf(script)
    return [error?.line, error?.column]
  }
  expect(at('echo a (b)')).toEqual([1, 8])
  expect(at('echo a\n  b; )')).toEqual([2, 6])
  expect(at('echo "a')).toEqual([1, 6])
  expect(at('if a; then b; done')).toEqual([1, 15])
})

test('lines are counted from the first line given', () => {
  expect(() => createParser('a\n)', 10)).not.toThrow()
  const parser = createParser('a\n)', 10)
  parser.next()
  expect(() => parser.next()).toThrow(expect.objectContaining({ line: 11 }))
})
