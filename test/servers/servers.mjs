import { startGateway } from './gateway.mjs'
import { startRedis } from './redis.mjs'
import { startUpstash } from './upstash.mjs'

/** @typedef {import('./addresses.ts').Addresses} Addresses */

/** The variable that hands them to processes that tests start. */
const VARIABLE = 'MIRAGE_TEST_SERVERS'

/** Starts Redis, Upstash's protocol before it, and the gateway; once for a test run, in which every test takes keys of its own. */
export async function startServers() {
  const [redis, gateway] = await Promise.all([startRedis(), startGateway()])
  const upstash = await startUpstash({ redisPort: redis.port })
  // The bucket that documents and examples name.
  await gateway.createBucket('agent-state')
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = gateway
  /** @type {Addresses} */
  const addresses = {
    redis: { url: redis.url, port: redis.port },
    upstash: { url: upstash.url, token: upstash.token, readOnlyToken: upstash.readOnlyToken },
    s3: { endpoint, bucket, region, accessKeyId, secretAccessKey },
  }
  process.env[VARIABLE] = JSON.stringify(addresses)
  const close = async () => {
    upstash.close()
    await Promise.all([redis.close(), gateway.close()])
  }
  return { addresses, close }
}

/**
 * The servers that this test run has started.
 * @returns {Addresses}
 */
export function servers() {
  const text = process.env[VARIABLE]
  if (text === undefined) throw new Error(`${VARIABLE} is not set: run with --config test/servers/vitest.config.ts`)
  return JSON.parse(text)
}
