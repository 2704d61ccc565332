import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Workspace } from '../../../src/index.ts'

/** What the lines of a session write, one after another. */
async function inSession(
  lines: readonly string[],
  options: ConstructorParameters<typeof Workspace>[1] = {},
): Promise<{ out: string; err: string }> {
  const ws = new Workspace({}, options)
  let out = ''
  let err = ''
  for (const line of lines) {
    const result = await ws.shell(line)
    out += result.stdoutText
    err += result.stderrText
  }
  await ws.close()
  return { out, err }
}

const home = mkdtempSync(join(tmpdir(), 'history-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const hasBash = spawnSync('bash', ['--version']).status === 0

/** What an interactive bash writes for the same lines. */
function inBash(lines: readonly string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: home, HISTFILE: '/dev/null', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  return execFileSync('bash', ['--norc', '--noprofile', '-i'], {
    input: `${lines.join('\n')}\n`,
    env,
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString()
}

const cases: Readonly<Record<string, readonly string[]>> = {
  'the line that runs is the last': ['echo one', 'echo two', 'history', 'history 2', 'history -- 1', 'history +1'],
  'storing takes the place of the line that stores': [
    'echo a',
    'history -s hello   world',
    'history',
    'echo x; history -s aa; history -s bb',
    'history',
  ],
  'expanding shows and leaves no line': [
    'echo one two',
    "history -p '!!' '!echo:$' x",
    'history',
    "echo [$(history -p '!echo')]",
    'history',
  ],
  'an expansion that fails': ['echo one', "history -p '!zz' '!!' ; echo $?"],
  'deleting renumbers': [
    'echo 1',
    'echo 2',
    'echo 3',
    'echo 4',
    'history -d 2; history',
    'history -d 1-2; history',
    'history -d -2--1; echo $?',
    'history',
    'history -d -1; history',
    'history',
  ],
  'positions out of range': [
    'history -d 9; echo $?',
    'history -d x; echo $?',
    'history -d 0; echo $?',
    'history -d -9; echo $?',
    'history -d 2-1; echo $?',
    'history -d 1-; echo $?',
    'history -d 1-99; echo $?',
  ],
  'clearing takes the line that clears with it': ['echo 1', 'history -c; history', 'history', 'history -c; echo 1; history -d 1; echo $?'],
  'wrong use': [
    'history x; echo $?',
    'history 1x; echo $?',
    'history -z; echo $?',
    'history -d; echo $?',
    'history -an; echo $?',
    'history -1; echo $?',
    'history -c x; echo $?',
  ],
  'HISTCONTROL ignorespace and ignoredups': [
    'HISTCONTROL=ignorespace',
    ' echo hidden',
    'echo a',
    'HISTCONTROL=ignoredups',
    'echo a',
    'echo b',
    'echo b',
    ' echo b',
    'history',
    'history',
    'HISTCONTROL=ignoreboth',
    ' history',
    'history -s q',
    'history -s q',
    'history -s " q"',
    'history',
  ],
  'HISTCONTROL erasedups': ['echo a', 'echo b', 'echo a', 'HISTCONTROL=erasedups', 'echo a', 'echo b', 'history'],
  HISTIGNORE: [
    "HISTIGNORE='ls*:&:[ ]*:echo \\&'",
    'echo a',
    'echo a',
    'ls -d /tmp',
    'ls -d /',
    ' echo b',
    "echo '&'",
    'history',
    'history',
  ],
  'HISTSIZE 0 and none': ['echo a', 'HISTSIZE=-1', 'history', 'HISTSIZE=x', 'history'],
  HISTTIMEFORMAT: ["HISTTIMEFORMAT='%% '", 'history', "HISTTIMEFORMAT=''", 'history'],
  'a subshell has a copy': [
    'echo a',
    '(history -s b; history)',
    'history',
    '(history -c; history)',
    'history',
    'history -c | cat',
    'history',
    'history | tail -1',
    '(history -d 1; history 2)',
    'history',
  ],
  files: [
    'cd "$(mktemp -d)"',
    "printf 'l1\\n\\nl2\\n' > f",
    'history -c; history -r f',
    'history',
    'history -w g; cat g',
    'history -c; history -r f; echo l3 >> f; history -n f; history -n f; history',
    'history -r none; echo $?',
    'history -w /no/dir; echo $?',
    'history -w /; echo $?',
    "printf '#100\\nold\\nline\\n#x\\n' > h",
    'history -c; history -r h',
    "HISTTIMEFORMAT='%s '",
    'history | while IFS= read -r l; do echo "${l/17????????/T}"; done',
    'history -c; history -r h; history | while IFS= read -r l; do echo "${l/17????????/T}"; done',
    'HISTFILE=k',
    'history -c',
    'history -s a; history -w; cat k | while IFS= read -r l; do echo "${l/17????????/T}"; done',
    'history -c; history -r; unset HISTTIMEFORMAT; history | tail -1',
  ],
  'appending what is new': [
    'cd "$(mktemp -d)"',
    'history -c',
    'echo 1',
    'history -a f; cat f',
    'echo 2',
    'history -a f',
    'cat f',
    'history -a f; history -a f; history -n f; cat f',
    'history',
  ],
  'a fc list': [
    'echo one',
    'echo two',
    'history -s three',
    'fc -l',
    'fc -l -1',
    'fc -l -2 -1',
    'fc -l echo',
    'fc -ln 1 2',
    'fc -l 3 1',
    'fc -lr 1 3',
    'fc -lr 3 1',
    'fc -l 0',
    'fc -l -0',
    'fc -l 99',
    'fc -l 1 99',
    'fc -l 2 -- ',
    'fc -l zzz; echo $?',
    'fc -l 1 zzz; echo $?',
    'fc -l -99',
    'fc -l 1 2 3',
    'echo "$(fc -l -1)"',
    'fc -nlr -3',
    'fc -e vi -l 1 1',
  ],
  'sixteen lines': [...Array.from({ length: 30 }, (_, i) => `: ${i}`), 'fc -l', 'fc -l -20', 'fc -lr'],
  'fc runs again': [
    'echo one one',
    'echo two',
    'fc -s',
    'fc -s echo',
    'fc -s one=three "echo one"',
    'history',
    'fc -s o=0 e=3 1',
    'fc -e - -1',
    'fc -s zzz; echo $?',
    'history',
    'x=1',
    'false',
    'fc -s x=; echo $x $?',
    'fc -z; echo $?',
    'fc -e; echo $?',
  ],
}

describe.skipIf(!hasBash)('history and fc in a session do what an interactive bash does', () => {
  for (const [name, lines] of Object.entries(cases)) {
    it(name, async () => {
      expect((await inSession(lines)).out).toBe(inBash(lines))
    })
  }
})
