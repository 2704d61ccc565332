import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// What runs is the built program: `npm run build` first.

const program = resolve('dist/platforms/node/cli.js')
const folder = mkdtempSync(join(tmpdir(), 'cli-'))
let count = 0

beforeAll(() => {
  if (!existsSync(program)) throw new Error('nothing is built: npm run build')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

/** A folder for the state of one test. */
function newRoot(): string {
  return join(folder, `root-${count++}`)
}

function mirage(args: readonly string[], input = ''): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder, env: { ...process.env, HOME: folder } },
      (error, stdout, stderr) => done({ stdout, stderr, status: error === null ? 0 : typeof error.code === 'number' ? error.code : null }),
    )
    child.stdin?.end(input)
  })
}

const out = (stdout: string, status = 0): Ended => ({ stdout, stderr: '', status })

describe('a line', () => {
  test('prints what it prints and ends with its status', async () => {
    const root = newRoot()
    expect(await mirage(['--root', root, '-c', 'echo a; echo b >&2; exit 3'])).toEqual({ stdout: 'a\n', stderr: 'b\n', status: 3 })
    expect(await mirage(['--root', root, '-c', 'echo "$#:$1:$2"', 'name', "it's", 'c d'])).toEqual(out("2:it's:c d\n"))
    expect(await mirage(['--root', root, '-c', 'read x; echo "<$x>"; cat'], 'one\ntwo\n')).toEqual(out('<one>\ntwo\n'))
    expect((await mirage(['--root', root, '-c', 'echo a; fi'])).status).toBe(2)
  })

  test('leaves its session where the next process finds it', async () => {
    const root = newRoot()
    const at = ['--root', root, '--workspace', 'agent']
    expect(await mirage([...at, '-c', 'cd /tmp; x=7; a=(1 "b c"); declare -A m=([k]=v); f() { echo "f:$x:${a[1]}:${m[k]}"; }'])).toEqual(
      out(''),
    )
    expect(await mirage([...at, '-c', 'pwd; f'])).toEqual(out('/tmp\nf:7:b c:v\n'))
    expect(await mirage([...at, '--session', 'other', '-c', 'pwd; echo "[$x]"'])).toEqual(out('/\n[]\n'))
    expect(await mirage(['--root', root, '-c', 'echo "[$x]"'])).toEqual(out('[]\n'))
  })

  test('keeps its files beside its state when no mount says otherwise', async () => {
    const root = newRoot()
    await mirage(['--root', root, '-c', 'echo kept > /a; echo kept > /tmp/b; mkdir -p /home/user/c'])
    expect(await mirage(['--root', root, '-c', 'cat /a /tmp/b; ls ~'])).toEqual(out('kept\nkept\nc\n'))
    expect(await mirage(['--root', root, '--workspace', '../x', '-c', 'ls /a'])).toMatchObject({ status: 2 })
    expect(readdirSync(join(root, 'files')).sort()).toEqual(['%2E%2E%2Fx', 'default'])
  })

  test('sees the folders that are mounted, with their modes', async () => {
    const host = join(folder, 'host')
    mkdirSync(host)
    writeFileSync(join(host, 'in'), 'from the host\n')
    const at = ['--root', newRoot(), '--mount', `/w=${host}`, '--mount', `/r=${host}:read`]
    expect(await mirage([...at, '-c', 'cat /r/in; echo back > /w/out; echo no > /r/x'])).toEqual({
      stdout: 'from the host\n',
      stderr: 'bash: line 1: /r/x: Read-only file system\n',
      status: 1,
    })
    expect(readFileSync(join(host, 'out'), 'utf8')).toBe('back\n')
  })

  test('can be one JSON document', async () => {
    const { stdout, status } = await mirage(['--root', newRoot(), '--json', '-c', "printf 'a\\377'; echo b >&2; exit 4"])
    expect(status).toBe(4)
    expect(JSON.parse(stdout)).toEqual({
      session: 'main',
      exitCode: 4,
      stdout: 'a\ufffd',
      stdoutBase64: 'Yf8=',
      stderr: 'b\n',
      durability: 'committed',
      conflicts: [],
    })
  })

  test('runs elsewhere with --cwd, and is left out of the history with --no-record', async () => {
    const root = newRoot()
    expect(await mirage(['--root', root, '--cwd', '/tmp', '-c', 'pwd; x=1'])).toEqual(out('/tmp\n'))
    expect(await mirage(['--root', root, '--no-record', '-c', 'pwd; echo "[$x]"'])).toEqual(out('/\n[]\n'))
    const { stdout } = await mirage(['--root', root, '--json', 'history'])
    expect(JSON.parse(stdout)).toMatchObject([{ command: 'pwd; x=1', exitCode: 0, session: 'main' }])
  })

  test('is ended by a signal, by a reader that leaves, and its output is never held back', async () => {
    const child = spawn(process.execPath, [program, '--root', newRoot(), '-c', 'echo started; while :; do :; done'])
    child.stdout.once('data', () => child.kill('SIGINT'))
    expect(await new Promise((done) => child.on('close', done))).toBe(130)
    const piped = spawnSync(
      'bash',
      ['-c', `${process.execPath} ${program} --root ${newRoot()} -c 'yes; echo never' | head -2; echo \${PIPESTATUS[0]}`],
      { encoding: 'utf8' },
    )
    expect(piped.stdout).toBe('y\ny\n141\n')
  })
})

