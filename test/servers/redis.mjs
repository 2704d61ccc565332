import { freePorts } from '../browsers/free-ports.mjs'
import { openRespConnection, RespError } from './resp-connection.mjs'
import { startServer, untilAnswered } from './server-process.mjs'

/**
 * A Redis of its own. With a folder, each write is on the disk before it is answered, so that it is there after `kill` and `restart`;
 * without, it keeps nothing.
 * @param {{ folder?: string, args?: readonly string[] }} options
 */
export async function startRedis({ folder, args = [] } = {}) {
  const [port = 0] = await freePorts(1)
  const durable = folder === undefined ? ['--appendonly', 'no'] : ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]
  const all = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', ...durable, ...args]
  const start = async () => {
    const server = startServer('redis-server', all)
    await untilAnswered(async () => ask(port, ['PING']), server.died)
    return server
  }
  let server = await start()
  const signal = (/** @type {NodeJS.Signals} */ name) => process.kill(server.pid ?? 0, name)
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    /** One command on a connection of its own. */
    run: (/** @type {string[]} */ ...command) => ask(port, command),
    /** Ends it as a crash does. */
    kill: () => server.kill(),
    /** Starts it again on the same port, with what is in its folder. */
    restart: async () => {
      await server.kill()
      server = await start()
    },
    /** Stops it in the middle of whatever it does; what is sent to it waits. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    close: () => server.kill(),
  }
}

/**
 * @param {number} port
 * @param {readonly string[]} command
 */
async function ask(port, command) {
  const connection = openRespConnection(port)
  try {
    const [reply] = await connection.run([command])
    if (reply instanceof RespError) throw new Error(reply.message)
    return plain(reply)
  } finally {
    connection.close()
  }
}

function plain(reply) {
  if (Array.isArray(reply)) return reply.map(plain)
  if (Buffer.isBuffer(reply)) return reply.toString()
  return reply !== null && typeof reply === 'object' ? reply.text : reply
}
