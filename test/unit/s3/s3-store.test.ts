import { expect, it } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import { s3Settings } from '../../../src/s3/s3-options.ts'
import { S3Store } from '../../../src/store/s3-store.ts'

const settings = s3Settings({ bucket: 'agent-state', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }, 'S3')

/** A server that answers every PUT so. */
function answering(answer: (headers: Readonly<Record<string, string>>) => number) {
  const conditions: (string | undefined)[] = []
  const fetch = async (_: string, { headers = {} }: { headers?: Readonly<Record<string, string>> } = {}) => {
    conditions.push(headers['if-match'] ?? headers['if-none-match'])
    return { status: answer(headers), type: 'basic', headers: new Headers({ etag: '"1"' }), arrayBuffer: async () => new ArrayBuffer(0) }
  }
  return { store: new S3Store(settings, { fetch: fetch as never }), conditions }
}

const STALE = `"${'0'.repeat(32)}"`

it('refuses a server that ignores conditions, at the first thing that is made', async () => {
  const { store, conditions } = answering(() => 200)
  await expect(store.put('k', encode('1'), null)).rejects.toMatchObject({
    code: 'CAPABILITY_UNSUPPORTED',
    message: expect.stringContaining('the server of the bucket ignores If-Match'),
  })
  await expect(store.put('k2', encode('1'), null)).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED' })
  expect(conditions).toEqual(['*', STALE, '*', STALE])
})

it('asks a server once that looks at them, and again where it is not known', async () => {
  const looking = answering((headers) => (headers['if-match'] === STALE ? 412 : 200))
  for (const key of ['a', 'b']) expect(await looking.store.put(key, encode('1'), null)).toEqual({ state: 'written', version: '"1"' })
  await looking.store.put('a', encode('2'), '"1"')
  expect(looking.conditions).toEqual(['*', STALE, '*', '"1"'])
  const failing = answering((headers) => (headers['if-match'] === STALE ? 403 : 200))
  for (const key of ['a', 'b']) expect(await failing.store.put(key, encode('1'), null)).toEqual({ state: 'written', version: '"1"' })
  expect(failing.conditions).toEqual(['*', STALE, '*', STALE])
})
