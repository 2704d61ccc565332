import { expect, it } from 'vitest'
import type { S3Options } from '../../../src/s3/s3-options.ts'
import { s3Settings } from '../../../src/s3/s3-options.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'very secret' }
const credentials = async (): Promise<typeof keys> => keys
const presign = async (): Promise<string> => 'https://x'

it.each<[string, unknown]>([
  ['S3: unknown key "endpoint"; there are bucket, region, endpointUrl', { bucket: 'agent', endpoint: 'x' }],
  ['S3: unknown key "profile"; there are', { bucket: 'agent', profile: 'default' }],
  ['S3: bucket is undefined', {}],
  ['S3: bucket is "ab"; it may be the name of a bucket: 3 or more', { bucket: 'ab' }],
  ['S3: bucket is "a/b"', { bucket: 'a/b' }],
  ['S3: region is "eu/west"', { bucket: 'agent', region: 'eu/west' }],
  ['S3: pathStyle is "yes"; it may be true or false', { bucket: 'agent', pathStyle: 'yes' }],
  ['S3: timeout is 0; it may be a number of seconds above 0', { bucket: 'agent', timeout: 0 }],
  [
    'S3: endpointUrl is a text that is not shown here; it may be an https: or http: URL',
    { bucket: 'agent', endpointUrl: 's3.example.com' },
  ],
  ['S3: endpointUrl is "https://x/…"', { bucket: 'agent', endpointUrl: 'https://x/?a' }],
  ['S3: endpointUrl holds a name or a password', { bucket: 'agent', endpointUrl: 'https://u:very secret@x' }],
  ['S3: keyPrefix is "mirage"; it may be a text that ends with "/"', { bucket: 'agent', keyPrefix: 'mirage' }],
  ['S3: keyPrefix is "a/../"', { bucket: 'agent', keyPrefix: 'a/../' }],
  ['S3: secretAccessKey is left out; it may be a text; the two keys go together', { bucket: 'agent', accessKeyId: 'AKIDEXAMPLE' }],
  ['S3: accessKeyId is left out', { bucket: 'agent', secretAccessKey: 'very secret' }],
  ['S3: accessKeyId is no text, or empty', { bucket: 'agent', ...keys, accessKeyId: '' }],
  [
    'S3: access is given in more than one way; it may be accessKeyId with secretAccessKey, or credentials, or presign, one of the three',
    { bucket: 'agent', ...keys, presign },
  ],
  ['S3: access is given in more than one way', { bucket: 'agent', credentials, presign }],
  ['S3: credentials is "x"; it may be a function', { bucket: 'agent', credentials: 'x' }],
  ['S3: presign is "https://x"; it may be a function', { bucket: 'agent', presign: 'https://x' }],
])('says what is wrong: %s', (message, options) => {
  expect(() => s3Settings(options as S3Options, 'S3')).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
  expect(() => s3Settings(options as S3Options, 'S3')).not.toThrow(/very secret/)
})

it('fills in what is left out', () => {
  expect(s3Settings({ bucket: 'agent' }, 'S3')).toEqual({
    bucket: 'agent',
    region: 'us-east-1',
    endpoint: null,
    pathStyle: null,
    access: { type: 'none' },
    timeoutMs: 10_000,
    keyPrefix: '',
  })
  expect(s3Settings({ bucket: 'agent', ...keys, sessionToken: '' }, 'S3').access).toEqual({ type: 'keys', credentials: keys })
})
