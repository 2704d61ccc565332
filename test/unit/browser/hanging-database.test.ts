import { afterEach, expect, it, vi } from 'vitest'
import { IndexedDatabase } from '../../../platforms/browser/indexed-database.ts'

// No browser can be made to hang; what some do is played here. Everything else about the database is tested in real browsers (test/browser).

afterEach(() => void vi.unstubAllGlobals())

interface Request {
  result?: unknown
  onsuccess?: () => void
}

/** A browser whose databases open; each transaction ends as `play` says, with its requests never answered. */
function stub(play: (transaction: { oncomplete?: () => void }) => void): {
  opened: number
  closed: number
  aborted: number
} {
  const seen = { opened: 0, closed: 0, aborted: 0 }
  const transaction = (): unknown => {
    const made: { oncomplete?: () => void; objectStore: () => unknown; abort: () => void } = {
      objectStore: () => ({}),
      abort: () => void (seen.aborted += 1),
    }
    queueMicrotask(() => play(made))
    return made
  }
  const open = (): Request => {
    seen.opened += 1
    const database = { objectStoreNames: { contains: () => true }, transaction, close: () => void (seen.closed += 1) }
    const request: Request = { result: database }
    queueMicrotask(() => request.onsuccess?.())
    return request
  }
  vi.stubGlobal('indexedDB', { open })
  return seen
}

const layout = { name: 'state', version: 1, stores: ['a'] }

it('a database that never opens is told within the limit, and tried again', async () => {
  let opened = 0
  const open = (): Request => {
    opened += 1
    return {}
  }
  vi.stubGlobal('indexedDB', { open })
  const database = new IndexedDatabase(layout, { limitMs: 10 })
  const message = 'cannot read k in the IndexedDB database "state": it did not open within 10 ms; the browser does not answer'
  for (const times of [1, 2]) {
    await expect(database.use('a', 'read k')('readonly', () => 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message })
    expect(opened).toBe(times)
  }
})

it('a transaction that never ends is undone and told within the limit, and the next one has a new connection', async () => {
  let hangs = true
  const seen = stub((transaction) => hangs || transaction.oncomplete?.())
  const database = new IndexedDatabase(layout, { limitMs: 10 })
  await expect(database.use('a', 'write k')('readwrite', () => 1)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'cannot write k in the IndexedDB database "state": the transaction has not ended within 10 ms',
  })
  expect(seen).toEqual({ opened: 1, closed: 1, aborted: 1 })
  hangs = false
  expect(await database.use('a', 'write k')('readwrite', () => 2)).toBe(2)
  expect(seen.opened).toBe(2)
})

it('a page that is kept from storage by an error at once says so', async () => {
  const open = (): never => {
    throw new DOMException('access denied', 'SecurityError')
  }
  vi.stubGlobal('indexedDB', { open })
  await expect(new IndexedDatabase(layout).use('a', 'read k')('readonly', () => 1)).rejects.toMatchObject({
    code: 'CAPABILITY_UNSUPPORTED',
    message: expect.stringMatching(
      /^cannot read k in the IndexedDB database "state": the browser does not let this page store anything \(access denied\)/,
    ),
  })
})
