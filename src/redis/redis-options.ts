import { WorkspaceError } from '../errors.ts'
import { checkNames, invalid } from '../option-checks.ts'
import { shownUrl } from '../shown-url.ts'

/** A Redis server, and how it is reached. */
export interface RedisOptions {
  /**
   * `https://HOST` of Upstash, or of a proxy that speaks its protocol, with `token`; the token may also stand in it, as in `https://:TOKEN@HOST`.
   * On Node, Deno and Bun also `redis://USER:PASSWORD@HOST:PORT/DATABASE`, with TLS `rediss://`, for which the package `@redis/client` has to be
   * installed. `redis://localhost:6379/0` when left out.
   */
  readonly url?: string
  /** Goes with an `https://` url. */
  readonly token?: string
  /** Begins every key; `mirage:` when left out. */
  readonly keyPrefix?: string
  /** Seconds that a request may take, with the attempts that it needs, and one more for each MiB it carries; 10 when left out. */
  readonly timeout?: number
}

export interface RedisHttpAddress {
  readonly type: 'http'
  /** Without credentials, nor a slash at its end. */
  readonly url: string
  readonly token: string
}

export interface RedisTcpAddress {
  readonly type: 'tcp'
  readonly tls: boolean
  readonly host: string
  readonly port: number
  readonly database: number
  /** Empty where there is none; so is the password. */
  readonly user: string
  readonly password: string
  /** Without credentials. */
  readonly url: string
}

/** Options that were checked. */
export interface RedisSettings {
  readonly address: RedisHttpAddress | RedisTcpAddress
  readonly keyPrefix: string
  readonly timeoutMs: number
}

const OPTION_NAMES = ['url', 'token', 'keyPrefix', 'timeout']
const URLS = 'an https: URL with a token, or a redis: or rediss: URL, such as "redis://localhost:6379/0"'

/** CONFIG_INVALID for options that can't be meant; `where` says whose they are, `others` which ones are there besides. */
export function redisSettings(options: RedisOptions, where: string, others: readonly string[] = []): RedisSettings {
  checkNames(options, [...OPTION_NAMES, ...others], where)
  const { url = 'redis://localhost:6379/0', token, keyPrefix = 'mirage:', timeout = 10 } = options
  if (typeof timeout !== 'number' || !(timeout > 0)) throw invalid(`${where}: timeout`, timeout, 'a number of seconds above 0')
  if (typeof keyPrefix !== 'string' || keyPrefix === '' || keyPrefix.length > 256 || /[\p{Cc}\p{Cs}{}]/u.test(keyPrefix)) {
    throw invalid(`${where}: keyPrefix`, keyPrefix, 'a text of 1 to 256 characters, without braces and control characters')
  }
  return { address: addressOf(url, token, where), keyPrefix, timeoutMs: timeout * 1000 }
}

function addressOf(given: unknown, token: unknown, where: string): RedisSettings['address'] {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^(https?|rediss?):$/.test(url.protocol) || url.hostname === '') {
    if (typeof given === 'string') throw refused(`${where}: url is ${shownUrl(given)}`, URLS)
    throw invalid(`${where}: url`, given, URLS)
  }
  if (url.search !== '' || url.hash !== '') throw refused(`${where}: url has a "?" or "#" and what follows it`, `${URLS}, without either`)
  const user = decoded(url.username, where)
  const password = decoded(url.password, where)
  if (url.protocol.startsWith('http')) {
    return { type: 'http', url: plain(url), token: tokenOf(token, password, where) }
  }
  if (token !== undefined) {
    throw refused(
      `${where}: token is given with a ${url.protocol} url`,
      'left out; a password stands in the url, as in "redis://:PASSWORD@HOST"',
    )
  }
  const [, number = '0'] = /^\/(\d*)$/.exec(url.pathname) ?? (url.pathname === '' ? [] : [undefined, null])
  if (number === null) throw refused(`${where}: url has a path that is no number`, 'a database number, as in "redis://localhost:6379/0"')
  const database = Number(number)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { type: 'tcp', tls: url.protocol === 'rediss:', host, port: Number(url.port || 6379), database, user, password, url: plain(url) }
}

function tokenOf(token: unknown, password: string, where: string): string {
  if (token !== undefined && password !== '')
    throw refused(`${where}: token is given, and another one in the url`, 'in one of the two places')
  const found = token ?? password
  if (found === '') throw refused(`${where}: token is left out`, 'the token that goes with the url')
  // What a header can't hold, fetch would show in its error.
  if (typeof found !== 'string' || !/^[\x21-\x7e]+$/.test(found)) throw refused(`${where}: token is no token`, 'a text without spaces')
  return found
}

function decoded(text: string, where: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(`${where}: url has a user or password with a "%" that encodes nothing`, '"%25" for that')
  }
}

function plain({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** For a value that must not be shown. */
function refused(what: string, wanted: string): WorkspaceError {
  return new WorkspaceError('CONFIG_INVALID', `${what}; it may be ${wanted}`)
}
