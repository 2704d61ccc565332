import { expect, test } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import { webHost } from '../../src/host.ts'
import type { S3Options, S3Presign, S3PresignRequest } from '../../src/s3/s3-options.ts'
import { s3Presigner } from '../../src/s3/s3-presigner.ts'
import { gatewayOptions, s3Client, withoutKeys } from './s3-bucket.ts'

/** What a host's server does for its pages. */
function signer(options: S3Options, expires = 60): S3Presign {
  return s3Presigner({ ...options, keyPrefix: options.keyPrefix ?? '', expires })
}

function presigned(presign: (options: S3Options) => S3Presign = signer) {
  const options = gatewayOptions()
  const asked: S3PresignRequest[] = []
  const sign = presign(options)
  const client = s3Client({
    ...withoutKeys(options),
    presign: (request) => {
      asked.push(request)
      return sign(request)
    },
  })
  return { client, asked, options }
}

test('everything works without a secret, conditions included', async () => {
  const { client, asked, options } = presigned()
  const key = "odd+ key !'()*/é&"
  const made = await client.put(key, encode('1'), { condition: 'missing', headers: { 'content-type': 'text/plain' } })
  expect(await client.put(key, encode('2'), { condition: 'missing' })).toEqual({ state: 'conflict' })
  const etag = made.state === 'written' ? made.etag : ''
  const next = await client.put(key, encode('3'), { condition: { etag } })
  expect(next).toMatchObject({ state: 'written' })
  expect(await client.put(key, encode('4'), { condition: { etag } })).toEqual({ state: 'conflict' })
  expect(await client.get(key, { known: next.state === 'written' ? next.etag : '' })).toBe('same')
  const read = await client.get(key)
  expect(read !== null && read !== 'same' && decode(read.bytes)).toBe('3')
  expect(await client.get(key, { offset: 0, length: 1 })).toMatchObject({ bytes: encode('3') })
  expect(await client.copy(key, 'copy')).toBe(true)
  expect((await client.list({ prefix: 'odd+ key !' })).objects.map((object) => object.key)).toEqual([key])
  const upload = await client.uploads.create('big')
  expect(await client.uploads.complete('big', upload, [await client.uploads.putPart('big', upload, 1, encode('x'))])).toMatchObject({
    state: 'written',
  })
  expect(await client.deleteMany([key, 'big'])).toEqual([])
  expect(asked.slice(-2).map(({ method, key: deleted }) => [method, deleted])).toEqual([
    ['DELETE', `${options.keyPrefix}${key}`],
    ['DELETE', `${options.keyPrefix}big`],
  ])
  await client.delete('copy')
  expect((await client.list({ prefix: '' })).objects).toEqual([])
  expect(asked[0]).toEqual({
    method: 'PUT',
    key: `${options.keyPrefix}${key}`,
    query: {},
    headers: {
      'content-type': 'text/plain',
      'if-none-match': '*',
      'x-amz-content-sha256': '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
      'x-amz-meta-mirage-operation': expect.any(String),
    },
  })
})

test('a condition and a body that were changed after they were signed are refused', async () => {
  const options = gatewayOptions()
  const sign = signer(options)
  const request = { method: 'PUT', key: `${options.keyPrefix}a`, query: {} } as const
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', encode('1'))).toString('hex')
  const headers = { 'if-none-match': '*', 'x-amz-content-sha256': digest }
  const url = String(await sign({ ...request, headers }))
  const codeOf = async (sent: Record<string, string>, body: string) => {
    const response = await fetch(url, { method: 'PUT', headers: sent, body })
    return /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] ?? response.status
  }
  expect(await codeOf({ 'x-amz-content-sha256': digest }, '1')).toBe('SignatureDoesNotMatch')
  expect(await codeOf(headers, '2')).toBe('XAmzContentSHA256Mismatch')
  expect(await codeOf(headers, '1')).toBe(200)
})

test('a signer may give headers of its own', async () => {
  const { client } = presigned((options) => async (request) => {
    const own: Record<string, string> = request.method === 'PUT' ? { 'x-amz-meta-by': 'signer' } : {}
    return { url: String(await signer(options)({ ...request, headers: { ...request.headers, ...own } })), headers: own }
  })
  await client.put('a', encode('1'))
  expect((await client.head('a'))?.headers).toMatchObject({ 'x-amz-meta-by': 'signer' })
})

