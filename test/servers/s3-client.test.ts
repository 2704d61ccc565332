import { expect, test } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import type { S3Client, S3Read } from '../../src/s3/s3-client.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { gatewayOptions, gatewayUrl, s3Client } from './s3-bucket.ts'

const KEYS = [
  'plain',
  "a b+c !'()*;:@&=$,~",
  'a//b',
  '/leading',
  'trailing/',
  '.../..a/b..',
  '%2e%2e/%2F',
  'back\\slash?query#hash',
  '<&>"\'',
  'line\nend\r\ttab',
  '\x01\x7f\u0085',
  'é/😀/\u{10ffff}',
  'é'.repeat(493),
]

function content(read: S3Read): string {
  if (read === null || read === 'same') throw new Error(`read ${read}`)
  return decode(read.bytes)
}

test('what is written is there, with its headers, and is gone when it is deleted', async () => {
  const client = s3Client()
  expect(await client.head('a')).toBe(null)
  expect(await client.get('a')).toBe(null)
  const headers = { 'content-type': 'text/plain', 'x-amz-meta-mode': '0644' }
  const written = await client.put('a', encode('abc'), { headers })
  const info = await client.head('a')
  expect(info).toMatchObject({ size: 3, headers })
  expect(written).toEqual({ state: 'written', etag: info?.etag })
  expect(Math.abs((info?.modifiedMs ?? 0) - Date.now())).toBeLessThan(60_000)
  expect(await client.get('a')).toEqual({ info, bytes: encode('abc') })
  expect(await client.get('a', { known: info?.etag ?? '' })).toBe('same')
  expect(await client.get('a', { known: '"00000000000000000000000000000000"' })).toEqual({ info, bytes: encode('abc') })
  await client.delete('a')
  await client.delete('a')
  expect(await client.get('a', { known: info?.etag ?? '' })).toBe(null)
})

test('a conditional write adds no header to an object that is to be seen', async () => {
  const client = s3Client()
  await client.put('a', encode('abc'), { condition: 'missing', headers: { 'content-type': 'text/plain' } })
  expect((await client.head('a'))?.headers).toEqual({ 'content-type': 'text/plain' })
})

test('ranges end where the content does', async () => {
  const client = s3Client()
  await client.put('a', encode('0123456789'))
  await client.put('empty', encode(''))
  const range = async (key: string, offset: number, length?: number): Promise<[string, number]> => {
    const read = await client.get(key, { offset, ...(length !== undefined && { length }) })
    return [content(read), read === null || read === 'same' ? -1 : read.info.size]
  }
  expect(await range('a', 0, 3)).toEqual(['012', 10])
  expect(await range('a', 4)).toEqual(['456789', 10])
  expect(await range('a', 8, 5)).toEqual(['89', 10])
  expect(await range('a', 10, 5)).toEqual(['', 10])
  expect(await range('a', 99)).toEqual(['', 10])
  expect(await range('a', 2, 0)).toEqual(['', 10])
  expect(await range('empty', 0)).toEqual(['', 0])
  expect(await range('empty', 0, 5)).toEqual(['', 0])
  expect(await client.get('none', { offset: 1, length: 1 })).toBe(null)
  expect(await client.get('none', { offset: 1, length: 0 })).toBe(null)
})

test('any key that a URL keeps can be written, read, listed, copied and deleted', async () => {
  const client = s3Client()
  for (const key of KEYS) {
    await client.put(key, encode(key))
    expect(content(await client.get(key)), key).toBe(key)
    expect(await client.copy(key, `copy/${key.slice(0, 480)}`), key).toBe(true)
  }
  const keysOf = async (prefix: string): Promise<string[]> => (await client.list({ prefix })).objects.map(({ key }) => key)
  const all = await keysOf('')
  expect(all.filter((key) => !key.startsWith('copy/')).sort()).toEqual([...KEYS].sort())
  expect((await keysOf('copy/')).sort()).toEqual(KEYS.map((key) => `copy/${key.slice(0, 480)}`).sort())
  for (const key of KEYS) expect(await keysOf(key), key).toEqual([key])
  expect(await client.deleteMany([...all, 'missing', '\x02'])).toEqual([])
  expect(await keysOf('')).toEqual([])
})

