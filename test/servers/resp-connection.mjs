import { connect } from 'node:net'

/** An error that Redis answered with. */
export class RespError {
  /** @param {string} message */
  constructor(message) {
    this.message = message
  }
}

/** A reply like `OK`, which is no value. */
export class RespStatus {
  /** @param {string} text */
  constructor(text) {
    this.text = text
  }
}

/**
 * One connection to Redis in RESP 2, on which bytes stay bytes. Replies are null, numbers, Buffers, lists of them, RespStatus and RespError.
 * @param {number} port
 * @param {{ pushed?: (reply: unknown) => void }} options with `pushed`, what comes is no answer to a command, but a message
 */
export function openRespConnection(port, { pushed } = {}) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay()
  /** @type {{ done: (reply: unknown) => void, fail: (error: Error) => void }[]} */
  const waiting = []
  /** @type {Buffer[]} */
  let chunks = []
  let size = 0
  let needed = 1
  /** @type {Error | null} */
  let dead = null
  const take = (reply) => (pushed === undefined ? waiting.shift()?.done(reply) : pushed(reply))
  const end = (error) => {
    dead ??= error
    for (const { fail } of waiting.splice(0)) fail(dead)
  }
  socket.on('error', end)
  socket.on('close', () => end(new Error('Redis closed the connection')))
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return
    const bytes = Buffer.concat(chunks, size)
    let from = 0
    needed = 1
    while (from < size) {
      const found = parse(bytes, from)
      if ('needs' in found) {
        needed = found.needs - from
        break
      }
      from = found.end
      take(found.reply)
    }
    chunks = [bytes.subarray(from)]
    size -= from
  })
  return {
    closed: new Promise((done) => socket.once('close', done)),
    isDead: () => dead !== null,
    /** Without waiting for an answer. */
    send: (/** @type {readonly (string | Buffer)[]} */ command) => void socket.write(encodeCommand(command)),
    /** The replies, in order. Nothing of another call comes between the commands. */
    run: (/** @type {readonly (readonly (string | Buffer)[])[]} */ commands) => {
      if (dead !== null) return Promise.reject(dead)
      const replies = commands.map(() => new Promise((done, fail) => waiting.push({ done, fail })))
      socket.write(Buffer.concat(commands.map(encodeCommand)))
      return Promise.all(replies)
    },
    close: () => socket.destroy(),
  }
}

function encodeCommand(command) {
  const parts = [Buffer.from(`*${command.length}\r\n`)]
  for (const argument of command) {
    const bytes = Buffer.from(argument)
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(parts)
}

/** The reply that begins at `from` and where it ends, or up to where more is needed at least. */
function parse(bytes, from) {
  const lineEnd = bytes.indexOf('\r\n', from)
  if (lineEnd < 0) return { needs: bytes.length + 1 }
  const line = bytes.toString('utf8', from + 1, lineEnd)
  const next = lineEnd + 2
  switch (String.fromCharCode(bytes[from])) {
    case '+':
      return { reply: new RespStatus(line), end: next }
    case '-':
      return { reply: new RespError(line), end: next }
    case ':':
      return { reply: Number(line), end: next }
    case '$': {
      const length = Number(line)
      if (length < 0) return { reply: null, end: next }
      const end = next + length + 2
      return bytes.length < end ? { needs: end } : { reply: Buffer.from(bytes.subarray(next, end - 2)), end }
    }
    case '*': {
      const length = Number(line)
      if (length < 0) return { reply: null, end: next }
      const reply = []
      let end = next
      while (reply.length < length) {
        const found = parse(bytes, end)
        if ('needs' in found) return found
        reply.push(found.reply)
        end = found.end
      }
      return { reply, end }
    }
    default:
      throw new Error(`no reply begins with ${JSON.stringify(line)}`)
  }
}
