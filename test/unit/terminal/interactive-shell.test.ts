import { afterEach, describe, expect, test } from 'vitest'
import type { ShellOptions } from '../../../src/index.ts'
import { RAMFileSystem, Workspace } from '../../../src/index.ts'
import type { FinishedLine } from '../../../src/terminal/index.ts'
import { sitDown } from './person.ts'

const opened: Workspace[] = []

afterEach(() => Promise.all(opened.splice(0).map((workspace) => workspace.close())))

function newWorkspace(options: ConstructorParameters<typeof Workspace>[1] = {}): Workspace {
  const workspace = new Workspace({ '/data': new RAMFileSystem({ files: { '/in.txt': 'b\na\n', '/inner/deep.txt': '' } }) }, options)
  opened.push(workspace)
  return workspace
}

describe('lines', () => {
  test('run, show what they write, and leave the shell with `exit`', async () => {
    const person = await sitDown(newWorkspace())
    await person.sees(['main:/$'])
    person.type('printf "a\\nb"\r')
    await person.sees(['main:/$ printf "a\\nb"', 'a', 'b', 'main:/$'])
    person.type('cd /data; exit 7\r')
    expect(await person.shell.ended).toBe(7)
    await person.sees(['main:/$ printf "a\\nb"', 'a', 'b', 'main:/$ cd /data; exit 7'])
  })

  test('read the keyboard, echoed and edited', async () => {
    const person = await sitDown(newWorkspace())
    person.type('read -p "name? " x; echo "<$x>"\r')
    await person.runs()
    await person.sees(['main:/$ read -p "name? " x; echo "<$x>"', 'name?'])
    person.type('adx\x7fa\r')
    await person.sees(['main:/$ read -p "name? " x; echo "<$x>"', 'name? ada', '<ada>', 'main:/$'])
  })

  test('read a secret without showing it, and keys without waiting for Enter', async () => {
    const person = await sitDown(newWorkspace())
    person.type('read -s -p "secret? " x; read -n1 k; echo "<$x $k>"; read y\r')
    await person.runs()
    person.type('hunter\x7fr2\r')
    await person.sees(['main:/$ read -s -p "secret? " x; read -n1 k; echo "<$x $k>"; read y', 'secret?'])
    person.type('é')
    await person.sees(['main:/$ read -s -p "secret? " x; read -n1 k; echo "<$x $k>"; read y', 'secret? é<hunter2 é>'])
    person.type('shown')
    await person.sees(['main:/$ read -s -p "secret? " x; read -n1 k; echo "<$x $k>"; read y', 'secret? é<hunter2 é>', 'shown'])
    person.type('\r\x0c')
    await person.sees(['main:/$'])
  })

  test('read for a limited time, and what comes later goes to what reads next', async () => {
    const person = await sitDown(newWorkspace())
    person.type('read -t 0.05 x; echo $?$x; read -t 60 y; echo "<$y>"; read z\r')
    await person.sees(['main:/$ read -t 0.05 x; echo $?$x; read -t 60 y; echo "<$y>"; read z', '142'])
    person.type('late\r')
    await person.sees(['main:/$ read -t 0.05 x; echo $?$x; read -t 60 y; echo "<$y>"; read z', '142', 'late', '<late>'])
    person.type('z\r\x0c')
    await person.sees(['main:/$'])
  })

  test('typed ahead are read by what asks for them first, the rest is edited', async () => {
    const person = await sitDown(newWorkspace())
    person.type('read -s a; sleep 0; read b; echo "$a$b"\rone\rtwo\rthree')
    await person.sees(['main:/$ read -s a; sleep 0; read b; echo "$a$b"', 'two', 'onetwo', 'main:/$ three'])
  })

  test('are ended by ^C, and the status is 130', async () => {
    const person = await sitDown(newWorkspace())
    person.type('echo go; while :; do :; done\r')
    await person.sees(['main:/$ echo go; while :; do :; done', 'go'])
    person.type('\x03')
    await person.sees(['main:/$ echo go; while :; do :; done', 'go', '^C', 'main:/$'])
    person.type('\x0cecho $?\r')
    await person.sees(['main:/$ echo $?', '130', 'main:/$'])
  })

  test('^D and the end of the terminal end the shell with the last status', async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    person.type('false\r')
    await person.sees(['main:/$ false', 'main:/$'])
    person.type('\x04')
    expect(await person.shell.ended).toBe(1)
    await person.sees(['main:/$ false', 'main:/$', 'exit'])
    const other = await sitDown(workspace)
    await other.sees(['main:/$'])
    other.hangUp()
    expect(await other.shell.ended).toBe(0)
  })

  test('write as much as they like without being kept', async () => {
    const workspace = newWorkspace({ limits: { outputBytes: 1000 } })
    const ended: FinishedLine[] = []
    const person = await sitDown(workspace, { onLineEnd: (line) => ended.push(line) })
    await person.sees(['main:/$'])
    person.type('seq 2000 | tail -c 5000 | wc -c; seq 2000 > /dev/null; seq -s, 2000; echo done >&2; clear\r')
    await person.runs()
    await person.sees(['main:/$'])
    expect(ended.map(({ exitCode, result }) => [exitCode, result?.stdout.length, result?.stderr.length])).toEqual([[0, 0, 0]])
    expect(person.written()).toContain(',1999,2000')
    // What keeps its output is still limited.
    expect((await workspace.shell('seq 2000')).exitCode).toBe(137)
  })

  test('are told of the terminal, and not to keep their output', async () => {
    const workspace = newWorkspace()
    const session = await workspace.session('main')
    let options: ShellOptions = {}
    const watched = Object.create(session, {
      shell: {
        value: (line: string, given: ShellOptions) => {
          options = given
          return session.shell(line, given)
        },
      },
    }) as typeof session
    const person = await sitDown(workspace, { session: watched })
    person.type('true\r')
    await person.sees(['main:/$ true', 'main:/$'])
    expect(options).toMatchObject({ keepOutput: false, terminal: { columns: 70, rows: 10 } })
  })
})