test('keys that can not be addressed are refused by name, whatever is done', async () => {
  const client = s3Client()
  const expected = { code: 'EINVAL', message: expect.stringContaining('has a part "." or ".."') }
  for (const key of ['.', '..', 'a/./b', '../x']) {
    await expect(client.get(key)).rejects.toMatchObject(expected)
    await expect(client.put(key, encode(''))).rejects.toMatchObject(expected)
    await expect(client.delete(key)).rejects.toMatchObject(expected)
    await expect(client.copy(key, 'x')).rejects.toMatchObject(expected)
  }
  expect(client.longestKey).toBe(1024 - 37)
  await expect(client.get('x'.repeat(988))).rejects.toMatchObject({
    code: 'ENAMETOOLONG',
    message: expect.stringContaining('has 1025 bytes; a key of a bucket may have 1024'),
  })
})

test('conditions hold, and a conflict is one: the etag goes to Ceph without its quotes', async () => {
  const proxy = await startFaultProxy(gatewayUrl)
  const client = s3Client(gatewayOptions({ endpointUrl: proxy.url }))
  const put = (text: string, condition: 'missing' | { etag: string }) => client.put('a', encode(text), { condition })
  try {
    const first = await put('1', 'missing')
    expect(await put('2', 'missing')).toEqual({ state: 'conflict' })
    const etag = first.state === 'written' ? first.etag : ''
    proxy.clear()
    const second = await put('3', { etag })
    expect(second).toMatchObject({ state: 'written' })
    expect(proxy.requests().map(({ method, headers }) => [method, headers['if-match']])).toEqual([
      ['PUT', etag],
      ['HEAD', undefined],
      ['PUT', etag.replaceAll('"', '')],
    ])
    expect(await put('4', { etag })).toEqual({ state: 'conflict' })
    expect(content(await client.get('a'))).toBe('3')
    await client.delete('a')
    proxy.clear()
    const now = second.state === 'written' ? second.etag : ''
    expect(await put('5', { etag: now })).toEqual({ state: 'conflict' })
    expect(proxy.requests()).toHaveLength(1)
    expect(await client.get('a')).toBe(null)
  } finally {
    proxy.close()
  }
})

test.each(['missing', 'etag'] as const)('of eight writers that expect the same (%s) one wins', async (kind) => {
  const options = gatewayOptions()
  const clients = Array.from({ length: 8 }, () => s3Client(options))
  for (let round = 0; round < 5; round++) {
    const key = `a${round}`
    let condition: 'missing' | { etag: string } = 'missing'
    if (kind === 'etag') {
      const written = await s3Client(options).put(key, encode('first'))
      condition = { etag: written.state === 'written' ? written.etag : '' }
    }
    const states = await Promise.all(clients.map((client, at) => client.put(key, encode(`by ${at}`), { condition })))
    const winner = states.findIndex(({ state }) => state === 'written')
    expect(states.filter(({ state }) => state === 'written')).toHaveLength(1)
    expect(content(await (clients[0] as S3Client).get(key))).toBe(`by ${winner}`)
  }
})

test('a copy keeps headers, and says where there is nothing to copy or something in its way', async () => {
  const client = s3Client()
  const headers = { 'content-type': 'text/plain', 'x-amz-meta-mode': '0644' }
  await client.put('a', encode('abc'), { headers })
  expect(await client.copy('a', 'b')).toBe(true)
  expect(await client.head('b')).toMatchObject({ size: 3, headers })
  expect(await client.copy('none', 'c')).toBe(false)
  expect(await client.copy('a', 'b', { condition: 'missing' })).toBe(false)
  expect(await client.copy('a', 'c', { condition: 'missing' })).toBe(true)
})

test('a listing has pages, and what keys have in common', async () => {
  const client = s3Client()
  for (const key of ['a', 'b/1', 'b/2', 'b/c/3', 'd']) await client.put(key, encode(key))
  const { objects, prefixes, cursor } = await client.list({ prefix: '', delimiter: '/' })
  expect([objects.map(({ key, size }) => [key, size]), prefixes, cursor]).toEqual([
    [
      ['a', 1],
      ['d', 1],
    ],
    ['b/'],
    null,
  ])
  const below = await client.list({ prefix: 'b/', delimiter: '/' })
  expect([below.objects.map(({ key }) => key), below.prefixes]).toEqual([['b/1', 'b/2'], ['b/c/']])
  expect((await client.list({ prefix: '', after: 'b/2' })).objects.map(({ key }) => key)).toEqual(['b/c/3', 'd'])
  expect((await client.head('a'))?.etag).toBe((await client.list({ prefix: 'a' })).objects[0]?.etag)
})

