import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { Host } from '../host.ts'
import { Patience } from '../patience.ts'
import { jittered, sleep } from '../sleep.ts'
import { isPassing, isUnknownScript, redisError } from './redis-fault.ts'
import type { RedisLink, RedisOutcome, RedisRefusal, RedisReply } from './redis-link.ts'

/** A Redis server, reached in whatever way. */
export interface RedisConnection {
  /** The server as messages name it: without user, password or token. */
  readonly address: string
  /**
   * Runs a Lua script, again and again while the server can't be reached or asks to come back: a script has to change nothing when it is run
   * a second time. Keys, arguments and replies are text without lone surrogates. Rejects with the signal's reason; with STORE_UNAVAILABLE
   * where there was no answer within the limit, or the server refused; LIMIT_EXCEEDED where the request is too long for it; CORRUPT where a
   * key holds another type than the script expects; CLOSED. No message holds an argument.
   */
  run(script: string, keys: readonly string[], args: readonly string[], signal?: AbortSignal): Promise<RedisReply>
  /**
   * Calls `heard` with each message that is published to the channel, until it is ended. It is made anew where it broke; what was published
   * meanwhile is not heard, and `again` is called once it stands. A message is one line of text.
   */
  subscribe(channel: string, heard: (message: string) => void, again?: () => void): RedisSubscription
  /** Ends the subscriptions and fails what is under way with CLOSED. */
  close(): Promise<void>
}

export interface RedisSubscription {
  /** Resolves when messages are heard; at the latest when the first attempt has failed. */
  readonly ready: Promise<void>
  end(): void
}

export interface RedisConnectionOptions {
  readonly host: Host
  /** Milliseconds that `run` may take, and a second more for each MiB of its arguments. */
  readonly timeoutMs: number
}

const BYTES_A_SECOND = 1024 * 1024
/** What an attempt has all the same where this machine woke up late from a pause. */
const SHORTEST_MS = 100
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1000
/** Between two attempts to subscribe. */
const LONGEST_ABSENCE_MS = 30_000

/** A connection that makes up for the faults of a link. */
export function redisConnection(link: RedisLink, options: RedisConnectionOptions): RedisConnection {
  return new PatientConnection(link, options)
}

class PatientConnection implements RedisConnection {
  readonly address: string
  readonly #link: RedisLink
  readonly #host: Host
  readonly #patience: Patience
  readonly #digests = new Map<string, string>()
  /** What ends each thing that is under way. */
  readonly #ends = new Set<() => void>()
  #isClosed = false

  constructor(link: RedisLink, { host, timeoutMs }: RedisConnectionOptions) {
    this.address = link.address
    this.#link = link
    this.#host = host
    this.#patience = new Patience(host, timeoutMs)
  }