describe('the terminal', () => {
  test('is one for what runs', async () => {
    const person = await sitDown(newWorkspace())
    person.type('[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty; [ -t 1 ] | cat || echo piped\r')
    await person.sees(['main:/$ [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty; [ -t 1 ] | cat || ech', 'o piped', '/dev/tty', 'main:/$'])
    person.type('\x0cls /data; ls /data | cat\r')
    await person.sees(['main:/$ ls /data; ls /data | cat', 'in.txt  inner', 'in.txt', 'inner', 'main:/$'])
    person.type('\x0ctouch /tmp/{1..9}0000000; ls -w0 /tmp; ls /tmp; rm -r /tmp/*\r')
    await person.sees([
      'main:/$ touch /tmp/{1..9}0000000; ls -w0 /tmp; ls /tmp; rm -r /tmp/*',
      '10000000  20000000  30000000  40000000  50000000  60000000  70000000  80000000  90000000'.slice(0, 68),
      '10000000  20000000  30000000  40000000  50000000  60000000  70000000  80000000  90000000'.slice(70),
      '10000000  30000000  50000000  70000000  90000000',
      '20000000  40000000  60000000  80000000',
      'main:/$',
    ])
  })

  test('has its size in COLUMNS and LINES, also while a line runs', async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    person.type('echo $COLUMNS $LINES\r')
    await person.sees(['main:/$ echo $COLUMNS $LINES', '70 10', 'main:/$'])
    person.resize(75, 8)
    person.type('\x0cecho $COLUMNS $LINES\r')
    await person.sees(['main:/$ echo $COLUMNS $LINES', '75 8', 'main:/$'])
    person.type("\x0ctrap 'echo $COLUMNS' WINCH; echo go; while sleep 0; do :; done\r")
    await person.sees(["main:/$ trap 'echo $COLUMNS' WINCH; echo go; while sleep 0; do :; done", 'go'])
    person.resize(72, 8)
    await person.sees(["main:/$ trap 'echo $COLUMNS' WINCH; echo go; while sleep 0; do :; done", 'go', '72'])
    person.type('\x03')
    // It tells of the terminal, not of the session.
    expect((await person.session.shell('echo "[$COLUMNS]"')).stdoutText).toBe('[]\n')
    expect(person.session.fields.variables.has('COLUMNS')).toBe(false)
  })

  test("COLUMNS that a line sets is the session's, and the terminal's is shown in the next line", async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    person.type('export COLUMNS=7; echo $COLUMNS\r')
    await person.sees(['main:/$ export COLUMNS=7; echo $COLUMNS', '7', 'main:/$'])
    person.type('\x0cenv | grep COLUMNS\r')
    await person.sees(['main:/$ env | grep COLUMNS', 'COLUMNS=70', 'main:/$'])
    expect((await person.session.shell('echo "[$COLUMNS]"')).stdoutText).toBe('[7]\n')
  })

  test('is cleared by `clear` and by ^L, which keeps what is edited', async () => {
    const person = await sitDown(newWorkspace())
    person.type('echo a\r')
    await person.sees(['main:/$ echo a', 'a', 'main:/$'])
    person.type('clear\r')
    await person.sees(['main:/$'])
    person.type('echo b\r')
    await person.sees(['main:/$ echo b', 'b', 'main:/$'])
    person.type('text\x0c')
    await person.sees(['main:/$ text'])
  })
})

