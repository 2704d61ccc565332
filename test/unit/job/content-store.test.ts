import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { join } from '../../../src/fs/path.ts'
import { webHost } from '../../../src/host.ts'
import { ContentStore } from '../../../src/job/content-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import type { Store } from '../../../src/store/store.ts'

/** Everything that a tree is, path by path. */
async function tree(fs: FileSystem): Promise<readonly string[]> {
  const lines: string[] = []
  const first = new Map<number, string>()
  const waiting = ['/']
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const stat = await fs.lstat(at)
    const twin = stat.type === 'file' && stat.nlink > 1 ? (first.get(stat.ino) ?? 'several') : ''
    if (twin === 'several') first.set(stat.ino, at)
    const what =
      stat.type === 'file' ? Buffer.from(await fs.read(at)).toString('latin1') : stat.type === 'symlink' ? await fs.readlink(at) : ''
    lines.push(`${at} ${stat.type} ${stat.mode.toString(8)} ${stat.type === 'symlink' ? '' : stat.mtimeMs} ${twin} ${what}`)
    if (stat.type === 'directory') {
      const names = (await fs.readdir(at)).map(({ name }) => name)
      for (const name of names.sort().reverse()) waiting.push(join(at, name))
    }
  }
  return lines
}

function sample(): RAMFileSystem {
  let now = 1_700_000_000_000
  const fs = new RAMFileSystem({ host: { now: () => (now += 1500.5) } })
  fs.write('/short', Buffer.from('a few bytes'))
  fs.write('/empty', new Uint8Array(0), { mode: 0o640 })
  fs.write('/long', Buffer.alloc(5000, 'long '))
  fs.write('/huge', Buffer.alloc(3 * 1024 * 1024 + 17, 'huge'))
  fs.mkdir('/bin', 0o750)
  fs.write('/bin/run', Buffer.from('#!/bin/sh\n'), { mode: 0o755 })
  fs.mkdir('/nothing')
  fs.mkdir('/deep')
  fs.mkdir('/deep/er')
  fs.write('/deep/er/one', Buffer.alloc(400, 'x'))
  fs.link('/deep/er/one', '/deep/two')
  fs.link('/deep/er/one', '/three')
  fs.symlink('../long', '/deep/link')
  fs.symlink('/nowhere\udcff', '/dangling')
  fs.write('/caf\udce9 \udcff', Buffer.from('name in Latin-1'))
  fs.write('/日本', Buffer.from('name in Japanese'))
  fs.mkdir('/many')
  for (let i = 0; i < 500; i++) fs.write(`/many/file ${i}`, Buffer.from(`this is file ${i}\n`.repeat(i % 20)))
  fs.setattr('/deep', { mode: 0o2755, mtimeMs: 12345.25 })
  fs.setattr('/bin/run', { mode: 0o4711, mtimeMs: 1 })
  return fs
}

function folder(): HostFileSystem {
  return new HostFileSystem({ root: newFolder() })
}

function newFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'content-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

