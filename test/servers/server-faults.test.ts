import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { FaultRig } from './fault-rig.ts'
import { RIGS } from './fault-rig.ts'
import { startGateway } from './gateway.mjs'
import { startRedis } from './redis.mjs'
import { servers } from './servers.mjs'
import { startUpstash } from './upstash.mjs'

/** A server of a test's own, and workspaces on it. */
interface Killable {
  readonly rig: FaultRig
  kill(): Promise<void>
  restart(): Promise<void>
}

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

async function ownRedis(): Promise<Killable & { run(...command: string[]): Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  closings.push(() => rmSync(folder, { recursive: true, force: true }))
  const redis = await startRedis({ folder })
  closings.push(redis.close)
  const upstash = await startUpstash({ redisPort: redis.port })
  closings.push(upstash.close)
  const rig = await RIGS.redis({ ...servers(), upstash })
  closings.push(rig.close)
  return { ...redis, rig }
}

async function ownGateway(): Promise<Killable & { admin(...args: string[]): Promise<string> }> {
  const gateway = await startGateway({ bucket: 'own-bucket' })
  closings.push(gateway.close)
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = gateway
  const rig = await RIGS.s3({ ...servers(), s3: { endpoint, bucket, region, accessKeyId, secretAccessKey } })
  closings.push(rig.close)
  return { ...gateway, rig }
}

test.each<[string, () => Promise<Killable>]>([
  ['Redis', ownRedis],
  ['the gateway', ownGateway],
])('%s is killed at the first, second, … request of a line, and started again', async (_name, own) => {
  const { rig, kill, restart } = await own()
  const session = rig.session({ timeout: 1 })
  await session.line()
  for (let hit = 1; hit <= 4; hit++) {
    rig.proxy.clear()
    let killed: Promise<void> | undefined
    let count = 0
    const matches = (): boolean => {
      if (++count === hit) killed = kill()
      return false
    }
    rig.proxy.fault({ kind: 'cut-before' }, { matches })
    for (let line = 0; line < 2; line++) await session.unlookedLine()
    await killed
    await restart()
    expect(await session.line()).toMatchObject({ durability: 'committed' })
  }
})

test('Redis is full for a while', async () => {
  const { rig, run } = await ownRedis()
  const session = rig.session({ timeout: 0.5 })
  await session.line()
  await run('CONFIG', 'SET', 'maxmemory', '1')
  const { durability, cause } = await session.line()
  expect([durability, cause?.message]).toEqual(['pending', expect.stringContaining('OOM, the server is out of memory')])
  await expect(session.ws.flush()).rejects.toThrow('out of memory')
  await run('CONFIG', 'SET', 'maxmemory', '0')
  expect(await session.line()).toMatchObject({ durability: 'committed' })
})

describe('the gateway', () => {
  test('is full for a while', async () => {
    const { rig, admin } = await ownGateway()
    const session = rig.session({ timeout: 2 })
    await session.line()
    await admin('quota', 'set', '--quota-scope=bucket', '--uid=tester', '--max-size=1')
    await admin('quota', 'enable', '--quota-scope=bucket', '--uid=tester')
    const { durability, cause } = await session.line()
    expect([durability, cause?.code, cause?.message]).toEqual(['pending', 'ENOSPC', expect.stringContaining('QuotaExceeded')])
    await admin('quota', 'disable', '--quota-scope=bucket', '--uid=tester')
    expect(await session.line()).toMatchObject({ durability: 'committed' })
  })

  test('knows the user no more for a while', async () => {
    const { rig, admin } = await ownGateway()
    const session = rig.session({ timeout: 2 })
    await session.line()
    await admin('user', 'suspend', '--uid=tester')
    const { durability, cause } = await session.line()
    expect([durability, cause?.code, cause?.message]).toEqual(['pending', 'STORE_UNAVAILABLE', expect.stringContaining('UserSuspended')])
    await admin('user', 'enable', '--uid=tester')
    expect(await session.line()).toMatchObject({ durability: 'committed' })
  })

  test('has lost the bucket', async () => {
    const { rig, admin } = await ownGateway()
    const session = rig.session({ timeout: 2 })
    await session.line()
    await admin('bucket', 'rm', '--bucket=own-bucket', '--purge-objects')
    const { durability, cause } = await session.line()
    expect([durability, cause?.code, cause?.message]).toEqual(['pending', 'STORE_UNAVAILABLE', expect.stringContaining('NoSuchBucket')])
    session.expectNoSecret(await session.ws.flush().catch((error: unknown) => error))
  })
})
