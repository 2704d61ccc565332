import { Workspace } from '../../src/workspace.ts'
import { deepEqual, equal, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'
import type { WorkspaceSubject } from './workspace.ts'

/** How the state of a whole workspace is kept, come back to, copied and carried elsewhere. */
export const workspaceStateContract: readonly ContractCase<WorkspaceSubject>[] = [
  {
    name: 'a checkpoint brings back files, sessions and what the history shows, for every instance',
    run: async (subject) => {
      const files = subject.files()
      const ws = subject.open({ '/data': files })
      await ws.shell('cd /data; mkdir d; echo one > d/f; ln -s d/f l; x=1; f() { echo f; }')
      const { id } = await ws.checkpoints.create({ name: 'first', requestId: 'r' })
      await ws.shell('rm -r d; x=2; unset -f f; cd /')
      await ws.session('extra')
      const other = subject.open({ '/data': files })
      deepEqual(
        (await other.checkpoints.list()).map((one) => [one.id, one.name]),
        [[id, 'first']],
      )
      await other.checkpoints.restore(id)
      deepEqual(await ws.listSessions(), (await ws.checkpoints.show(id)).sessions)
      deepEqual((await (await ws.session()).history()).length, 1)
      equal((await ws.shell('pwd; cat l; echo $x; f; history')).stdoutText.split('\n').slice(0, 4).join(' '), '/data one 1 f')
      equal((await ws.checkpoints.create({ requestId: 'r' })).reused, true)
      await ws.checkpoints.delete(id)
      await rejects(() => other.checkpoints.restore(id), 'NOT_FOUND')
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a fork begins with the state of a checkpoint or of now, and goes its own way',
    run: async (subject) => {
      const ws = subject.open({ '/data': subject.files() })
      await ws.shell('cd /data; echo one > f; x=1')
      const { id } = await ws.checkpoints.create()
      await ws.shell('echo two > f; x=2')
      const then = await ws.fork({ checkpoint: id, workspaceId: 'then' })
      const now = await ws.fork()
      await now.shell('echo three > f; x=3')
      const texts: string[] = []
      for (const one of [ws, then, now]) texts.push((await one.shell('cat f; echo $x')).stdoutText)
      deepEqual(texts, ['two\n2\n', 'one\n1\n', 'three\n3\n'])
      for (const one of [then, now, ws]) await one.close()
    },
  },
  {
    name: 'an archive becomes a workspace on any store',
    run: async (subject) => {
      const ws = subject.open({ '/data': subject.files() })
      await ws.shell('cd /data; echo one > f; chmod 600 f; x=1; export SECRET_TOKEN=very-secret-1')
      const archive = await ws.snapshot()
      await rejects(() => Workspace.load(archive.subarray(0, 2000)), 'CORRUPT')
      await rejects(() => Workspace.load(archive, { store: subject.state(), workspaceId: 'w' }), 'EEXIST')
      const loaded = await Workspace.load(archive, { store: subject.state(), workspaceId: 'carried' })
      equal((await loaded.shell('pwd; cat f; stat -c %a f; echo $x ${SECRET_TOKEN-none}')).stdoutText, '/data\none\n600\n1 none\n')
      const again = subject.open({}, { workspaceId: 'carried' })
      deepEqual(
        (await again.history()).map(({ command }) => command.slice(-14)),
        ['SECRET_TOKEN=…', 'ET_TOKEN-none}'],
      )
      equal((await again.shell('echo $x')).stdoutText, '1\n')
      for (const one of [loaded, again, ws]) await one.close()
    },
  },
]
