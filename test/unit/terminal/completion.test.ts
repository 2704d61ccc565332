import { expect, test } from 'vitest'
import type { CompletionSource } from '../../../src/terminal/completion.ts'
import { completeLine } from '../../../src/terminal/completion.ts'

const folders = new Map([
  ['/home/', ['a.txt', 'a b.txt', '.hidden', 'docs/', "it's", 'c$d', 'écran']],
  ['/home/docs/', ['one', 'two/', '.dot']],
  ['/', ['usr/', 'home/']],
  ['/home/../', ['usr/', 'home/']],
])

const source: CompletionSource = {
  cwd: '/home',
  home: '/home',
  commands: () => ['cat', 'cut', 'cd', 'if', 'echo', 'cat'],
  variables: () => ['HOME', 'HISTSIZE', 'x'],
  entries: (directory) =>
    (folders.get(directory) ?? []).map((name) => ({ name: name.replace(/\/$/, ''), isDirectory: name.endsWith('/') })),
}

/** A line with its cursor at the end, and the lines that it could become. */
test.each([
  ['c', ['cat ', 'cd ', 'cut ']],
  ['ca', ['cat ']],
  ['  ca', ['  cat ']],
  ['echo x; ca', ['echo x; cat ']],
  ['x | ca', ['x | cat ']],
  ['x && ca', ['x && cat ']],
  ['if ca', ['if cat ']],
  ['if true; then ca', ['if true; then cat ']],
  ['! ca', ['! cat ']],
  ['A=b ca', ['A=b cat ']],
  ['echo $(ca', ['echo $(cat ']],
  ['x\nca', ['x\ncat ']],
  ['zz', []],
  ['cat a', ['cat a\\ b.txt ', 'cat a.txt ']],
  ['cat a.', ['cat a.txt ']],
  ['cat a\\ ', ['cat a\\ b.txt ']],
  ["cat 'a ", ["cat 'a b.txt' "]],
  ['cat "a ', ['cat "a b.txt" ']],
  ['cat it', ["cat it\\'s "]],
  ["cat 'it", ["cat 'it'\\''s' "]],
  ['cat "it', ['cat "it\'s" ']],
  ['cat c', ['cat c\\$d ']],
  ['cat "c', ['cat "c\\$d" ']],
  ['cat é', ['cat écran ']],
  ['cat d', ['cat docs/']],
  ['cat docs/', ['cat docs/one ', 'cat docs/two/']],
  ['cat "docs/o', ['cat "docs/one" ']],
  ['cat docs/.', ['cat docs/.dot ']],
  ['cat .', ['cat .hidden ']],
  ['cat /u', ['cat /usr/']],
  ['cat ../u', ['cat ../usr/']],
  ['cat ~/d', ['cat ~/docs/']],
  ['cat < a.', ['cat < a.txt ']],
  ['cat <a.', ['cat <a.txt ']],
  ['cat 2>>a.', ['cat 2>>a.txt ']],
  ['A=docs/o', ['A=docs/one ']],
  ['ls --file=docs/o', ['ls --file=docs/one ']],
  ['docs/t', ['docs/two/']],
  ['echo $H', ['echo $HISTSIZE', 'echo $HOME']],
  ['echo ${HO', ['echo ${HOME}']],
  ['echo "$HO', ['echo "$HOME']],
  ['echo a$HO', ['echo a$HOME']],
  ["echo '$HO", []],
  ['echo $HOME/a', []],
  ['cat nowhere/x', []],
])('%s', async (line, expected) => {
  const { start, candidates } = await completeLine(line, line.length, source)
  expect(candidates.map((candidate) => line.slice(0, start) + candidate.text)).toEqual(expected)
})

test('directories are shown with a slash, files without their blank', async () => {
  expect((await completeLine('cat docs/', 9, source)).candidates.map((candidate) => candidate.shown)).toEqual(['one', 'two/'])
})

test('what stands behind the cursor is left alone', async () => {
  expect(await completeLine('ca x', 2, source)).toEqual({ start: 0, candidates: [{ text: 'cat ', shown: 'cat' }] })
})
