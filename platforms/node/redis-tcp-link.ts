import type { RedisClientType } from '@redis/client'
import { WorkspaceError } from '../../src/errors.ts'
import { hideSecrets } from '../../src/hide-secrets.ts'
import type { RedisTcp } from '../../src/redis/open-redis.ts'
import type { RedisLink, RedisOutcome, RedisReply } from '../../src/redis/redis-link.ts'
import { redisRefusal } from '../../src/redis/redis-link.ts'
import type { RedisTcpAddress } from '../../src/redis/redis-options.ts'

type Client = Pick<RedisClientType, 'connect' | 'destroy' | 'isReady' | 'on' | 'sendCommand' | 'subscribe'>

/** A connection that is there or is being made. */
interface Opening {
  client: Client | null
  isDropped: boolean
  readonly connected: Promise<Client>
}

/** Milliseconds that a connection may take to be made. */
const CONNECT_MS = 5000

/** Reaches Redis over TCP, through the package `@redis/client`, which is loaded when it is first used. */
export const redisTcpLink: RedisTcp = (address) => new TcpLink(address)

/** One connection for commands, which is made anew after it broke, and one for each channel. */
class TcpLink implements RedisLink {
  readonly address: string
  readonly #target: RedisTcpAddress
  #opening: Opening | null = null

  constructor(target: RedisTcpAddress) {
    this.address = target.url
    this.#target = target
  }

  evalsha(digest: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome> {
    return this.#send(['EVALSHA', digest, String(keys.length), ...keys, ...args], signal)
  }

  eval(script: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome> {
    return this.#send(['EVAL', script, String(keys.length), ...keys, ...args], signal)
  }

  async listen(channel: string, heard: (message: string) => void, standing: () => void, signal: AbortSignal): Promise<void> {
    const client = await this.#create()
    if (signal.aborted) return
    let isOver = false
    client.on('connect', () => {
      if (isOver) client.destroy()
    })
    const over = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      const subscribed = client.connect().then(() => client.subscribe(channel, heard))
      subscribed.then(standing, () => undefined)
      await Promise.race([over, subscribed.then(() => over)])
    } catch {
      // Not there, or cut off: whoever listens comes back.
    } finally {
      isOver = true
      client.destroy()
    }
  }

  async close(): Promise<void> {
    this.#drop(this.#opening)
  }

  async #send(command: string[], signal: AbortSignal): Promise<RedisOutcome> {
    const opening = (this.#opening ??= this.#open())
    // Where one answer doesn't come, none after it will.
    const stop = (): void => {
      if ((signal.reason as { name?: unknown } | undefined)?.name === 'TimeoutError') this.#drop(opening)
    }
    signal.addEventListener('abort', stop)
    try {
      const client = await opening.connected
      return { type: 'reply', reply: (await client.sendCommand(command)) as RedisReply }
    } catch (error) {
      if (error instanceof WorkspaceError) throw error
      const message = hideSecrets(error instanceof Error ? error.message : String(error), [this.#target.password])
      const isAnswer = error instanceof (await load()).ErrorReply
      // What was refused before a command was sent is asked again next time.
      if (!isAnswer || !opening.client?.isReady) this.#drop(opening)
      if (isAnswer) return redisRefusal(message, lengthOf(command))
      return { type: 'lost', why: `cannot be reached (${message || codeOf(error)})` }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #open(): Opening {
    const connected = this.#create().then(async (client) => {
      if (opening.isDropped) throw new Error('it took too long')
      opening.client = client
      // The client forgets a socket that it is asked to destroy while that is being connected.
      client.on('connect', () => {
        if (opening.isDropped) client.destroy()
      })
      await client.connect()
      return client
    })
    const opening: Opening = { client: null, isDropped: false, connected }
    return opening
  }

  async #create(): Promise<Client> {
    const { createClient } = await load()
    const { host, port, tls, database, user, password } = this.#target
    const client = createClient({
      RESP: 2,
      socket: { host, port, connectTimeout: CONNECT_MS, reconnectStrategy: false, ...(tls ? { tls: true, servername: host } : {}) },
      database,
      ...(user && { username: user }),
      ...(password && { password }),
      disableClientInfo: true,
      disableOfflineQueue: true,
    })
    // What happened is told by the command that fails.
    client.on('error', () => undefined)
    return client as unknown as Client
  }

  #drop(opening: Opening | null): void {
    if (this.#opening === opening) this.#opening = null
    if (opening === null) return
    opening.isDropped = true
    opening.client?.destroy()
  }
}

async function load(): Promise<typeof import('@redis/client')> {
  try {
    return await import('@redis/client')
  } catch (cause) {
    const text =
      'cannot reach a redis:// url: that needs the package @redis/client, which is not installed; run "npm install @redis/client"'
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', text, { cause })
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? 'the connection broke')
}

function lengthOf(command: readonly string[]): number {
  return command.reduce((size, part) => size + Buffer.byteLength(part), 0)
}
