import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DiskWorkspaceStateStore, HostFileSystem } from '../../../platforms/node/index.ts'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace, type WorkspaceStateStore } from '../../../src/index.ts'
import { treeState } from './tree-state.ts'

const open: Workspace[] = []
const folders: string[] = []

afterEach(async () => {
  for (const ws of open.splice(0)) await ws.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mirage-checkpoints-'))
  folders.push(folder)
  return folder
}

function workspace(options: { store?: WorkspaceStateStore; data?: RAMFileSystem | HostFileSystem; id?: string } = {}): Workspace {
  const { store = new RAMWorkspaceStateStore(), data = new RAMFileSystem(), id = 'w' } = options
  const ws = new Workspace(
    { '/data': data, '/docs': [new RAMFileSystem({ files: { '/f': 'docs\n' } }), 'read'] },
    { workspaceId: id, store },
  )
  open.push(ws)
  return ws
}

async function out(ws: Workspace, line: string, sessionId?: string): Promise<string> {
  const { stdoutText, stderrText } = await ws.shell(line, sessionId === undefined ? {} : { sessionId })
  return stdoutText + stderrText
}

const places = [
  { place: 'memory', store: () => new RAMWorkspaceStateStore(), data: () => new RAMFileSystem() },
  {
    place: 'a disk',
    store: () => new DiskWorkspaceStateStore({ root: temporary() }),
    data: () => new HostFileSystem({ root: temporary() }),
  },
]

describe.each(places)('a checkpoint of a workspace in $place', ({ store: newStore, data: newData }) => {
  test('brings back files, sessions and the views of their history', async () => {
    const ws = workspace({ store: newStore(), data: newData() })
    await out(
      ws,
      'cd /data; mkdir -p a/b; echo one > a/f; ln a/f a/b/same; ln -s f a/link; chmod 600 a/f; x=1; g() { echo g1; }; echo t > /tmp/t',
    )
    await out(ws, 'y=other', 'second')
    const before = await treeState(ws.fs, undefined, '/data')
    const lines = (await (await ws.session()).history()).map(({ command }) => command)
    const kept = await ws.checkpoints.create({ name: 'before' })
    expect(kept).toMatchObject({ name: 'before', requestId: null, mounts: ['/', '/data'], reused: false })
    expect(kept.sessions).toHaveLength(2)

    await out(ws, 'rm -r a; echo new > n; cd /; x=2; unset -f g; h() { :; }; set -u; rm /tmp/t')
    await out(ws, 'true', 'third')
    await ws.closeSession('second')
    const restored = await ws.checkpoints.restore(kept.id)
    expect(restored.id).toBe(kept.id)
    expect(await treeState(ws.fs, undefined, '/data')).toEqual(before)
    expect(await ws.listSessions()).toEqual([...kept.sessions].sort())
    expect((await (await ws.session()).history()).map(({ command }) => command)).toEqual(lines)
    expect(await out(ws, 'pwd; echo $x; g; h; cat a/b/same /tmp/t')).toBe('/data\n1\ng1\none\nt\nbash: line 1: h: command not found\n')
    expect(await out(ws, 'echo $y', 'second')).toBe('other\n')
    // The record keeps what was done.
    expect((await ws.history()).map(({ command }) => command)).toContain('true')

    await out(ws, 'echo again > a/f; history -c; echo after')
    await ws.checkpoints.restore(kept.id)
    expect(await treeState(ws.fs, undefined, '/data')).toEqual(before)
    expect(await (await ws.session()).history()).toEqual([])
  })

  test('is seen by another instance, and lasts', async () => {
    const store = newStore()
    const data = newData()
    const ws = workspace({ store, data })
    await out(ws, 'cd /data; echo one > f; x=1')
    const { id } = await ws.checkpoints.create({ requestId: 'r' })
    await out(ws, 'echo two > f; x=2')
    const other = workspace({ store, data })
    expect(await out(other, 'cat f; echo $x')).toBe('two\n2\n')
    expect((await other.checkpoints.list()).map((one) => one.id)).toEqual([id])
    await other.checkpoints.restore(id.slice(0, 14))
    expect(await out(ws, 'cat f; echo $x')).toBe('one\n1\n')
    expect(await other.checkpoints.create({ requestId: 'r' })).toMatchObject({ id, reused: true })
  })

  test('is what a fork begins with', async () => {
    const ws = workspace({ store: newStore(), data: newData() })
    await out(ws, 'cd /data; echo one > f; ln f g; x=1')
    const { id } = await ws.checkpoints.create()
    await out(ws, 'echo two > f; x=2')
    const then = await ws.fork({ checkpoint: id, store: newStore(), workspaceId: 'then' })
    const now = await ws.fork()
    open.push(then, now)
    expect(then.id).toBe('then')
    expect(now.id).not.toBe('w')
    expect(await out(then, 'pwd; cat f g; echo $x; fc -l | wc -l; cat /docs/f')).toBe('/data\none\none\n1\n1\ndocs\n')
    expect(await out(now, 'cat f g; echo $x; fc -l | wc -l')).toBe('two\ntwo\n2\n2\n')
    await out(now, 'echo now > f; rm g; x=3; echo no > /docs/f')
    await out(then, 'echo then > f')
    expect(await out(ws, 'cat f g /docs/f; echo $x; fc -l | wc -l')).toBe('two\ntwo\ndocs\n2\n2\n')
    expect(await out(now, 'cat f; echo $x')).toBe('now\n3\n')
    await ws.delete()
    expect(await out(now, 'cat f')).toBe('now\n')
  })
})

describe('checkpoints of a workspace', () => {
  test('are listed, shown by the beginning of their id, deleted', async () => {
    const ws = workspace()
    await out(ws, 'x=1')
    const first = await ws.checkpoints.create({ requestId: 'r', name: 'first' })
    const second = await ws.checkpoints.create()
    expect((await ws.checkpoints.list()).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort())
    const { reused: _, ...shown } = first
    expect(await ws.checkpoints.show(first.id.slice(0, 20))).toEqual(shown)
    await ws.checkpoints.delete(first.id)
    await expect(ws.checkpoints.show(first.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(ws.checkpoints.restore(first.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(ws.checkpoints.create({ requestId: 'r' })).rejects.toMatchObject({ code: 'EEXIST' })
    expect((await ws.checkpoints.list()).map(({ id }) => id)).toEqual([second.id])
    expect(await ws.checkpoints.gc()).toEqual({ removed: 0 })
    await ws.checkpoints.restore(second.id)
  })

  test('refuse what can be no option, and a mount that is gone', async () => {
    const ws = workspace()
    const extra = new RAMFileSystem({ files: { '/f': 'x' } })
    ws.mount('/extra', extra)
    const { id } = await ws.checkpoints.create()
    extra.unlink('/f')
    await out(ws, 'echo x > /data/f')
    ws.unmount('/extra')
    await expect(ws.checkpoints.restore(id)).rejects.toMatchObject({ code: 'EINVAL' })
    expect(await out(ws, 'cat /data/f')).toBe('x\n')
    ws.mount('/extra', extra)
    await ws.checkpoints.restore(id)
    expect(await out(ws, 'cat /extra/f; ls /data')).toBe('x')
    for (const options of [{ requestId: '' }, { requestId: 'x'.repeat(257) }, { name: '' }, { kind: 'workspace' }])
      await expect(ws.checkpoints.create(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(ws.checkpoints.show('../x')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(ws.fork({ checkpoint: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(ws.fork({ store: new RAMWorkspaceStateStore(), name: 'x' } as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  test('wait for lines that run, and keep what a Job and other checkpoints need', async () => {
    const ws = workspace()
    let give = (_: Uint8Array): void => undefined
    const given = new Promise<Uint8Array>((resolve) => {
      give = resolve
    })
    async function* stdin(): AsyncGenerator<Uint8Array> {
      yield await given
    }
    const line = ws.shell('cd /data; echo a > f; read x; echo b > g', { stdin: stdin() })
    const keeping = ws.checkpoints.create()
    give(new TextEncoder().encode('go\n'))
    const [, { id }] = await Promise.all([line, keeping])
    const job = await ws.jobs.run({ command: 'echo c > /data/h', stage: true })
    const saved = await job.checkpoints.create()
    await ws.checkpoints.gc()
    await out(ws, 'rm /data/*')
    await ws.checkpoints.restore(id)
    expect(await out(ws, 'cat /data/f /data/g; echo $x')).toBe('a\nb\ngo\n')
    const fork = await job.fork({ checkpoint: saved.checkpoint_id, command: 'cat /data/h' })
    expect(await fork.ended).toMatchObject({ state: 'completed' })
  })

  test('that wait for a line of another instance end with the workspace', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = workspace({ store })
    const other = workspace({ store })
    await out(other, 'true')
    let begun = (): void => undefined
    const running = new Promise<void>((resolve) => {
      begun = resolve
    })
    const line = other.shell('echo begun; sleep 100', { onOutput: () => begun() })
    await running
    const refused = [ws.checkpoints.create(), ws.snapshot(), ws.fork()].map((one) =>
      one.then(
        () => null,
        (error: { code?: unknown }) => error.code,
      ),
    )
    await ws.checkpoints.list()
    await ws.close()
    expect(await Promise.all(refused)).toEqual(['CLOSED', 'CLOSED', 'CLOSED'])
    await expect(ws.checkpoints.list()).rejects.toMatchObject({ code: 'CLOSED' })
    await other.close()
    await line
  })
})
