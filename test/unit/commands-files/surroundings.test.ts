import { describe, expect, it } from 'vitest'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { run, Twin } from './harness.ts'

const words = (line: string): string[] =>
  line.split(' ').map((word) => (word === "''" ? '' : word.replaceAll('~', ' ').replaceAll('\\n', '\n')))

const CASES = `date -d @0
date -u -d @1234567890
date -d @1234567890 +%F~%T
date -d 2024-02-29~12:00~UTC+1~day +%c
date -R -d @0
date -I -d @0
date -Ihours -d @0
date -Im -d @0
date -Iseconds -d @0
date -Ins -d @0.5
date --iso-8601=date -d @0
date --rfc-3339=date -d @0
date --rfc-3339=s -d @0
date --rfc-3339=ns -d @0.25
date --rfc-email -d @0
date -Ifoo
date --rfc-3339=x
date -d foo
date -d foo +%s
date -d now -r f
date -d now x
date -I -R
date +%F +%T
date -r nope
date -r f +%s
date -r d +%F
date -f dates +%F
date -f nope
date -q
date -d
date -d @0 +
date -d @0 +%%%n%t%
date --date=@0 --utc
date x
printenv USER
printenv nope
printenv USER nope TZ
printenv -0 USER
printenv
printenv -x
printenv USER=x
env
env -0
env -i
env -i A=1 B=2
env -i A=1 A=2
env - A=1
env -u USER
env -uUSER -u TZ
env --unset=USER A=1
env -u '' true
env -u a=b true
env -i A=1 printenv
env A=1 printenv A
env -i A=b=c printenv A
env -C d pwd
env -C nope true
env -C f true
env -C d
env -0 true
env -x
env false
env -S printenv~USER
env -SA=1~printenv~A
env -iSA=1~printenv
env --split-string=A=1~printenv~A
env -S printenv~-0~USER
env -S A='x~y'~printenv~A
env -S A="x~\\ty"~printenv~A
env -S A=$\{USER}x~printenv~A
env -S A=\${USER}x~printenv~A
env -S A=x~#~printenv
env -S A=x~printenv~A~#~no
env -S A=x~printenv~A\\cB
env -S A=$x~printenv
env -S a\\q
env -S "a
env -S a\\
env -v A=1 true
env -vi -u B A=1 true
env -v -C d true
env --ignore-signal=INT true
env --ignore-signal=FOO true
timeout
timeout 1
timeout x true
timeout -s FOO 1 true
timeout -k x 1 true
timeout 5 true
timeout 5 false
timeout 0 true
timeout -q 1 true
timeout 5s true
timeout -s 9 5 false
timeout --preserve-status 5 false
nohup
nohup true
nohup false
nohup --x
nice
nice -n x true
nice -n 5
nice -n 5 true
nice -5 false
nice --adjustment=3 true
nice -x
tty
tty -s
tty x
tty -x
pwd
pwd -P
pwd x
pwd -x
sleep
sleep x
sleep x y
sleep 1x
sleep 0 0.001
sleep 1e-3
sleep 0x.
sleep ''
sleep -x
sync
sync f
sync nope
sync -d
sync -d -f f
arch x
whoami x
logname x
uname -q
uname x
nproc x
nproc --ignore=x
nproc --ignore=1000
id -n
id -ug
id -z
id -q
id nosuch
groups nosuch
which ls
which nosuch
which ./tool
which d/tool f
which
which -a tool
which tool plain
test
test x
test -f f
test -d f
test -e nope
test f -ef f
test a = a
test (
[ -f f ]
[ 1 -eq 1 -a 2 -gt 1 ]
getconf PATH
getconf PAGESIZE
getconf nope
getconf`.split('\n')

const SETUP = `mkdir -p d; echo hi > f; printf '2020-01-01\\nfoo\\n@0\\n' > dates; touch -d '2001-02-03 04:05:06 UTC' f d
for t in tool d/tool; do printf '#!/bin/sh\\n' > $t; chmod 755 $t; done; : > plain`

const yes = { run: () => 0 }
const no = { run: () => 1 }
const extra = new Map([
  ['true', yes],
  ['false', no],
])