describe('ContentStore', () => {
  it('gives back exactly what was saved: in this instance, and in one that knows nothing', async () => {
    const store = new MemoryStore()
    const fs = sample()
    const wanted = await tree(fs)
    const content = new ContentStore(store)
    const id = await content.save(fs)
    fs.removeTree('/deep')
    expect(await tree(await content.open(id))).toEqual(wanted)
    const built = await new ContentStore(store).open(id)
    expect(await tree(built)).toEqual(wanted)
    expect(built.snapshot().names).toBe(sample().snapshot().names)
    expect(built.snapshot().bytes).toBe(sample().snapshot().bytes)
  })

  it('names the same tree the same, whatever happened before', async () => {
    const content = new ContentStore(new MemoryStore())
    const id = await content.save(sample())
    const longer = sample()
    longer.mkdir('/many/more')
    const { mtimeMs } = sample().stat('/many')
    for (let i = 0; i < 2000; i++) longer.write(`/many/${i}`, Buffer.from('x'))
    for (let i = 0; i < 2000; i++) longer.unlink(`/many/${i}`)
    longer.rmdir('/many/more')
    longer.setattr('/many', { mtimeMs })
    expect(await content.save(longer)).toBe(id)
    const few = sample()
    for (let i = 20; i < 500; i++) few.unlink(`/many/file ${i}`)
    const other = sample()
    other.removeTree('/many')
    other.mkdir('/many')
    for (let i = 19; i >= 0; i--) other.write(`/many/file ${i}`, Buffer.from(`this is file ${i}\n`.repeat(i)))
    for (const fs of [few, other]) {
      for (let i = 0; i < 20; i++) fs.setattr(`/many/file ${i}`, { mtimeMs: 7 })
      for (const at of ['/many', '/']) fs.setattr(at, { mtimeMs: 7 })
    }
    expect(await content.save(few)).toBe(await content.save(other))
  })

  it('goes on with a tree that was opened, which has numbers of its own for every file', async () => {
    const store = new MemoryStore()
    const fs = sample()
    fs.mkdir('/twins')
    // Two directories with the same content are stored once.
    fs.copyTree('/many', '/twins/a')
    fs.copyTree('/many', '/twins/b')
    const id = await new ContentStore(store).save(fs)
    const content = new ContentStore(store)
    const opened = await content.open(id)
    expect(await content.save(opened)).toBe(id)
    const numbers = new Set<number>()
    let files = 0
    for (const directory of ['/many', '/twins/a', '/twins/b']) {
      for (const { name } of opened.readdir(directory)) {
        numbers.add(opened.stat(join(directory, name)).ino)
        files += 1
      }
    }
    expect(numbers.size).toBe(files)
    opened.append('/twins/a/file 3', Buffer.from('more'))
    opened.append('/three', Buffer.from('more'))
    opened.copyTree('/twins', '/copy')
    expect(opened.stat('/twins/b/file 3').size).toBe(fs.stat('/twins/b/file 3').size)
    expect(opened.stat('/deep/two').size).toBe(404)
    const again = await content.save(opened)
    expect(await tree(await new ContentStore(store).open(again))).toEqual(await tree(opened))
  })

  it('keeps what a folder holds and makes another folder hold exactly that', async () => {
    const store = new MemoryStore()
    const content = new ContentStore(store)
    const id = await content.save(sample())
    const wanted = (await tree(sample())).filter((line) => !line.includes('/caf'))
    const place = folder()
    await place.write('/three', Buffer.from('something else'))
    await place.mkdir('/long')
    await place.write('/long/in', Buffer.from('the way'))
    await place.write('/short', Buffer.from('A few bytes'))
    await content.restore(id, place)
    expect((await tree(place)).filter((line) => !line.includes('/caf'))).toEqual(wanted)
    const saved = await content.save(place)
    expect(await tree(await content.open(saved))).toEqual(await tree(sample()))
    // Again, now that times tell what has changed.
    await place.append('/deep/two', Buffer.from('more'))
    const changed = await content.save(place)
    expect((await content.open(changed)).stat('/three').size).toBe(404)
    expect(changed).not.toBe(saved)
  })

  it('restores nothing where the links of a tree can not be', async () => {
    const content = new ContentStore(new MemoryStore())
    const root = newFolder()
    const place = new HostFileSystem({ root })
    await place.write('/kept', Buffer.from('kept'))
    for (const link of ['symlinks', 'hardLinks'] as const) {
      const without = new HostFileSystem({ root })
      Object.assign(without, { capabilities: { ...without.capabilities, [link]: false } })
      await expect(content.restore(await content.save(sample()), without)).rejects.toMatchObject({ code: 'ENOTSUP' })
    }
    expect((await place.readdir('/')).map(({ name }) => name)).toEqual(['kept'])
  })

  it('keeps the holes of a file that no memory could hold', async () => {
    const store = new MemoryStore()
    const fs = new RAMFileSystem()
    fs.write('/sparse', Buffer.from('start'))
    fs.truncate('/sparse', 2 ** 40)
    fs.append('/sparse', Buffer.from('end'))
    const id = await new ContentStore(store).save(fs)
    const opened = await new ContentStore(store).open(id)
    expect(opened.stat('/sparse').size).toBe(2 ** 40 + 3)
    expect(Buffer.from(opened.read('/sparse', 2 ** 40 - 1)).toString()).toBe('\0end')
    expect(Buffer.from(opened.read('/sparse', 0, 6)).toString()).toBe('start\0')
  })

  it('fits into a store whose values are small', async () => {
    const small = new MemoryStore()
    Object.assign(small, { capabilities: { ...small.capabilities, maxValueBytes: 20_000 } })
    let largest = 0
    const put = small.put.bind(small)
    small.put = (key, bytes, ...rest) => {
      largest = Math.max(largest, bytes.length)
      return put(key, bytes, ...rest)
    }
    const id = await new ContentStore(small).save(sample())
    expect(largest).toBeLessThanOrEqual(20_000)
    expect(await tree(await new ContentStore(small).open(id))).toEqual(await tree(sample()))
  })

  it('asks the store for little: two values for what is new, none for what is known', async () => {
    const store = new MemoryStore()
    const keys: string[] = []
    const put = store.put.bind(store)
    store.put = (key, ...rest) => {
      keys.push(key.replace(/[0-9a-f]{64}/, 'ID'))
      return put(key, ...rest)
    }
    const content = new ContentStore(store)
    const fs = sample()
    await content.save(fs)
    expect(keys).toEqual(['packs/ID/0', 'indexes/ID/0', 'trees/ID/0'])
    keys.length = 0
    for (let i = 0; i < 10; i++) fs.append(`/many/file ${i * 7}`, Buffer.from('more'))
    await content.save(fs)
    expect(keys).toEqual(['packs/ID/0', 'trees/ID/0'])
    keys.length = 0
    const copy = fs.fork()
    await content.save(copy)
    expect(keys).toEqual([])
  })

  it('needs few requests for a tree with a long past, and forgets the past with it', async () => {
    const store = new MemoryStore()
    const content = new ContentStore(store)
    const fs = sample()
    const ids: string[] = []
    const wanted: (readonly string[])[] = []
    for (let round = 0; round < 300; round++) {
      fs.write(`/many/file ${round}`, Buffer.from(`round ${round} `.repeat(50 + (round % 90) * (round % 7 === 0 ? 50 : 1))))
      ids.push(await content.save(fs))
      if (round % 60 === 59) wanted.push(await tree(fs))
    }
    let requests = 0
    const get = store.get.bind(store)
    store.get = (...args) => {
      requests += 1
      return get(...args)
    }
    const last = ids[299] as string
    expect(await tree(await new ContentStore(store).open(last))).toEqual(wanted[4])
    expect(requests).toBeLessThan(60)
    for (const round of [59, 119, 179, 239]) {
      expect(await tree(await new ContentStore(store).open(ids[round] as string))).toEqual(wanted[(round - 59) / 60])
    }
    const before = (await store.list('packs/')).length
    await content.gc(() => [last], 0)
    const after = (await store.list('packs/')).length
    expect(after).toBeLessThan(60)
    expect(before).toBeGreaterThan(299)
    expect(await tree(await new ContentStore(store).open(last))).toEqual(wanted[4])
    // Whoever knows the packs that are gone goes on with those that took their place.
    fs.write('/many/file 7', Buffer.alloc(300, 'again'))
    const next = await content.save(fs)
    expect((await store.list('packs/')).length).toBeLessThanOrEqual(after + 2)
    expect(await tree(await new ContentStore(store).open(next))).toEqual(await tree(fs))
  })

  it('stores nothing anew that another instance stored', async () => {
    const store = new MemoryStore()
    const fs = sample()
    await new ContentStore(store).save(fs)
    let bytes = 0
    const put = store.put.bind(store)
    store.put = (key, value, ...rest) => {
      bytes += value.length
      return put(key, value, ...rest)
    }
    // The same files, made by somebody else.
    const other = sample()
    other.append('/many/file 3', Buffer.from('more'))
    const id = await new ContentStore(store).save(other)
    expect(bytes).toBeLessThan(20_000)
    expect(await tree(await new ContentStore(store).open(id))).toEqual(await tree(other))
  })

  it('removes what no root needs, also what another instance believes to be there', async () => {
    const store = new MemoryStore()
    const one = new ContentStore(store)
    const other = new ContentStore(store)
    const fs = sample()
    const first = await one.save(fs)
    fs.write('/more', Buffer.alloc(900, 'more'))
    const more = fs.fork()
    const second = await one.save(fs)
    await other.open(second)
    fs.unlink('/more')
    const third = await one.save(fs)
    expect(await one.gc(() => [first, third])).toBe(0)
    expect(await one.gc(() => [first, third], 0)).toBe(2)
    expect(await one.gc(() => [first, third], 0)).toBe(0)
    await expect(one.open(second)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await tree(await new ContentStore(store).open(first))).toEqual(await tree(sample()))
    expect(await tree(await new ContentStore(store).open(third))).toEqual(await tree(fs))
    // Both know the tree in memory, and that what it needs is gone.
    for (const content of [one, other]) {
      expect(await content.save(content === one ? more : await other.open(second))).toBe(second)
      expect(await tree(await new ContentStore(store).open(second))).toEqual(await tree(more))
      await content.gc(() => [first], 0)
    }
    await one.gc(() => [], 0)
    expect(await store.list('')).toEqual(['lock'])
  })

  it('loses nothing where a gc and many saves go on at once', async () => {
    const store = new MemoryStore()
    let now = 1_800_000_000_000
    const contents = [0, 1, 2].map(() => new ContentStore(store, { ...webHost, now: () => (now += 5000) }))
    const roots = new Set<string>()
    const wanted = new Map<string, readonly string[]>()
    const work = contents.map(async (content, worker) => {
      const fs = new RAMFileSystem({ files: { '/same': 'x'.repeat(1000) } })
      for (let round = 0; round < 20; round++) {
        fs.write(`/file${round % 3}`, Buffer.alloc(500 + round, String(worker)))
        const id = await content.save(fs)
        // Others remove what nobody needs between the two.
        await Promise.resolve().then(() => roots.add(id))
        wanted.set(id, await tree(fs))
        if (round % 5 === worker) {
          for (const old of [...roots].slice(0, 3)) roots.delete(old)
          await content.gc(() => [...roots])
        }
      }
    })
    await Promise.all(work)
    for (const id of roots) expect(await tree(await new ContentStore(store).open(id))).toEqual(wanted.get(id))
  })

  it('leaves the trees of before whole, and itself usable, where the store fails at any write', async () => {
    for (let failing = 0; ; failing++) {
      const store = new MemoryStore()
      const content = new ContentStore(small(store))
      const fs = sample()
      const first = await content.save(fs)
      fs.write('/more', Buffer.alloc(90_000, 'more'))
      const wanted = await tree(fs)
      const put = store.put.bind(store)
      let writes = 0
      store.put = (key, ...rest) => (writes++ === failing ? Promise.reject(new Error('the store is gone')) : put(key, ...rest))
      const isFailing = await content.save(fs).then(
        () => false,
        () => true,
      )
      store.put = put
      expect(await tree(await new ContentStore(store).open(first))).toEqual(await tree(sample()))
      const second = await content.save(fs)
      expect(await tree(await new ContentStore(store).open(second))).toEqual(wanted)
      await content.gc(() => [second], 0)
      expect(await tree(await new ContentStore(store).open(second))).toEqual(wanted)
      if (!isFailing) {
        expect(failing).toBe(7)
        break
      }
    }
  })

  it('says what is wrong with stored content', async () => {
    const store = new MemoryStore()
    const id = await new ContentStore(store).save(sample())
    const [pack] = (await store.list('packs/')) as [string]
    const whole = (await store.get(pack)) as { bytes: Uint8Array }
    for (const damage of [
      (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - 1),
      (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === bytes.length - 3 ? byte ^ 1 : byte)),
    ]) {
      await store.put(pack, damage(whole.bytes))
      await expect(new ContentStore(store).open(id)).rejects.toMatchObject({ code: 'CORRUPT' })
    }
    await store.delete(pack)
    await expect(new ContentStore(store).open(id)).rejects.toMatchObject({ code: 'CORRUPT' })
    await expect(new ContentStore(store).open('0'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('costs what has changed', async () => {
    const fs = new RAMFileSystem()
    for (let directory = 0; directory < 50; directory++) {
      fs.mkdir(`/d${directory}`)
      for (let i = 0; i < 1000; i++) fs.write(`/d${directory}/f${i}`, Buffer.from(`file ${directory} ${i} `.repeat(20)))
    }
    const content = new ContentStore(new MemoryStore())
    await content.save(fs)
    let fastest = Number.POSITIVE_INFINITY
    let opened = Number.POSITIVE_INFINITY
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 10; i++) fs.write(`/d${i * 5}/f${round}`, Buffer.from(`changed ${round} `.repeat(30)))
      const start = performance.now()
      const id = await content.save(fs)
      const saved = performance.now()
      await content.open(id)
      fastest = Math.min(fastest, saved - start)
      opened = Math.min(opened, performance.now() - saved)
    }
    if (process.env.SHOW !== undefined) console.log({ fastest, opened })
    expect(fastest).toBeLessThan(20)
    expect(opened).toBeLessThan(5)
  })
})

/** The same store with small values. */
function small(store: MemoryStore): Store {
  Object.assign(store, { capabilities: { ...store.capabilities, maxValueBytes: 20_000 } })
  return store
}
