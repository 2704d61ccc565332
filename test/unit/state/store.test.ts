import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { diskCalls } from '../../../platforms/node/disk-calls.ts'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { webHost } from '../../../src/host.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { SealedStore } from '../../../src/store/sealed-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { lacking } from '../../contract/case.ts'
import { encryption } from '../../contract/encryption.ts'
import type { StoreSubject } from '../../contract/store.ts'
import { storeContract, storeProvides } from '../../contract/store.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-store-'))
  folders.push(folder)
  return folder
}

/** Another instance's face on one store in memory, which lives longer than any of them. */
function facade(store: MemoryStore): Store {
  let closed = false
  const through = { capabilities: store.capabilities, close: () => void (closed = true) }
  return new Proxy(store, {
    get(_, name) {
      if (name in through) return through[name as keyof typeof through]
      const method = store[name as 'get'] as ((...args: unknown[]) => unknown) | undefined
      if (method === undefined) return undefined
      return (...args: unknown[]) => {
        if (closed) store.close()
        return method.apply(store, args)
      }
    },
  })
}

const subjects: Record<string, () => StoreSubject> = {
  memory: () => {
    const store = new MemoryStore()
    return { store: facade(store), other: facade(store) }
  },
  disk: () => {
    const root = newFolder()
    return { store: new DiskStore(root), other: new DiskStore(root) }
  },
  'memory, encrypted': () => {
    const store = new MemoryStore()
    return { store: new SealedStore(facade(store), encryption), other: new SealedStore(facade(store), encryption) }
  },
  'disk, encrypted': () => {
    const root = newFolder()
    return { store: new SealedStore(new DiskStore(root), encryption), other: new SealedStore(new DiskStore(root), encryption) }
  },
}

for (const [name, subject] of Object.entries(subjects)) {
  describe(`store: ${name}`, () => {
    for (const { name, needs, run } of storeContract) {
      it.skipIf(lacking(needs, storeProvides(subject().store)) !== undefined)(name, () => run(subject()))
    }
  })
}

describe('disk', () => {
  it('takes a lease over from a holder that shows no life, whose writes then come to nothing', async () => {
    const root = newFolder()
    let moment = 0
    const hasty = { ...webHost, elapsed: () => (moment += 6000) }
    const [store, other] = [new DiskStore(root), new DiskStore(root, { host: hasty })]
    const old = await store.lease('a/b.json')
    const taken = await other.lease('a/b.json')
    expect(await store.put('a/b.json', new Uint8Array(1), null, old)).toEqual({ state: 'lost' })
    expect(await other.put('a/b.json', new Uint8Array(2), null, taken)).toMatchObject({ state: 'written' })
    old.end()
    taken.end()
    expect(fs.readdirSync(`${root}/a`)).toEqual(['b.json'])
  })

  it('reads a file again until it has been the same for a while, and then no more', async () => {
    const root = newFolder()
    let moment = 0
    let reads = 0
    const read = (file: string): Uint8Array => {
      reads += 1
      return diskCalls.read(file)
    }
    const calls = { ...diskCalls, read }
    const store = new DiskStore(root, { calls, host: { ...webHost, elapsed: () => moment } })
    const written = await new DiskStore(root).put('a', new Uint8Array(1))
    const known = written.state === 'written' ? written.version : ''
    for (const [time, total] of [
      [0, 1],
      [1000, 2],
      [2500, 3],
      [2600, 3],
      [9000, 3],
    ] as const) {
      moment = time
      expect(store.get('a', known)).toBe('same')
      expect(reads).toBe(total)
    }
    await new DiskStore(root).put('a', new Uint8Array([7]))
    expect(store.get('a', known)).toMatchObject({ bytes: new Uint8Array([7]) })
    expect(reads).toBe(4)
  })

  it('says what it could not do to which file', async () => {
    const root = newFolder()
    fs.writeFileSync(`${root}/a`, '')
    const store = new DiskStore(root)
    await expect(store.put('a/b', new Uint8Array(1))).rejects.toMatchObject({
      code: 'ENOTDIR',
      message: `cannot lock ${root}/a/b: Not a directory`,
    })
    fs.mkdirSync(`${root}/c`)
    expect(() => store.get('c')).toThrow(expect.objectContaining({ code: 'EISDIR', message: `cannot read ${root}/c: Is a directory` }))
  })

  it('keeps files and folders private, and leaves nothing beside them', async () => {
    const root = path.join(newFolder(), 'state')
    const store = new DiskStore(root)
    await store.put('a/b/c.json', new Uint8Array(3))
    await store.append('a/log/1.jsonl', new Uint8Array(3))
    const found = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
    expect(found).toEqual(['a', 'a/b', 'a/b/c.json', 'a/log', 'a/log/1.jsonl'])
    for (const name of found) {
      const stat = fs.statSync(path.join(root, name))
      expect(stat.mode & 0o777).toBe(stat.isDirectory() ? 0o700 : 0o600)
    }
    expect(fs.statSync(root).mode & 0o777).toBe(0o700)
  })

  it('removes folders with their last file', async () => {
    const root = newFolder()
    const store = new DiskStore(root)
    await store.put('a/b/c.json', new Uint8Array(3))
    const lease = await store.lease('a/b/c.json')
    await store.delete('a/b/c.json')
    lease.end()
    expect(fs.readdirSync(root)).toEqual([])
  })
})
