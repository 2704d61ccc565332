import { describe, expect, it } from 'vitest'
import { checkKey, encodeKey, s3Url } from '../../../src/s3/s3-address.ts'
import type { S3Options } from '../../../src/s3/s3-options.ts'
import { s3Settings } from '../../../src/s3/s3-options.ts'

function urlOf(options: S3Options, key = 'k', query: Record<string, string> = {}): string {
  const settings = s3Settings(options, 'S3')
  return s3Url(settings, settings.region, key, query)
}

describe('the address of an object', () => {
  it.each<[string, S3Options]>([
    ['https://agent-state.s3.us-east-1.amazonaws.com/k', { bucket: 'agent-state' }],
    ['https://agent-state.s3.eu-west-1.amazonaws.com/k', { bucket: 'agent-state', region: 'eu-west-1' }],
    ['https://agent-state.s3.cn-north-1.amazonaws.com.cn/k', { bucket: 'agent-state', region: 'cn-north-1' }],
    ['https://s3.us-east-1.amazonaws.com/agent.state/k', { bucket: 'agent.state' }],
    ['https://s3.us-east-1.amazonaws.com/Agent/k', { bucket: 'Agent' }],
    ['https://s3.us-east-1.amazonaws.com/agent/k', { bucket: 'agent', pathStyle: true }],
    ['https://agent.s3.example.com/k', { bucket: 'agent', endpointUrl: 'https://s3.example.com' }],
    ['https://s3.example.com:9000/base/agent/k', { bucket: 'agent', endpointUrl: 'https://s3.example.com:9000/base/', pathStyle: true }],
    ['https://agent.s3.example.com/base/k', { bucket: 'agent', endpointUrl: 'https://s3.example.com/base//' }],
    ['http://127.0.0.1:9000/agent/k', { bucket: 'agent', endpointUrl: 'http://127.0.0.1:9000/' }],
    ['http://[::1]:9000/agent/k', { bucket: 'agent', endpointUrl: 'http://[::1]:9000' }],
    ['http://localhost:9000/agent/k', { bucket: 'agent', endpointUrl: 'http://localhost:9000' }],
    ['http://agent.localhost:9000/k', { bucket: 'agent', endpointUrl: 'http://localhost:9000', pathStyle: false }],
  ])('is %s', (url, options) => {
    expect(urlOf(options)).toBe(url)
  })

  it('encodes all but the unreserved characters, part by part', () => {
    expect(encodeKey("a b+c/!'()*/%2e//é/~-_.x")).toBe('a%20b%2Bc/%21%27%28%29%2A/%252e//%C3%A9/~-_.x')
    expect(urlOf({ bucket: 'agent' }, '', { prefix: "a/+ '&", delete: '' })).toBe(
      'https://agent.s3.us-east-1.amazonaws.com/?prefix=a%2F%2B%20%27%26&delete=',
    )
  })

  it('survives what becomes of a URL', () => {
    for (const key of ['a//b', '/a', 'a/', '...', '.a', 'a\\b', 'a\nb', 'a?b#c', '%2e%2e/x', '\x01']) {
      const url = urlOf({ bucket: 'agent' }, key)
      expect(decodeURIComponent(new URL(url).pathname)).toBe(`/${key}`)
    }
  })
})

it.each([
  ['', 'EINVAL', 'must not be empty'],
  ['a/../b', 'EINVAL', 'has a part "." or ".."'],
  ['.', 'EINVAL', 'has a part "." or ".."'],
  ['a/.', 'EINVAL', 'has a part "." or ".."'],
  ['a\udc80', 'EINVAL', 'is no Unicode text'],
  ['é'.repeat(513), 'ENAMETOOLONG', 'has 1026 bytes; a key of a bucket may have 1024'],
])('refuses the key %j', (key, code, message) => {
  expect(() => checkKey(key)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
})

it('takes the longest key', () => {
  checkKey('é'.repeat(512))
  checkKey('a//b/.../..c')
})