describe('a script', () => {
  test('runs from a file with its arguments, and from standard input', async () => {
    const root = newRoot()
    writeFileSync(join(folder, 's.sh'), '#!/bin/bash\necho "$# $1 line $LINENO"\nread x\necho "<$x>"\nexit 5\n')
    expect(await mirage(['--root', root, 's.sh', 'a b', '-c'], 'input\n')).toEqual(out('2 a b line 2\n<input>\n', 5))
    expect(await mirage(['--root', root], 'for i in 1 2; do\n  echo $i\ndone\nfalse\n')).toEqual(out('1\n2\n', 1))
    expect(await mirage(['--root', root, 'nowhere.sh'])).toEqual({
      stdout: '',
      stderr: "mirage: nowhere.sh: No such file or directory\nTry 'mirage --help' for more information.\n",
      status: 2,
    })
  })
})

describe('what is kept', () => {
  test('sessions and history are listed', async () => {
    const root = newRoot()
    expect(await mirage(['--root', root, 'sessions'])).toEqual(out('no sessions yet\n'))
    expect(await mirage(['--root', root, 'history'])).toEqual(out(''))
    await mirage(['--root', root, '-c', 'cd /tmp'])
    await mirage(['--root', root, '--session', 'b', '-c', 'false'])
    const { stdout } = await mirage(['--root', root, 'sessions'])
    expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')).toBe(
      '  SESSION  DIRECTORY  PROFILE  CREATED (UTC)\n  b        /          -        TIME\n* main     /tmp       -        TIME\n',
    )
    expect(JSON.parse((await mirage(['--root', root, '--json', 'sessions'])).stdout)).toMatchObject([
      { id: 'b', isDefault: false, cwd: '/' },
      { id: 'main', isDefault: true, cwd: '/tmp' },
    ])
    expect((await mirage(['--root', root, 'history', '--session', 'b'])).stdout).toMatch(
      /^ {4}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}1 {2}false\n$/,
    )
  })
})

describe('a configuration', () => {
  test('says what is opened, and options go over it', async () => {
    const config = join(folder, 'agent.yaml')
    writeFileSync(
      config,
      `workspace_id: \${ID}\nstore: { type: disk, root: ${join(folder, 'configured')} }\nenv: { GREETING: hi }\nmounts: { /: { vfs: ram }, /tmp: { vfs: ram } }\nprofiles: { guest: { commands: { deny: [rm] } } }\nprofile: guest\ndefault_session_id: first\n`,
    )
    const run = (args: readonly string[]): Ended => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [program, '--config', config, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ID: 'team' },
      })
      return { stdout, stderr, status }
    }
    expect(run(['-c', 'echo $GREETING; rm x'])).toMatchObject({ stdout: 'hi\n', status: 126 })
    expect(run(['--session', 'second', '-c', 'true']).status).toBe(0)
    expect(run(['sessions']).stdout).toContain('* first')
    expect(readdirSync(join(folder, 'configured/workspaces'))).toEqual(['team'])
    writeFileSync(config, 'workspaceId: x\nmode: w\n')
    expect(run(['-c', 'true'])).toEqual({
      stdout: '',
      stderr: `mirage: the workspace configuration of ${config} is invalid:\n  mode holds "w"; it may hold read, write or exec\n  workspaceId (holding "x") is not a key of a workspace configuration, which may hold workspace_id, mode, mounts, store, env, profiles, profile and default_session_id; did you mean workspace_id?\n`,
      status: 2,
    })
  })
})

