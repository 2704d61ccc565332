import { afterAll, describe, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { workspaceOptions } from '../../../src/config/configured-workspace.ts'
import { loadWorkspaceConfig } from '../../../src/config.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { Host } from '../../../src/host.ts'
import { webHost } from '../../../src/host.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { Workspace } from '../../../src/workspace.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import { later } from '../fs/later.ts'
import { newFolder, removeFolders } from '../state/subjects.ts'

afterAll(removeFolders)

describe('mounts', () => {
  it('a /tmp that the given root has is used, and any other root gets one in memory', async () => {
    const folder = newFolder()
    const bare = new Workspace({ '/': new HostFileSystem({ root: folder }) })
    await bare.shell('echo x > /tmp/x; echo y > /y')
    expect((await bare.shell('ls /; cat /tmp/x; ls -ld /tmp | cut -c1-10; echo ~')).stdoutText).toBe(
      'bin\ndev\ntmp\nusr\ny\nx\ndrwxrwxrwt\n/\n',
    )
    await bare.close()
    const root = new RAMFileSystem()
    root.mkdir('/tmp')
    const full = new Workspace({ '/': root })
    await full.shell('echo x > /tmp/x')
    expect(root.stat('/tmp/x').size).toBe(2)
    await full.close()
    const slow = new Workspace({ '/': later(root) })
    expect((await slow.shell('ls /tmp; echo y > /tmp/y; cat /tmp/y')).stdoutText).toBe('y\n')
    expect(() => root.stat('/tmp/y')).toThrow('No such file')
    await slow.close()
  })

  it('the host may mount what a workspace brings', async () => {
    const tmp = new RAMFileSystem()
    const ws = new Workspace({ '/tmp': tmp, '/bin': new RAMFileSystem(), '/data': { fs: new RAMFileSystem(), mode: 'read' } })
    const { stdoutText, stderrText } = await ws.shell('echo x > /tmp/x; ls /bin; /usr/bin/echo hi; echo x > /data/x')
    expect([stdoutText, stderrText]).toEqual(['hi\n', 'bash: line 1: /data/x: Read-only file system\n'])
    expect(tmp.stat('/x').size).toBe(2)
    await ws.close()
  })

  it('devices are what they are in Linux', async () => {
    const ws = new Workspace()
    const { stdoutText } = await ws.shell(
      [
        'head -c 3 /dev/zero | wc -c; head -c 70000 /dev/urandom | wc -c; wc -c < /dev/null; ls -l /dev/null | cut -c1-10; ls /dev',
        'echo x 2>/dev/null > /dev/full || echo full; touch /dev/null && echo touched; chmod 700 /dev/null 2>/dev/null || echo kept',
        'rm /dev/null 2>/dev/null || echo kept; mkdir /dev/x 2>/dev/null || echo kept; : 2>/dev/null > /dev/new || echo kept',
        'set -C; echo lost > /dev/null && echo written; echo x | tee /dev/stderr; cat /dev/stdin <<< in; cat /dev/fd/3 3<<< three',
        'cat /dev/tty 2>/dev/null || echo no terminal; [ -c /dev/null ] && [ -e /dev/stdin ] && [ ! -e /dev/nope ] && echo tested',
      ].join('\n'),
    )
    expect(stdoutText).toBe(
      '3\n70000\n0\ncrw-rw-rw-\nfd\nfull\nnull\nrandom\nstderr\nstdin\nstdout\ntty\nurandom\nzero\nfull\ntouched\nkept\nkept\nkept\nkept\nwritten\nx\nin\nthree\nno terminal\ntested\n',
    )
    await ws.close()
  })

  it('nothing asks the host for chance or time before the first call', () => {
    const refuse = (): never => {
      throw new Error('not while modules load')
    }
    const host: Host = { now: refuse, elapsed: refuse, random: refuse, timer: refuse, breathe: refuse }
    expect(() => new Workspace({ '/data': new RAMFileSystem() }, { host })).not.toThrow()
  })
})

describe('sessions', () => {
  it('what two instances changed at the same time is named by the later one', async () => {
    const bytes = new MemoryStore()
    const open = (): Workspace =>
      new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new StoredStateStore(new FaultyStore(bytes, { leases: false })) })
    const [one, two] = [open(), open()]
    await one.shell('x=0; y=0')
    await two.shell(':')
    let changed = false
    const slow = one.shell('x=one; mine=1; f() { echo one; }; until [ -e /tmp/go ]; do sleep 0.001; done')
    const fast = await two.shell('x=two; yours=1; f() { echo two; }; cd /tmp')
    changed = fast.durability === 'committed'
    await one.fs.write('/tmp/go', new Uint8Array(0))
    const { conflicts } = await slow
    expect([changed, fast.conflicts, [...conflicts].sort()]).toEqual([true, [], ['function f', 'variable x']])
    expect((await two.shell('echo $x $mine $yours $PWD; f')).stdoutText).toBe('one 1 1 /tmp\none\n')
    await Promise.all([one.close(), two.close()])
  })

  it('a record does not grow, and a line that changes nothing does not write it', async () => {
    const root = newFolder()
    const ws = new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new DiskWorkspaceStateStore({ root }) })
    const store = new DiskWorkspaceStateStore({ root })
    const record = async (): Promise<string> => {
      const read = await store.sessions('w').read('s', null)
      return read.state === 'found' ? `${read.version} ${JSON.stringify([...read.record.fields.variables])} ${read.record.generation}` : ''
    }
    await ws.shell('x=1; cd /tmp; for i in 1 2; do :; done; read -r r <<< x; [[ a =~ a ]]; printf -v p x')
    const before = await record()
    for (let i = 0; i < 20; i++)
      await ws.shell('for i in 1 2; do cat /dev/null; done; (y=1); false | true; f() { :; }; unset -f f; echo $RANDOM')
    expect(await record()).toBe(before)
    await ws.shell('x=2')
    expect(await record()).not.toBe(before)
    await ws.close()
  })

  it('a variable that goes while another one comes is gone for good', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = new Workspace({}, { workspaceId: 'w', sessionId: 's', store })
    await ws.shell('gone=1; kept=1')
    await ws.shell('unset gone; [[ a =~ a ]]')
    await ws.shell('unset IFS PATH')
    await ws.close()
    const again = new Workspace({}, { workspaceId: 'w', sessionId: 's', store })
    expect((await again.shell('echo ${gone-unset} $kept ${IFS-unset} ${PATH-unset}')).stdoutText).toBe('unset 1 unset unset\n')
    await again.close()
  })

  it('an abort does not wait for a store that takes its time', async () => {
    let gate: Promise<void> = Promise.resolve()
    const bytes = new Proxy(new MemoryStore(), {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (typeof value !== 'function') return value
        const isWrite = key === 'put' || key === 'append'
        return isWrite ? (...args: unknown[]) => gate.then(() => value.apply(target, args)) : value.bind(target)
      },
    })
    const ws = new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new StoredStateStore(bytes) })
    await ws.shell(':')
    const controller = new AbortController()
    let open = (): void => undefined
    gate = new Promise((resolve) => {
      open = resolve
    })
    const running = ws.shell('x=1; while :; do :; done', { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 5)
    await expect(running).rejects.toMatchObject({ name: 'AbortError', cause: new Error('enough') })
    open()
    expect((await ws.shell('echo $x')).stdoutText).toBe('1\n')
    await ws.close()
  })

  it('scripts run from any mount that can be read; a stored session opens though a directory of its profile is gone', async () => {
    const store = new RAMWorkspaceStateStore()
    const data = new RAMFileSystem()
    data.write('/run', new TextEncoder().encode('#!/bin/bash\necho "$0 ran $1"\n'), { mode: 0o755 })
    const profiles = { p: { cwd: '/data', mounts: { '/data': 'read' as const } } }
    const ws = new Workspace({ '/data': [data, 'write'] }, { workspaceId: 'w', sessionId: 's', store, profiles, profile: 'p' })
    expect((await ws.shell('./run it; cd /; : > /data/new')).stdoutText).toBe('./run ran it\n')
    await ws.close()
    const bare = { p: { cwd: '/data' } }
    const again = new Workspace({}, { workspaceId: 'w', sessionId: 's', store, profiles: bare, profile: 'p' })
    expect((await again.shell('pwd')).stdoutText).toBe('/\n')
    await expect(again.session('new')).rejects.toMatchObject({ code: 'ENOENT', message: 'cwd "/data": No such file or directory' })
    await again.close()
  })

  it('a line never outlives a workspace or session that is closed while it gets ready', { timeout: 20_000 }, async () => {
    for (let steps = 0; steps < 40; steps++) {
      const ws = new Workspace({ '/slow': later(new RAMFileSystem()) }, { sessionId: 's' })
      if (steps % 2 === 0) await ws.shell(':')
      const line = ws.shell('sleep 1000', { cwd: '/slow' })
      const outcome = line.then(
        ({ exitCode }) => exitCode,
        (error: { code: string }) => error.code,
      )
      for (let i = 0; i < steps; i++) await null
      if (steps % 4 < 2) await ws.closeSession('s').catch(() => undefined)
      await ws.close()
      expect(['CLOSED', 'NOT_FOUND', 137]).toContain(await outcome)
    }
  })

  it('a job that writes without end waits for the next line once a pipe would be full', async () => {
    const ws = new Workspace()
    await ws.shell('while :; do echo y; done & yes &')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { stdout } = await ws.shell('kill %1 %2; wait')
    expect(stdout.length).toBeLessThan(64 << 20)
    expect((await ws.shell('echo done; jobs')).stdoutText).toBe('done\n')
    await ws.close()
  })

  it('profiles of a configuration are those of a workspace', async () => {
    const config = await loadWorkspaceConfig(`
workspace_id: agent
mounts: { /data: { vfs: ram, mode: write } }
profiles:
  reader: { cwd: /data, env: { ROLE: reader }, mounts: { /data: read }, paths: { hide: [/.bash_history] }, commands: { deny: [rm] } }
profile: reader
default_session_id: main
`)
    const { mounts, options } = workspaceOptions(config)
    const ws = new Workspace(mounts, options)
    const { stdoutText, stderrText } = await ws.shell('pwd; echo $ROLE; echo x > x; rm x; history; cat /.bash_history; ls -a /')
    expect(stdoutText).toBe('/data\nreader\n.\n..\nbin\ndata\ndev\nhome\ntmp\nusr\n')
    expect(stderrText).toBe(
      [
        'bash: line 1: x: Read-only file system',
        "bash: line 1: rm: not permitted by the session's profile",
        'bash: line 1: history: /.bash_history: No such file or directory',
        'cat: /.bash_history: No such file or directory',
        '',
      ].join('\n'),
    )
    const { fields } = await ws.session()
    expect([(await ws.session()).id, fields.rules.profile]).toEqual(['main', 'reader'])
    await ws.close()
  })

  it('files of the host that fail are failures of a command, and faults of its own code those of the call', async () => {
    const broken: FileSystem = new Proxy(new RAMFileSystem(), {
      get: (target, name, receiver) => {
        const value = Reflect.get(target, name, receiver)
        if (name === 'read') return () => Promise.reject(new TypeError('a fault'))
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await broken.write('/f', new Uint8Array(1))
    const ws = new Workspace({ '/b': broken }, { workspaceId: 'w', sessionId: 's' })
    await expect(ws.shell('x=1; cat /b/f; x=2')).rejects.toThrow('a fault')
    expect((await ws.shell('echo $x')).stdoutText).toBe('1\n')
    expect((await ws.history()).map(({ command, exitCode }) => [command, exitCode])).toEqual([
      ['x=1; cat /b/f; x=2', 1],
      ['echo $x', 0],
    ])
    await ws.close()
  })

  it('uses the clock and the timers of its host', async () => {
    const ws = new Workspace({}, { host: { ...webHost, now: () => 1_700_000_000_000 } })
    await ws.shell('echo')
    expect((await ws.history())[0]?.timestamp).toBe(1_700_000_000_000)
    await ws.close()
  })
})
