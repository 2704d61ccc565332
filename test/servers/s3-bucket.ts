import { S3Client } from '../../src/s3/s3-client.ts'
import type { S3World } from '../../src/s3/s3-connection.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { s3Settings } from '../../src/s3/s3-options.ts'
import { servers } from './servers.mjs'

const { endpoint, ...access } = servers().s3

/** Where the gateway is. */
export const gatewayUrl: string = endpoint

/** Options for the gateway's bucket, below a prefix of its own. */
export function gatewayOptions(other: Partial<S3Options> = {}): S3Options {
  return { ...access, endpointUrl: endpoint, keyPrefix: `${crypto.randomUUID()}/`, ...other }
}

/** The same without keys, for signers and providers. */
export function withoutKeys({ accessKeyId: _, secretAccessKey: __, ...options }: S3Options): S3Options {
  return options
}

export function s3Client(options: S3Options = gatewayOptions(), world: Partial<S3World> = {}): S3Client {
  return new S3Client(s3Settings(options, 'S3'), world)
}
