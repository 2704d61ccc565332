import { listen } from '../browsers/listen.mjs'
import { openRespConnection, RespError, RespStatus } from './resp-connection.mjs'
import { answerOf, argumentBytes, pathCommand, refusal } from './upstash-command.mjs'

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, OPTIONS',
  'access-control-expose-headers': '*, upstash-sync-token',
  'access-control-max-age': '7200',
}

/**
 * Upstash's protocol over HTTP before a Redis: what its documentation promises, on real data.
 * @param {{ redisPort: number, token?: string, readOnlyToken?: string, maxRequestBytes?: number }} options
 */
export async function startUpstash({ redisPort, token = 'test-token', readOnlyToken = 'read-only-token', maxRequestBytes = 10_485_760 }) {
  let shared = openRespConnection(redisPort)
  const run = (commands) => {
    if (shared.isDead()) shared = openRespConnection(redisPort)
    return shared.run(commands)
  }
  /** Names of commands that only read. */
  let reading
  const readOnlyCommands = () => {
    reading ??= readingCommands(run).catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
  let written = 0

  const { origin, close } = await listen(async (request, response) => {
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...CORS, ...headers })
      response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
    }
    try {
      if (request.method === 'OPTIONS') return response.writeHead(204, CORS).end()
      if (!['GET', 'HEAD', 'POST', 'PUT'].includes(request.method)) return send(405, { error: 'ERR method is not allowed' })
      const url = new URL(request.url, 'http://upstash')
      const given = /^Bearer\s+(.*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? url.searchParams.get('_token')
      if (given !== token && given !== readOnlyToken) return send(401, { error: 'WRONGPASS invalid or missing auth token' })
      const format = request.headers['upstash-response-format'] ?? 'json'
      if (format !== 'json') return send(400, { error: `ERR response format ${format} is not available here` })
      const body = await bodyOf(request, maxRequestBytes)
      if (body === null) {
        const error = `ERR max request size exceeded. Limit: ${maxRequestBytes} bytes`
        return send(413, { error }, { connection: 'close' })
      }

      const path = url.pathname.split('/').slice(1)
      const many = path.length === 1 && (path[0] === 'pipeline' || path[0] === 'multi-exec')
      const commands = many ? parsed(body) : [path[0] === '' ? parsed(body) : pathCommand(path, url.searchParams, body)]
      if (!Array.isArray(commands) || commands.length === 0) return send(400, { error: 'ERR failed to parse pipeline request' })
      const onlyReads = given === token ? null : await readOnlyCommands()
      const refused = commands.map((command) => refusal(command, onlyReads))
      const base64 = request.headers['upstash-encoding']?.toLowerCase() === 'base64'
      if (!many && /^p?subscribe$/i.test(commands[0]?.[0])) return subscribe(redisPort, commands[0].map(argumentBytes), response)

      written += 1
      const sync = { 'upstash-sync-token': `sync-${written}` }
      if (path[0] === 'pipeline') {
        const replies = await run(commands.filter((_, at) => refused[at] === null).map((command) => command.map(argumentBytes)))
        const answers = refused.map((error) => (error === null ? answerOf(replies.shift(), base64) : { error }))
        return send(200, answers, sync)
      }
      const error = refused.find((one) => one !== null)
      if (error !== undefined) return send(400, { error })
      const bytes = commands.map((command) => command.map(argumentBytes))
      if (!many) {
        const [reply] = await run(bytes)
        return send(reply instanceof RespError ? 400 : 200, answerOf(reply, base64), sync)
      }
      const replies = await run([['MULTI'], ...bytes, ['EXEC']])
      const result = replies.at(-1)
      if (result instanceof RespError) return send(400, answerOf(replies.find((reply) => reply instanceof RespError) ?? result, base64))
      return send(
        200,
        result.map((reply) => answerOf(reply, base64)),
        sync,
      )
    } catch (error) {
      if (response.headersSent) response.destroy()
      else send(500, { error: `ERR ${error.message}` })
    }
  })
  return {
    url: origin,
    token,
    readOnlyToken,
    close: () => {
      close()
      shared.close()
    },
  }
}

/** Server-sent events, until the client goes. */
function subscribe(port, command, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...CORS })
  response.flushHeaders()
  const textOf = (value) => (value instanceof RespStatus ? value.text : String(value))
  const connection = openRespConnection(port, {
    pushed: (reply) => {
      if (reply instanceof RespError) response.end()
      else response.write(`data: ${reply.map(textOf).join(',')}\n\n`)
    },
  })
  connection.send(command)
  void connection.closed.then(() => response.end())
  response.on('close', () => connection.close())
}

async function readingCommands(run) {
  const [commands] = await run([['COMMAND']])
  const isReading = (flags) => flags.some(({ text }) => text === 'readonly')
  const names = commands.filter(([, , flags]) => isReading(flags)).map(([name]) => name.toString().toUpperCase())
  return new Set([...names, 'PING', 'ECHO'])
}

/** Null where it is too long. */
async function bodyOf(request, limit) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Undefined where it is no JSON. */
function parsed(body) {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
