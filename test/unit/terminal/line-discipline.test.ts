import { expect, test } from 'vitest'
import { LineDiscipline } from '../../../src/terminal/line-discipline.ts'

/** What is typed, the lines that come of it, and what the screen shows. */
test.each([
  ['ab\r', ['ab\n'], 'ab\r\n'],
  ['a\rb\r', ['a\n', 'b\n'], 'a\r\nb\r\n'],
  ['abx\x7f\r', ['ab\n'], 'abx\b \b\r\n'],
  ['\x7fa\r', ['a\n'], 'a\r\n'],
  ['a漢\x7f\r', ['a\n'], 'a漢\b \b\b \b\r\n'],
  ['é\r', ['é\n'], 'é\r\n'],
  ['one two\x17x\r', ['one x\n'], 'one two\b \b\b \b\b \bx\r\n'],
  ['abc\x15x\r', ['x\n'], 'abc\b \b\b \b\b \bx\r\n'],
  ['a\tb\x01\r', ['a\tb\x01\n'], 'a^Ib^A\r\n'],
  ['ab\x04c\r', ['ab', 'c\n'], 'abc\r\n'],
])('%j', (keys, lines, echo) => {
  const typed = new LineDiscipline().feed(new TextEncoder().encode(keys))
  expect([typed.lines.map((line) => new TextDecoder().decode(line)), typed.echo, typed.ended]).toEqual([lines, echo, false])
})

test('^D on an empty line ends the input', () => {
  expect(new LineDiscipline().feed(Uint8Array.of(4))).toEqual({ echo: '', lines: [], ended: true })
})

test('a line that was begun can be taken back', () => {
  const discipline = new LineDiscipline()
  discipline.feed(new TextEncoder().encode('a\rbc'))
  expect(new TextDecoder().decode(discipline.takeRest())).toBe('bc')
  expect(discipline.takeRest()).toEqual(new Uint8Array())
})
