import { WorkspaceError } from '../errors.ts'
import { type Host, randomId } from '../host.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { RedisReply } from '../redis/redis-link.ts'
import { redisBytes, redisText } from '../redis/redis-text.ts'
import type { ObjectCondition, ObjectInfo, ObjectPage, Objects, ObjectUpload, ObjectWriteOptions } from './objects.ts'
import {
  REDIS_CHUNK,
  REDIS_FILE_APPEND,
  REDIS_FILE_COPY,
  REDIS_FILE_DELETE,
  REDIS_FILE_HEAD,
  REDIS_FILE_LIST,
  REDIS_FILE_PUT,
  REDIS_FILE_READ,
  REDIS_FILE_RENAME,
  REDIS_FILE_STAGE,
  REDIS_FILE_UNSTAGE,
} from './redis-file-scripts.ts'

/**
 * Objects on Redis, whose layout is this; the braces are part of the keys, so that a cluster keeps all of a mount on one node.
 *
 * - `{prefix}{files}:index`, a sorted set of the objects' keys, all of score 0.
 * - `{prefix}{files}:info`, a hash: for each key `ID ETAG SIZE TIME`, the time in milliseconds since the epoch, by the server's clock.
 * - `{prefix}{files}:data:ID:N` holds the chunk N of an object's bytes, of 1 MiB each but the last. Chunks of an object that is still being written
 *   expire after an hour.
 * - `{prefix}{files}:done:OPERATION` holds what a write was answered, for 15 minutes: a request that comes twice changes nothing.
 *
 * What one request changes it changes at once; no request has more than about 6 MiB.
 */
export class RedisObjects implements Objects {
  readonly longestKey: number = 4096
  readonly partBytes: number = REDIS_CHUNK
  readonly extendsFrom: number = 0
  readonly #connection: RedisConnection
  readonly #index: string
  readonly #host: Pick<Host, 'random'>

  constructor(connection: RedisConnection, prefix: string, host: Pick<Host, 'random'>) {
    this.#connection = connection
    this.#index = `${prefix}{files}:index`
    this.#host = host
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const packed = await this.#run(REDIS_FILE_HEAD, [key])
    return packed === null ? null : unpacked(key, packed)
  }

