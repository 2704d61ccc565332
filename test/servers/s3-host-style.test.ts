import dns from 'node:dns'
import { afterEach, expect, test, vi } from 'vitest'
import { encode } from '../../src/bytes.ts'
import { gatewayOptions, gatewayUrl, s3Client } from './s3-bucket.ts'

afterEach(() => vi.restoreAllMocks())

test('the bucket in the name of the host reaches the same objects', async () => {
  const names: string[] = []
  const lookup = dns.lookup
  // Not every machine knows the names below localhost.
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: dns.LookupOptions, done: () => void) => {
    names.push(name)
    lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, options, done)
  }) as typeof dns.lookup)
  const options = gatewayOptions()
  const { port } = new URL(gatewayUrl)
  const inHost = s3Client({ ...options, endpointUrl: `http://localhost:${port}/`, pathStyle: false })
  const key = "a b+c!'()*//é"
  expect(await inHost.put(key, encode('1'), { condition: 'missing' })).toMatchObject({ state: 'written' })
  expect((await inHost.list({ prefix: '' })).objects.map((object) => object.key)).toEqual([key])
  expect(await inHost.copy(key, 'copy')).toBe(true)
  expect(await inHost.deleteMany(['copy'])).toEqual([])
  expect(names).toContain(`${options.bucket}.localhost`)
  const inPath = s3Client({ ...options, endpointUrl: gatewayUrl, pathStyle: true })
  expect(await inPath.get(key)).toMatchObject({ bytes: encode('1') })
})
