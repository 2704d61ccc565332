import { WorkspaceError } from '../errors.ts'

/** What Redis answers, nil as null. */
export type RedisReply = string | number | null | readonly RedisReply[]

/** The error for a reply that no script of ours gives: what answers is not that server, or something in between changes its answers. */
export function oddReply(): WorkspaceError {
  return new WorkspaceError('STORE_UNAVAILABLE', 'what answers is no Redis: its reply is none that the script gives')
}

/** How one attempt ended. */
export type RedisOutcome =
  | { readonly type: 'reply'; readonly reply: RedisReply }
  /** No answer came, and it stays open whether the command was run. `why` in words. */
  | { readonly type: 'lost'; readonly why: string }
  | RedisRefusal

/** An answer that is an error. */
export interface RedisRefusal {
  readonly type: 'error'
  /** Redis's own word, such as `OOM`; empty where the answer is not of Redis. */
  readonly code: string
  /** What comes after it. May hold arguments. */
  readonly text: string
  /** HTTP's; null where there is no HTTP. */
  readonly status: number | null
  /** Milliseconds after which the server asks to come back. */
  readonly waitMs: number | null
  /** Bytes of the request. */
  readonly size: number
}

/** A way to a Redis server that tries each thing once. Rejects only for what no other attempt can change. */
export interface RedisLink {
  /** As messages name it: without user, password or token. */
  readonly address: string
  /** A signal that fires with a `TimeoutError` says that the answer took too long. */
  evalsha(digest: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome>
  eval(script: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<RedisOutcome>
  /** Listens to a channel: `standing` is called once it is subscribed. Resolves when that ended, for whatever reason. */
  listen(channel: string, heard: (message: string) => void, standing: () => void, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** An error as Redis words it, its first word apart. Old servers put the error of a command in a script behind words of their own. */
export function redisRefusal(error: string, size: number, status: number | null = null, waitMs: number | null = null): RedisRefusal {
  const plain = /^ERR Error running script .*: -?([A-Z]{3,} .*)$/s.exec(error)?.[1] ?? error
  const [, code = '', text = plain] = /^([A-Z][A-Z0-9_]*) (.*)$/s.exec(plain) ?? []
  return { type: 'error', code, text, status, waitMs, size }
}
