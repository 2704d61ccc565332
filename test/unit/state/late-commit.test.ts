import { expect, it } from 'vitest'
import { webHost } from '../../../src/host.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import type { Store } from '../../../src/store/store.ts'
import { initialFields } from '../../contract/session.ts'

/** A store whose writes wait for a gate. */
function gated(store: MemoryStore): { store: Store; close(): void; open(): void } {
  let gate: Promise<void> | null = null
  let release = (): void => undefined
  const through: Store = {
    capabilities: store.capabilities,
    get: (key, known) => store.get(key, known),
    put: async (...args) => {
      await gate
      return store.put(...args)
    },
    append: (...args) => store.append(...args),
    delete: (key) => store.delete(key),
    list: (prefix) => store.list(prefix),
    lease: (...args) => store.lease(...args),
    watch: (changed) => store.watch(changed),
    close: () => store.close(),
  }
  return {
    store: through,
    close: () => {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    open: () => release(),
  }
}

it('a commit without an answer holds no line back; what it and later lines changed comes through once, in order', async () => {
  const memory = new MemoryStore()
  const gate = gated(memory)
  const sessions = openSessions({ store: new StoredStateStore(gate.store), workspaceId: 'w', host: webHost, commitLimitMs: 10 })
  const { session } = await sessions.open('s', initialFields)
  const line = (command: string) => ({ agent: null, timestamp: 1, cwd: '/', command, exitCode: 0, durationMs: 0 })

  gate.close()
  await session.begin()
  const first = await session.commit({ ...session.fields, cwd: '/one' }, line('one'))
  expect(first).toMatchObject({ durability: 'pending', cause: { code: 'STORE_UNAVAILABLE' } })
  expect((await session.begin()).cwd).toBe('/one')
  session.abandon()
  const given = await session.begin()
  const second = await session.commit({ ...given, umask: 0o77 }, line('two'))
  expect(second).toMatchObject({ durability: 'pending', cause: { code: 'STORE_UNAVAILABLE' } })
  await expect(sessions.flush()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })

  gate.open()
  await sessions.flush()
  const other = openSessions({ store: new StoredStateStore(memory), workspaceId: 'w', host: webHost })
  expect(await other.inspect('s')).toMatchObject({ fields: { cwd: '/one', umask: 0o77 } })
  expect((await other.history()).map(({ command }) => command)).toEqual(['one', 'two'])
  expect(await session.begin()).toMatchObject({ cwd: '/one', umask: 0o77 })
  expect(await session.commit({ ...session.fields, cwd: '/three' }, null)).toEqual({ durability: 'committed', conflicts: [] })
})
