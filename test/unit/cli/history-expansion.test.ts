import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { expandHistory } from '../../../platforms/node/cli/history-expansion.ts'

const lines = ['echo one two three', "grep -n 'a b' /usr/lib/x.tar.gz", 'make all && make test', 'cat < in > out.txt', 'ls "a b" c\\ d']

const cases = [
  '!!', '!1', '!2', '!-1', '!-2', '!echo', '!make', '!?lib?', '!?lib', '!?b?:$', 'sudo !!', '!!x', 'a !! b !!', '!$', '!^', '!*', '!:1', '!:0', '!:2-3', '!1:2-3', '!1:-2',
  '!1:2*', '!1:2-', '!1:*', '!1^', '!1$', '!1*', '!gr:2', '!3:3', '!4:2', '!4:$', '!5:1', '!5:2', '!2:$:h', '!2:$:t', '!2:$:r', '!2:$:e', '!2:$:t:r', '!1:s/o/0/',
  '!1:gs/o/0/', '!1:s/one/1/:s/two/2/', '!1:s/two/[&]/', '!1:Gs/e/E/', '!1:s/one/1/:gs/t/T/', '!1:$:q', '!1:2-3:x', 'echo "!1"', "echo '!1'", 'echo \\!1', 'echo a!', 'a ! b', 'x != y',
  'echo !#:0', '^one^1', '^ls^dir^', '^c^d^ more', '^zz^y', '!9', '!nope', '!?nope?', '!1:9', '!1:z', 'echo "a!"', '!-9', '!4:0-2', '!3*', '$!', 'a$!b', '!ech:s/one/!/', 'echo ${!1}', 'ls [!1]*', 'plain',
] // biome-ignore format: one list

test('bash expands the same', () => {
  const script = `set -o history -o histexpand; history -c
${lines.map((line) => `history -s -- ${quote(line)}`).join('\n')}
while IFS= read -r line; do out=$(history -p "$line" 2>&1); printf '%s\\0' "$?:$out"; done`
  const answers = execFileSync('bash', ['--norc', '-c', script], { input: cases.map((line) => `${line}\n`).join(''), encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
  expect(cases.map((line) => `${line} => ${ours(line)}`)).toEqual(
    cases.map((line, index) => `${line} => ${answers[index]?.replace(/^1:.*/s, '1:')}`),
  )
})

test.each([
  ['!9', '!9: event not found'],
  ['echo !nope', '!nope: event not found'],
  ['!?nope?', '!?nope?: event not found'],
  ['!1:9', ':9: bad word specifier'],
  ['!1:z', 'z: unrecognized history modifier'],
  ['^zz^y', ':s^zz^y: substitution failed'],
])('%s fails with %s', (line, message) => {
  expect(expandHistory(line, { lines, first: 1 })).toEqual({ type: 'failed', message })
})

test('a line that is only to be printed says so', () => {
  expect(expandHistory('!1:p', { lines, first: 1 })).toEqual({ type: 'changed', text: 'echo one two three', printOnly: true })
})

test('numbers count from the first line that is known', () => {
  expect(expandHistory('!11', { lines, first: 10 })).toEqual({ type: 'changed', text: lines[1], printOnly: false })
})

function ours(line: string): string {
  const expanded = expandHistory(line, { lines, first: 1 })
  if (expanded.type === 'failed') return '1:'
  return `0:${expanded.type === 'same' ? line : expanded.text}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
