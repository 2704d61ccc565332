import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RAMWorkspaceStateStore, Workspace, webHost } from '../../../src/index.ts'

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

describe('the two views of one record', () => {
  it('agree on what was stored, deleted and excluded', async () => {
    const { out } = await inSession([
      'echo a > /dev/null',
      'echo b > /dev/null',
      " HISTCONTROL=ignorespace; HISTIGNORE='secret*'",
      ' echo hidden > /dev/null',
      'secret() { :; }; secret',
      'secret x',
      'history -s stored   line',
      'history -d 2',
      'history',
      'while read -r l; do [[ $l == "#"* ]] || echo "$l"; done < /.bash_history',
    ])
    expect(out).toBe(
      [
        '    1  echo a > /dev/null',
        "    2   HISTCONTROL=ignorespace; HISTIGNORE='secret*'",
        '    3  stored line',
        '    4  history -d 2',
        '    5  history',
        'echo a > /dev/null',
        "HISTCONTROL=ignorespace; HISTIGNORE='secret*'",
        'stored line',
        'history -d 2',
        'history',
        '',
      ].join('\n'),
    )
  })

  it('keep excluded lines in the record', async () => {
    const ws = new Workspace()
    for (const line of ['HISTCONTROL=ignorespace', ' echo x', 'history -c']) await ws.shell(line)
    expect((await ws.history()).map(({ command }) => command)).toEqual(['HISTCONTROL=ignorespace', ' echo x', 'history -c'])
    expect((await ws.shell('history')).stdoutText).toBe('    1  history\n')
    await ws.close()
  })

  it('outlive the workspace', async () => {
    const store = new RAMWorkspaceStateStore()
    const options = { store, workspaceId: 'w', sessionId: 's' }
    await inSession(['echo 1', 'echo 2', 'history -d 1'], options)
    expect((await inSession(['history'], options)).out).toBe('    1  echo 2\n    2  history -d 1\n    3  history\n')
  })

  it('leave no trace of a line that is not recorded', async () => {
    const ws = new Workspace()
    await ws.shell('echo 1')
    expect((await ws.shell('history; fc -l; fc -s', { record: false })).stdoutText).toBe('    1  echo 1\n1\t echo 1\n1\n')
    expect((await ws.shell("history -p '!!'; history -s x; history", { record: false })).stdoutText).toBe(
      'echo 1\n    1  echo 1\n    2  x\n',
    )
    await ws.close()
  })

  it('fall to one rule', async () => {
    for (const [paths, why] of [
      [{ deny: ['/.bash_history'] }, 'Permission denied'],
      [{ hide: ['/.bash_history'] }, 'No such file or directory'],
    ] as const) {
      const ws = new Workspace({}, { profiles: { p: { paths } }, profile: 'p' })
      await ws.shell('echo secret')
      for (const line of ['history', 'history -p "!!"', 'history -w /tmp/h', 'history -c', 'history -s x', '(history)']) {
        const { stdoutText, stderrText, exitCode } = await ws.shell(line)
        expect([line, stdoutText, stderrText, exitCode]).toEqual([line, '', `bash: line 1: history: /.bash_history: ${why}\n`, 1])
      }
      for (const line of ['fc -l', 'fc -s', 'x=$(fc -ln -1)']) {
        const { stdoutText, stderrText, exitCode } = await ws.shell(line)
        expect([line, stdoutText, stderrText, exitCode]).toEqual([line, '', `bash: line 1: fc: /.bash_history: ${why}\n`, 1])
      }
      expect((await ws.shell('bash -c "history -s a; history"')).stdoutText).toBe('    1  a\n')
      expect((await ws.shell('cat /.bash_history')).stderrText).toBe(`cat: /.bash_history: ${why}\n`)
      await ws.close()
    }
  })

  it('are no files that can be written', async () => {
    const ws = new Workspace()
    const { stderrText, exitCode } = await ws.shell('history -w /.bash_history')
    expect([stderrText, exitCode]).toEqual(['bash: line 1: history: /.bash_history: Read-only file system\n', 1])
    expect((await ws.shell('history -w; history -a; history -n; history -r; echo $?; history')).stdoutText).toBe(
      '0\n    1  history -w /.bash_history\n    2  history -w; history -a; history -n; history -r; echo $?; history\n',
    )
    await ws.close()
  })

  it('show the last lines that HISTSIZE allows, by their own numbers', async () => {
    const { out } = await inSession([
      'echo 1',
      'echo 2',
      'echo 3',
      'HISTSIZE=2',
      'history; fc -l; history -d 1; echo $?',
      'HISTSIZE=0',
      'history',
      'unset HISTSIZE',
      'history 1',
    ])
    expect(out).toBe('1\n2\n3\n    4  HISTSIZE=2\n    5  history; fc -l; history -d 1; echo $?\n4\t HISTSIZE=2\n1\n    9  history 1\n')
  })

  it('show times in the zone of the session', async () => {
    const ws = new Workspace({}, { host: { ...webHost, now: () => Date.UTC(2024, 5, 1, 12, 30) } })
    await ws.shell("HISTTIMEFORMAT='%F %T '; export TZ=UTC")
    expect((await ws.shell('history 1')).stdoutText).toBe('    2  2024-06-01 12:30:00 history 1\n')
    expect((await ws.shell('TZ=EST5 history 1')).stdoutText).toBe('    3  2024-06-01 07:30:00 TZ=EST5 history 1\n')
    await ws.close()
  })

  it('read no more of the record than is shown', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = new Workspace({}, { store, workspaceId: 'w' })
    const session = await ws.session()
    for (let i = 0; i < 40; i++) await session.shell(`: ${i}`)
    expect((await session.shell('history 3')).stdoutText).toBe('   39  : 38\n   40  : 39\n   41  history 3\n')
    expect((await session.shell('fc -ln -2')).stdoutText).toBe('\t : 39\n\t history 3\n')
    await ws.close()
  })
})

