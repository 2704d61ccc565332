import type { FileSystem } from '../../src/fs/file-system.ts'
import type { RAMFileSystem } from '../../src/fs/memory.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import type { MountSpec, ShellResult, Workspace, WorkspaceOptions } from '../../src/workspace.ts'
import { deepEqual, equal, ok, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'

/** What makes workspaces that share one store. */
export interface WorkspaceSubject {
  /** A workspace `w` on the store; what `options` says goes over that. */
  open(mounts?: Readonly<Record<string, MountSpec>>, options?: WorkspaceOptions): Workspace
  /** An empty file system in memory. */
  files(): RAMFileSystem
  /** The store, once more. */
  state(): WorkspaceStateStore
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Loses a count where another line of the session runs at the same time. */
const COUNT = 'm=$n; sleep 0.001; n=$((m + 1))'

/** What a person sees of a workspace, whichever runtime and store it has. */
export const workspaceContract: readonly ContractCase<WorkspaceSubject>[] = [
  {
    name: 'a line gives its output as bytes and text, and its status',
    run: async (subject) => {
      const ws = subject.open()
      const result = await ws.shell('echo out; printf "\\377" >&2; (exit 3)')
      deepEqual([result.stdoutText, [...result.stderr], result.exitCode, result.durability], ['out\n', [255], 3, 'committed'])
      equal((await ws.execute('echo older name')).stdoutText, 'older name\n')
      await ws.close()
    },
  },
  {
    name: 'there are /, /tmp, /dev, /bin and /usr/bin without any mount',
    run: async (subject) => {
      const ws = subject.open()
      const { stdoutText, stderrText } = await ws.shell(
        'cd; pwd; echo x > /tmp/x; cat /tmp/x; echo lost > /dev/null; /bin/echo hi; type -p cat',
      )
      deepEqual([stdoutText, stderrText], ['/home/user\nx\nhi\n/usr/bin/cat\n', ''])
      await ws.close()
    },
  },
  {
    name: 'they are there when the host mounts a read-only root',
    run: async (subject) => {
      const ws = subject.open({ '/': [subject.files(), 'read'] })
      const result = await ws.shell('echo x > /x; echo y > /tmp/y && cat /tmp/y; echo z > /dev/null; /usr/bin/echo hi; cd; pwd')
      deepEqual([result.stdoutText, result.stderrText], ['y\nhi\n/\n', 'bash: line 1: /x: Read-only file system\n'])
      await ws.close()
    },
  },
  {
    name: 'mounts are the namespace of every session and of the host',
    run: async (subject) => {
      const ws = subject.open({ '/data': subject.files() })
      await ws.fs.write('/data/in', encoder.encode('from the host\n'))
      equal((await ws.shell('cd /data; tr a-z A-Z < in > out; cat out')).stdoutText, 'FROM THE HOST\n')
      equal(decoder.decode(await ws.fs.read('/data/out')), 'FROM THE HOST\n')
      ws.mount('/more', subject.files())
      equal((await ws.shell('echo 1 > /more/f; ls /more')).stdoutText, 'f\n')
      ws.unmount('/more')
      equal((await ws.shell('ls /more')).exitCode, 2)
      await ws.close()
    },
  },
  {
    name: 'bytes that the host gives or gets are its own',
    run: async (subject) => {
      const ws = subject.open()
      const given = encoder.encode('abc')
      await ws.fs.write('/f', given)
      given.fill(0)
      ;(await ws.fs.read('/f')).fill(0)
      const seen: Uint8Array[] = []
      const result = await ws.shell('cat /f', { onOutput: (bytes) => void seen.push(bytes) })
      seen[0]?.fill(0)
      equal(result.stdoutText, 'abc')
      result.stdout.fill(0)
      equal((await ws.shell('cat /f')).stdoutText, 'abc')
      await ws.close()
    },
  },
  {
    name: 'standard input is text, bytes or chunks, of which no more is read than wanted',
    run: async (subject) => {
      const ws = subject.open()
      equal((await ws.shell('cat', { stdin: 'text\n' })).stdoutText, 'text\n')
      deepEqual([...(await ws.shell('cat', { stdin: Uint8Array.of(255, 0, 10) })).stdout], [255, 0, 10])
      let isClosed = false
      async function* lines(): AsyncGenerator<Uint8Array> {
        try {
          for (let i = 0; ; i++) yield encoder.encode(`${i}\n`)
        } finally {
          isClosed = true
        }
      }
      equal((await ws.shell('read a; read b; echo $b $a; head -n 1', { stdin: lines() })).stdoutText, '1 0\n2\n')
      ok(isClosed)
      equal((await ws.shell('cat')).stdoutText, '')
      await rejects(ws.shell('cat', { stdin: failing() }), 'EIO')
      equal((await ws.shell('echo goes on')).stdoutText, 'goes on\n')
      await ws.close()
    },
  },
  {
    name: 'output comes as it is written, stream by stream in order, and a promise holds the writer back',
    run: async (subject) => {
      const ws = subject.open()
      const events: string[] = []
      let waiting = 0
      await ws.shell('for i in 1 2 3; do echo o$i; echo e$i >&2; done', {
        onOutput: async (bytes, stream) => {
          ok(waiting === 0, 'one at a time')
          waiting += 1
          await new Promise<void>((resolve) => setTimeout(resolve, 1))
          events.push(`${stream} ${decoder.decode(bytes).trim()}`)
          waiting -= 1
        },
      })
      deepEqual(events, ['stdout o1', 'stderr e1', 'stdout o2', 'stderr e2', 'stdout o3', 'stderr e3'])
      await rejects(
        ws.shell('echo x; y=1', { onOutput: () => Promise.reject(new DOMException('full', 'QuotaExceededError')) }),
        'QuotaExceededError',
      )
      equal((await ws.shell('echo goes on')).stdoutText, 'goes on\n')
      await ws.close()
    },
  },
  {
    name: 'nothing stays of a line with its own directory or variables',
    run: async (subject) => {
      const ws = subject.open()
      await ws.shell('mkdir /d; x=1; f() { echo one; }; alias a="echo one"; set -- p; umask 022')
      const { fields } = await ws.session()
      const aside =
        'pwd; echo $E $x; x=2; y=3; f() { echo two; }; alias a="echo two"; shopt -s nullglob; umask 077; set -- q; cd /tmp; exec 7>/tmp/seven; false'
      equal((await ws.shell(aside, { cwd: '/d', env: { E: 'env' } })).stdoutText, '/d\nenv 1\n')
      equal((await ws.session()).fields, fields)
      const after = 'pwd; echo $? $x ${y-unset} ${E-unset} $1; f; alias a; shopt -q nullglob || echo off; umask; echo >&7'
      const result = await ws.shell(after)
      equal(result.stdoutText, "/\n0 1 unset unset p\none\nalias a='echo one'\noff\n0022\n")
      equal(result.stderrText, 'bash: line 1: 7: Bad file descriptor\n')
      await rejects(ws.shell('pwd', { cwd: '/nowhere' }), 'ENOENT')
      await rejects(ws.shell('pwd', { cwd: '/dev/null' }), 'ENOTDIR')
      await ws.close()
    },
  },
  {
    name: 'one session is found again under its workspace, in another instance, with all it holds',
    run: async (subject) => {
      const first = subject.open({}, { sessionId: 's' })
      await first.shell('cd /tmp; x=7; export e=1; readonly r=2; declare -i n=3; declare -l low=ABC; a=(one "two  words" [9]=ten)')
      await first.shell('declare -A m=([k]=v ["a ]b"]=2 [__proto__]=p); v=$(printf "\\377x"); declare -n ref=x; declare -a none')
      await first.shell('f() { local y=$1; echo "f:$y:${a[1]}"; }; export -f f; g() { :; }; readonly -f g; alias ll="ls -l"; umask 027')
      await first.shell('gone=1; unset gone; h() { :; }; unset -f h; alias z=z; unalias z; set -o pipefail; (exit 9)')
      await first.close()
      const second = subject.open({}, { sessionId: 's' })
      const shown = await second.shell(
        'pwd; declare -p x e r n low a m v ref none; f 1; declare -F; alias; umask; echo "$?"; set -o | grep pipefail',
      )
      equal(shown.stderrText, '')
      equal(
        shown.stdoutText,
        [
          '/tmp',
          'declare -- x="7"',
          'declare -x e="1"',
          'declare -r r="2"',
          'declare -i n="3"',
          'declare -l low="abc"',
          'declare -a a=([0]="one" [1]="two  words" [9]="ten")',
          'declare -A m=([__proto__]="p" [k]="v" ["a ]b"]="2" )',
          "declare -- v=$'\\377x'",
          'declare -n ref="x"',
          'declare -a none',
          'f:1:two  words',
          'declare -fx f',
          'declare -fr g',
          "alias ll='ls -l'",
          '0027',
          '0',
          'pipefail       \toff',
          '',
        ].join('\n'),
      )
      const refused = await second.shell('r=3; echo no; ')
      deepEqual([refused.exitCode, refused.stdoutText], [1, ''])
      equal((await second.shell('g() { echo; }')).stderrText, 'bash: line 1: g: readonly function\n')
      equal((await second.shell('echo ${gone-unset} ${BASH_VERSION:0:3}; type -t h z')).stdoutText, 'unset 5.2\n')
      const { variables } = (await second.session()).fields
      ok(!variables.has('BASH_VERSION') && !variables.has('UID') && !variables.has('RANDOM') && !variables.has('gone'))
      await second.close()
    },
  },
  {
    name: 'what is stored stays the same from line to line when nothing changes',
    run: async (subject) => {
      const ws = subject.open({}, { sessionId: 's' })
      await ws.shell('x=1; f() { :; }; cd /tmp; [[ ab =~ a(b) ]]; echo a b c; cat /dev/null | cat; declare -A m=([a]=1)')
      const before = await ws.session()
      const { fields } = before
      await ws.shell(
        'echo $x; f; ls / > /dev/null; [[ cd =~ c(d) ]]; (x=2); true | false; : ${RANDOM} $SECONDS; read -r line <<< x; unset line',
      )
      equal((await ws.session()).fields, fields)
      await ws.close()
    },
  },
  {
    name: 'two instances see what the other one changed, line by line',
    run: async (subject) => {
      const one = subject.open({}, { sessionId: 's' })
      const two = subject.open({}, { sessionId: 's' })
      await one.shell('x=1; a=(1 2); f() { echo f; }; cd /tmp')
      equal((await two.shell('echo $x ${a[1]} $PWD; f; unset x; a+=(3); unset -f f; cd /; y=2')).stdoutText, '1 2 /tmp\nf\n')
      equal((await one.shell('echo ${x-gone} ${a[*]} $y $PWD; f')).stdoutText, 'gone 1 2 3 2 /\n')
      await two.session('other')
      deepEqual(await one.listSessions(), ['other', 's'])
      await Promise.all([one.close(), two.close()])
    },
  },
  {
    name: 'lines of one session take turns among two instances',
    needs: 'turns',
    run: async (subject) => {
      const one = subject.open({}, { sessionId: 's' })
      const two = subject.open({}, { sessionId: 's' })
      await one.shell('n=0')
      await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).shell(COUNT)))
      equal((await one.shell('echo $n')).stdoutText, '20\n')
      await Promise.all([one.close(), two.close()])
    },
  },
  {
    name: 'lines of one session take turns in one instance; sessions run at the same time',
    run: async (subject) => {
      const one = subject.open({}, { sessionId: 's' })
      await one.shell('n=0')
      await Promise.all(Array.from({ length: 20 }, () => one.shell(COUNT)))
      equal((await one.shell('echo $n')).stdoutText, '20\n')
      await one.shell('mkdir -p /tmp/p; rm -f /tmp/p/*')
      const wait = (name: string, other: string): string =>
        `: > /tmp/p/${name}; until [ -e /tmp/p/${other} ]; do sleep 0.001; done; echo met`
      const met = await Promise.all([
        one.shell(wait('a', 'b'), { sessionId: 'a', timeoutMs: 5000 }),
        one.shell(wait('b', 'a'), { sessionId: 'b', timeoutMs: 5000 }),
      ])
      deepEqual(
        met.map(({ stdoutText }) => stdoutText),
        ['met\n', 'met\n'],
      )
      await one.close()
    },
  },
  {
    name: 'a session closed elsewhere is an error once, then anew',
    run: async (subject) => {
      const one = subject.open()
      const two = subject.open()
      await one.shell('x=1', { sessionId: 's' })
      await two.closeSession('s')
      await rejects(one.shell('echo $x', { sessionId: 's' }), 'NOT_FOUND')
      equal((await one.shell('echo ${x-unset}', { sessionId: 's' })).stdoutText, 'unset\n')
      await two.closeSession('s')
      await rejects(two.closeSession('s'), 'NOT_FOUND')
      await Promise.all([one.close(), two.close()])
    },
  },
  {
    name: 'closing a session ends what runs and waits on it; closing a workspace ends what runs',
    run: async (subject) => {
      const ws = subject.open({}, { sessionId: 's' })
      await ws.shell('x=1')
      const running = await begun(ws)
      const waiting = unheard(ws.shell('x=2'))
      await ws.closeSession('s')
      const result = await running()
      deepEqual([result.exitCode, result.durability, result.cause?.code], [137, 'pending', 'NOT_FOUND'])
      await rejects(waiting, 'NOT_FOUND')
      deepEqual(await ws.listSessions(), [])
      equal((await ws.shell('echo ${x-unset}')).stdoutText, 'unset\n')
      const again = await begun(ws)
      await ws.close()
      equal((await again()).exitCode, 137)
    },
  },
  {
    name: 'a line that waits for another instance fails when the session is closed, and when its own workspace is',
    needs: 'turns',
    run: async (subject) => {
      const one = subject.open({}, { sessionId: 's' })
      const two = subject.open({}, { sessionId: 's' })
      await one.shell('x=1')
      await two.shell(':')
      const running = await begun(one)
      const elsewhere = unheard(two.shell('x=3'))
      await one.closeSession('s')
      equal((await running()).exitCode, 137)
      await rejects(elsewhere, 'NOT_FOUND')
      const again = await begun(one)
      const late = unheard(two.shell('x=4'))
      await two.close()
      await rejects(late, 'CLOSED')
      await one.close()
      equal((await again()).exitCode, 137)
    },
  },
  {
    name: 'the default session is the one the store knows; an id of its own wins',
    run: async (subject) => {
      const first = subject.open()
      const { id } = await first.session()
      const second = subject.open()
      equal((await second.session()).id, id)
      const named = subject.open({}, { sessionId: 'mine' })
      equal((await named.session()).id, 'mine')
      await rejects(named.session('mine', { cwd: '/tmp' }), 'EEXIST')
      await rejects(first.session('mine', { env: { A: '1' } }), 'EEXIST')
      equal((await (await first.session('new', { cwd: '/tmp', env: { A: '1' } })).shell('pwd; env | grep ^A=')).stdoutText, '/tmp\nA=1\n')
      await Promise.all([first.close(), second.close(), named.close()])
    },
  },
  {
    name: 'history has each line once: wrong, refused and aborted ones too, blank and unrecorded ones not',
    run: async (subject) => {
      const ws = subject.open({}, { sessionId: 's', agentId: 'me', profiles: { p: { commands: { deny: ['cat'] } } }, profile: 'p' })
      await ws.shell('cd /tmp; echo $(echo nested); eval echo x')
      await ws.shell('if then')
      await ws.shell('cat x')
      await ws.shell('  \n')
      await ws.shell('echo secret', { record: false })
      const controller = new AbortController()
      const onOutput = (): void => controller.abort()
      await rejects(ws.shell('echo; while :; do :; done', { signal: controller.signal, onOutput }), 'AbortError')
      // An aborted call doesn't wait long for its store.
      await ws.flush()
      const entries = await (await ws.session()).history()
      deepEqual(
        entries.map(({ command, exitCode, cwd, agent, session }) => [command, exitCode, cwd, agent, session]),
        [
          ['cd /tmp; echo $(echo nested); eval echo x', 0, '/', 'me', 's'],
          ['if then', 2, '/tmp', 'me', 's'],
          ['cat x', 126, '/tmp', 'me', 's'],
          ['echo; while :; do :; done', 130, '/tmp', 'me', 's'],
        ],
      )
      equal((await ws.shell('history 2')).stdoutText, '    4  echo; while :; do :; done\n    5  history 2\n')
      await ws.close()
      const again = subject.open({}, { sessionId: 's' })
      equal((await again.history()).length, 5)
      ok((await again.shell('head -n 4 /.bash_history')).stdoutText.includes('\nif then\n'))
      await again.close()
    },
  },
  {
    name: 'an abort ends any loop at once; what was changed stays and the session goes on',
    run: async (subject) => {
      const ws = subject.open()
      for (const line of [
        'x=1; echo; while :; do :; done',
        'x=1; echo; while :; do echo | cat; done > /dev/null',
        'x=1; echo; sleep 1000',
        "x=1; echo; trap 'while :; do :; done' EXIT; while :; do :; done",
        'x=1; echo; cat /dev/zero > /dev/null',
        'x=1; echo; read y < <(sleep 1000)',
      ]) {
        await ws.shell('x=0')
        const controller = new AbortController()
        const onOutput = (): void => void setTimeout(() => controller.abort('the reason'), 10)
        const running = ws.shell(line, { signal: controller.signal, onOutput })
        const error = await running.catch((thrown: unknown) => thrown)
        deepEqual([(error as Error).name, (error as Error).cause], ['AbortError', 'the reason'], line)
        equal((await ws.shell('echo $? $x')).stdoutText, '130 1\n', line)
      }
      await ws.close()
    },
  },
  {
    name: 'an abort reaches lines that wait or have not begun, and those never run',
    run: async (subject) => {
      const ws = subject.open()
      const busy = new AbortController()
      const first = ws.shell('sleep 1000', { signal: busy.signal })
      const controller = new AbortController()
      const waiting = ws.shell('x=ran', { signal: controller.signal })
      setTimeout(() => controller.abort(), 5)
      await rejects(waiting, 'AbortError')
      await rejects(ws.shell('x=ran', { signal: AbortSignal.abort() }), 'AbortError')
      busy.abort()
      await rejects(first, 'AbortError')
      equal((await ws.shell('echo ${x-unset}')).stdoutText, 'unset\n')
      let chunks = 0
      const inside = new AbortController()
      const noisy = ws.shell('while :; do echo x; done', {
        signal: inside.signal,
        onOutput: () => {
          chunks += 1
          if (chunks === 3) inside.abort()
        },
      })
      await rejects(noisy, 'AbortError')
      equal(chunks, 3)
      await ws.close()
    },
  },
  {
    name: 'a host that takes no output holds a line only as long as its time, or until it is aborted',
    run: async (subject) => {
      const ws = subject.open()
      const stuck = (): Promise<void> => new Promise(() => undefined)
      const { exitCode, stderrText } = await ws.shell('echo a; echo b', { timeoutMs: 5, onOutput: stuck })
      deepEqual([exitCode, stderrText], [124, 'bash: timed out after 5 ms\n'])
      const controller = new AbortController()
      const onOutput = (): Promise<void> => {
        setTimeout(() => controller.abort(), 1)
        return stuck()
      }
      await rejects(ws.shell('x=1; yes', { signal: controller.signal, onOutput }), 'AbortError')
      equal((await ws.shell('echo $x')).stdoutText, '1\n')
      await ws.close()
    },
  },
  {
    name: 'limits of time, output and instructions end a line, not the session',
    run: async (subject) => {
      const ws = subject.open({}, { limits: { outputBytes: 10_000, instructions: 2_000_000 } })
      const results: ShellResult[] = []
      let heard = ''
      const onOutput = (bytes: Uint8Array, stream: string): void => {
        if (stream === 'stderr') heard += decoder.decode(bytes)
      }
      results.push(await ws.shell('sleep 1000', { timeoutMs: 5, onOutput }))
      results.push(await ws.shell('yes', { onOutput }))
      equal(heard, 'bash: timed out after 5 ms\nbash: output limit of 10000 bytes exceeded\n')
      results.push(await ws.shell('while :; do echo x; done'))
      results.push(await ws.shell('while :; do :; done'))
      deepEqual(
        results.map(({ exitCode, stderrText }) => [exitCode, stderrText]),
        [
          [124, 'bash: timed out after 5 ms\n'],
          [137, 'bash: output limit of 10000 bytes exceeded\n'],
          [137, 'bash: output limit of 10000 bytes exceeded\n'],
          [137, 'bash: line 1: instruction limit of 2000000 exceeded\n'],
        ],
      )
      equal((await ws.shell('echo goes on')).stdoutText, 'goes on\n')
      await ws.close()
    },
  },
  {
    name: 'jobs run on between lines, and what they write waits for the next one',
    run: async (subject) => {
      const ws = subject.open()
      await ws.shell('{ sleep 0.01; echo from the job; echo done > /tmp/done; } &')
      await until(async () => (await ws.fs.readdir('/tmp')).length > 0)
      equal((await ws.shell('echo next; wait')).stdoutText, 'from the job\nnext\n')
      await ws.shell('sleep 1000 &')
      await ws.close()
    },
  },
  {
    name: 'rules of a profile hold for every way to a file, and are kept with the session',
    run: async (subject) => {
      const profiles = {
        p: { paths: { hide: ['/secret', '*.pem'], deny: ['/closed', '/.bash_history'] }, mounts: { '/data': 'read' as const } },
      }
      const data = subject.files()
      await fill(data, { '/f': 'data\n' })
      const ws = subject.open({ '/data': data }, { profiles })
      await ws.fs.mkdir('/secret')
      await fill(ws.fs, { '/secret/f': 's', '/closed': 'c', '/tmp/k.pem': 'k' })
      await (await ws.session('s', { profile: 'p' })).shell('ln -s /secret /tmp/l; ln -s /closed /tmp/c')
      await ws.close()
      const again = subject.open({ '/data': data }, {})
      await again.fs.mkdir('/secret')
      await fill(again.fs, { '/secret/f': 's', '/closed': 'c', '/tmp/k.pem': 'k', '/tmp/ok': 'ok' })
      const s = await again.session('s')
      equal(s.fields.rules.profile, 'p')
      for (const line of [
        'cat /secret/f',
        'cat < /secret/f',
        'cd /secret',
        'source /secret/f',
        'cat /tmp/../secret/f',
        'cat /tmp/k.pem',
        'read x < /closed',
        'exec 3< /closed; cat <&3',
        'cp /closed /tmp/copy',
        'mv /closed /tmp/moved',
        'ln /closed /tmp/linked',
        'ln -s /secret /tmp/link && cat /tmp/link/f',
        'ln -s /closed /tmp/link2 && cat /tmp/link2',
        'echo x > /closed',
        'rm /closed',
        'mv /tmp/ok /secret',
        'echo x > /data/f',
        'rm /data/f',
        'mapfile < /closed',
        'cat /.bash_history',
        'history',
        'sh -c "cat /closed"',
        'xargs cat <<< /closed',
        'grep -r . /closed',
      ]) {
        const { exitCode, stdoutText } = await s.shell(line)
        ok(exitCode !== 0, `${line} went through`)
        ok(!/^[scdk]\b|closed|secret/.test(stdoutText), `${line} gave ${stdoutText}`)
      }
      equal((await s.shell('echo /*; echo /tmp/*; cat /data/f; x=(/sec*); echo $x')).stdoutText.match(/secret|pem/), null)
      equal(decoder.decode(await again.fs.read('/closed')), 'c')
      await again.close()
    },
  },
  {
    name: 'rules about commands hold for every way to run one',
    run: async (subject) => {
      const ws = subject.open(
        {},
        { profiles: { p: { commands: { deny: ['cat', 'rm', 'eval', 'source', '.'] } }, a: { commands: { allow: ['echo', 'ls'] } } } },
      )
      await fill(ws.fs, { '/tmp/f': 'secret' })
      const s = await ws.session('s', { profile: 'p' })
      const ways = [
        'cat',
        '/bin/cat',
        '/usr/bin/cat',
        'command cat',
        'exec cat',
        'env cat',
        'sh -c "cat /tmp/f"',
        'eval cat',
        'timeout 5 cat',
        'nohup cat',
        '\\cat',
        'x=cat; $x',
        'f() { cat /tmp/f; }; f',
      ]
      for (const way of [
        ...ways,
        'ln -s /bin/cat /tmp/c; /tmp/c',
        'cp /bin/cat /tmp/d; chmod +x /tmp/d; /tmp/d',
        'echo /tmp/f | xargs cat',
        '(cat /tmp/f)',
        'echo $(cat /tmp/f)',
        'trap "cat /tmp/f" EXIT',
        'find /tmp/f -exec cat {} \\;',
      ]) {
        const { stdoutText } = await s.shell(`${way} /tmp/f`)
        ok(!stdoutText.includes('secret'), `${way} ran`)
      }
      equal((await s.shell('cat /tmp/f')).stderrText, "bash: line 1: cat: not permitted by the session's profile\n")
      equal((await s.shell('eval echo no; builtin eval echo no; . /dev/stdin; source /tmp/f', { stdin: 'echo no' })).stdoutText, '')
      const allowed = await ws.session('a', { profile: 'a' })
      equal((await allowed.shell('f() { local x=1; [[ $x ]] && echo fine; }; f; printf no; head /tmp/f')).stdoutText, 'fine\n')
      await ws.close()
    },
  },
  {
    name: 'every wrong option is named',
    run: async (subject) => {
      const fs = subject.files()
      const wrong: readonly (readonly [string, () => unknown])[] = [
        ['mod', () => subject.open({}, { mod: 'read' } as WorkspaceOptions)],
        ['mode', () => subject.open({}, { mode: 'rw' } as unknown as WorkspaceOptions)],
        ['limits.depth', () => subject.open({}, { limits: { depth: 0 } })],
        ['deep', () => subject.open({}, { limits: { deep: 1 } } as WorkspaceOptions)],
        ['store', () => subject.open({}, { store: {} } as WorkspaceOptions)],
        ['"/data"', () => subject.open({ '/data': {} as FileSystem })],
        ['"/data"', () => subject.open({ '/data': [fs, 'rw'] as unknown as MountSpec })],
        ['modus', () => subject.open({ '/data': { fs, modus: 'read' } as unknown as MountSpec })],
        ['profile', () => subject.open({}, { profile: 'x' })],
        ['pathes', () => subject.open({}, { profiles: { p: { pathes: {} } as object } })],
        ['hidden', () => subject.open({}, { profiles: { p: { paths: { hidden: [] } as object } } })],
        ["'rel/x'", () => subject.open({}, { profiles: { p: { paths: { hide: ['rel/x'] } } } })],
        ["'a b'", () => subject.open({}, { profiles: { p: { commands: { deny: ['a b'] } } } })],
        ['"/nope"', () => subject.open({}, { profiles: { p: { mounts: { '/nope': 'read' } } } }).session('s', { profile: 'p' })],
        ['profil', () => subject.open().session('s', { profil: 'p' } as object)],
        ['"rel"', () => subject.open().session('s', { cwd: 'rel' })],
        ['standard', () => subject.open().shell(':', { standard: 'x' } as object)],
        ['a-b', () => subject.open().shell(':', { env: { 'a-b': '1' } })],
        ['timeoutMs', () => subject.open().shell(':', { timeoutMs: Number.NaN })],
      ]
      for (const [name, run] of wrong) {
        let error: unknown
        try {
          await run()
        } catch (thrown) {
          error = thrown
        }
        const { code, message = '' } = (error ?? {}) as { code?: string; message?: string }
        ok(code === 'CONFIG_INVALID' && message.includes(name), `${name}: ${code} ${message}`)
      }
    },
  },
  {
    name: 'a session takes over what others did without running a line, and says when it is gone',
    run: async (subject) => {
      const [one, two] = [subject.open(), subject.open()]
      const here = await one.session('s')
      const there = await two.session('s')
      await there.shell('cd /tmp; x=1; f() { :; }')
      equal(here.fields.cwd, '/')
      const fields = await here.refresh()
      deepEqual([fields.cwd, fields.variables.get('x')?.value, fields.functions.has('f')], ['/tmp', '1', true])
      equal(here.fields, fields)
      equal(await here.refresh(), fields)
      equal((await here.shell('echo $x')).stdoutText, '1\n')
      await two.closeSession('s')
      await rejects(here.refresh(), 'NOT_FOUND')
      await one.close()
      await rejects(here.refresh(), 'CLOSED')
      await two.close()
    },
  },
  {
    name: 'a refresh while a line runs does not wait for it',
    run: async (subject) => {
      const ws = subject.open()
      const session = await ws.session('s')
      const running = session.shell('x=2; : > /tmp/begun; sleep 1000')
      await until(async () => (await ws.fs.readdir('/tmp')).length > 0)
      equal((await session.refresh()).variables.get('x'), undefined)
      await ws.close()
      await running
    },
  },
  {
    name: 'a watcher hears of lines of every instance, until the workspace is closed',
    needs: 'watch',
    run: async (subject) => {
      const [one, two] = [subject.open(), subject.open()]
      const heard: string[] = []
      await one.session('s')
      one.watch(({ group, session }) => void heard.push(`${group} ${session}`))
      await (await two.session('s')).shell('x=1')
      await until(async () => heard.includes('workspace s') && heard.includes('observer s'))
      await two.shell('y=1')
      await one.shell('z=1')
      await two.closeSession('s')
      await one.close()
      const before = heard.length
      await two.shell('z=2')
      await two.close()
      equal(heard.length, before)
      await rejects(async () => one.watch(() => undefined), 'CLOSED')
    },
  },
  {
    name: 'after close nothing works, and the state is there; delete drops it',
    run: async (subject) => {
      const ws = subject.open({}, { sessionId: 's' })
      await ws.shell('x=1')
      const running = ws.shell(': > /tmp/begun; sleep 1000')
      await until(async () => (await ws.fs.readdir('/tmp')).length > 0)
      const waiting = ws.shell('x=2')
      waiting.catch(() => undefined)
      equal(ws.close(), ws.close())
      await ws.close()
      equal((await running).exitCode, 137)
      await rejects(waiting, 'CLOSED')
      for (const call of [
        () => ws.shell(':'),
        () => ws.session(),
        () => ws.listSessions(),
        () => ws.history(),
        () => ws.flush(),
        () => ws.delete(),
      ]) {
        await rejects(call, 'CLOSED')
      }
      const again = subject.open({}, { sessionId: 's' })
      equal((await again.shell('echo $x')).stdoutText, '1\n')
      await again.delete()
      await again.delete()
      const empty = subject.open({}, { sessionId: 's' })
      deepEqual([await empty.listSessions(), await empty.history()], [[], []])
      equal((await empty.shell('echo ${x-unset}')).stdoutText, 'unset\n')
      await empty.close()
    },
  },
]

async function* failing(): AsyncGenerator<Uint8Array> {
  yield encoder.encode('first\n')
  throw Object.assign(new Error('the source broke'), { name: 'EIO' })
}

async function fill(fs: FileSystem, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await fs.write(path, encoder.encode(text))
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise<void>((resolve) => setTimeout(resolve, 1))
}

/** A line that has begun and doesn't end by itself; a function, since a promise of a promise is that promise. */
async function begun(ws: Workspace): Promise<() => Promise<ShellResult>> {
  const running = ws.shell('x=5; : > /tmp/begun; sleep 1000')
  await until(async () => (await ws.fs.readdir('/tmp')).length > 0)
  await ws.fs.unlink('/tmp/begun')
  return () => running
}

/** Its failure is looked at later. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
