import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import { R2FileSystem } from '../../../src/fs/r2-file-system.ts'
import type { R2Bucket } from '../../../src/fs/r2-objects.ts'
import { Workspace } from '../../../src/workspace.ts'

/** A host whose timers ring at once: what is waited for is not the point here. */
const host = {
  now: () => 0,
  elapsed: () => 0,
  random: (bytes: Uint8Array) => void bytes.fill(7),
  timer: (_: number, ring: () => void) => {
    queueMicrotask(ring)
    return () => undefined
  },
}

/** Makes many objects from within: a call from outside takes much longer. */
const FILLING = `export default {
  async fetch(request, { BUCKET }) {
    const { prefix, count } = await request.json()
    for (let at = 0; at < count; at += 20)
      await Promise.all(Array.from({ length: 20 }, (_, i) => BUCKET.put(prefix + String(at + i).padStart(5, '0'), 'x')))
    return new Response('')
  },
}`

let miniflare: Miniflare
let bucket: R2Bucket
let count = 0

beforeAll(async () => {
  miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    modules: true,
    script: FILLING,
    compatibilityDate: '2026-04-01',
    r2Buckets: ['BUCKET'],
  })
  bucket = (await miniflare.getR2Bucket('BUCKET')) as unknown as R2Bucket
})

afterAll(() => miniflare.dispose())

function fresh(): string {
  return `case-${count++}`
}

/** The bucket, with something done before each call. */
function watched(before: (method: keyof R2Bucket, args: readonly unknown[], call: () => Promise<unknown>) => Promise<unknown>): R2Bucket {
  const method =
    (name: keyof R2Bucket) =>
    (...args: readonly unknown[]): Promise<unknown> =>
      before(name, args, () => (bucket[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args))
  return {
    head: method('head'),
    get: method('get'),
    put: method('put'),
    delete: method('delete'),
    list: method('list'),
  } as R2Bucket
}

/** The bucket, and what was asked of it. */
function counted(): { bucket: R2Bucket; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    bucket: watched((method, _, call) => {
      asked.push(method)
      return call()
    }),
  }
}

async function keysOf(prefix: string): Promise<string[]> {
  return (await bucket.list({ prefix })).objects.map(({ key }) => key)
}

async function names(fs: R2FileSystem, path: string): Promise<string[]> {
  return (await fs.readdir(path)).map(({ name, type }) => `${name} ${type}`).sort()
}

describe('a bucket that others fill', () => {
  test('has a directory wherever keys have a slash, which stays when its last file goes', async () => {
    const prefix = fresh()
    await bucket.put(`${prefix}/logs/2026/a.txt`, 'a')
    const fs = new R2FileSystem({ bucket, prefix })
    expect([await names(fs, '/'), await names(fs, '/logs'), await names(fs, '/logs/2026')]).toEqual([
      ['logs directory'],
      ['2026 directory'],
      ['a.txt file'],
    ])
    await fs.unlink('/logs/2026/a.txt')
    expect([await names(fs, '/logs/2026'), await keysOf(prefix)]).toEqual([[], [`${prefix}/logs/2026/`]])
    await fs.rmdir('/logs/2026')
    expect([await names(fs, '/logs'), await keysOf(prefix)]).toEqual([[], [`${prefix}/logs/`]])
  })

  test('shows what paths can name: no empty names, and a file where there are an object and keys below it', async () => {
    const prefix = fresh()
    for (const key of ['a', 'a/b', 'd//x', 'd/..', 'd/100%', 'd/a%2Fb']) await bucket.put(`${prefix}/${key}`, key)
    const fs = new R2FileSystem({ bucket, prefix })
    expect([await names(fs, '/'), await names(fs, '/d')]).toEqual([
      ['a file', 'd directory'],
      ['100% file', 'a%2Fb file'],
    ])
    expect(decode(await fs.read('/a'))).toBe('a')
    await expect(fs.rmdir('/d')).rejects.toMatchObject({ code: 'ENOTEMPTY' })
    await fs.removeTree('/d')
    expect(await keysOf(prefix)).toEqual([`${prefix}/a`, `${prefix}/a/b`])
  })

  test('is seen from its prefix down, and no further', async () => {
    const prefix = fresh()
    for (const key of [`${prefix}/x`, `${prefix}-else/y`, prefix]) await bucket.put(key, key)
    const fs = new R2FileSystem({ bucket, prefix: `/${prefix}/` })
    expect(await names(fs, '/')).toEqual(['x file'])
    await fs.write('/-else', encode('in'))
    await fs.rename('/x', '/y')
    expect(await keysOf(prefix)).toEqual([prefix, `${prefix}-else/y`, `${prefix}/-else`, `${prefix}/y`])
  })

  test('keeps headers and metadata of an object that is changed, written anew or renamed', async () => {
    const prefix = fresh()
    const httpMetadata = { contentType: 'text/html', cacheControl: 'max-age=60' }
    const customMetadata = { owner: 'ada' }
    await bucket.put(`${prefix}/page`, '<p>', { httpMetadata, customMetadata })
    const fs = new R2FileSystem({ bucket, prefix })
    await fs.append('/page', encode('one'))
    await fs.write('/page', encode('two'))
    await fs.mkdir('/d')
    await fs.rename('/page', '/d/page')
    expect(await bucket.head(`${prefix}/d/page`)).toMatchObject({ size: 3, httpMetadata, customMetadata })
  })
})

