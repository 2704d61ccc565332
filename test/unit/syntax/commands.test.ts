import { expect, test } from 'vitest'
import type { Command, SimpleCommand } from '../../../src/shell/syntax/ast.ts'
import { createParser, type ParseSettings } from '../../../src/shell/syntax/parser.ts'
import { parse } from './reference.ts'

function only(script: string, settings?: ParseSettings): Command {
  const { items } = parse(script, settings)
  expect(items).toHaveLength(1)
  return items[0]?.first.stages[0]?.command as Command
}

test('one complete command at a time', () => {
  const parser = createParser('\n# note\na; b &\nif c\nthen d; fi; e\n\n  f && \\\n g\n', 7)
  const found: unknown[] = []
  for (let command = parser.next(); command !== null; command = parser.next()) {
    found.push([command.start, command.end, command.line, command.list.items.length])
  }
  expect(found).toEqual([
    [8, 15, 9, 2],
    [15, 34, 10, 2],
    [37, 47, 13, 1],
  ])
  expect(parser.next()).toBeNull()
})

test('what comes before an error was given', () => {
  const parser = createParser('echo a\necho b\n)\n')
  expect(parser.next()?.line).toBe(1)
  expect(parser.next()?.line).toBe(2)
  expect(() => parser.next()).toThrow("syntax error near unexpected token `)'")
})

test('pipelines', () => {
  const [first, second, third, fourth] = parse('! ! a | b |& c; ! time -p d; time; time -- e').items
  expect(first?.first.negated).toBe(false)
  expect(first?.first.stages).toHaveLength(3)
  expect(first?.first.stages[1]?.command.redirects).toMatchObject([{ descriptor: 2, operator: '>&', target: { raw: '1' } }])
  expect(second?.first).toMatchObject({ negated: true, timed: 'time -p' })
  expect(third?.first).toMatchObject({ timed: 'time', stages: [] })
  expect(fourth?.first.timed).toBe('time -p')
  expect(parse('a | time b').items[0]?.first.stages[1]?.command).toMatchObject({ words: [{ raw: 'time' }, { raw: 'b' }] })
  expect(only('time -p x', { posix: true })).toMatchObject({ words: [{ raw: 'time' }, {}, {}] })
})

test('redirections', () => {
  const { redirects } = only('a >b 2>>c <d 3<>e >|f &>g &>>h 4>&1 <&- >&x 2>&$y {fd}>z <<<w 0<v 1>u 5>&6-') as SimpleCommand
  expect(redirects.map(({ descriptor, operator, target }) => [descriptor, operator, target.raw])).toEqual([
    [null, '>', 'b'],
    [2, '>>', 'c'],
    [null, '<', 'd'],
    [3, '<>', 'e'],
    [null, '>|', 'f'],
    [null, '&>', 'g'],
    [null, '&>>', 'h'],
    [4, '>&', '1'],
    [0, '>&', '-'],
    [null, '>&', 'x'],
    [2, '>&', '$y'],
    [{ variable: 'fd' }, '>', 'z'],
    [null, '<<<', 'w'],
    [null, '<', 'v'],
    [null, '>', 'u'],
    [5, '>&', '6-'],
  ])
})

test('here-documents', () => {
  const script = 'cat <<A <<-\'B\' <<"C D"; echo\na $x\nA\n\tb $y\n\tB\nc\nC D\nnext\n'
  const parser = createParser(script)
  const list = parser.next()?.list
  const { redirects } = list?.items[0]?.first.stages[0]?.command ?? only('')
  expect(redirects.map(({ hereDocument }) => [hereDocument?.delimiter, hereDocument?.quoted, hereDocument?.body.raw])).toEqual([
    ['A', false, 'a $x\n'],
    ['B', true, 'b $y\n'],
    ['C D', true, 'c\n'],
  ])
  expect(redirects[0]?.hereDocument?.body.parts.map((part) => part.type)).toEqual(['text', 'parameter', 'text'])
  expect(parser.next()?.line).toBe(8)
})