test('a signer that refuses, gives nothing, or signs too little is named, and no URL is shown', async () => {
  const refusing = presigned(() => () => Promise.reject(new Error('not yours'))).client
  await expect(refusing.get('a')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/\/a": presign failed: not yours$/),
  })
  const empty = presigned(() => async () => '').client
  await expect(empty.get('a')).rejects.toMatchObject({ message: expect.stringMatching(/: presign gave no URL$/) })
  const careless = presigned(
    (options) =>
      ({ method, key, query }) =>
        signer(options)({ method, key, query, headers: { 'x-amz-meta-other': '' } }),
  ).client
  await expect(careless.put('a', encode('1'), { condition: 'missing' })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('or what presign signs: method, key, query, all headers'),
  })
  const late = presigned((options) => {
    const hour = 3_600_000
    return s3Presigner({ ...options, keyPrefix: options.keyPrefix ?? '', host: { ...webHost, now: () => webHost.now() - hour } })
  }).client
  await expect(late.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.not.stringContaining('X-Amz') })
  const nowhere = presigned(() => async () => 'http://127.0.0.1:1/mirage-test/a?X-Amz-Signature=secret').client
  const error: unknown = await nowhere.get('a').catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('no answer (')
  expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain('X-Amz-Signature')
})

test('a presigner signs what is needed below its prefix, and nothing else', async () => {
  const options = gatewayOptions({ keyPrefix: 'agents/ann/' })
  const sign = s3Presigner({ ...options, keyPrefix: 'agents/ann/' })
  const get = { method: 'GET', key: 'agents/ann/k', query: {}, headers: {} } as const
  expect(await sign(get)).toMatch(/\/mirage-test\/agents\/ann\/k\?X-Amz-Expires=60&X-Amz-Date=.*&X-Amz-Signature=[0-9a-f]{64}$/)
  const copy = (source: string) => ({ ...get, method: 'PUT', headers: { 'x-amz-copy-source': source } })
  const refused: unknown[] = [
    { ...get, key: 'agents/bob/k' },
    { ...get, key: 'agents/ann' },
    { ...get, key: 'agents/ann/../bob/k' },
    { ...get, key: 'agents/ann/./k' },
    { ...get, query: { acl: '' } },
    { ...get, method: 'PUT', query: { tagging: '' } },
    { ...get, method: 'POST', query: {} },
    { ...get, method: 'OPTIONS' },
    { ...get, method: 'constructor' },
    { ...get, method: 'PUT', headers: { 'x-amz-acl': 'public-read' } },
    { ...get, headers: { host: 'elsewhere' } },
    copy('/mirage-test/agents/bob/k'),
    copy('/mirage-test/agents/ann/%2e%2e/bob/k'),
    copy('/mirage-test/agents/ann/k?versionId=1'),
    copy('/mirage-test/%ff'),
    copy('/other-bucket/agents/ann/k'),
    { ...get, key: '', query: { 'list-type': '2', prefix: 'agents/' } },
    { ...get, key: '', query: { 'list-type': '2' } },
    { ...get, key: '', query: { 'list-type': '2', prefix: 'agents/ann/', acl: '' } },
    { ...get, key: '', query: { policy: '', prefix: 'agents/ann/' } },
    { ...get, key: '', method: 'PUT', query: { 'list-type': '2', prefix: 'agents/ann/' } },
    { ...get, key: '', method: 'POST', query: { delete: '', prefix: 'agents/ann/' } },
    { ...get, key: 7 },
    { ...get, query: null },
    { ...get, headers: { range: 7 } },
  ]
  for (const request of refused) {
    const error: unknown = await sign(request as S3PresignRequest).catch((thrown: unknown) => thrown)
    expect(['POLICY_DENIED', 'EINVAL'], JSON.stringify(request)).toContain((error as { code?: string }).code)
  }
  expect(() => s3Presigner({ bucket: 'agents', keyPrefix: 'a/' })).toThrow(
    's3Presigner: needs accessKeyId and secretAccessKey, or credentials',
  )
})