describe.skipIf(!hasBash)('history in a shell without a record', () => {
  const scripts: Readonly<Record<string, string>> = {
    'is empty and its own':
      'history; echo $?; fc -l; echo $?; fc -s; echo $?; history -s a b; history -s "c"; history; history -d 1; history; history -c; history',
    'expands what was stored': "history -s 'echo one two'; history -p '!!' '!echo:1'; fc -l; fc -ln; fc -s one=1",
    'is copied by a subshell': 'history -s a; (history -s b; history); history; history | cat',
    'obeys HISTCONTROL and HISTIGNORE':
      'HISTCONTROL=ignoreboth; history -s a; history -s a; history -s " b"; HISTIGNORE="x*:&"; history -s xa; history -s yy; history -s yy; history; HISTCONTROL=erasedups; history -s a; history; (history -s yy; history); history',
    'reads and writes files':
      'cd "$(mktemp -d)"; history -s a; history -s b; history -w f; cat f; history -a g; cat g; history -a g; cat g; history -r f; history; history -c; HISTFILE=f; history -r; history -n; echo new >> f; history -n; history',
    'has positions':
      'for i in 1 2 3 4 5; do history -s e$i; done; history -d 2-3; history; history -d -2--1; history; history -d 1-1; history; history -d 1; echo $?; history -d 1-2; echo $?',
  }
  for (const [name, script] of Object.entries(scripts)) {
    it(name, async () => {
      const ws = new Workspace()
      const { stdoutText } = await ws.shell('bash -c "$SCRIPT"', { env: { SCRIPT: script } })
      await ws.close()
      expect(stdoutText).toBe(
        execFileSync('bash', ['-c', script], {
          env: { PATH: process.env.PATH ?? '', HOME: home },
          stdio: ['ignore', 'pipe', 'ignore'],
        }).toString(),
      )
    })
  }
})
