const REDIS = /redis:\/\/\w+\.internal:6379/g
const UPSTASH = 'https://redis.example.com'
const TOKEN = 'redis-token'

/** Whether an example has an address of a server in it. */
export function hasAddress(text) {
  return text.search(REDIS) >= 0 || text.includes(UPSTASH) || /bucket: '?agent-state|UPSTASH_REDIS_REST_|AWS_/.test(text)
}

/**
 * An example in TypeScript or YAML with real servers in the place of the addresses in it: `redis://redis.internal:6379`, `https://redis.example.com`
 * with the token `redis-token`, and the bucket `agent-state`, which gets an endpoint, and keys in the place of `AKIA…` and `…`, or where it has none.
 * Where requests are signed elsewhere, it is left as it is.
 * @param {string} text
 * @param {import('./addresses.ts').Addresses} servers
 */
export function withAddresses(text, { redis, upstash, s3 }) {
  const { endpoint, accessKeyId, secretAccessKey } = s3
  const hasKeys = text.includes('secretAccessKey')
  const keys = hasKeys ? '' : `, accessKeyId: '${accessKeyId}', secretAccessKey: '${secretAccessKey}'`
  const access = text.includes('presign:') ? '' : `, endpointUrl: '${endpoint}'${keys}`
  const lines = { endpoint_url: endpoint, aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey }
  return text
    .replaceAll(REDIS, redis.url)
    .replaceAll(UPSTASH, upstash.url)
    .replaceAll(TOKEN, upstash.token)
    .replaceAll("bucket: 'agent-state'", `bucket: 'agent-state'${access}`)
    .replaceAll(/^( *)bucket: agent-state$/gm, (line, indent) => withLines(line, indent, lines))
    .replaceAll("accessKeyId: 'AKIA…'", `accessKeyId: '${accessKeyId}'`)
    .replaceAll("secretAccessKey: '…'", `secretAccessKey: '${secretAccessKey}'`)
}

/**
 * Variables that examples read.
 * @param {import('./addresses.ts').Addresses} servers
 */
export function environmentOf({ upstash, s3 }) {
  return {
    UPSTASH_REDIS_REST_URL: upstash.url,
    UPSTASH_REDIS_REST_TOKEN: upstash.token,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  }
}

/** An example in which each URL over TCP is one over HTTP with a token. */
export function overHttp(text) {
  return text
    .replaceAll(/url: 'redis:\/\/\w+\.internal:6379\/0'/g, `url: '${UPSTASH}', token: '${TOKEN}'`)
    .replaceAll(/^( *)url: redis:\/\/\w+\.internal:6379\/0$/gm, (_, indent) =>
      withLines(`${indent}url: ${UPSTASH}`, indent, { token: TOKEN }),
    )
}

/** More keys of the same YAML mapping. */
function withLines(line, indent, keys) {
  return [line, ...Object.entries(keys).map(([key, value]) => `${indent}${key}: ${value}`)].join('\n')
}
