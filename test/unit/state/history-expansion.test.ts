import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { HistoryExpansion } from '../../../src/state/history-expansion.ts'
import { expandHistory } from '../../../src/state/history-expansion.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterEach(removeFolders)

const lines = [
  'echo one two three',
  'ls -l /usr/local/lib/foo.tar.gz /etc/x.d/y',
  'cat <<E >out 2>&1 | sort -u && (cd x; y)',
  'grep -e "a b" \'c d\' $(echo x y) `w z` <(p q) a\\ b >>log &',
  'ab ab abab ab # note !x',
  "printf '%s\\n' \"it's\" two",
  ': last "l i n e"',
]

/** A line, and what bash makes of it: checked against bash where there is one. */
const cases: readonly (readonly [line: string, outcome: string])[] = [
  ['plain text', 'unchanged'],
  ['!!', `expanded ${lines[6]}`],
  ['!-2', `expanded ${lines[5]}`],
  ['!1 x', 'expanded echo one two three x'],
  ['!echo:2', 'expanded two'],
  ['echo !$ !^ !*', 'expanded echo "l i n e" last last "l i n e"'],
  ['^last^2', `expanded ${lines[6]?.replace('last', '2')}`],
  ['!nothing', 'failed !nothing: event not found'],
]

const more: readonly string[] = [
  '!',
  '! x',
  '!=',
  'a!',
  'a! b',
  '!\t',
  "'!!'",
  '"!!"',
  '\\!!',
  '"\\!!"',
  '"!"',
  '"a!"',
  '"a!b"',
  "$'a\\'!!'",
  '"it\'s !!"',
  'echo "x" !1',
  '!!!',
  '!!x',
  'x!!y',
  '!!!!',
  '!2',
  '!3',
  '!4',
  '!5',
  '!-1',
  '!-3',
  '!-6',
  '!-7',
  '!7',
  '!0',
  '!99',
  '!-',
  '!--1',
  '!echo',
  '!e',
  '!gr',
  '!?sort?',
  '!?sort',
  '!?sort? x',
  '!?-l?:1',
  '!?foo?:%',
  '!?foo?% x',
  '!?local?% !%',
  '!?zz?',
  '!??',
  '!%',
  '!e:0',
  '!e:1-2',
  '!e:1*',
  '!e:2*',
  '!e:4*',
  '!e:*',
  '!e*',
  '!e$',
  '!e^',
  '!e:^',
  '!e:$',
  '!e:1-',
  '!e:0-',
  '!e-',
  '!e:-2',
  '!e:-',
  '!e:2-1',
  '!e:9',
  '!e:3',
  '!e:4',
  '!e:1-9',
  '!e:^-$',
  '!e:1-$',
  '!e:1-^',
  '!e:2-^',
  '!3:0',
  '!3:1',
  '!3:2',
  '!3:*',
  '!4:*',
  '!4:2',
  '!4:3',
  '!4:4',
  '!4:5',
  '!4:6',
  '!4:7',
  '!4:8',
  '!4:9',
  '!5:*',
  '!5:$',
  '!6:*',
  '!:0',
  '!:2',
  '!:*',
  '!:1-2',
  'x !:$',
  '!2:2:h',
  '!2:2:t',
  '!2:2:r',
  '!2:2:e',
  '!2:2:t:r',
  '!2:2:t:r:r',
  '!2:h',
  '!2:t',
  '!1:h',
  '!1:t',
  '!1:r',
  '!1:e',
  '!1:p',
  '!1:2:p x',
  '!1:q',
  '!1:x',
  '!6:q',
  '!6:x',
  '!2:z',
  '!2:',
  '!1:s/two/2/',
  '!1:s/two/2',
  '!1:s/two/',
  '!1:s/two',
  '!1:s',
  '!1:s/',
  '!1:s/x/y/',
  '!1:s/o/0/',
  '!1:gs/o/0/',
  '!1:as/o/0/',
  '!1:Gs/o/0/',
  '!5:s/ab/x/',
  '!5:gs/ab/x/',
  '!5:Gs/ab/x/',
  '!5:gs/a/aa/',
  '!1:s/two/[&]/',
  '!1:s/two/[\\&]/',
  '!1:s,two,/,',
  '!1:s/t\\/wo/x/',
  '!1:s/two/2/:s/2/3/',
  '!1:s/two/2/:&',
  '!1:s/t/T/:&',
  '!1:s/t/T/:g&',
  '!1:&',
  '!?thr?:s//3/',
  '!1:s//3/',
  '^two',
  '^two^',
  '^two^2^',
  '^two^2^ x',
  '^x^y',
  '^',
  '^^',
  '^^x',
  '^it^IT^:p',
  'x !#',
  'a b !#:1',
  'a b !#:0 !#$',
  '!#',
  'echo !1:1 !1:2',
  '!1:1!1:2',
  '!1;!2',
  '(!1)',
  '!e;x',
  '!e|x',
  '!e>x',
  '!e&x',
  '!e<x',
  '"!e"',
  '"!e x"',
  '"!1:1"',
  'x # !!',
  '#!!',
  'x#!!',
  '# !!',
  '"# !!"',
  'echo [!a]',
  'echo [!a',
  '[[ !x ]]',
  '${!x}',
  '${!x',
  '${x!y}',
  '$!',
  '$!!',
  'a$!b',
  'echo $!',
  '!(a)',
  'x !(a)',
  'echo "$(echo \'!!\')"',
  "$(echo '!!')",
  '"$(x "!!")"',
  '`!!`',
  "`echo '!!'`",
  '"`echo \'!!\'`"',
  '"a" \'!!\' !1:1',
  '"\\"!!"',
  "'a' !1:1 'b'",
  '\\\\!1:1',
  '\\\\\\!1:1',
  'a\\!b !1:1',
  '!1:1\\ !1:2',
  '! !1:1',
  '"!" !1:1',
  "it's !!",
  '!1:1"x"',
  '!"',
  '"x!"y',
  '"x! "!1:1',
  '!-1:$',
  '!-1$',
  '!1-2',
  '!1-',
  '!12',
  '!2x',
  '!e:1:2',
  '!!:!!',
  '!!:1!!:2',
  '!e:x',
  '!e:h:t',
  '!g:*:q',
  '!g*',
  '!cat:0-2',
  '!cat:3',
  '!cat:4',
  '!cat:5',
  '!cat:6',
  '!cat:7',
  '!cat:8',
  '!cat:9',
  '!cat:10',
  '!cat:11-13',
  '!?p q?:%',
  '!?b" ?:%',
  '!?x y)?%:q',
]

