import { RespError, RespStatus } from './resp-connection.mjs'

/** What a service of many clients and no connections leaves out. */
const UNAVAILABLE = new Set(
  `AUTH BGREWRITEAOF BGSAVE BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN CLIENT CONFIG DEBUG DISCARD EXEC FAILOVER HELLO
  MIGRATE MODULE MONITOR MULTI PSYNC QUIT REPLICAOF RESET SAVE SELECT SHUTDOWN SLAVEOF SLOWLOG SSUBSCRIBE SUNSUBSCRIBE SWAPDB SYNC
  UNSUBSCRIBE PUNSUBSCRIBE UNWATCH WAIT WATCH`.split(/\s+/),
)

/**
 * Why a command isn't run; null where it is.
 * @param {unknown} command
 * @param {ReadonlySet<string> | null} onlyReads the commands that are allowed, where not all are
 */
export function refusal(command, onlyReads) {
  if (!Array.isArray(command) || typeof command[0] !== 'string') return 'ERR failed to parse command'
  const name = command[0].toUpperCase()
  const blocks = /^XREAD(GROUP)?$/.test(name) && command.some((argument) => String(argument).toUpperCase() === 'BLOCK')
  if (UNAVAILABLE.has(name) || blocks)
    return `ERR Command is not available: '${command[0]}'. See https://upstash.com/docs/redis/overall/rediscompatibility for details`
  if (onlyReads !== null && !onlyReads.has(name)) {
    return `NOPERM this user has no permissions to run the '${command[0].toLowerCase()}' command`
  }
  return null
}

/**
 * The command of a path like `/set/key`: a body is one more argument, what follows `?` more of them.
 * @param {readonly string[]} path
 * @param {URLSearchParams} query
 * @param {Buffer} body
 */
export function pathCommand(path, query, body) {
  const command = path.map((part) => decodeURIComponent(part))
  const options = [...query].filter(([name]) => name !== '_token').flatMap(([name, value]) => (value === '' ? [name] : [name, value]))
  return [...command, ...(body.length > 0 ? [body] : []), ...options]
}

/**
 * The bytes that Redis is given for an argument in JSON.
 * @param {unknown} argument
 */
export function argumentBytes(argument) {
  if (typeof argument === 'string' || Buffer.isBuffer(argument)) return argument
  return JSON.stringify(argument)
}

/**
 * What a reply is in JSON.
 * @param {unknown} reply
 * @param {boolean} base64
 */
export function answerOf(reply, base64) {
  return reply instanceof RespError ? { error: reply.message } : { result: resultOf(reply, base64) }
}

function resultOf(reply, base64) {
  if (Array.isArray(reply)) return reply.map((one) => resultOf(one, base64))
  if (Buffer.isBuffer(reply)) return reply.toString(base64 ? 'base64' : 'utf8')
  if (reply instanceof RespStatus) return base64 && reply.text !== 'OK' ? Buffer.from(reply.text).toString('base64') : reply.text
  return reply instanceof RespError ? reply.message : reply
}
