import { request } from 'node:http'
import { AwsClient } from 'aws4fetch'
import { expect, test } from 'vitest'
import { startGateway } from './gateway.mjs'
import { servers } from './servers.mjs'

const { endpoint, bucket, ...keys } = servers().s3
const client = new AwsClient({ ...keys, service: 's3', retries: 0 })

test('objects with conditions', async () => {
  const url = `${endpoint}/${bucket}/${crypto.randomUUID()}`
  const put = (body: string, headers: Record<string, string>): Promise<Response> => client.fetch(url, { method: 'PUT', body, headers })
  const made = await put('1', { 'if-none-match': '*' })
  expect(made.status).toBe(200)
  expect((await put('2', { 'if-none-match': '*' })).status).toBe(412)
  const tag = (made.headers.get('etag') ?? '').replaceAll('"', '')
  expect((await put('3', { 'if-match': tag })).status).toBe(200)
  expect((await put('4', { 'if-match': tag })).status).toBe(412)
  expect(await (await client.fetch(url)).text()).toBe('3')
})

test('a signature that is wrong is refused', async () => {
  const stranger = new AwsClient({ ...keys, secretAccessKey: 'wrong', service: 's3', retries: 0 })
  const response = await stranger.fetch(`${endpoint}/${bucket}/x`)
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('<Code>SignatureDoesNotMatch</Code>')])
})

test('a page may read and write, and sees the tags', async () => {
  const url = `${endpoint}/${bucket}/${crypto.randomUUID()}`
  await client.fetch(url, { method: 'PUT', body: 'x' })
  const asks = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization,x-amz-date,if-match' }
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'http://page', ...asks } })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([200, 'PUT'])
  const { headers } = await client.fetch(url, { headers: { origin: 'http://page' } })
  expect(headers.get('access-control-expose-headers')?.split(',')).toEqual(expect.arrayContaining(['ETag', 'Date']))
})

test('the bucket in the host name', async () => {
  const { port } = new URL(endpoint)
  const host = `${bucket}.localhost:${port}`
  const signed = await client.sign(`http://${host}/in-host-name`, { method: 'PUT', body: 'x' })
  const status = await new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(signed.headers), host, connection: 'close' }
    const sent = request({ host: '127.0.0.1', port, method: 'PUT', path: '/in-host-name', headers }, (got) =>
      resolve(got.resume().statusCode),
    )
    sent.on('error', reject).end('x')
  })
  expect(status).toBe(200)
  expect(await (await client.fetch(`${endpoint}/${bucket}/in-host-name`)).text()).toBe('x')
})

test('a gateway that is killed comes back with what was stored', async () => {
  const gateway = await startGateway({ bucket: 'killed' })
  try {
    const url = `${gateway.endpoint}/killed/x`
    expect((await client.fetch(url, { method: 'PUT', body: 'kept' })).status).toBe(200)
    await gateway.kill()
    await expect(client.fetch(url)).rejects.toThrow('fetch failed')
    await gateway.restart()
    expect(await (await client.fetch(url)).text()).toBe('kept')
    expect(JSON.parse(await gateway.admin('user', 'info', '--uid=tester'))).toMatchObject({ display_name: 'tester' })
  } finally {
    await gateway.close()
  }
})