/** As one text. */
function told(expansion: HistoryExpansion): string {
  if (expansion.kind === 'failed') return `failed ${expansion.message}`
  return expansion.kind === 'unchanged' ? expansion.kind : `${expansion.kind} ${expansion.line}`
}

/** What bash makes of a line: it shows what it changed before it runs it. Nothing is found to be run, and files go to a folder of their own. */
function bash(line: string, folder: string): string {
  const input = `set -o history; set -H; history -c; history -r history\n${lines.at(-1)}\n${line}\n`
  const { stderr } = spawnSync('/bin/bash', ['--norc'], { input, encoding: 'utf8', env: { PATH: '/nowhere' }, cwd: folder })
  const [first = ''] = stderr.split('\n')
  const failure =
    /^\/bin\/bash: (?:line \d+: )?(.*: (?:event not found|bad word specifier|substitution failed|unrecognized history modifier|no previous substitution))$/
  const failed = failure.exec(first)
  if (failed !== null) return `failed ${failed[1]}`
  return stderr === '' || first.startsWith('/bin/bash: ') ? 'unchanged' : `expanded ${first}`
}

describe('history expansion', () => {
  it('replaces references', () => {
    for (const [line, outcome] of cases) expect([line, told(expandHistory(line, { lines }))]).toEqual([line, outcome])
  })

  it.skipIf(!fs.existsSync('/bin/bash'))('does what bash does', () => {
    const folder = newFolder()
    fs.writeFileSync(`${folder}/history`, `${lines.slice(0, -1).join('\n')}\n`)
    const differences = [...cases.map(([line]) => line), ...more].flatMap((line) => {
      const expected = bash(line, folder)
      const actual = told(expandHistory(line, { lines })).replace(/^printed/, 'expanded')
      return actual === expected ? [] : [{ line, expected, actual }]
    })
    expect(differences).toEqual([])
  })

  it('counts from the first number, and carries what it looked for from line to line', () => {
    expect(told(expandHistory('!11', { lines, firstNumber: 10 }))).toBe(`expanded ${lines[1]}`)
    expect(told(expandHistory('!9', { lines, firstNumber: 10 }))).toBe('failed !9: event not found')
    const first = expandHistory('!?thr? :s', { lines })
    expect(told(expandHistory('!% !??:0', { lines, state: first.state }))).toBe('expanded three echo')
    const second = expandHistory('!1:s/two/2/', { lines, state: first.state })
    expect(told(expandHistory('!1:&', { lines, state: second.state }))).toBe('expanded echo one 2 three')
  })

  it('knows open quotes, other characters and patterns', () => {
    expect(told(expandHistory("!! ' !1:1", { lines, quote: "'" }))).toBe("expanded !! ' one")
    expect(told(expandHistory('x !1:1', { lines, quote: '"' }))).toBe('expanded x one')
    expect(told(expandHistory('!" !1:1', { lines, quote: '"' }))).toBe('expanded !" one')
    expect(told(expandHistory('@1:1 !1 +a+b', { lines, characters: '@+#' }))).toBe('expanded one !1 +a+b')
    expect(told(expandHistory('+last+2', { lines, characters: '@+#' }))).toBe(`expanded ${lines[6]?.replace('last', '2')}`)
    expect(told(expandHistory('x !(a)', { lines, extglob: true }))).toBe('unchanged')
    expect(told(expandHistory('!1:1:p', { lines }))).toBe('printed one')
  })
})