test('here-documents: continued lines, the end of the text, substitutions', () => {
  const body = (script: string) => (only(script) as SimpleCommand).redirects[0]?.hereDocument?.body.raw
  expect(body('cat <<E\na\\\nb\\\\\nE\n')).toBe('ab\\\\\n')
  expect(body('cat <<E\nx\n\\\nE\n')).toBe('x\n')
  expect(body("cat <<'E'\na\\\nE\n")).toBe('a\\\n')
  expect(createParser('cat <<E\nabc').next()).toMatchObject({ warnings: ["here-document at line 1 delimited by end-of-file (wanted `E')"] })
  expect(body('cat <<E\nabc')).toBe('abc\n')
  expect((only('echo $(cat <<E\nin\nE\n) out') as SimpleCommand).words.map((word) => word.raw)).toEqual([
    'echo',
    '$(cat <<E\nin\nE\n)',
    'out',
  ])
  const late = createParser('echo $(cat <<E)\nin\nE\necho next\n')
  expect(late.next()?.warnings).toEqual(['command substitution: 1 unterminated here-document'])
  expect(late.next()?.line).toBe(4)
})

test('faults in a here-document wait until it is expanded', () => {
  const parts = (text: string) => (only(`cat <<E\n${text}\nE\n`) as SimpleCommand).redirects[0]?.hereDocument?.body.parts
  expect(parts('a ${b')).toEqual([
    { type: 'text', text: 'a ', quoted: true },
    { type: 'bad', raw: '${b\n' },
  ])
  expect(parts('$(if)')).toMatchObject([{ type: 'command', body: 'if)\n' }])
  expect(parts('`a')).toMatchObject([{ type: 'command', body: 'a\n' }])
})

test('functions', () => {
  for (const script of ['f() { a; }', 'function f { a; }', 'function f() { a; }', 'f ( )\n\n{ a; }', 'function f\n{ a; }']) {
    expect(only(script)).toMatchObject({ type: 'function', name: 'f', body: { type: 'group' } })
  }
  for (const body of ['(a)', 'if a; then b; fi', '[[ a ]]', '((1))', 'for x; do a; done', 'while a; do b; done', 'case a in esac']) {
    expect(only(`f() ${body}`)).toMatchObject({ type: 'function', body: { type: 'group' } })
    expect(only(`function f ${body}`)).toMatchObject({ type: 'function', body: { type: 'group' } })
  }
  expect(only('f() { a; } >x')).toMatchObject({ redirects: [], body: { redirects: [{ operator: '>' }] } })
  for (const name of ['a-b', 'a.b', '@x', '+', 'é', '1', '/x/y']) expect(only(`${name}() { :; }`)).toMatchObject({ name })
})

test('loops', () => {
  for (const script of ['for i; do a; done', 'for i do a; done', 'for i\ndo a; done', 'for i { a; }', 'for i in "$@"; do a; done']) {
    if (script === 'for i { a; }') continue
    expect(only(script)).toMatchObject({ type: 'for', name: 'i', words: null })
  }
  expect(only('for i in; do a; done')).toMatchObject({ words: [] })
  expect(only('for i in a b\ndo c; done')).toMatchObject({ words: [{ raw: 'a' }, { raw: 'b' }] })
  expect(only('for i\nin a; { b; }')).toMatchObject({ words: [{ raw: 'a' }] })
  expect(only('select i in a; do b; done')).toMatchObject({ type: 'select', words: [{ raw: 'a' }] })
  expect(only('for for in in; do a; done')).toMatchObject({ name: 'for', words: [{ raw: 'in' }] })
  expect(only('for (( i = 0 ; i < 3;i++ )) do a; done')).toMatchObject({
    type: 'arithmetic-for',
    init: { raw: 'i = 0 ' },
    test: { raw: 'i < 3' },
    step: { raw: 'i++ ' },
  })
  expect(only('for ((;;)) { a; }')).toMatchObject({ init: null, test: null, step: null })
})

test('if: `else if` alone is `elif`', () => {
  const one = only('if a; then b; elif c; then d; else e; fi')
  const two = only('if a; then b; else if c; then d; else e; fi; fi')
  expect(one.type === 'if' && one.clauses.length).toBe(2)
  expect(two).toEqual(one)
  expect(only('if a; then b; else if c; then d; fi; e; fi')).toMatchObject({ clauses: [{}], otherwise: { items: [{}, {}] } })
})

