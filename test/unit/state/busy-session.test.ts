import { expect, it } from 'vitest'
import type { Host } from '../../../src/host.ts'
import { webHost } from '../../../src/host.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import { initialFields } from '../../contract/session.ts'

const LIMIT = 60_000

it('a session that is written again in each pause before another try is saved all the same', async () => {
  const memory = new MemoryStore()
  /** What another instance does: the record gets another version. */
  const touch = (): void => {
    const [key = ''] = memory.list('workspaces/w/sessions/')
    const value = memory.get(key)
    if (value !== null && value !== 'same') memory.put(key, value.bytes)
  }
  const host: Host = {
    ...webHost,
    timer: (ms, ring) => {
      // The limit of the whole commit.
      if (ms === LIMIT) return () => undefined
      touch()
      return webHost.timer(0, ring)
    },
  }
  const store = new FaultyStore(memory, { leases: false })
  const { session } = await openSessions({ store: new StoredStateStore(store), workspaceId: 'w', host, commitLimitMs: LIMIT }).open(
    's',
    initialFields,
  )
  const given = await session.begin()
  let writes = 0
  store.plan = (operation) => {
    if (operation === 'write' && writes++ < 4) touch()
    return null
  }
  expect(await session.commit({ ...given, cwd: '/x' }, null)).toMatchObject({ durability: 'committed' })
  expect(writes).toBe(5)
})
