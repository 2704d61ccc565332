import { expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import type { Host } from '../../../src/host.ts'
import { webHost } from '../../../src/host.ts'
import { S3Client } from '../../../src/s3/s3-client.ts'
import type { S3Options } from '../../../src/s3/s3-options.ts'
import { s3Settings } from '../../../src/s3/s3-options.ts'

// What no server of the test run does: Amazon's addresses, a page that is shown little, time that is counted.

type Answer = { status: number; headers?: Record<string, string>; body?: string; type?: string } | Error

/** A client whose requests are answered by the list, the last one again and again; and what was sent. */
function scripted(answers: readonly Answer[], options: Partial<S3Options> = {}, host: Partial<Host> = {}) {
  const sent: { url: string; method: string; redirect: string; headers: Record<string, string> }[] = []
  const fetchFake = async (url: string, init: { method?: string; redirect?: string; headers?: Record<string, string> } = {}) => {
    sent.push({ url, method: init.method ?? '', redirect: init.redirect ?? '', headers: { ...init.headers } })
    const answer = answers[Math.min(sent.length, answers.length) - 1]
    if (answer === undefined || answer instanceof Error) throw answer
    const body = encode(answer.body ?? '')
    return {
      status: answer.status,
      type: answer.type ?? 'basic',
      headers: new Headers(answer.headers),
      arrayBuffer: async () => body.buffer,
    }
  }
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
  const settings = s3Settings({ bucket: 'agent-state', ...keys, ...options }, 'S3')
  return { client: new S3Client(settings, { fetch: fetchFake as never, host: { ...webHost, ...host } }), sent }
}

const etag = { etag: '"1"' }

it('goes to the region that Amazon names, by its address', async () => {
  const moved = { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' }, body: '<Error><Code>PermanentRedirect</Code></Error>' }
  const { client, sent } = scripted([moved, { status: 200, headers: etag }])
  await client.get('k')
  await client.get('k')
  expect(sent.map(({ url }) => url)).toEqual([
    'https://agent-state.s3.us-east-1.amazonaws.com/k',
    'https://agent-state.s3.eu-west-1.amazonaws.com/k',
    'https://agent-state.s3.eu-west-1.amazonaws.com/k',
  ])
  expect(sent[1]?.headers.authorization).toContain('/eu-west-1/s3/aws4_request')
})

it('looks behind a redirect that a page is not shown', async () => {
  const hidden = { status: 0, type: 'opaqueredirect' }
  const shown = { status: 301, body: '<Error><Code>PermanentRedirect</Code><Region>eu-west-1</Region></Error>' }
  const { client, sent } = scripted([hidden, shown, { status: 200, headers: etag }])
  await client.get('k')
  expect(sent.map(({ redirect, url }) => [redirect, url.includes('eu-west-1')])).toEqual([
    ['manual', false],
    ['follow', false],
    ['manual', true],
  ])
})

it('names the header that a page has to be shown', async () => {
  const { client } = scripted([{ status: 200 }])
  await expect(client.put('k', encode('1'))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'the bucket "agent-state" does not show ETag to this page: add <ExposeHeader>ETag</ExposeHeader> to its CORS configuration',
  })
})

it('asks for the size where a page is not shown the range', async () => {
  const { client, sent } = scripted([
    { status: 206, headers: etag, body: 'bc' },
    { status: 200, headers: { ...etag, 'content-length': '10' } },
  ])
  expect(await client.get('k', { offset: 1, length: 2 })).toMatchObject({ info: { size: 10 }, bytes: encode('bc') })
  expect(sent.map(({ method, headers }) => [method, headers.range])).toEqual([
    ['GET', 'bytes=1-2'],
    ['HEAD', undefined],
  ])
})

it('takes the range out of an answer that ignores it', async () => {
  const { client } = scripted([{ status: 200, headers: etag, body: '0123456789' }])
  const read = await client.get('k', { offset: 3, length: 4 })
  expect(read !== null && read !== 'same' && [decode(read.bytes), read.info.size]).toEqual(['3456', 10])
})

it('waits longer before each try, by chance, and no longer than its limit', async () => {
  const pauses = async (random: number, timeout: number): Promise<number[]> => {
    const waited: number[] = []
    let elapsed = 0
    const host: Partial<Host> = {
      elapsed: () => elapsed,
      random: (bytes) => void bytes.fill(random),
      timer: (ms, ring) => {
        if (ms >= timeout * 1000) return () => undefined
        waited.push(Math.round(ms))
        elapsed += ms
        queueMicrotask(ring)
        return () => undefined
      },
    }
    const { client, sent } = scripted([{ status: 503 }], { timeout }, host)
    await expect(client.get('k')).rejects.toMatchObject({ message: expect.stringContaining('HTTP 503') })
    expect(sent).toHaveLength(waited.length + 1)
    return waited
  }
  expect(await pauses(255, 10)).toEqual([100, 200, 400, 800, 1600])
  expect(await pauses(0, 10)).toEqual([0, 0, 0, 0, 0])
  expect(await pauses(127, 10)).toEqual([50, 100, 199, 398, 797])
  expect(await pauses(255, 0.65)).toEqual([100, 200])
})

it('gives what is large more time', async () => {
  const limits: number[] = []
  const host: Partial<Host> = {
    timer: (ms) => {
      limits.push(ms)
      return () => undefined
    },
  }
  const { client } = scripted([{ status: 200, headers: { ...etag, 'content-length': String(20 * 1024 * 1024) } }], {}, host)
  await client.put('k', new Uint8Array(5 * 1024 * 1024))
  await client.get('k')
  expect(limits).toEqual([15_000, 30_000, 10_000, 30_000])
})

it('shows nothing of a signed address that a runtime puts into its error', async () => {
  const error = new TypeError('error sending request for url (https://x.example/k?X-Amz-Signature=abc&X-Amz-Credential=AKID)', {
    cause: new Error('failed to lookup address, see https://x.example/k?X-Amz-Signature=abc'),
  })
  const presign = async (): Promise<string> => 'https://x.example/k?X-Amz-Signature=abc'
  const client = new S3Client(s3Settings({ bucket: 'agent-state', presign, timeout: 0.01 }, 'S3'), { fetch: () => Promise.reject(error) })
  const thrown: unknown = await client.get('k').catch((reason: unknown) => reason)
  expect(String(thrown)).toBe(
    'WorkspaceError: cannot read "s3://agent-state/k": no answer (error sending request for url (https://x.example/k): failed to lookup address, see https://x.example/k); check endpointUrl, and in a page the bucket\'s CORS configuration',
  )
  expect((thrown as Error).cause).toBe(undefined)
})