  async run(script: string, keys: readonly string[], args: readonly string[], signal?: AbortSignal): Promise<RedisReply> {
    const began = this.#host.elapsed()
    const usual = this.#patience.limit()
    const limit = usual + (args.reduce((size, arg) => size + arg.length, 0) / BYTES_A_SECOND) * 1000
    let digest = await this.#digest(script)
    let refused: RedisRefusal | null = null
    for (let tries = 1; ; tries++) {
      this.#check()
      signal?.throwIfAborted()
      const left = limit - (this.#host.elapsed() - began)
      // Half of the limit for the first, so that a request that got lost is sent once more.
      const most = tries === 1 ? limit / 2 : Math.max(left, SHORTEST_MS)
      const work = (ends: AbortSignal): Promise<RedisOutcome> =>
        digest === null ? this.#link.eval(script, keys, args, ends) : this.#link.evalsha(digest, keys, args, ends)
      const outcome = await this.#within(most, signal, work)
      if (outcome.type !== 'lost') this.#patience.answered()
      if (outcome.type === 'reply') return outcome.reply
      if (outcome.type === 'error' && isUnknownScript(outcome) && digest !== null) {
        digest = null
        continue
      }
      if (outcome.type === 'error') refused = outcome
      const pause = Math.max(this.#pause(tries), outcome.type === 'error' ? (outcome.waitMs ?? 0) : 0)
      if (!isPassing(outcome) || this.#host.elapsed() - began + pause >= limit) {
        if (outcome.type === 'lost') this.#patience.unanswered(usual)
        // What was refused before says more than that the rest of the time was too short.
        const told = most < limit / 2 ? (refused ?? outcome) : outcome
        throw redisError(this.address, told, { tries, ms: this.#host.elapsed() - began })
      }
      await sleep(this.#host, pause, signal)
    }
  }

  subscribe(channel: string, heard: (message: string) => void, again?: () => void): RedisSubscription {
    this.#check()
    const ending = new AbortController()
    const end = (): void => {
      this.#ends.delete(end)
      ending.abort()
    }
    this.#ends.add(end)
    const ready = new Promise<void>((resolve) => {
      void this.#listen(channel, heard, again, resolve, ending.signal)
    })
    return { ready, end }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const end of this.#ends) end()
    await this.#link.close()
  }

  /** Listens until the signal fires. */
  async #listen(
    channel: string,
    heard: (message: string) => void,
    again: (() => void) | undefined,
    ready: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    let stood = false
    let since = 0
    const hear = (message: string): void => {
      if (!signal.aborted) heard(message)
    }
    for (let tries = 1; !signal.aborted; tries++) {
      const standing = (): void => {
        since = this.#host.elapsed()
        ready()
        if (stood) again?.()
        stood = true
      }
      try {
        await this.#link.listen(channel, hear, standing, signal)
        ready()
        if (stood && this.#host.elapsed() - since > LONGEST_ABSENCE_MS) tries = 1
        await sleep(this.#host, this.#pause(tries, LONGEST_ABSENCE_MS), signal)
      } catch {
        // It was ended, or can't be had here.
        return ready()
      }
    }
  }

  /** What `work` gives, `lost` where it takes longer. */
  #within(ms: number, signal: AbortSignal | undefined, work: (ends: AbortSignal) => Promise<RedisOutcome>): Promise<RedisOutcome> {
    const ends = new AbortController()
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        finish()
        reject(signal?.aborted === true ? signal.reason : closed())
      }
      const cancel = this.#host.timer(ms, () => {
        finish(new DOMException('no answer', 'TimeoutError'))
        resolve({ type: 'lost', why: `no answer within ${seconds(ms)}` })
      })
      const finish = (why?: unknown): void => {
        cancel()
        signal?.removeEventListener('abort', stop)
        this.#ends.delete(stop)
        ends.abort(why)
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#ends.add(stop)
      work(ends.signal).then(
        (outcome) => {
          finish()
          resolve(outcome)
        },
        (error) => {
          finish()
          reject(error)
        },
      )
    })
  }

  /** Null where the runtime makes no digests (a page that is not from a secure origin): then the text goes along each time. */
  async #digest(script: string): Promise<string | null> {
    const known = this.#digests.get(script)
    if (known !== undefined) return known
    const subtle = crypto.subtle as typeof crypto.subtle | undefined
    if (subtle === undefined) return null
    const bytes = new Uint8Array(await subtle.digest('SHA-1', encode(script)))
    const digest = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    this.#digests.set(script, digest)
    return digest
  }

  /** Half of it is chance, so that those who wait for each other don't come back together. */
  #pause(tries: number, longest: number = LONGEST_PAUSE_MS): number {
    return jittered(this.#host, Math.min(FIRST_PAUSE_MS * 2 ** tries, longest))
  }

  #check(): void {
    if (this.#isClosed) throw closed()
  }
}

function closed(): WorkspaceError {
  return new WorkspaceError('CLOSED', 'the connection to Redis is closed')
}

function seconds(ms: number): string {
  return `${Math.round(ms / 10) / 100} s`
}