describe('date, env, timeout and the like', () => {
  it('do as the real ones do', async () => {
    for (const line of CASES) {
      const twin = new Twin(SETUP)
      const env: Record<string, string> = line.startsWith('which') ? { PATH: `${twin.directory}/d:${twin.directory}:/usr/bin:` } : {}
      if (line === 'which ls') {
        await run(twin.fs, ['mkdir', '-p', '/usr/bin'])
        await twin.fs.write('/usr/bin/ls', new Uint8Array(0), { mode: 0o755 })
      }
      await twin.same(words(line), { env, extra })
    }
  })

  it('never set the clock', async () => {
    const fs = new RAMFileSystem()
    const refused = 'date: cannot set date: Operation not permitted\n'
    const at = { now: 1_700_000_000_000 }
    expect(await run(fs, ['date', '-s', '2020-01-01'], at)).toEqual({
      stdout: 'Wed Jan  1 00:00:00 UTC 2020\n',
      stderr: refused,
      status: 1,
    })
    expect(await run(fs, ['date', '--set=@0', '+%s'], at)).toEqual({ stdout: '0\n', stderr: refused, status: 1 })
    expect(await run(fs, ['date', '01020304'], at)).toEqual({ stdout: 'Mon Jan  2 03:04:00 UTC 2023\n', stderr: refused, status: 1 })
    expect(await run(fs, ['date', '010203042021.05'], at)).toEqual({ stdout: 'Sat Jan  2 03:04:05 UTC 2021\n', stderr: refused, status: 1 })
    expect(await run(fs, ['date'], at)).toEqual({ stdout: 'Tue Nov 14 22:13:20 UTC 2023\n', stderr: '', status: 0 })
    expect(await run(fs, ['date', '+%s.%N'], { now: 1_700_000_000_123.5 })).toMatchObject({ stdout: '1700000000.123500000\n' })
  })

  it('tell who and where', async () => {
    const fs = new RAMFileSystem()
    const says = async (line: string, stdout: string, env: Record<string, string> = {}): Promise<void> => {
      expect({ line, ...(await run(fs, line.split(' '), { env })) }).toEqual({ line, stdout, stderr: '', status: 0 })
    }
    await says('id', 'uid=1000(user) gid=1000(user) groups=1000(user)\n')
    await says('id', 'uid=1000(ann) gid=1000(ann) groups=1000(ann)\n', { USER: 'ann' })
    await says('id root', 'uid=0(root) gid=0(root) groups=0(root)\n')
    await says('id -u', '1000\n')
    await says('id -un', 'ann\n', { USER: 'ann' })
    await says('id -Gz', '1000\0')
    await says('whoami', 'user\n')
    await says('logname', 'bob\n', { LOGNAME: 'bob' })
    await says('groups', 'user\n')
    await says('groups root user', 'root : root\nuser : user\n')
    await says('uname', 'Linux\n')
    await says('uname -m', 'x86_64\n')
    await says('uname -sno', 'Linux box GNU/Linux\n', { HOSTNAME: 'box' })
    await says('arch', 'x86_64\n')
    await says('nproc', '1\n')
    await says('hostname', 'localhost\n')
    await says('hostname -s', 'a\n', { HOSTNAME: 'a.b.c' })
    await says('hostname -d', 'b.c\n', { HOSTNAME: 'a.b.c' })
  })

  it('end what takes too long', async () => {
    const fs = new RAMFileSystem()
    const status = async (line: string): Promise<number> => (await run(fs, line.split(' '))).status
    expect(await status('timeout 0.01 hang')).toBe(124)
    expect(await status('timeout --preserve-status 0.01 hang')).toBe(143)
    expect(await status('timeout -s KILL 0.01 hang')).toBe(137)
    expect(await status('timeout -s INT --preserve-status 0.01 hang')).toBe(130)
    expect(await status('timeout 0.01 sleep inf')).toBe(124)
    expect(await run(fs, ['timeout', '-v', '0.01', 'sleep', '100'])).toEqual({
      stdout: '',
      stderr: "timeout: sending signal TERM to command 'sleep'\n",
      status: 124,
    })
    expect(await status('timeout 5 nosuch')).toBe(127)
    const controller = new AbortController()
    const waiting = run(fs, ['sleep', '1000'], { signal: controller.signal })
    controller.abort(new DOMException('over', 'AbortError'))
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('leaves a terminal', async () => {
    const fs = new RAMFileSystem()
    expect(await run(fs, ['nohup', 'echo', 'hi'], { terminals: [0, 1, 2] })).toEqual({
      stdout: '',
      stderr: "nohup: ignoring input and appending output to 'nohup.out'\n",
      status: 0,
    })
    expect((await run(fs, ['stat', '-c', '%s', 'nohup.out'])).stdout).toBe('3\n')
    expect(await run(fs, ['tty'], { terminals: [0] })).toEqual({ stdout: '/dev/tty\n', stderr: '', status: 0 })
  })
})
