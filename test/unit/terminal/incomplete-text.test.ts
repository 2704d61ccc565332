import { expect, test } from 'vitest'
import { isIncompleteText } from '../../../src/terminal/incomplete-text.ts'

test.each([
  ["echo 'a", true],
  ['echo "a', true],
  ['echo $(', true],
  ['if true; then', true],
  ['for i in 1', true],
  ['echo a |', true],
  ['echo a &&', true],
  ['f() {', true],
  ['a=(1', true],
  ['cat <<E', true],
  ['cat <<E\na', true],
  ['echo a \\', true],
  ['cat <<E\na\nE', false],
  ['echo a \\\\', false],
  ['fi', false],
  ['echo )', false],
  ['echo a; }', false],
  ['', false],
  ['# it', false],
  ['echo @(a|b)', false],
])('%s', (text, incomplete) => {
  expect(isIncompleteText(`${text}\n`)).toBe(incomplete)
})
