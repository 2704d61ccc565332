import { expect, test } from 'vitest'
import { createParser } from '../../../src/shell/syntax/parser.ts'
import { printList } from '../../../src/shell/syntax/print.ts'
import { errorOf, parse } from './reference.ts'

const NESTINGS: readonly (readonly [string, string, string])[] = [
  ['( ', 'a', ' )'],
  ['{ ', 'a', '; }'],
  ['if ', 'a', '; then b; fi'],
  ['if x; then ', 'a', '; fi'],
  ['if x; then y; else z; ', 'a', '; fi'],
  ['while x; do ', 'a', '; done'],
  ['for x in y; do ', 'a', '; done'],
  ['case x in y) ', 'a', ' ;; esac'],
  ['f() { ', 'a', '; }'],
  ['coproc { ', 'a', '; }'],
  ['$(', 'a', ')'],
  ['"$(', 'a', ')"'],
  ['<(', 'a', ')'],
  ['${x-', 'a', '}'],
  ['"${x-', 'a', '}"'],
  ['"${x-"', 'a', '"}"'],
  ['${x#', 'a', '}'],
  ['${x/y/', 'a', '}'],
  ['${x:', '1', '}'],
  ['${a[', '1', ']}'],
  ['${#a[', '1', ']b}'],
  ['${a[', '1', ']!}'],
  ['$((', '1', '))'],
  ['$((', 'a', ') )'],
  ['$[', '1', ']'],
  ['a[$(', '1', ')]=2'],
  ['declare a[$(', '1', ')]'],
  ['a=($(', 'b', '))'],
  ['for ((i=$(', 'a', '); ;)); do b; done'],
  ['$(cat <<E\n', 'a', '\nE\n)'],
]

test.each(NESTINGS)('%s… nested beyond measure is a syntax error', (before, middle, after) => {
  const script = (depth: number) => before.repeat(depth) + middle + after.repeat(depth)
  expect(errorOf(script(20_000))?.name ?? 'ShellSyntaxError').toBe('ShellSyntaxError')
  const some = script(60)
  if (errorOf(some) === null) expect(printList(parse(some)).length).toBeGreaterThan(100)
})

test('parentheses of [[ ]] count too', () => {
  expect(errorOf(`[[ ${'( '.repeat(50_000)}a${' )'.repeat(50_000)} ]]`)?.message).toBe('syntax error: constructs are nested too deeply')
})

test('what is long but not deep is no matter', () => {
  const items = (script: string) => parse(script).items
  expect(items(`a${'; a'.repeat(100_000)}`)).toHaveLength(100_001)
  expect(items(`a${'|b'.repeat(5000)}`)[0]?.first.stages).toHaveLength(5001)
  expect(items(`a${' && b || c'.repeat(20_000)}`)[0]?.rest).toHaveLength(40_000)
  expect(items(`if a; then b; ${'elif c; then d; '.repeat(20_000)}fi`)).toHaveLength(1)
  expect(items(`case x in ${'a) b;; '.repeat(20_000)}esac`)).toHaveLength(1)
  expect(items(`[[ a${' && b'.repeat(20_000)} ]]`)).toHaveLength(1)
  expect(items(`${'! '.repeat(100_001)}a`)[0]?.first.negated).toBe(true)
  expect(items(`a=(${'x '.repeat(100_000)})`)).toHaveLength(1)
  expect(items(`echo ${'$('.repeat(100)}${')'.repeat(100)}`)).toHaveLength(1)
  expect(items(`echo $((${'('.repeat(100_000)}1${')'.repeat(100_000)}))`)).toHaveLength(1)
})

test('megabytes', () => {
  const line = 'if [ "$x" = y ]; then echo "hello $name" ${a[1]:-x}; else cat file | grep -v foo > out; fi # comment\n'
  const parser = createParser(line.repeat(100_000))
  let count = 0
  while (parser.next() !== null) count++
  expect(count).toBe(100_000)
  const body = 'some text with $x in it\n'.repeat(50_000)
  expect(createParser(`cat <<E\n${body}E\n`).next()?.end).toBe(body.length + 10)
}, 60_000)