test('a shell works in it', async () => {
  const prefix = fresh()
  const ws = new Workspace({ '/r2': new R2FileSystem({ bucket, prefix }) })
  const { stdoutText, stderrText } = await ws.shell(`
    cd /r2; mkdir -p logs/2026; echo alert one > logs/a; echo two > logs/2026/b; echo alert three >> logs/2026/b
    grep -rc alert logs | sort; cp -r logs copy; mv copy/2026/b copy/c; rmdir copy/2026; touch copy/new; rm -r logs
    find . | sort; tail -c 6 copy/c; test -s copy/c && test ! -e logs && echo yes; chmod 700 copy/c`)
  expect(stdoutText.split('\n')).toEqual([
    ...['logs/2026/b:1', 'logs/a:1', '.', './copy', './copy/a', './copy/c', './copy/new', 'three', 'yes', ''],
  ])
  expect(stderrText).toBe("chmod: changing permissions of 'copy/c': Operation not supported\n")
  expect(await keysOf(prefix)).toEqual(['/copy/', '/copy/a', '/copy/c', '/copy/new'].map((key) => prefix + key))
  await ws.close()
})

describe('requests', () => {
  test('a thousand names each: listing, and removing a tree', { timeout: 120_000 }, async () => {
    const prefix = fresh()
    await miniflare.dispatchFetch('http://fill/', { method: 'POST', body: JSON.stringify({ prefix: `${prefix}/d/`, count: 1100 }) })
    const { bucket: own, asked } = counted()
    const fs = new R2FileSystem({ bucket: own, prefix })
    expect((await fs.readdir('/d')).length).toBe(1100)
    expect(asked.splice(0)).toEqual(['list', 'list'])
    await fs.removeTree('/d')
    expect(asked).toEqual(['list', 'list', 'delete', 'list', 'delete'])
    expect(await keysOf(prefix)).toEqual([])
  })

  test('a range is all that is read', async () => {
    const prefix = fresh()
    await bucket.put(`${prefix}/big`, new Uint8Array(1_000_000).fill(5))
    const ranges: unknown[] = []
    const own = watched((method, [, options], call) => {
      if (method === 'get') ranges.push((options as { range?: unknown }).range)
      return call()
    })
    const fs = new R2FileSystem({ bucket: own, prefix })
    expect((await fs.read('/big', 999_990, 100)).length).toBe(10)
    expect((await fs.read('/big', 2_000_000)).length).toBe(0)
    expect(ranges).toEqual([{ offset: 999_990, length: 100 }])
  })

  test('stat, and writing over a file, a new file, and into a directory', async () => {
    const prefix = fresh()
    const { bucket: own, asked } = counted()
    const fs = new R2FileSystem({ bucket: own, prefix })
    const of = async (work: Promise<unknown>): Promise<string[]> => {
      await work
      return asked.splice(0)
    }
    expect(await of(fs.write('/a', encode('x')))).toEqual(['list', 'put'])
    expect(await of(fs.write('/a', encode('y')))).toEqual(['put'])
    expect(await of(fs.append('/a', encode('z')))).toEqual(['get', 'put'])
    expect(await of(fs.stat('/a'))).toEqual([])
    await fs.sync()
    expect(await of(fs.stat('/a'))).toEqual(['list'])
    expect(await of(fs.write('/a', encode('z')))).toEqual(['head', 'put'])
    expect(await of(fs.mkdir('/d'))).toEqual(['list', 'put'])
    expect(await of(fs.write('/d/a', encode('x')))).toEqual(['put'])
    await fs.sync()
    expect(await of(fs.stat('/d'))).toEqual(['list'])
  })
})

