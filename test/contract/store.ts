import { concat, encode } from '../../src/bytes.ts'
import type { Lease, Store, StoreChange, StoreChanged, StoredValue } from '../../src/store/store.ts'
import { deepEqual, equal, ok, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'

/** Two instances on the same, empty data. */
export interface StoreSubject {
  readonly store: Store
  readonly other: Store
  /** How much of the usual is done where much is done; 1 when left out. */
  readonly share?: number
}

/** Names of what a store can, for `needs`. */
export function storeProvides(store: Store): readonly string[] {
  const can = Object.entries({ ...store.capabilities, write: store.write, take: store.take })
  return can.flatMap(([name, has]) => (has === false || has === undefined ? [] : [name]))
}

/** What `take` gives. */
type Taken = Awaited<ReturnType<NonNullable<Store['take']>>>

const a = encode('a')
const b = encode('bb')
const key = 'workspaces/w/sessions/s.json'
const log = 'workspaces/w/history/s/00000001.jsonl'

export const storeContract: readonly ContractCase<StoreSubject>[] = [
  {
    name: 'a missing key has no value',
    async run({ store }) {
      equal(await store.get(key), null)
      equal(await store.delete(key), false)
      deepEqual(await store.list(''), [])
    },
  },
  {
    name: 'a value is there for every instance, by value',
    async run({ store, other }) {
      const bytes = encode('abc')
      await store.put(key, bytes)
      bytes[0] = 0
      const value = await found(other, key)
      deepEqual(value.bytes, encode('abc'))
      value.bytes[0] = 0
      deepEqual((await found(store, key)).bytes, encode('abc'))
    },
  },
  {
    name: 'every byte comes back, also none at all',
    async run({ store, other }) {
      const all = Uint8Array.from({ length: 70_000 }, (_, i) => i & 255)
      await store.put(key, all)
      deepEqual((await found(other, key)).bytes, all)
      await store.put(key, new Uint8Array(0))
      deepEqual((await found(other, key)).bytes, new Uint8Array(0))
    },
  },
  {
    name: 'long values are put, grow and are replaced',
    needs: 'append',
    async run({ store, other, share = 1 }) {
      let value = patterned(2_500_000 * share, 1)
      const sizes: number[] = []
      await store.put(key, value)
      for (const length of [100, 70_000 * share, 700_000 * share]) {
        const added = patterned(length, length)
        const appended = await other.append(key, added, value.length)
        if (appended.state === 'written') sizes.push(appended.size)
        value = concat([value, added])
        ok(isSame((await found(store, key)).bytes, value), `after ${length} more bytes`)
      }
      deepEqual(
        sizes,
        [2_500_000, 2_570_000, 3_270_000].map((bytes) => bytes * share + 100),
      )
      for (const length of [1_300_000 * share, 100_000 * share, 10]) {
        const { version } = await found(store, key)
        value = patterned(length, 7)
        equal((await other.put(key, value, version)).state, 'written')
        ok(isSame((await found(store, key)).bytes, value), `${length} bytes instead`)
      }
      equal(await store.delete(key), true)
      equal(await other.get(key), null)
      deepEqual(await other.append(key, b, 0), { state: 'written', size: 2 })
      deepEqual((await found(store, key)).bytes, b)
    },
  },
  {
    name: 'a version tells whether the value moved',
    async run({ store, other }) {
      const first = await store.put(key, a)
      ok(first.state === 'written')
      const { version } = await found(store, key)
      equal(first.state === 'written' && first.version, version)
      equal(await store.get(key, version), 'same')
      await other.put(key, b)
      const moved = await store.get(key, version)
      ok(moved !== null && moved !== 'same' && moved.version !== version)
    },
  },
  {
    name: 'writes in quick succession are told apart',
    async run({ store, other }) {
      for (let i = 0; i < 50; i++) {
        await store.put(key, encode(`value ${i % 10}`))
        const { version } = await found(other, key)
        await store.put(key, encode(`other ${i % 10}`))
        const moved = await other.get(key, version)
        deepEqual(moved !== null && moved !== 'same' && moved.bytes, encode(`other ${i % 10}`))
      }
    },
  },
  {
    name: 'expected null creates only',
    async run({ store, other }) {
      equal((await store.put(key, a, null)).state, 'written')
      equal((await other.put(key, b, null)).state, 'conflict')
      deepEqual((await found(other, key)).bytes, a)
    },
  },
  {
    name: 'of two writes that expect the same version one wins',
    async run({ store, other }) {
      await store.put(key, a)
      const { version } = await found(store, key)
      const states = await Promise.all([store.put(key, b, version), other.put(key, encode('ccc'), version)])
      deepEqual(states.map(({ state }) => state).sort(), ['conflict', 'written'])
    },
  },
  {
    name: 'a version that was deleted is not there',
    async run({ store, other }) {
      await store.put(key, a)
      const { version } = await found(store, key)
      equal(await other.delete(key), true)
      equal((await store.put(key, b, version)).state, 'conflict')
      equal(await store.get(key, version), null)
    },
  },
  {
    name: 'append adds to what any instance wrote',
    needs: 'append',
    async run({ store, other }) {
      deepEqual(await store.append(key, a), { state: 'written', size: 1 })
      deepEqual(await other.append(key, b), { state: 'written', size: 3 })
      deepEqual((await found(store, key)).bytes, encode('abb'))
    },
  },
  {
    name: 'append at a size refuses what is longer or shorter',
    needs: 'append',
    async run({ store, other }) {
      equal((await store.append(key, a, 1)).state, 'conflict')
      equal((await store.append(key, a, 0)).state, 'written')
      equal((await other.append(key, a, 0)).state, 'conflict')
      deepEqual(await other.append(key, b, 1), { state: 'written', size: 3 })
    },
  },
  {
    name: 'list gives the keys of all depths below a prefix',
    async run({ store, other }) {
      for (const name of ['x/1', 'x/2/3', 'xy', 'z/%2E']) await store.put(name, a)
      deepEqual([...(await other.list('x/'))].sort(), ['x/1', 'x/2/3'])
      deepEqual([...(await other.list('x'))].sort(), ['x/1', 'x/2/3', 'xy'])
      deepEqual(await other.list('z/'), ['z/%2E'])
      deepEqual(await other.list('none/'), [])
    },
  },
  {
    name: 'a lease keeps others out until it ends',
    needs: 'leases',
    async run({ store, other }) {
      const lease = await store.lease(key)
      const order: string[] = []
      const second = Promise.resolve(other.lease(key)).then((held) => {
        order.push('second')
        held.end()
      })
      const free = await other.lease('workspaces/w/sessions/t.json')
      free.end()
      order.push('first')
      lease.end()
      await second
      deepEqual(order, ['first', 'second'])
    },
  },
  {
    name: 'who waits for a lease can leave',
    needs: 'leases',
    async run({ store, other }) {
      const lease = await store.lease(key)
      const controller = new AbortController()
      const waiting = Promise.resolve(other.lease(key, controller.signal))
      controller.abort()
      await rejects(waiting, 'AbortError')
      await rejects(async () => other.lease(key, controller.signal), 'AbortError')
      lease.end()
      const again = await other.lease(key)
      again.end()
    },
  },
  {
    name: 'a lease that was taken over writes nothing any more',
    needs: 'leases',
    async run({ store, other }) {
      await store.put(key, a)
      const old = await store.lease(key)
      const taken = await other.lease(key, undefined, true)
      equal((await store.put(key, b, undefined, old)).state, 'lost')
      if (store.capabilities.append) equal((await store.append('log', b, 0, old)).state, 'lost')
      equal((await other.put(key, encode('new'), undefined, taken)).state, 'written')
      old.end()
      equal((await other.put(key, encode('newer'), undefined, taken)).state, 'written')
      taken.end()
      deepEqual((await found(store, key)).bytes, encode('newer'))
      deepEqual(await store.list(''), [key])
    },
  },
  {
    name: 'many writers under leases lose nothing',
    needs: 'leases',
    async run({ store, other, share = 1 }) {
      const count = 20 * Math.max(share, 0.25)
      await store.put(key, encode(''))
      const add = async (by: Store, letter: string): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const lease = await by.lease(key)
          const { bytes, version } = await found(by, key)
          const written = await by.put(key, encode(new TextDecoder().decode(bytes) + letter), version, lease)
          equal(written.state, 'written')
          lease.end()
        }
      }
      await Promise.all([add(store, 'a'), add(store, 'b'), add(other, 'c')])
      const text = new TextDecoder().decode((await found(store, key)).bytes)
      equal(Array.from(text).sort().join(''), 'a'.repeat(count) + 'b'.repeat(count) + 'c'.repeat(count))
    },
  },
  {
    name: 'several changes are made together, each as it would be alone',
    needs: ['write', 'append'],
    async run({ store, other }) {
      const bytes = encode('abc')
      const first = await write(store, [
        { type: 'put', key, bytes, expected: null },
        { type: 'append', key: log, bytes: b, size: 0 },
      ])
      bytes[0] = 0
      const { version } = await found(other, key)
      deepEqual((await found(other, key)).bytes, encode('abc'))
      deepEqual((await found(other, log)).bytes, b)
      deepEqual(first, {
        state: 'written',
        values: [
          { version, size: 3 },
          { version: (await found(other, log)).version, size: 2 },
        ],
      })
      const second = await write(other, [
        { type: 'put', key, bytes: b, expected: version },
        { type: 'append', key: log, bytes: a },
        { type: 'put', key: 'third', bytes: a },
      ])
      deepEqual(second.state === 'written' && second.values.map(({ size }) => size), [2, 3, 1])
      deepEqual((await found(store, log)).bytes, encode('bba'))
      deepEqual([...(await store.list(''))].sort(), ['third', log, key].sort())
      equal((await store.put(key, a, (await found(store, key)).version)).state, 'written')
    },
  },
  {
    name: 'of several changes the first one that is refused keeps all of them from being made',
    needs: ['write', 'append'],
    async run({ store, other }) {
      const old = await store.put(key, a)
      await store.append(log, b)
      await other.put('third', a)
      const put: StoreChange = { type: 'put', key: 'new', bytes: a, expected: null }
      const expected = old.state === 'written' ? old.version : ''
      const refused: readonly StoreChange[] = [
        { type: 'put', key, bytes: b, expected: null },
        { type: 'put', key: 'third', bytes: b, expected },
        { type: 'put', key: 'missing', bytes: b, expected },
        { type: 'append', key: log, bytes: a, size: 3 },
        { type: 'append', key: 'missing', bytes: a },
        { type: 'append', key: log, bytes: a, size: 2, unless: 'third' },
      ]
      for (const change of refused) {
        deepEqual(await write(store, [put, change]), { state: 'conflict', at: 1 })
        deepEqual(await write(other, [change, put]), { state: 'conflict', at: 0 })
      }
      deepEqual(await write(other, [put, ...refused.slice(1, 2), ...refused.slice(3)]), { state: 'conflict', at: 1 })
      deepEqual([...(await store.list(''))].sort(), ['third', log, key].sort())
      for (const [at, bytes] of [[key, a] as const, ['third', a] as const, [log, b] as const])
        deepEqual((await found(store, at)).bytes, bytes)
      equal((await write(store, [put, { type: 'append', key: log, bytes: a, size: 2, unless: 'fourth' }])).state, 'written')
    },
  },
  {
    name: 'of two writes of the same changes one is made',
    needs: ['write', 'append'],
    async run({ store, other }) {
      await store.put(key, a)
      const { version } = await found(store, key)
      const changes = (letter: string): readonly StoreChange[] => [
        { type: 'put', key, bytes: encode(letter), expected: version },
        { type: 'append', key: log, bytes: encode(letter), size: 0 },
      ]
      const [one, two] = await Promise.all([write(store, changes('x')), write(other, changes('y'))])
      deepEqual([one.state, two.state].sort(), ['conflict', 'written'])
      const letter = encode(one.state === 'written' ? 'x' : 'y')
      for (const at of [key, log]) deepEqual((await found(store, at)).bytes, letter)
    },
  },
  {
    name: 'long values are written together',
    needs: ['write', 'append'],
    async run({ store, other, share = 1 }) {
      let [one, two] = [patterned(2_500_000 * share, 1), patterned(70_000 * share, 2)]
      await write(store, [
        { type: 'put', key, bytes: one, expected: null },
        { type: 'append', key: log, bytes: two, size: 0 },
      ])
      for (const length of [100, 700_000 * share, 1_300_000 * share]) {
        const added = patterned(length, length)
        const { version } = await found(other, key)
        one = patterned(length, 7)
        const refused: StoreChange = { type: 'append', key: log, bytes: added, size: 1 }
        deepEqual(await write(other, [{ type: 'put', key, bytes: one, expected: version }, refused]), { state: 'conflict', at: 1 })
        equal(await other.get(key, version), 'same')
        const written = await write(other, [
          { type: 'put', key, bytes: one, expected: version },
          { type: 'append', key: log, bytes: added, size: two.length },
        ])
        two = concat([two, added])
        deepEqual(written.state === 'written' && written.values.map(({ size }) => size), [one.length, two.length])
        ok(isSame((await found(store, key)).bytes, one), `${length} bytes instead`)
        ok(isSame((await found(store, log)).bytes, two), `${length} bytes more`)
      }
    },
  },
  {
    name: 'changes under a lease that was taken over are not made',
    needs: ['write', 'append', 'leases'],
    async run({ store, other }) {
      await store.put(key, a)
      const changes: readonly StoreChange[] = [
        { type: 'put', key, bytes: b },
        { type: 'append', key: log, bytes: b, size: 0 },
      ]
      const old = await store.lease(key)
      const taken = await other.lease(key, undefined, true)
      deepEqual(await write(store, changes, old), { state: 'lost' })
      deepEqual(await write(store, changes, old, true), { state: 'lost' })
      deepEqual(await store.list(''), [key])
      deepEqual((await found(store, key)).bytes, a)
      equal((await write(other, changes, taken, true)).state, 'written')
      deepEqual(await write(other, [{ type: 'put', key, bytes: a }], taken), { state: 'lost' })
      const again = await store.lease(key)
      again.end()
    },
  },
  {
    name: 'a lease ends with the changes that are made under it, and only with them',
    needs: ['write', 'append', 'leases'],
    async run({ store, other }) {
      const order: string[] = []
      const step = async (name: string): Promise<void> => {
        const free = await other.lease('workspaces/w/sessions/t.json')
        free.end()
        order.push(name)
      }
      const lease = await store.lease(key)
      const second = Promise.resolve(other.lease(key)).then(async (held) => {
        order.push('second')
        deepEqual((await found(other, log)).bytes, a)
        held.end()
      })
      equal((await write(store, [{ type: 'put', key, bytes: a, expected: null }], lease)).state, 'written')
      await step('written, and kept')
      deepEqual(await write(store, [{ type: 'put', key, bytes: b, expected: null }], lease, true), { state: 'conflict', at: 0 })
      await step('refused')
      equal((await write(store, [{ type: 'append', key: log, bytes: a, size: 0 }], lease, true)).state, 'written')
      await second
      deepEqual(order, ['written, and kept', 'refused', 'second'])
      lease.end()
    },
  },
  {
    name: 'without changes a lease only ends',
    needs: ['write', 'leases'],
    async run({ store, other }) {
      const lease = await store.lease(key)
      const second = Promise.resolve(other.lease(key))
      deepEqual(await write(store, [], lease, true), { state: 'written', values: [] })
      const held = await second
      deepEqual(await write(store, [], lease, true), { state: 'written', values: [] })
      deepEqual(await write(other, [], held), { state: 'written', values: [] })
      equal((await write(other, [{ type: 'put', key, bytes: a }], held, true)).state, 'written')
    },
  },
  {
    name: 'a lease comes with the value',
    needs: ['take', 'leases'],
    async run({ store, other }) {
      const order: string[] = []
      const first = await take(store, key)
      equal(first.value, null)
      const second = take(other, key).then(({ lease, value }) => {
        order.push('second')
        deepEqual(value !== null && value !== 'same' && value.bytes, a)
        return lease
      })
      const written = await store.put(key, a, null, first.lease)
      order.push('first')
      first.lease.end()
      const lease = await second
      deepEqual(order, ['first', 'second'])
      equal((await other.put(key, a, written.state === 'written' ? written.version : '', lease)).state, 'written')
      lease.end()
      const { version } = await found(store, key)
      const third = await take(store, key, version)
      equal(third.value, 'same')
      third.lease.end()
    },
  },
  {
    name: 'who waits for a lease with the value can leave',
    needs: ['take', 'leases'],
    async run({ store, other }) {
      const { lease } = await take(store, key)
      const controller = new AbortController()
      const waiting = take(other, key, undefined, controller.signal)
      controller.abort()
      await rejects(waiting, 'AbortError')
      await rejects(() => take(other, key, undefined, controller.signal), 'AbortError')
      lease.end()
      const again = await take(other, key)
      again.lease.end()
    },
  },
  {
    name: 'a watcher hears of each key that was written together',
    needs: ['write', 'append', 'watch'],
    async run({ store, other }) {
      const heard: string[] = []
      store.watch((at) => void heard.push(at))
      // What a store does waits until its watchers hear; what others do doesn't.
      await store.get(key)
      await write(other, [
        { type: 'put', key, bytes: a },
        { type: 'append', key: log, bytes: b, size: 1 },
      ])
      await write(other, [
        { type: 'put', key, bytes: a },
        { type: 'append', key: log, bytes: b, size: 0 },
      ])
      await until(() => heard.length >= 2)
      deepEqual([...heard].sort(), [log, key])
    },
  },
  {
    name: 'a watcher hears of what any instance writes and deletes, until it stops',
    needs: 'watch',
    async run({ store, other }) {
      const heard: string[] = []
      const stop = store.watch((at) => void heard.push(at))
      await store.put('own', a)
      await other.put('x/1', a)
      await other.append('x/2', a)
      await other.delete('x/1')
      const wanted = ['own', 'x/1', 'x/2', 'x/1']
      await until(() => heard.length >= wanted.length)
      deepEqual(heard, wanted)
      stop()
      const last: string[] = []
      store.watch((at) => void last.push(at))
      await other.put('y', a)
      await until(() => last.length > 0)
      deepEqual([heard, last], [wanted, ['y']])
    },
  },
  {
    name: 'a closed store refuses everything',
    async run({ store }) {
      await store.close()
      await rejects(async () => store.get(key), 'CLOSED')
      await rejects(async () => store.put(key, a), 'CLOSED')
      await rejects(async () => store.list(''), 'CLOSED')
      await rejects(async () => store.lease(key), 'CLOSED')
    },
  },
]

async function found(store: Store, at: string): Promise<StoredValue> {
  const value = await store.get(at)
  if (value === null || value === 'same') throw new Error(`${at} has no value`)
  return value
}

async function write(store: Store, changes: readonly StoreChange[], lease?: Lease, end?: boolean): Promise<StoreChanged> {
  if (store.write === undefined) throw new Error('the store writes one value at a time')
  return store.write(changes, lease, end)
}

async function take(store: Store, at: string, known?: string, signal?: AbortSignal): Promise<Taken> {
  if (store.take === undefined) throw new Error('the store gives leases and values apart')
  return store.take(at, known, signal)
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setTimeout(resolve, 1))
}

function patterned(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => ((i * 31) ^ (i >> 8) ^ seed) & 255)
}

/** Quicker than to compare them as lists. */
function isSame(one: Uint8Array, two: Uint8Array): boolean {
  if (one.length !== two.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== two[i]) return false
  return true
}
