import { afterEach, expect, it, vi } from 'vitest'
import { withS3Environment } from '../../../platforms/node/s3-environment.ts'

afterEach(() => vi.unstubAllEnvs())

function variables(set: Readonly<Record<string, string>>): void {
  for (const name of [
    'ACCESS_KEY_ID',
    'SECRET_ACCESS_KEY',
    'SESSION_TOKEN',
    'REGION',
    'DEFAULT_REGION',
    'ENDPOINT_URL',
    'ENDPOINT_URL_S3',
  ]) {
    vi.stubEnv(`AWS_${name}`, set[name])
  }
}

it('takes keys, region and endpoint from the environment where no access is given', () => {
  variables({
    ACCESS_KEY_ID: 'id',
    SECRET_ACCESS_KEY: 'secret',
    SESSION_TOKEN: 'token',
    DEFAULT_REGION: 'eu-west-1',
    ENDPOINT_URL: 'http://x',
  })
  expect(withS3Environment({ bucket: 'agent' })).toEqual({
    bucket: 'agent',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: 'token',
    region: 'eu-west-1',
    endpointUrl: 'http://x',
  })
  expect(withS3Environment({ bucket: 'agent', region: 'us-west-2', endpointUrl: 'http://y' })).toMatchObject({
    accessKeyId: 'id',
    region: 'us-west-2',
    endpointUrl: 'http://y',
  })
})

it('looks at nothing where access is given, or the keys are not there', () => {
  variables({ ACCESS_KEY_ID: 'id', SECRET_ACCESS_KEY: 'secret', REGION: 'eu-west-1' })
  const presign = async (): Promise<string> => ''
  for (const options of [
    { bucket: 'agent', presign },
    { bucket: 'agent', accessKeyId: 'own', secretAccessKey: 'own' },
  ]) {
    expect(withS3Environment(options)).toBe(options)
  }
  variables({ ACCESS_KEY_ID: 'id', REGION: 'eu-west-1' })
  const options = { bucket: 'agent' }
  expect(withS3Environment(options)).toBe(options)
})
