import { describe, expect, test } from 'vitest'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from '../../../src/index.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import type { Store } from '../../../src/store/store.ts'
import { type Fault, FaultyStore } from '../../contract/faulty-store.ts'

/** A store that writes one change after the other. */
function oneByOne(store: FaultyStore): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'write' || name === 'take') return undefined
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

const kinds = [
  { kind: 'in one step', open: (store: FaultyStore) => store },
  { kind: 'one by one', open: oneByOne },
]
const faults: readonly Fault[] = ['fail', 'lose answer']

/** Fails at the n-th call from now on, once. */
function failAt(store: FaultyStore, n: number, fault: Fault): void {
  const last = store.calls + n
  store.plan = () => (store.calls === last ? fault : null)
}

describe.each(kinds)('a store that writes $kind and fails at any call', ({ open }) => {
  test.each(faults)('%s: a checkpoint is there whole or not at all, and can be asked for again', async (fault) => {
    let ended = false
    for (let n = 1; !ended && n < 100; n++) {
      const store = new FaultyStore(new MemoryStore())
      const data = new RAMFileSystem()
      const ws = new Workspace({ '/data': data }, { workspaceId: 'w', store: new StoredStateStore(open(store)) })
      await ws.shell('cd /data; echo one > f; x=1')
      failAt(store, n, fault)
      const error = await ws.checkpoints.create({ requestId: 'r' }).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      ended = store.calls < n && error === null
      store.plan = () => null
      const found = await ws.checkpoints.list()
      for (const { id } of found) await ws.checkpoints.restore(id)
      const { id, reused } = await ws.checkpoints.create({ requestId: 'r' })
      expect(reused, `call ${n}`).toBe(found.length > 0)
      expect((await ws.checkpoints.list()).map((one) => one.id)).toEqual([id])

      // A restore that failed is done by the next one.
      await ws.shell('echo two > f; x=2; y=2; cd /')
      await ws.session('extra')
      failAt(store, n, fault)
      const failed = await ws.checkpoints.restore(id).catch((thrown: unknown) => thrown)
      store.plan = () => null
      if (failed instanceof Error) await ws.checkpoints.restore(id)
      const other = new Workspace({ '/data': data }, { workspaceId: 'w', store: new StoredStateStore(open(store)) })
      expect((await other.shell('pwd; cat f; echo $x $y')).stdoutText, `call ${n}`).toBe('/data\none\n1\n')
      expect(await other.listSessions(), `call ${n}`).toHaveLength(1)
      await ws.close()
    }
    expect(ended).toBe(true)
  })

  test.each(faults)('%s: an archive that could not be loaded can be loaded again', async (fault) => {
    const source = new Workspace({}, { store: new RAMWorkspaceStateStore() })
    await source.shell('cd /tmp; echo one > f; x=1')
    await source.shell('y=2', { sessionId: 'other' })
    const archive = await source.snapshot()
    await source.close()
    let ended = false
    for (let n = 1; !ended && n < 100; n++) {
      const store = new FaultyStore(new MemoryStore())
      failAt(store, n, fault)
      const load = (): Promise<Workspace> => Workspace.load(archive, { workspaceId: 'w', store: new StoredStateStore(open(store)) })
      const first = await load().catch((thrown: unknown) => thrown)
      ended = store.calls < n
      store.plan = () => null
      const ws = first instanceof Workspace ? first : await load()
      expect((await ws.shell('pwd; cat f; echo $x')).stdoutText, `call ${n}`).toBe('/tmp\none\n1\n')
      expect((await ws.history()).length, `call ${n}`).toBe(3)
      expect(await ws.listSessions()).toHaveLength(2)
    }
    expect(ended).toBe(true)
  })
})
