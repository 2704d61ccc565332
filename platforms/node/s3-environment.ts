import type { S3Options } from '../../src/index.ts'

/**
 * What options of a bucket leave out, from the variables of this process that Amazon's own programs read: where no access is given, the keys
 * `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, and with them `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
 */
export function withS3Environment<Options extends S3Options>(options: Options): Options {
  const { accessKeyId, secretAccessKey, sessionToken, credentials, presign } = options
  if ([accessKeyId, secretAccessKey, sessionToken, credentials, presign].some((given) => given !== undefined)) return options
  const variable = (...names: readonly string[]): string | undefined => names.map((name) => environment(name)).find(Boolean)
  const keys = {
    accessKeyId: variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: variable('AWS_SESSION_TOKEN'),
  }
  if (keys.accessKeyId === undefined || keys.secretAccessKey === undefined) return options
  const region = options.region ?? variable('AWS_REGION', 'AWS_DEFAULT_REGION')
  const endpointUrl = options.endpointUrl ?? variable('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL')
  return { ...options, ...keys, ...(region !== undefined && { region }), ...(endpointUrl !== undefined && { endpointUrl }) }
}

/** A variable; undefined also where this process may not read it, as Deno's may not without permission. */
function environment(name: string): string | undefined {
  try {
    return process.env[name]
  } catch {
    return undefined
  }
}
