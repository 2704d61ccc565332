import { once } from 'node:events'
import { createServer, request as requestTo } from 'node:http'
import { randomNumbers } from './random-numbers.mjs'

/**
 * What happens to a request:
 * - `cut-before`: the connection is cut; the server never hears of it
 * - `lose-answer`: the server does it, then the connection is cut
 * - `cut-answer`: the connection is cut in the middle of the answer
 * - `slow`: it is passed on after `ms`
 * - `hold`: nothing happens until {@link release}
 * - `late`: the connection is cut, and the server gets the request on {@link release}
 * - `status`: answered here with `status`, which the server never hears of
 * - `repeat`: the server gets it twice, and the second answer counts
 * @typedef {{ kind: 'cut-before' | 'lose-answer' | 'cut-answer' | 'hold' | 'late' | 'repeat' }
 *   | { kind: 'slow', ms: number }
 *   | { kind: 'status', status: number, headers?: Record<string, string>, body?: string }} Fault
 */

/**
 * A request as a test sees it.
 * @typedef {{ method: string, path: string, headers: import('node:http').IncomingHttpHeaders, body: Buffer }} Seen
 */

/**
 * Which requests get a fault: so many, of those that match.
 * @typedef {{ times?: number, matches?: (seen: Seen) => boolean }} Which
 */

/**
 * A proxy before a server, which does what a bad network does. It passes requests on as they are, with their Host, which signatures contain.
 * @param {string} target the server's origin
 */
export async function startFaultProxy(target) {
  /** @type {{ fault: Fault, times: number, matches: (seen: Seen) => boolean }[]} */
  let planned = []
  /** @type {((seen: Seen) => Fault | null) | null} */
  let byChance = null
  /** @type {(Seen & { fault: Fault['kind'] | null })[]} */
  let requests = []
  /** @type {'there' | 'silent'} */
  let network = 'there'
  /** @type {(() => Promise<void>)[]} */
  const held = []
  /** @type {(() => void)[]} */
  const arrivals = []

  const faultFor = (seen) => {
    const plan = planned.find(({ times, matches }) => times > 0 && matches(seen))
    if (plan === undefined) return byChance?.(seen) ?? null
    plan.times -= 1
    return plan.fault
  }

  const server = createServer(async (request, response) => {
    const cut = () => request.socket.destroy()
    const body = await read(request).catch(() => null)
    if (body === null || network === 'silent') return
    const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    const fault = faultFor(seen)
    requests.push({ ...seen, fault: fault?.kind ?? null })
    for (const arrived of arrivals.splice(0)) arrived()
    const send = () => pass(target, request, body)
    try {
      switch (fault?.kind) {
        case undefined:
          return await answer(await send(), response)
        case 'cut-before':
          return cut()
        case 'lose-answer':
          await read(await send())
          return cut()
        case 'cut-answer': {
          const got = await send()
          const whole = await read(got)
          response.writeHead(got.statusCode ?? 502, got.rawHeaders)
          // What was written is on its way before the end comes.
          return response.write(whole.subarray(0, whole.length >> 1), () => setImmediate(cut))
        }
        case 'slow':
          await new Promise((done) => setTimeout(done, fault.ms))
          return await answer(await send(), response)
        case 'hold':
          return void held.push(async () => answer(await send(), response))
        case 'late':
          held.push(async () => void (await read(await send())))
          return cut()
        case 'status':
          return response.writeHead(fault.status, { 'access-control-allow-origin': '*', ...fault.headers }).end(fault.body ?? '')
        case 'repeat':
          await read(await send())
          return await answer(await send(), response)
      }
    } catch {
      // The server is not there.
      cut()
    }
  })
  server.keepAliveTimeout = 60_000
  const { port } = new URL(await listening(server, 0))
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    /** The requests that came since the last {@link clear}. */
    requests: () => requests,
    /** How many came, by method and path. */
    counts: () => countsOf(requests),
    /** Forgets the requests and every fault that is still to come. */
    clear: () => {
      requests = []
      planned = []
      byChance = null
    },
    /** The next requests for which `matches` holds get the fault, in the order of the calls. */
    fault: (/** @type {Fault} */ fault, /** @type {Which} */ { times = 1, matches = () => true } = {}) => {
      planned.push({ fault, times, matches })
    },
    /** One request of `1 / rate` gets one of the faults, always the same ones for a seed and an order of requests. */
    chance: (/** @type {{ seed: number, rate: number, faults: readonly Fault[] }} */ { seed, rate, faults }) => {
      const next = randomNumbers(seed)
      byChance = () => (next() < rate ? (faults[Math.floor(next() * faults.length)] ?? null) : null)
    },
    /** Resolves with the next request that comes. */
    arrival: () => new Promise((/** @type {(nothing: void) => void} */ done) => arrivals.push(done)),
    /** Passes on what was held and late, in order; resolves when the server has answered all of it. */
    release: async () => {
      for (const pass of held.splice(0)) await pass()
    },
    /** `silent`: what is sent gets lost, nothing answers. `refused`: no connection is to be had. Connections are cut in both. */
    network: async (/** @type {'there' | 'silent' | 'refused'} */ state) => {
      // What was sent into the silence is lost, also where it has not been looked at yet.
      if (network === 'silent') for (let turn = 0; turn < 2; turn++) await new Promise((done) => setImmediate(done))
      if (state !== 'there') server.closeAllConnections()
      network = state === 'silent' ? 'silent' : 'there'
      if (state === 'refused' && server.listening) await once(server.close(), 'close')
      if (state !== 'refused' && !server.listening) await listening(server, Number(port))
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** @param {readonly Seen[]} requests */
function countsOf(requests) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { method, path } of requests) {
    const name = `${method} ${path}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

async function listening(server, port) {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

/** The server's answer to the same request. */
function pass(target, { method, url, rawHeaders }, body) {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(target)
    const sent = requestTo({ hostname, port, method, path: url, headers: rawHeaders, agent: false }, done)
    sent.on('error', fail).end(body)
  })
}

async function answer(got, response) {
  // The client has gone.
  if (response.closed) return void got.resume()
  response.writeHead(got.statusCode, got.statusMessage, got.rawHeaders)
  response.flushHeaders()
  response.on('close', () => got.destroy())
  got.on('error', () => response.destroy())
  got.pipe(response)
  await once(response, 'close')
}

async function read(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
