import { AwsClient } from 'aws4fetch'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import { webHost } from '../../src/host.ts'
import type { S3Client } from '../../src/s3/s3-client.ts'
import type { S3Credentials, S3Options } from '../../src/s3/s3-options.ts'
import { startFaultProxy } from './fault-proxy.mjs'
import { gatewayOptions, gatewayUrl, s3Client, withoutKeys } from './s3-bucket.ts'

let proxy: Awaited<ReturnType<typeof startFaultProxy>>
let options: S3Options
beforeEach(async () => {
  proxy = await startFaultProxy(gatewayUrl)
  options = gatewayOptions({ endpointUrl: proxy.url })
})
afterEach(() => proxy.close())

function client(other: Partial<S3Options> = {}, world = {}): S3Client {
  return s3Client({ ...options, ...other }, world)
}

async function text(from: S3Client, key: string): Promise<string> {
  const read = await from.get(key)
  return read === null || read === 'same' ? String(read) : decode(read.bytes)
}

function errorBody(code: string, more = ''): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words of the server</Message>${more}<RequestId>tx1</RequestId></Error>`
}

function methods(): string[] {
  return proxy.requests().map(({ method }) => method)
}

test.each([
  ['a 500', { kind: 'status', status: 500, body: errorBody('InternalError') }],
  ['a 503', { kind: 'status', status: 503, body: errorBody('SlowDown') }],
  ['a 503 of a proxy', { kind: 'status', status: 503, body: '<html><br>' }],
  ['a 429', { kind: 'status', status: 429 }],
  ['a 408', { kind: 'status', status: 408 }],
  ['a request that the server waited for', { kind: 'status', status: 400, body: errorBody('RequestTimeout') }],
  ['a conflict of two requests', { kind: 'status', status: 409, body: errorBody('ConditionalRequestConflict') }],
  ['a body that was damaged', { kind: 'status', status: 400, body: errorBody('XAmzContentSHA256Mismatch') }],
  ['a success that ends as an error', { kind: 'status', status: 200, body: errorBody('InternalError') }],
  ['a cut connection', { kind: 'cut-before' }],
  ['a lost answer', { kind: 'lose-answer' }],
  ['a torn answer', { kind: 'cut-answer' }],
] as const)('after %s a request is sent again, and no write is done twice', async (_, fault) => {
  const s3 = client()
  proxy.fault(fault, { times: 2 })
  const first = await s3.put('a', encode('1'), { condition: 'missing' })
  expect(first).toMatchObject({ state: 'written' })
  const etag = first.state === 'written' ? first.etag : ''
  proxy.fault(fault, { times: 2 })
  const second = await s3.put('a', encode('2'), { condition: { etag } })
  expect(second).toMatchObject({ state: 'written', etag: (await s3.head('a'))?.etag })
  proxy.fault(fault, { times: 2, matches: ({ method }) => method === 'PUT' })
  expect(await s3.put('a', encode('3'), { condition: { etag: second.state === 'written' ? second.etag : '' } })).toMatchObject({
    state: 'written',
  })
  proxy.fault(fault, { times: 2 })
  expect(await s3.put('a', encode('4'), { condition: { etag } })).toEqual({ state: 'conflict' })
  if (!isSuccess(fault)) proxy.fault(fault, { times: 2 })
  expect(await text(s3, 'a')).toBe('3')
})

/** Content is whatever it is: a GET does not look for an error in it. */
function isSuccess(fault: { kind: string; status?: number }): boolean {
  return fault.status === 200
}

test('a write that the server gets late, after it was sent again, changes nothing', async () => {
  const s3 = client()
  proxy.fault({ kind: 'late' })
  const made = await s3.put('a', encode('1'), { condition: 'missing' })
  const etag = made.state === 'written' ? made.etag : ''
  proxy.fault({ kind: 'late' })
  expect(await s3.put('a', encode('2'), { condition: { etag } })).toMatchObject({ state: 'written' })
  await proxy.release()
  expect(await text(s3, 'a')).toBe('2')
})

test('a write whose answer was lost and that somebody else overwrote is a conflict', async () => {
  const s3 = client()
  proxy.fault({ kind: 'lose-answer' })
  proxy.fault({ kind: 'hold' })
  const writing = s3.put('a', encode('1'), { condition: 'missing' })
  while (methods().length < 2) await proxy.arrival()
  await s3Client({ ...options, endpointUrl: gatewayUrl }).put('a', encode('2'))
  await proxy.release()
  expect(await writing).toEqual({ state: 'conflict' })
  expect(await text(s3, 'a')).toBe('2')
})

test('completing an upload, deleting many keys and copying survive a lost answer', async () => {
  const s3 = client()
  const upload = await s3.uploads.create('big')
  const etag = await s3.uploads.putPart('big', upload, 1, encode('content'))
  proxy.fault({ kind: 'lose-answer' }, { matches: ({ method }) => method === 'POST' })
  expect(await s3.uploads.complete('big', upload, [etag], { condition: 'missing' })).toEqual({
    state: 'written',
    etag: (await s3.head('big'))?.etag,
  })
  proxy.fault({ kind: 'lose-answer' })
  expect(await s3.copy('big', 'copy')).toBe(true)
  proxy.fault({ kind: 'lose-answer' })
  expect(await s3.deleteMany(['big', 'copy'])).toEqual([])
  expect((await s3.list({ prefix: '' })).objects).toEqual([])
})

test('an upload that is gone when it is completed again was completed before', async () => {
  const s3 = client()
  const upload = await s3.uploads.create('big')
  const etag = await s3.uploads.putPart('big', upload, 1, encode('content'))
  proxy.fault({ kind: 'lose-answer' })
  // What Amazon answers then; Ceph says yes once more.
  proxy.fault({ kind: 'status', status: 404, body: errorBody('NoSuchUpload') })
  expect(await s3.uploads.complete('big', upload, [etag])).toEqual({ state: 'written', etag: (await s3.head('big'))?.etag })
  expect(methods()).toEqual(['POST', 'PUT', 'POST', 'POST', 'HEAD', 'HEAD'])
  proxy.fault({ kind: 'status', status: 404, body: errorBody('NoSuchUpload') })
  await expect(s3.uploads.complete('big', upload, [etag])).rejects.toMatchObject({ message: expect.stringContaining('NoSuchUpload') })
})

test('a copy that ends as an error in a success is one', async () => {
  const s3 = client()
  await s3.put('a', encode('1'))
  proxy.fault({ kind: 'status', status: 200, body: `\n\n<?xml version="1.0"?>${errorBody('AccessDenied').slice(21)}` })
  await expect(s3.copy('a', 'b')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('AccessDenied') })
})

test('it gives up in the end, within its limit, and says what the server said last', async () => {
  const s3 = client({ timeout: 2 })
  proxy.fault({ kind: 'status', status: 503, body: errorBody('SlowDown') }, { times: 99 })
  const started = performance.now()
  await expect(s3.get('a')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/^cannot read "s3:\/\/mirage-test\/[0-9a-f-]{36}\/a": SlowDown: words of the server \(request tx1\)$/),
  })
  expect(performance.now() - started).toBeLessThan(8_000)
  expect(methods().length).toBeGreaterThan(2)
  expect(methods().length).toBeLessThanOrEqual(6)
})

test.each(['silent', 'refused'] as const)(
  'a network that is %s fails within the limit, and is used again when it is back',
  async (state) => {
    const s3 = client({ timeout: 2 })
    await s3.put('a', encode('1'))
    await proxy.network(state)
    const started = performance.now()
    await expect(s3.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('/a": no answer') })
    expect(performance.now() - started).toBeLessThan(8_000)
    await proxy.network('there')
    expect(await text(s3, 'a')).toBe('1')
  },
)

test('an answer whose body never ends fails within the limit', async () => {
  const s3 = client({ timeout: 0.3 }, { fetch: async (...given: Parameters<typeof fetch>) => endless(await fetch(...given)) })
  await expect(s3.get('a')).rejects.toMatchObject({ message: expect.stringContaining('no answer within 0.3 s') })
})

function endless(response: Response): object {
  return { status: response.status, headers: response.headers, type: response.type, arrayBuffer: () => new Promise(() => undefined) }
}

test('an abort ends waiting for the answer, and for the next try', async () => {
  const s3 = client()
  const controller = new AbortController()
  proxy.fault({ kind: 'hold' })
  const arrival = proxy.arrival()
  const reading = s3.get('a', { signal: controller.signal })
  await arrival
  controller.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
  await expect(s3.get('a', { signal: controller.signal })).rejects.toThrow('enough')

  proxy.fault({ kind: 'status', status: 503 }, { times: 99 })
  const second = new AbortController()
  const patient = client(
    {},
    {
      host: {
        ...webHost,
        timer: (ms: number, ring: () => void) => (ms > 2_000 ? webHost.timer(ms, ring) : () => second.abort(new Error('no more'))),
      },
    },
  )
  const waiting = patient.get('a', { signal: second.signal })
  const answered = proxy.arrival()
  await answered
  second.abort(new Error('no more'))
  await expect(waiting).rejects.toThrow('no more')
})

test('what the server refuses is named, with what to check and nothing secret', async () => {
  const secretAccessKey = 'another secret that is wrong'
  const cases: [Partial<S3Options>, string][] = [
    [{ secretAccessKey }, 'SignatureDoesNotMatch: the server computed another signature; check accessKeyId, secretAccessKey'],
    [{ accessKeyId: 'AKIDUNKNOWN' }, 'InvalidAccessKeyId: the server knows no such access key; check accessKeyId'],
    [{ bucket: 'no-such-bucket' }, 'NoSuchBucket: there is no such bucket; check bucket, region and endpointUrl'],
  ]
  for (const [wrong, message] of cases) {
    const s3 = client(wrong)
    const id = /\(request tx[0-9a-z-]+\)$/
    for (const work of [
      () => s3.get('a'),
      () => s3.head('a'),
      () => s3.put('a', encode('1')),
      () => s3.put('a', encode('1'), { condition: 'missing' }),
      () => s3.put('a', encode('1'), { condition: { etag: '"x"' } }),
      () => s3.list({ prefix: '' }),
      () => s3.copy('a', 'b'),
      () => s3.delete('a'),
      () => s3.deleteMany(['a']),
    ]) {
      const error: unknown = await work().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(message) })
      expect(error).toMatchObject({ message: expect.stringMatching(id) })
      expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toMatch(/another secret|AKID|secretsecret|Signature=|AWS4/)
    }
  }
  expect(methods().filter((method) => method === 'PUT').length).toBe(12)
})

test('what the policy of the bucket denies is named', async () => {
  const { accessKeyId = '', secretAccessKey = '' } = options
  const owner = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1', retries: 0 })
  const bucket = `denied-${crypto.randomUUID()}`
  const denied = (Action: string, Resource: string) => ({
    Effect: 'Deny',
    Principal: '*',
    Action,
    Resource: `arn:aws:s3:::${bucket}${Resource}`,
  })
  const Statement = [denied('s3:PutObject', '/*'), denied('s3:ListBucket', '')]
  expect((await owner.fetch(`${gatewayUrl}/${bucket}`, { method: 'PUT' })).status).toBe(200)
  const policy = JSON.stringify({ Version: '2012-10-17', Statement })
  expect((await owner.fetch(`${gatewayUrl}/${bucket}?policy`, { method: 'PUT', body: policy })).ok).toBe(true)
  const s3 = client({ bucket })
  const message = expect.stringMatching(
    /: AccessDenied: the credentials are not allowed to do that; check the policies of the user and of the bucket \(request tx/,
  )
  for (const work of [() => s3.put('a', encode('1'), { condition: 'missing' }), () => s3.list({ prefix: '' })]) {
    await expect(work()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message })
  }
})

test('a server that quotes what was signed is not quoted', async () => {
  const s3 = client()
  const quoted = '<StringToSign>AWS4-HMAC-SHA256 AKIDEXAMPLE00000000</StringToSign><SignatureProvided>abcdef</SignatureProvided>'
  for (const code of ['SignatureDoesNotMatch', 'InvalidAccessKeyId', 'AccessDenied', 'Strange']) {
    const body = `<Error><Code>${code}</Code><Message>no: AKIDEXAMPLE00000000</Message>${quoted}</Error>`
    proxy.fault({ kind: 'status', status: 403, body })
    const error: unknown = await s3.get('a').catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(`: ${code}`)
    expect(String(error)).not.toMatch(/AKID|AWS4|abcdef/)
  }
})

test('a full store is a full disk, and an object that is too large says so', async () => {
  const s3 = client()
  proxy.fault({ kind: 'status', status: 403, body: errorBody('QuotaExceeded') })
  await expect(s3.put('a', encode('1'))).rejects.toMatchObject({ code: 'ENOSPC', message: expect.stringContaining('QuotaExceeded') })
  proxy.fault({ kind: 'status', status: 507 })
  await expect(s3.put('a', encode('1'))).rejects.toMatchObject({ code: 'ENOSPC' })
  proxy.fault({ kind: 'status', status: 400, body: errorBody('EntityTooLarge') })
  await expect(s3.put('a', encode('1'))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})

test.each([-7_200_000, 3_600_000])('a clock that is off by %d ms is put right after one request', async (off) => {
  const s3 = client({}, { host: { ...webHost, now: () => webHost.now() + off } })
  expect(await s3.put('a', encode('1'), { condition: 'missing' })).toMatchObject({ state: 'written' })
  expect(methods()).toEqual(['PUT', 'PUT'])
  expect(await text(s3, 'a')).toBe('1')
  expect(methods()).toEqual(['PUT', 'PUT', 'GET'])
  const looking = client({}, { host: { ...webHost, now: () => webHost.now() + off } })
  expect(await looking.head('none')).toBe(null)
})

test.each([
  ['301', { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' }, body: errorBody('PermanentRedirect') }],
  ['301 that names an address', { status: 301, body: errorBody('PermanentRedirect', '<Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint>') }],
  [
    '307',
    {
      status: 307,
      headers: { 'x-amz-bucket-region': 'eu-west-1', location: 'http://127.0.0.1:1/x' },
      body: errorBody('TemporaryRedirect'),
    },
  ],
  ['400', { status: 400, body: errorBody('AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>') }],
] as const)('a %s leads to the right region, which is kept', async (_, answer) => {
  const s3 = client()
  const regions = () => proxy.requests().map(({ headers }) => /Credential=[^/]+\/\d+\/([^/]+)/.exec(headers.authorization ?? '')?.[1])
  proxy.fault({ kind: 'status', ...answer })
  expect(await s3.put('a', encode('1'))).toMatchObject({ state: 'written' })
  expect(regions()).toEqual(['us-east-1', 'eu-west-1'])
  expect(await text(s3, 'a')).toBe('1')
  expect(regions()).toEqual(['us-east-1', 'eu-west-1', 'eu-west-1'])
  proxy.fault({ kind: 'status', ...answer })
  await expect(s3.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/Redirect|Malformed/) })
})

test('a HEAD that is sent to another region asks again for the reason', async () => {
  const s3 = client()
  await s3.put('a', encode('1'))
  proxy.fault({ kind: 'status', status: 301 })
  proxy.fault({ kind: 'status', status: 301, body: errorBody('PermanentRedirect', '<Endpoint>b.s3-eu-west-1.amazonaws.com</Endpoint>') })
  expect(await s3.head('a')).toMatchObject({ size: 1 })
})

test('credentials that change are asked for when they are needed', async () => {
  const { accessKeyId = '', secretAccessKey = '' } = options
  const given: S3Credentials[] = []
  let now = webHost.now()
  const s3 = s3Client(
    {
      ...withoutKeys(options),
      credentials: async () => {
        const credentials = { accessKeyId, secretAccessKey, sessionToken: `token ${given.length}`, expiration: new Date(now + 120_000) }
        given.push(credentials)
        return credentials
      },
    },
    { host: { ...webHost, now: () => now } },
  )
  await s3.put('a', encode('1'))
  await Promise.all([s3.head('b'), s3.list({ prefix: '' })])
  expect(given).toHaveLength(1)
  now += 70_000
  await s3.head('a')
  expect(given).toHaveLength(2)
  proxy.fault({ kind: 'status', status: 400, body: errorBody('ExpiredToken') })
  expect(await text(s3, 'a')).toBe('1')
  expect(given).toHaveLength(3)
  expect(proxy.requests().at(-1)?.headers['x-amz-security-token']).toBe('token 2')
  proxy.fault({ kind: 'status', status: 400, body: errorBody('ExpiredToken', `<Token>token 3</Token>`) }, { times: 2 })
  await expect(s3.get('a')).rejects.toMatchObject({ message: expect.stringContaining('ExpiredToken: the credentials have expired') })
})

test('credentials that can not be had, or are none, say so', async () => {
  const failing = s3Client({ ...withoutKeys(options), credentials: () => Promise.reject(new Error('the metadata service is away')) })
  await expect(failing.get('a')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('credentials failed: the metadata service is away'),
  })
  const empty = s3Client({ ...withoutKeys(options), credentials: async () => ({}) as S3Credentials })
  await expect(empty.get('a')).rejects.toMatchObject({ message: expect.stringContaining('credentials gave no accessKeyId') })
  await expect(s3Client(withoutKeys(options)).get('a')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(
      /^no credentials for the bucket "mirage-test": give accessKeyId and secretAccessKey, or credentials, or presign;/,
    ),
  })
})

test('a server that can not delete many keys gets one request for each', async () => {
  const s3 = client()
  for (const key of ['a', 'b']) await s3.put(key, encode(key))
  proxy.clear()
  proxy.fault({ kind: 'status', status: 400, body: errorBody('MissingContentMD5') })
  expect(await s3.deleteMany(['a', 'b'])).toEqual([])
  expect(methods()).toEqual(['POST', 'DELETE', 'DELETE'])
  expect((await s3.list({ prefix: '' })).objects).toEqual([])
})

test('keys that could not be deleted are told', async () => {
  const s3 = client()
  const failed = `<Error><Key>${options.keyPrefix}a</Key><Code>AccessDenied</Code><Message>no</Message></Error>`
  proxy.fault({ kind: 'status', status: 200, body: `<DeleteResult>${failed}</DeleteResult>` })
  expect(await s3.deleteMany(['a', 'b'])).toEqual([{ key: 'a', code: 'AccessDenied', message: 'no' }])
})

test('a body that is damaged on its way is noticed there, and sent again', async () => {
  let damaged = 0
  const s3 = client(
    {},
    {
      fetch: (url: string, init: RequestInit) =>
        init.method === 'PUT' && damaged++ === 0 ? fetch(url, { ...init, body: 'evil' }) : fetch(url, init),
    },
  )
  expect(await s3.put('a', encode('good'), { condition: 'missing' })).toMatchObject({ state: 'written' })
  expect(methods()).toEqual(['PUT', 'PUT'])
  expect(await text(s3, 'a')).toBe('good')
})

test('an answer that is not from S3 says so', async () => {
  const s3 = client()
  proxy.fault({ kind: 'status', status: 200, body: '<html><body>hello</body></html>' })
  await expect(s3.list({ prefix: '' })).rejects.toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('check endpointUrl') })
  proxy.fault({ kind: 'status', status: 404, body: '<html><body>hello</body></html>' }, { times: 99 })
  const expected = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('HTTP 404: the answer is not from S3; check endpointUrl') }
  await expect(s3.get('a')).rejects.toMatchObject(expected)
  await expect(client().head('a')).rejects.toMatchObject(expected)
  await expect(s3.put('a', encode('1'), { condition: 'missing' })).rejects.toMatchObject(expected)
  await expect(s3.put('a', encode('1'), { condition: { etag: '"1"' } })).rejects.toMatchObject(expected)
})