test('more than a thousand keys, with characters that need encoding, in pages of 7 and of the usual size', async () => {
  const client = s3Client()
  const keys = Array.from({ length: 1105 }, (_, i) => `k+ /&${String(i).padStart(4, '0')}`)
  for (let at = 0; at < keys.length; at += 65) await Promise.all(keys.slice(at, at + 65).map((key) => client.put(key, encode('x'))))
  const all = async (limit?: number): Promise<[string[], number]> => {
    const found: string[] = []
    let pages = 0
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<S3Client['list']>> = await client.list({
        prefix: 'k',
        ...(cursor && { cursor }),
        ...(limit && { limit }),
      })
      found.push(...page.objects.map(({ key }) => key))
      cursor = page.cursor
      pages += 1
    } while (cursor !== null)
    return [found, pages]
  }
  expect(await all()).toEqual([keys, 2])
  expect(await all(7)).toEqual([keys, 158])
  expect(await client.deleteMany(keys)).toEqual([])
  expect(await all()).toEqual([[], 1])
})

test('an upload of several parts is one object when it is completed, and nothing when it is aborted', async () => {
  const client = s3Client()
  const part = new Uint8Array(5 * 1024 * 1024).fill(97)
  const upload = await client.uploads.create('big+ key', { headers: { 'x-amz-meta-mode': '0644' } })
  const etags = [
    await client.uploads.putPart('big+ key', upload, 1, part),
    await client.uploads.putPart('big+ key', upload, 2, encode('end')),
  ]
  const [listed] = await client.uploads.list('')
  expect(listed).toEqual({ key: 'big+ key', uploadId: upload, startedMs: expect.any(Number) })
  expect(await client.head('big+ key')).toBe(null)
  const written = await client.uploads.complete('big+ key', upload, etags)
  const info = await client.head('big+ key')
  expect(info).toMatchObject({ size: part.length + 3, headers: { 'x-amz-meta-mode': '0644' } })
  expect(written).toEqual({ state: 'written', etag: info?.etag })
  expect(content(await client.get('big+ key', { offset: part.length - 1 }))).toBe('aend')

  const other = await client.uploads.create('aborted')
  const etag = await client.uploads.putPart('aborted', other, 1, encode('x'))
  await client.uploads.abort('aborted', other)
  await client.uploads.abort('aborted', other)
  expect(await client.uploads.list('')).toEqual([])
  expect(await client.head('aborted')).toBe(null)
  await expect(client.uploads.complete('aborted', other, [etag])).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    // Ceph has an error of its own for it.
    message: expect.stringMatching(/NoSuchUpload|multipart completion/),
  })
})

test('an upload that must not replace anything, or only what is known, looks before it completes', async () => {
  const client = s3Client()
  const upload = async (condition: 'missing' | { etag: string }) => {
    const id = await client.uploads.create('a')
    return client.uploads.complete('a', id, [await client.uploads.putPart('a', id, 1, encode('parts'))], { condition })
  }
  expect(await upload({ etag: '"x"' })).toEqual({ state: 'conflict' })
  const first = await upload('missing')
  expect(first).toMatchObject({ state: 'written' })
  expect(await upload('missing')).toEqual({ state: 'conflict' })
  expect(await upload({ etag: '"x"' })).toEqual({ state: 'conflict' })
  expect(await upload({ etag: first.state === 'written' ? first.etag : '' })).toMatchObject({ state: 'written' })
})

test('a part is a piece of another object, as long as that is the one that is known', async () => {
  const client = s3Client()
  const source = await client.put("a+ '", new Uint8Array(6 * 1024 * 1024).fill(97))
  const etag = source.state === 'written' ? source.etag : ''
  const upload = await client.uploads.create('b')
  const piece = { key: "a+ '", etag, offset: 10, length: 5 * 1024 * 1024 }
  const first = await client.uploads.copyPart('b', upload, 1, piece)
  const last = await client.uploads.putPart('b', upload, 2, encode('end'))
  expect(await client.uploads.complete('b', upload, [first ?? '', last])).toMatchObject({ state: 'written' })
  expect(await client.head('b')).toMatchObject({ size: 5 * 1024 * 1024 + 3 })
  await client.put("a+ '", encode('changed'))
  const other = await client.uploads.create('b')
  expect(await client.uploads.copyPart('b', other, 1, { ...piece, offset: 0, length: 3 })).toBe(null)
  await client.uploads.abort('b', other)
})