  async get(key: string, offset: number, length: number): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | null> {
    for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
      const first = await this.#read(key, offset, Math.min(length, REDIS_CHUNK), '')
      if (first === 'missing' || first === 'changed') return null
      const stop = Math.min(first.info.size, offset + length)
      const bytes = await this.#rest(key, first.bytes, offset, stop, first.info.etag)
      if (bytes !== null) return { info: first.info, bytes }
    }
    throw new WorkspaceError('STORE_UNAVAILABLE', `cannot read '${key}' on Redis: it changes all the time`)
  }

  async put(key: string, bytes: Uint8Array, { condition }: ObjectWriteOptions): Promise<ObjectInfo | null> {
    const operation = randomId(this.#host)
    const isStaged = bytes.length > REDIS_CHUNK
    if (!isStaged) return this.#put(key, operation, bytes.length, condition, bytes)
    for (let at = 0; at < bytes.length; at += REDIS_CHUNK)
      await this.#stage(operation, at / REDIS_CHUNK, bytes.subarray(at, at + REDIS_CHUNK))
    const info = await this.#put(key, operation, bytes.length, condition, null)
    if (info === null) await this.#unstage(operation, Math.ceil(bytes.length / REDIS_CHUNK))
    return info
  }

  async extend({ key }: ObjectInfo, bytes: Uint8Array): Promise<ObjectInfo | null> {
    let info: ObjectInfo | null = null
    for (let at = 0; at === 0 || at < bytes.length; at += REDIS_CHUNK) {
      const { form, text } = redisText(bytes.subarray(at, at + REDIS_CHUNK))
      info = written(key, await this.#run(REDIS_FILE_APPEND, [randomId(this.#host), key, form, text]))
      if (info === null) return null
    }
    return info
  }

  async copy(key: string, to: string): Promise<boolean> {
    return (await this.#run(REDIS_FILE_COPY, [randomId(this.#host), key, to])) === 'written'
  }

  async rename(from: string, to: string, keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_AT_ONCE) {
      const pairs = keys.slice(at, at + MOST_AT_ONCE).flatMap((key) => [key, to + key.slice(from.length)])
      await this.#run(REDIS_FILE_RENAME, [randomId(this.#host), ...pairs])
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_AT_ONCE) {
      await this.#run(REDIS_FILE_DELETE, [randomId(this.#host), ...keys.slice(at, at + MOST_AT_ONCE)])
    }
  }

  async list({ prefix, delimiter = '', cursor = '', limit }: Parameters<Objects['list']>[0]): Promise<ObjectPage> {
    const [next, ...parts] = (await this.#run(REDIS_FILE_LIST, [prefix, delimiter, cursor, String(limit)])) as readonly string[]
    const objects: ObjectInfo[] = []
    const prefixes: string[] = []
    for (let at = 0; at < parts.length; at += 3) {
      const [kind, name = '', packed = ''] = parts.slice(at, at + 3)
      if (kind === 'p') prefixes.push(name)
      else objects.push(unpacked(name, packed))
    }
    return { objects, prefixes, cursor: next === undefined || next === '' ? null : next }
  }

  async upload(key: string): Promise<ObjectUpload> {
    const operation = randomId(this.#host)
    let parts = 0
    let size = 0
    return {
      part: (bytes) => {
        size += bytes.length
        return this.#stage(operation, parts++, bytes)
      },
      complete: async (condition) => {
        const info = await this.#put(key, operation, size, condition, null)
        if (info === null) await this.#unstage(operation, parts)
        return info
      },
      abort: () => this.#unstage(operation, parts),
    }
  }

  /** What comes after `first` up to `stop`; null where the object has changed. */
  async #rest(key: string, first: Uint8Array, offset: number, stop: number, etag: string): Promise<Uint8Array | null> {
    if (offset + first.length >= stop) return first
    const whole = new Uint8Array(stop - offset)
    whole.set(first)
    for (let at = first.length; at < whole.length; at += REDIS_CHUNK * READS_AT_ONCE) {
      const starts = Array.from({ length: READS_AT_ONCE }, (_, i) => at + i * REDIS_CHUNK).filter((start) => start < whole.length)
      const pieces = await Promise.all(
        starts.map((start) => this.#read(key, offset + start, Math.min(REDIS_CHUNK, whole.length - start), etag)),
      )
      for (const [i, piece] of pieces.entries()) {
        if (piece === 'missing' || piece === 'changed') return null
        whole.set(piece.bytes, starts[i])
      }
    }
    return whole
  }

  async #read(
    key: string,
    offset: number,
    length: number,
    etag: string,
  ): Promise<{ readonly info: ObjectInfo; readonly bytes: Uint8Array } | 'changed' | 'missing'> {
    const reply = (await this.#run(REDIS_FILE_READ, [key, String(offset), String(length), etag])) as readonly string[]
    const [state, packed = '', form, text = ''] = reply
    if (state === 'missing' || state === 'changed') return state
    return { info: unpacked(key, packed), bytes: redisBytes({ form: form === 'b' ? 'b' : 't', text }) }
  }

  /** Without bytes: the chunks are staged. */
  async #put(
    key: string,
    operation: string,
    size: number,
    condition: ObjectCondition | null,
    bytes: Uint8Array | null,
  ): Promise<ObjectInfo | null> {
    const { form, text } = redisText(bytes ?? new Uint8Array(0))
    const wanted = condition === null ? '' : condition === 'missing' ? condition : condition.etag
    const args = [operation, key, wanted, String(size), bytes === null ? '1' : '', form, text]
    const answer = await this.#run(REDIS_FILE_PUT, args)
    if (answer !== 'expired') return written(key, answer)
    throw new WorkspaceError(
      'STORE_UNAVAILABLE',
      `cannot write '${key}' on Redis: what was sent first has expired; a file may take an hour`,
    )
  }

  async #stage(operation: string, number: number, bytes: Uint8Array): Promise<void> {
    const { form, text } = redisText(bytes)
    await this.#run(REDIS_FILE_STAGE, [operation, String(number), form, text])
  }

  async #unstage(operation: string, parts: number): Promise<void> {
    await this.#run(REDIS_FILE_UNSTAGE, [operation, String(parts)])
  }

  #run(script: string, args: readonly string[]): Promise<RedisReply> {
    return this.#connection.run(script, [this.#index], args)
  }
}

/** Objects that one request renames or deletes. */
const MOST_AT_ONCE = 1000
const READS_AT_ONCE = 4
const MOST_ATTEMPTS = 10

function written(key: string, answer: RedisReply): ObjectInfo | null {
  return typeof answer === 'string' && answer.startsWith('written ') ? unpacked(key, answer.slice(8)) : null
}

function unpacked(key: string, packed: RedisReply): ObjectInfo {
  const [, etag = '', size, time] = typeof packed === 'string' ? packed.split(' ') : []
  if (size === undefined || time === undefined)
    throw new WorkspaceError('CORRUPT', `what Redis has for '${key}' is no file of this version`)
  return { key, size: Number(size), etag, modifiedMs: Number(time) }
}