test('case', () => {
  expect(only('case $x in a|b) c;; (d) e;& f) ;;& *) g\nesac')).toMatchObject({
    type: 'case',
    clauses: [
      { patterns: [{ raw: 'a' }, { raw: 'b' }], terminator: ';;' },
      { patterns: [{ raw: 'd' }], terminator: ';&' },
      { patterns: [{ raw: 'f' }], body: { items: [] }, terminator: ';;&' },
      { patterns: [{ raw: '*' }], terminator: ';;' },
    ],
  })
  expect(only('case in in in) ;; esac')).toMatchObject({ word: { raw: 'in' }, clauses: [{ patterns: [{ raw: 'in' }] }] })
  expect(only('case x in (esac) a;; esac')).toMatchObject({ clauses: [{ patterns: [{ raw: 'esac' }] }] })
})

test('coproc', () => {
  expect(only('coproc a b')).toMatchObject({
    type: 'coproc',
    name: 'COPROC',
    body: { type: 'simple', words: [{ raw: 'a' }, { raw: 'b' }] },
  })
  expect(only('coproc { a; }')).toMatchObject({ name: 'COPROC', body: { type: 'group' } })
  expect(only('coproc N (a) >f')).toMatchObject({ name: 'N', body: { type: 'subshell', redirects: [{}] } })
  expect(only('coproc N while a; do b; done')).toMatchObject({ name: 'N', body: { type: 'while' } })
})

test('conditional commands', () => {
  const expression = (text: string) => (only(`[[ ${text} ]]`) as Command & { type: 'test' }).expression
  expect(expression('a')).toMatchObject({ type: 'unary', operator: '-n', word: { raw: 'a' } })
  expect(expression('-f a')).toMatchObject({ type: 'unary', operator: '-f' })
  expect(expression('a -nt b')).toMatchObject({ type: 'binary', operator: '-nt' })
  expect(expression('a<b')).toMatchObject({ type: 'binary', operator: '<' })
  expect(expression('! ! ! a')).toMatchObject({ type: 'not', operand: { type: 'unary' } })
  expect(expression('a && b || c &&\n d')).toMatchObject({ type: 'or', operands: [{ type: 'and' }, { type: 'and' }] })
  expect(expression('( a || b ) && c')).toMatchObject({ type: 'and', operands: [{ type: 'parens' }, {}] })
  expect(expression('a == @(b|c d)')).toMatchObject({ right: { raw: '@(b|c d)' } })
  expect(expression('a =~ ^(b|c d)$|"e f"')).toMatchObject({ right: { raw: '^(b|c d)$|"e f"' } })
  expect(expression('a =~ b\\.c')).toMatchObject({
    right: {
      parts: [
        { text: 'b', quoted: false },
        { text: '.', quoted: true },
        { text: 'c', quoted: false },
      ],
    },
  })
})

test('reserved words only where they are reserved', () => {
  expect((only('echo if then done }') as SimpleCommand).words).toHaveLength(5)
  expect((only('a=1 if') as SimpleCommand).words[0]?.raw).toBe('if')
  expect((only("'if' x") as SimpleCommand).words[0]?.raw).toBe("'if'")
  expect((only('\\{ a') as SimpleCommand).words[0]?.raw).toBe('\\{')
  expect((only('i\\\nf a; then b; fi') as Command).type).toBe('if')
})

test('extended patterns', () => {
  expect((only('echo @(a|b c) x!(y)', { extglob: true }) as SimpleCommand).words.map((word) => word.raw)).toEqual([
    'echo',
    '@(a|b c)',
    'x!(y)',
  ])
  expect(() => parse('echo @(a|b)')).toThrow("syntax error near unexpected token `('")
  expect(parse('! (a)').items[0]?.first.negated).toBe(true)
})

test('lines', () => {
  const lines = (script: string) =>
    JSON.stringify(parse(script))
      .match(/"line":\d+/g)
      ?.map((found) => Number(found.slice(7)))
  expect(lines('\n\na "b\nc" d\n')).toEqual([4, 3])
  expect(parse('a "x\ny"; b').items.map((item) => item.first.line)).toEqual([1, 2])
  expect(parse('cat <<E\nx\nE\nb').items.map((item) => item.first.line)).toEqual([1, 4])
  expect(parse('a \\\n b; c').items.map((item) => item.first.line)).toEqual([1, 2])
})
