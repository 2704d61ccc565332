const REDIS = /redis:\/\/\w+\.internal:6379/g
const UPSTASH = 'https://redis.example.com'
const TOKEN = 'redis-token'

/** Whether an example has an address of a server in it. */
export function hasAddress(text) {
  return text.search(REDIS) >= 0 || text.includes(UPSTASH) || /bucket: '?agent-state|UPSTASH_REDIS_REST_|AWS_/.test(text)
}

/**
 * An example in TypeScript or YAML with real servers in the place of the addresses in it: what {@link withRedis} does, and the bucket `agent-state`
 * gets an endpoint, and keys in the place of `AKIA…` and `…`, or where it has none. Where requests are signed elsewhere, it is left as it is.
 * @param {string} text
 * @param {import('./addresses.ts').Addresses} servers
 */
export function withAddresses(text, servers) {
  const { endpoint, accessKeyId, secretAccessKey } = servers.s3
  const hasKeys = text.includes('secretAccessKey')
  const keys = hasKeys ? '' : `, accessKeyId: '${accessKeyId}', secretAccessKey: '${secretAccessKey}'`
  const access = text.includes('presign:') ? '' : `, endpointUrl: '${endpoint}'${keys}`
  const lines = { endpoint_url: endpoint, aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey }
  return withRedis(text, servers)
    .replaceAll("bucket: 'agent-state'", `bucket: 'agent-state'${access}`)
    .replaceAll(/^( *)bucket: agent-state$/gm, (line, indent) => withLines(line, indent, lines))
    .replaceAll("accessKeyId: 'AKIA…'", `accessKeyId: '${accessKeyId}'`)
    .replaceAll("secretAccessKey: '…'", `secretAccessKey: '${secretAccessKey}'`)
}

/**
 * A real server in the place of `redis://redis.internal:6379`, and of `https://redis.example.com` with the token `redis-token`.
 * @param {string} text
 * @param {import('./addresses.ts').Addresses} servers
 */
export function withRedis(text, { redis, upstash }) {
  return text.replaceAll(REDIS, redis.url).replaceAll(UPSTASH, upstash.url).replaceAll(TOKEN, upstash.token)
}

/**
 * Variables that examples read, or that the package reads for them.
 * @param {import('./addresses.ts').Addresses} servers
 */
export function environmentOf({ upstash, s3 }) {
  return {
    UPSTASH_REDIS_REST_URL: upstash.url,
    UPSTASH_REDIS_REST_TOKEN: upstash.token,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
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
