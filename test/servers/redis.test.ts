import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startRedis } from './redis.mjs'
import { startUpstash } from './upstash.mjs'

const folder = mkdtempSync(join(tmpdir(), 'redis-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a Redis that is killed comes back with what it has answered, and is reached again through HTTP', async () => {
  const redis = await startRedis({ folder })
  const upstash = await startUpstash({ redisPort: redis.port })
  const ask = async (...command: string[]): Promise<unknown> => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${upstash.token}` }, body: JSON.stringify(command) }
    const response = await fetch(upstash.url, init)
    return [response.status, await response.json()]
  }
  try {
    expect(await ask('SET', 'a', 'kept')).toEqual([200, { result: 'OK' }])
    await redis.kill()
    expect(await ask('GET', 'a')).toEqual([500, { error: expect.stringContaining('ECONNREFUSED') }])
    await redis.restart()
    expect(await ask('GET', 'a')).toEqual([200, { result: 'kept' }])
    expect(await redis.run('LRANGE', 'none', '0', '-1')).toEqual([])
  } finally {
    upstash.close()
    await redis.close()
  }
})