describe('several instances', () => {
  test('append to one file at the same time and lose nothing', async () => {
    const prefix = fresh()
    const lines = Array.from({ length: 12 }, (_, i) => i)
    const one = new R2FileSystem({ bucket, prefix })
    const other = new R2FileSystem({ bucket, prefix })
    await Promise.all([one, other].map((fs, who) => Promise.all(lines.map((i) => fs.append('/log', encode(`${who}:${i}\n`))))))
    const found = decode(await one.read('/log'))
      .trimEnd()
      .split('\n')
    for (const who of [0, 1]) expect(found.filter((line) => line.startsWith(`${who}:`))).toEqual(lines.map((i) => `${who}:${i}`))
    expect(found.length).toBe(24)
  })

  test('make a file exclusively: one of them does', async () => {
    const prefix = fresh()
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        new R2FileSystem({ bucket, prefix }).write('/lock', encode(String(i)), { exclusive: true }).then(() => i),
      ),
    )
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(won.length).toBe(1)
    expect(decode(await new R2FileSystem({ bucket, prefix }).read('/lock'))).toBe(String(won[0]))
    expect(results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []))).toEqual(Array(5).fill('EEXIST'))
  })
})

describe('a store that fails', () => {
  test('after it has written: what was added is there once', async () => {
    const prefix = fresh()
    let puts = 0
    const own = watched(async (method, _, call) => {
      const result = await call()
      if (method === 'put' && puts++ % 2 === 0) throw new Error('the answer was lost')
      return result
    })
    const fs = new R2FileSystem({ bucket: own, prefix, host })
    for (let i = 0; i < 8; i++) await fs.append('/log', encode(`${i}\n`))
    expect(decode(await fs.read('/log'))).toBe('0\n1\n2\n3\n4\n5\n6\n7\n')
  })

  test('before it writes: tried again', async () => {
    const prefix = fresh()
    let calls = 0
    const own = watched(async (_, __, call) => {
      if (calls++ % 3 !== 2) throw new Error('too many requests')
      return call()
    })
    const fs = new R2FileSystem({ bucket: own, prefix, host })
    await fs.write('/a', encode('one'))
    expect(decode(await fs.read('/a'))).toBe('one')
  })

  test('for good: EIO, with what it said', async () => {
    const own = watched(() => Promise.reject(new Error('no such bucket')))
    const fs = new R2FileSystem({ bucket: own, host })
    await expect(fs.stat('/a')).rejects.toMatchObject({
      code: 'EIO',
      path: '/a',
      reason: "Input/output error (cannot list 'a' in the R2 bucket: no such bucket)",
      cause: { code: 'STORE_UNAVAILABLE' },
    })
  })

  test('in the middle of renaming a tree: it is where it was, whole', async () => {
    const prefix = fresh()
    const fs = new R2FileSystem({ bucket, prefix })
    await fs.mkdir('/d')
    for (let i = 0; i < 20; i++) await fs.write(`/d/${i}`, encode(`file ${i}`))
    const before = await keysOf(prefix)
    const own = watched((method, [key], call) => {
      if (method === 'put' && key === `${prefix}/e/7`) return Promise.reject(new Error('no'))
      return call()
    })
    await expect(new R2FileSystem({ bucket: own, prefix, host }).rename('/d', '/e')).rejects.toMatchObject({ code: 'EIO' })
    expect(await keysOf(prefix)).toEqual(before)
    await fs.rename('/d', '/e')
    expect((await keysOf(prefix)).length).toBe(before.length)
    expect(decode(await fs.read('/e/7'))).toBe('file 7')
  })

  test('when what was copied is to be removed: everything is there, in both places', async () => {
    const prefix = fresh()
    const fs = new R2FileSystem({ bucket, prefix })
    await fs.mkdir('/d')
    await fs.write('/d/a', encode('a'))
    const own = watched((method, _, call) => (method === 'delete' ? Promise.reject(new Error('no')) : call()))
    await expect(new R2FileSystem({ bucket: own, prefix, host }).rename('/d', '/e')).rejects.toMatchObject({ code: 'EIO' })
    expect([decode(await fs.read('/d/a')), decode(await fs.read('/e/a'))]).toEqual(['a', 'a'])
  })
})
