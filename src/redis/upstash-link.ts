import type { Requester } from '@upstash/redis'
import { encode } from '../bytes.ts'
import { hideSecrets } from '../hide-secrets.ts'
import type { Host } from '../host.ts'
import { retryAfter } from '../retry-after.ts'
import type { RedisLink, RedisOutcome, RedisReply } from './redis-link.ts'
import { redisRefusal } from './redis-link.ts'

/** Reaches Redis over HTTP by the protocol of Upstash. Touches nothing yet. */
export function upstashLink({ url, token }: { readonly url: string; readonly token: string }, host: Pick<Host, 'now'>): RedisLink {
  return new UpstashLink(url, token, host)
}

/** The part of Upstash's client that is used. */
interface Client {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>
  evalsha(digest: string, keys: string[], args: string[]): Promise<unknown>
}

/**
 * Upstash's client makes the commands. It is given something else to send them with than its own, which hides the HTTP status and when to come
 * back, puts the whole command into its errors, and asks for `keepalive`, which in a page limits a request to 64 KiB.
 */
class UpstashLink implements RedisLink {
  readonly address: string
  readonly #token: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #host: Pick<Host, 'now'>
  #client: Client | null = null
  #syncToken = ''
  /** Of the command that the client is being called for. */
  #signal: AbortSignal | undefined

  constructor(address: string, token: string, host: Pick<Host, 'now'>) {
    this.address = address
    this.#host = host
    this.#token = token
    this.#headers = { authorization: `Bearer ${token}` }
  }

  async eval(script: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome> {
    const client = this.#client ?? (await this.#load())
    this.#signal = signal
    return (await client.eval(script, [...keys], [...args])) as RedisOutcome
  }

  async evalsha(digest: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome> {
    const client = this.#client ?? (await this.#load())
    this.#signal = signal
    return (await client.evalsha(digest, [...keys], [...args])) as RedisOutcome
  }

  /** A subscription is an answer that never ends, of server-sent events: `data: message,CHANNEL,TEXT`. */
  async listen(channel: string, heard: (message: string) => void, standing: () => void, signal: AbortSignal): Promise<void> {
    try {
      const url = `${this.address}/subscribe/${encodeURIComponent(channel)}`
      const response = await fetch(url, { method: 'POST', headers: { ...this.#headers, accept: 'text/event-stream' }, signal })
      if (response.status !== 200 || response.body === null) return
      const begin = `data: message,${channel},`
      for await (const line of linesOf(response.body)) {
        if (line.startsWith(begin)) heard(line.slice(begin.length))
        else if (line.startsWith(`data: subscribe,${channel},`)) standing()
      }
    } catch {
      // Cut off, or never there: whoever listens comes back.
    }
  }

  async close(): Promise<void> {
    this.#client = null
  }

  async #load(): Promise<Client> {
    const { Redis } = await import('@upstash/redis')
    // The client would read JSON out of a reply, but leaves an object as it is.
    const request = async ({ body }: { body?: unknown }): Promise<{ result: RedisOutcome }> => ({
      result: await this.#post(JSON.stringify(body), this.#signal),
    })
    this.#client = new Redis({ request } as Requester)
    return this.#client
  }

  async #post(body: string, signal: AbortSignal | undefined): Promise<RedisOutcome> {
    try {
      const headers = {
        ...this.#headers,
        'content-type': 'application/json',
        ...(this.#syncToken && { 'upstash-sync-token': this.#syncToken }),
      }
      const response = await fetch(this.address, { method: 'POST', headers, body, ...(signal && { signal }) })
      const token = response.headers.get('upstash-sync-token')
      if (token) this.#syncToken = token
      const waitMs = retryAfter(response.headers.get('retry-after'), this.#host.now())
      return outcomeOf(response.status, waitMs, await response.text(), body, this.#token)
    } catch (error) {
      return { type: 'lost', why: reasonOf(error) }
    }
  }
}

function outcomeOf(status: number, waitMs: number | null, text: string, body: string, token: string): RedisOutcome {
  const answer = parsed(text)
  if (status === 200 && answer !== null && 'result' in answer) return { type: 'reply', reply: answer.result as RedisReply }
  // An answer that was cut in the middle.
  if (status === 200 && answer?.error === undefined) return { type: 'lost', why: 'an answer that is not whole' }
  const error = typeof answer?.error === 'string' ? hideSecrets(answer.error, [token]) : ''
  return redisRefusal(error, encode(body).length, status, waitMs)
}

function parsed(text: string): { readonly result?: unknown; readonly error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

async function* linesOf(body: ReadableStream): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** What a runtime says of a request that failed: `fetch failed` is all in Node, the cause has the rest. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? '') : ''
  return inner === '' ? `cannot be reached (${error.message})` : `cannot be reached (${error.message}: ${inner})`
}
