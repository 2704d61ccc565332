import { AwsClient } from 'aws4fetch'
import { openRespConnection } from './resp-connection.mjs'

/**
 * Removes all that is on Redis and, in the bucket `agent-state`, on S3.
 * @param {import('./addresses.ts').Addresses} servers
 */
export async function emptyServers({ redis, s3 }) {
  const connection = openRespConnection(redis.port)
  await connection.run([['FLUSHALL']])
  connection.close()
  const { endpoint, ...keys } = s3
  const client = new AwsClient({ ...keys, service: 's3' })
  const bucket = `${endpoint}/agent-state`
  const list = await (await client.fetch(bucket)).text()
  for (const [, key] of list.matchAll(/<Key>(.*?)<\/Key>/g)) {
    const path = key.split('/').map(encodeURIComponent).join('/')
    await client.fetch(`${bucket}/${path}`, { method: 'DELETE' })
  }
}
