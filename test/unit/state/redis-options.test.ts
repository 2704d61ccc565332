import { describe, expect, it, vi } from 'vitest'
import { RedisWorkspaceStateStore as NodeRedis } from '../../../platforms/node/redis-state-store.ts'
import { redisSettings } from '../../../src/redis/redis-options.ts'
import type { RedisStateStoreOptions } from '../../../src/state/redis-state-store.ts'
import { RedisWorkspaceStateStore } from '../../../src/state/redis-state-store.ts'

vi.mock('@redis/client', () => {
  throw new Error("Cannot find package '@redis/client'")
})

const addressOf = (url?: string, token?: string) =>
  redisSettings({ ...(url !== undefined && { url }), ...(token !== undefined && { token }) }, 'Redis').address

describe('where a Redis is', () => {
  it('is on this machine when nothing is said', () => {
    expect(redisSettings({}, 'Redis')).toEqual({
      address: {
        type: 'tcp',
        tls: false,
        host: 'localhost',
        port: 6379,
        database: 0,
        user: '',
        password: '',
        url: 'redis://localhost:6379/0',
      },
      keyPrefix: 'mirage:',
      timeoutMs: 10_000,
    })
  })

  it.each([
    ['https://a.upstash.io', 'tok', { url: 'https://a.upstash.io', token: 'tok' }],
    ['https://:t%2Bok%3D@a.upstash.io/', undefined, { url: 'https://a.upstash.io', token: 't+ok=' }],
    ['http://default:tok@127.0.0.1:8079/redis/', undefined, { url: 'http://127.0.0.1:8079/redis', token: 'tok' }],
    ['https://default@a.upstash.io', 'tok', { url: 'https://a.upstash.io', token: 'tok' }],
  ])('is read from %s', (url, token, address) => {
    expect(addressOf(url, token)).toEqual({ type: 'http', ...address })
  })

  it.each([
    ['redis://h', { tls: false, host: 'h', port: 6379, database: 0, user: '', password: '', url: 'redis://h' }],
    ['redis://h:6380/', { port: 6380, url: 'redis://h:6380' }],
    ['rediss://u%40:p%3A%2F%25@h/12', { tls: true, user: 'u@', password: 'p:/%', database: 12, url: 'rediss://h/12' }],
    ['redis://:pw@[::1]:7000/3', { host: '::1', port: 7000, password: 'pw', url: 'redis://[::1]:7000/3' }],
  ])('is read from %s', (url, address) => {
    expect(addressOf(url)).toMatchObject({ type: 'tcp', ...address })
  })

  it.each<[RedisStateStoreOptions, string]>([
    [{ url: 'h:6379' }, 'url is '],
    [{ url: '' }, 'url is '],
    [{ url: 'ftp://u:SECRET@h' }, 'url is '],
    [{ url: 'redis://:SECRET@h/0?db=1' }, 'url has a "?" or "#" and what follows it'],
    [{ url: 'redis://:SECRET#@h' }, 'url'],
    [{ url: 'redis://:SECRET@h/zero' }, 'url has a path that is no number; it may be a database number'],
    [{ url: 'redis://:%SECRET@h' }, 'url has a user or password with a "%" that encodes nothing'],
    [{ url: 'redis://h', token: 'SECRET' }, 'token is given with a redis: url; it may be left out; a password stands in the url'],
    [{ url: 'https://h' }, 'token is left out; it may be the token that goes with the url'],
    [{ url: 'https://:SECRET@h', token: 'SECRET' }, 'token is given, and another one in the url'],
    [{ url: 'https://h', token: 'SECRET\n' }, 'token is no token; it may be a text without spaces'],
    [{ keyPrefix: '' }, 'keyPrefix is ""; it may be a text of 1 to 256 characters'],
    [{ keyPrefix: 'a{b}' }, 'keyPrefix is "a{b}"'],
    [{ keyPrefix: 'a\nb' }, 'keyPrefix is "a\\nb"'],
    [{ timeout: 0 }, 'timeout is 0; it may be a number of seconds above 0'],
    [{ leaseMs: 50 }, 'leaseMs is 50; it may be a number of milliseconds, 100 or more'],
    [{ prefix: 'x' } as RedisStateStoreOptions, 'unknown key "prefix"; there are url, token, keyPrefix, timeout, leaseMs'],
  ])('is refused: %j', (options, message) => {
    for (const Store of [RedisWorkspaceStateStore, NodeRedis]) {
      let error: unknown
      try {
        new Store(options)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) })
      expect(String(error)).toMatch(/^WorkspaceError: RedisWorkspaceStateStore/)
      expect(String(error)).not.toContain('SECRET')
    }
  })

  it('can not be reached over TCP without the client, and says how to have it', async () => {
    const store = new NodeRedis({ url: 'redis://:secret@localhost:1/0' })
    await expect(async () => store.sessions('w').read('s', null)).rejects.toMatchObject({
      code: 'CAPABILITY_UNSUPPORTED',
      message: expect.stringContaining('@redis/client, which is not installed; run "npm install @redis/client"'),
    })
    await store.close()
  })
})