describe('prompts', () => {
  test('PS1 is shown with its escapes and expansions', async () => {
    const person = await sitDown(newWorkspace())
    person.type("PS1='\\[\\e[1m\\]\\u@\\h:\\w[\\W]\\$\\[\\e[0m\\] '\r")
    await person.sees(["main:/$ PS1='\\[\\e[1m\\]\\u@\\h:\\w[\\W]\\$\\[\\e[0m\\] '", 'user@localhost:/[/]$'])
    expect(person.written()).toMatch(/\x1b\[1muser@localhost:\/\[\/\]\$\x1b\[0m \r\x1b\[21C$/)
    person.type('\x0ccd; f() { echo "in $? $(pwd)"; }\r')
    await person.sees(['user@localhost:/[/]$ cd; f() { echo "in $? $(pwd)"; }', 'user@localhost:~[~]$'])
    person.type("\x0cPS1='$(f)|\\W|\\!|\\#|$((1+1))> '\r")
    await person.sees(["user@localhost:~[~]$ PS1='$(f)|\\W|\\!|\\#|$((1+1))> '", 'in 0 /home/user|~|4|4|2>'])
    person.type('\x0cfalse\r')
    await person.sees(['in 0 /home/user|~|4|4|2> false', 'in 1 /home/user|~|5|5|2>'])
  })

  test('what a prompt does stays in the prompt', async () => {
    const person = await sitDown(newWorkspace())
    person.type("set -eu; trap 'echo err' ERR; PS1='${x:=1}$(false)\"q\\\\$ '\r")
    await person.sees(["main:/$ set -eu; trap 'echo err' ERR; PS1='${x:=1}$(false)\"q\\\\$ '", '1"q$'])
    person.type('\x0cecho ${x-unset} $?\r')
    await person.sees(['1"q$ echo ${x-unset} $?', 'unset 0', '1"q$'])
  })

  test('a prompt that hangs is ended by ^C, and what it writes elsewhere is shown', async () => {
    const person = await sitDown(newWorkspace())
    person.type("PS1='$(echo hangs >&2; sleep 100)x '\r")
    await person.sees(["main:/$ PS1='$(echo hangs >&2; sleep 100)x '", 'hangs'])
    person.type('\x03')
    await person.sees(["main:/$ PS1='$(echo hangs >&2; sleep 100)x '", 'hangs', '$(echo hangs >&2; sleep 100)x'])
    person.type('\x0cPS1="$ "\r')
    await person.sees(['$(echo hangs >&2; sleep 100)x PS1="$ "', '$'])
  })

  test('PS2 stands before further lines, and PS1 may have several', async () => {
    const person = await sitDown(newWorkspace())
    person.type("PS2='\\[\\e[2m\\]..\\[\\e[0m\\] ' PS1='one\\ntwo$ '\r")
    await person.sees(["main:/$ PS2='\\[\\e[2m\\]..\\[\\e[0m\\] ' PS1='one\\ntwo$ '", 'one', 'two$'])
    person.type('\x0cif true\rthen\r echo x\rfi\r')
    await person.sees(['one', 'two$ if true', '.. then', '..  echo x', '.. fi', 'x', 'one', 'two$'])
  })

  test('PROMPT_COMMAND runs before, and `$?` stays', async () => {
    const person = await sitDown(newWorkspace())
    person.type('PROMPT_COMMAND=\'echo "<$?>"\'\r')
    await person.sees(['main:/$ PROMPT_COMMAND=\'echo "<$?>"\'', '<0>', 'main:/$'])
    person.type('\x0cfalse\r')
    await person.sees(['main:/$ false', '<1>', 'main:/$'])
    person.type('\x0cecho $?; PROMPT_COMMAND=(:)\r')
    await person.sees(['main:/$ echo $?; PROMPT_COMMAND=(:)', '1', 'main:/$'])
    expect((await person.session.history()).length).toBe(3)
  })
})

describe('Tab', () => {
  test('asks what `complete` says of the command', async () => {
    const person = await sitDown(newWorkspace())
    person.type('complete -W \'start stop status\' svc; _f() { COMPREPLY=("$2-done"); }\r')
    await person.sees(["main:/$ complete -W 'start stop status' svc; _f() { COMPREPLY=(\"$2-don", 'e"); }', 'main:/$'])
    person.type('\x0ccomplete -F _f -o nospace g\r')
    await person.sees(['main:/$ complete -F _f -o nospace g', 'main:/$'])
    person.type('\x0csvc sto\t.')
    await person.sees(['main:/$ svc stop .'])
    person.type('\x15\x0csvc st\t\t')
    await person.sees(['main:/$ svc st', 'start   status  stop', 'main:/$ svc st'])
    person.type('\x15\x0cg a\t!')
    await person.sees(['main:/$ g a-done!'])
  })

  test('a completion that hangs is ended by ^C', async () => {
    const person = await sitDown(newWorkspace())
    person.type('_h() { sleep 100; }; complete -F _h h\r')
    await person.sees(['main:/$ _h() { sleep 100; }; complete -F _h h', 'main:/$'])
    person.type('\x0ch a\t')
    await person.sees(['main:/$ h a'])
    person.type('\x03b')
    await person.sees(['main:/$ h ab'])
  })

  test('files that a profile hides are not completed', async () => {
    const workspace = newWorkspace({ profiles: { shy: { paths: { hide: ['/data/inner'] } } } })
    const session = await workspace.session('shy', { profile: 'shy' })
    const person = await sitDown(workspace, { session })
    person.type('echo /data/i\t.')
    await person.sees(['shy:/$ echo /data/in.txt .'])
  })

  test('file names of a specification are quoted, and directories marked', async () => {
    const person = await sitDown(newWorkspace())
    person.type("mkdir -p '/data/a b'; complete -f x\r")
    await person.sees(["main:/$ mkdir -p '/data/a b'; complete -f x", 'main:/$'])
    person.type("\x0ccomplete -o filenames -W '/data/inner' y\r")
    await person.sees(["main:/$ complete -o filenames -W '/data/inner' y", 'main:/$'])
    person.type('\x0cx /data/a\t.')
    await person.sees(['main:/$ x /data/a\\ b/.'])
    person.type('\x15y /d\t.')
    await person.sees(['main:/$ y /data/inner/.'])
  })
})

describe('from outside', () => {
  test('a line is run as if it had been typed, and what was typed comes back', async () => {
    const lines: unknown[] = []
    const person = await sitDown(newWorkspace(), {
      onLineStart: (line) => lines.push(line),
      onLineEnd: ({ line, exitCode }) => lines.push([line, exitCode]),
    })
    await person.sees(['main:/$'])
    person.type('half')
    person.shell.run('echo "!"; false')
    person.shell.run('pwd')
    await person.sees(['main:/$ echo "!"; false', '!', 'main:/$ pwd', '/', 'main:/$ half'])
    expect(lines).toEqual(['echo "!"; false', ['echo "!"; false', 1], 'pwd', ['pwd', 0]])
    expect((await person.session.history()).map((entry) => entry.command)).toEqual(['echo "!"; false', 'pwd'])
    person.type('\x10\x10')
    await person.sees(['main:/$ echo "!"; false', '!', 'main:/$ pwd', '/', 'main:/$ echo "!"; false'])
  })

  test('text is inserted at the cursor, or read by the line that runs', async () => {
    const person = await sitDown(newWorkspace())
    await person.sees(['main:/$'])
    person.type('cat  | wc\x1bb\x02\x02\x02')
    person.shell.insert('/data/in.txt')
    await person.sees(['main:/$ cat /data/in.txt | wc'])
    person.type('\x15\x0bread x; echo "[$x]"\r')
    await person.runs()
    person.shell.insert('given\n')
    await person.sees(['main:/$ read x; echo "[$x]"', 'given', '[given]', 'main:/$'])
  })

  test('what runs is interrupted; `close` ends all but the session', async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    person.type('sleep 100\r')
    await person.runs()
    person.shell.interrupt()
    await person.sees(['main:/$ sleep 100', '^C', 'main:/$'])
    expect(person.shell.busy).toBe(false)
    person.type('sleep 100\r')
    await person.runs()
    person.shell.close()
    expect(await person.shell.ended).toBe(130)
    expect((await workspace.shell('echo on')).stdoutText).toBe('on\n')
  })

  test('what others change is shown by `refresh`', async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    await person.sees(['main:/$'])
    person.type('half')
    await person.session.shell('cd /data')
    await person.shell.refresh()
    await person.sees(['main:/data$ half'])
    person.type('\x15\x10')
    await person.sees(['main:/data$ cd /data'])
  })

  test('a workspace that is closed ends the shell with CLOSED', async () => {
    const workspace = newWorkspace()
    const person = await sitDown(workspace)
    await person.sees(['main:/$'])
    await workspace.close()
    person.type('pwd\r')
    await expect(person.shell.ended).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

describe('paste', () => {
  test('of several lines is edited before it runs', async () => {
    const person = await sitDown(newWorkspace())
    await person.sees(['main:/$'])
    person.paste('echo a\necho b\t漢')
    await person.sees(['main:/$ echo a', '> echo b^I漢'])
    person.type('\r')
    await person.sees(['main:/$ echo a', '> echo b^I漢', 'a', 'b 漢', 'main:/$'])
  })

  test('for a line that reads goes to that line', async () => {
    const person = await sitDown(newWorkspace())
    person.type('cat\r')
    await person.runs()
    person.paste('x\ny\n')
    await person.sees(['main:/$ cat', 'x', 'x', 'y', 'y'])
    person.type('\x04')
    await person.sees(['main:/$ cat', 'x', 'x', 'y', 'y', 'main:/$'])
  })
})