describe('the command line', () => {
  test('is explained, and a wrong one is named', async () => {
    expect((await mirage(['--help'])).stdout).toMatch(/^usage: mirage .*Examples:/s)
    expect(await mirage(['--version'])).toEqual(out('mirage 0.1.0\n'))
    expect(await mirage(['--nope'])).toEqual({
      stdout: '',
      stderr: "mirage: unknown option '--nope'\nTry 'mirage --help' for more information.\n",
      status: 2,
    })
    expect(await mirage(['--root', join(folder, 'a.file'), '--mount', '/x=/does/not/exist', '-c', 'true'])).toMatchObject({ status: 1 })
  })
})

describe.skipIf(spawnSync('python3', ['--version']).status !== 0)('in a terminal', () => {
  interface Driven {
    readonly output: string
    readonly status: number
    readonly failed: unknown
  }

  function drive(root: string, steps: readonly object[]): Driven {
    const args = [resolve('test/unit/cli/pty-drive.py'), '80', '24', process.execPath, program, '--root', root]
    const { stdout, stderr } = spawnSync('python3', args, { input: JSON.stringify(steps), encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', HOME: folder } })
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as Driven
  }

  const send = (text: string): object => ({ send: text })
  const expects = (text: string): object => ({ expect: text })

  test('lines are edited, completed, continued, interrupted, and remembered', () => {
    const root = newRoot()
    const first = drive(root, [
      ...[expects('main:/$ '), send('echo a$((1+1))b\r'), expects('a2b\r\n')],
      ...[expects('main:/$ '), send('cd /tm\t'), expects('/tmp/'), send('\r')],
      ...[expects('main:/tmp$ '), send('for i in 1 2; do\recho n$i\rdone\r'), expects('n1\r\nn2\r\n')],
      ...[expects('main:/tmp$ '), send('read v; echo got:$v\rhello\r'), expects('got:hello\r\n')],
      ...[expects('main:/tmp$ '), send('cat; echo after\r'), expects('\r\n'), send('line\r'), expects('line'), expects('line\r\n'), send('\x04'), expects('after')],
      ...[expects('main:/tmp$ '), send('while :; do :; done\r'), expects('\r\n'), send('\x03'), expects('^C')],
      ...[expects('main:/tmp$ '), send('echo gone\x15echo !!:0\r'), expects('echo while\r\n'), expects('while')],
      ...[expects('main:/tmp$ '), send('printf no-newline\r'), expects('no-newline\r\n')],
      ...[expects('main:/tmp$ '), send("echo 'a\rb'\r"), expects('a\r\nb\r\n')],
      ...[expects('main:/tmp$ '), { resize: [40, 10] }, send('exit 7\r')],
    ])
    expect(first).toMatchObject({ failed: null, status: 7 })
    const second = drive(root, [expects('main:/tmp$ '), send('\x1b[A\x1b[A'), expects("echo 'a"), send('\x03'), expects('^C'), expects('main:/tmp$ '), send('\x12n$i'), expects('for i in 1 2'), send('\r'), expects('n2'), expects('main:/tmp$ '), send('\x04'), expects('exit')])
    expect(second).toMatchObject({ failed: null, status: 0 })
  }, 60_000)

  test('prompts, completions, secrets and the size of the terminal are what bash has', () => {
    const first = drive(newRoot(), [
      ...[expects('main:/$ '), send("PS1='\\u:\\W\\$ ' PS2='.. '\r"), expects('user:/$ ')],
      ...[send('if true\r'), expects('.. '), send('then echo ok; fi\r'), expects('ok\r\n'), expects('user:/$ ')],
      ...[send("complete -W 'start stop' svc; svc() { echo got:$1; }\r"), expects('user:/$ '), send('svc sto\t\r'), expects('got:stop\r\n')],
      ...[expects('user:/$ '), send('read -s p; echo "[$p]"\r'), expects('\r\n'), send('hidden\r'), expects('[hidden]\r\n')],
      ...[expects('user:/$ '), { resize: [60, 10] }, expects('user:/$ '), send('echo $COLUMNS:$LINES; [ -t 1 ] && tty\r'), expects('60:10\r\n/dev/tty\r\n')],
      ...[expects('user:/$ '), send('clear\r'), expects('\x1b[H\x1b[2J\x1b[3J'), expects('user:/$ '), send('exit 3\r')],
    ])
    expect(first).toMatchObject({ failed: null, status: 3 })
    expect(first.output).not.toContain('\nhidden')
  }, 60_000)
}) // biome-ignore format: one step a line
