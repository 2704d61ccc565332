import { randomNumbers } from '../servers/random-numbers.mjs'
import { randomLine } from './lines.mjs'
import { Recording } from './recording.mjs'
import { runtimes } from './runtimes.mjs'

/**
 * @typedef {object} Work
 * @property {number} seed
 * @property {number} lines in all
 * @property {readonly string[]} writers the runtime of each
 * @property {number} kills how many instances are killed on the way, and replaced
 * @property {number} [stops] how many stand still on the way for longer than their lease
 * @property {number} [stopMs]
 * @property {Record<string, unknown>} place where the instances find the state
 * @property {Record<string, unknown>} [readPlace] where it is read at the end; the same when left out
 * @property {(() => Promise<void>)[]} [events] what happens meanwhile, spread over the run
 * @property {() => void} [heal] ends the faults, before what is pending is brought to the store
 */

/** Milliseconds that a line may take before the run counts as hung. */
const HUNG_MS = 90_000

/**
 * Runs lines in many instances at once: on one session that all share, on some that few share, and on one of each's own.
 * @param {Work} work
 */
export async function runWork({ seed, lines, writers, kills, place, readPlace = place, events = [], stops = 0, stopMs = 0, heal }) {
  const recording = new Recording()
  const started = performance.now()
  const now = () => performance.now() - started
  /** @type {string[]} */
  const written = ['nothing']
  let done = 0
  let killed = 0
  let stopped = 0
  /** @type {Promise<void>[]} */
  const happened = []
  const instances = await Promise.all(writers.map((runtime) => runtimes[runtime](place)))
  const replaced = writers.map(() => 0)

  const write = async (writer) => {
    const random = randomNumbers(seed * 1000 + writer)
    const sessions = ['all', `some${writer % 3}`, `own${writer}`, `own${writer}`, `own${writer}`]
    for (let count = 0; done < lines; count++) {
      done += 1
      if (done === Math.round((lines * (happened.length + 1)) / (events.length + 1)))
        happened.push(events[happened.length]?.() ?? Promise.resolve())
      const line = randomLine(`w${writer}.${count}`, sessions[Math.floor(random() * sessions.length)] ?? 'all', random, written)
      if (line.kind === 'write' || line.kind === 'swap') written[count % 20] = line.value
      const name = `${writers[writer]}${writer}${replaced[writer] ? `.${replaced[writer]}` : ''}`
      const isToDie = killed < kills && done >= (lines * (killed + 1)) / (kills + 1)
      const { stop, resume } = instances[writer]
      if (!isToDie && stop !== undefined && stopped < stops && done >= (lines * (stopped + 0.5)) / (stops + 0.5)) {
        stopped += 1
        setTimeout(() => {
          stop()
          setTimeout(resume, stopMs)
        }, random() * 12)
      }
      if (isToDie) {
        killed += 1
        const moment = random() * 12
        setTimeout(() => void instances[writer].kill(), moment)
      }
      const begin = now()
      const answer = await within(HUNG_MS, instances[writer].ask({ do: 'run', session: line.session, line: line.text }), line.text)
      const recorded = { instance: name, line, begin, end: answer === null ? Number.POSITIVE_INFINITY : now(), answer }
      recording.lines.push(recorded)
      if (isToDie || answer === null) {
        await instances[writer].kill()
        replaced[writer] += 1
        instances[writer] = await runtimes[writers[writer]](place)
      }
    }
    return `${writers[writer]}${writer}${replaced[writer] ? `.${replaced[writer]}` : ''}`
  }
  const names = await Promise.all(writers.map((_, writer) => write(writer)))
  const seconds = now() / 1000
  await Promise.all(happened)

  heal?.()
  await Promise.all(
    instances.map(async (instance, writer) => {
      const failed = await instance.ask({ do: 'flush' })
      if (failed !== null) throw new Error(`${names[writer]} could not flush: ${JSON.stringify(failed)}`)
      recording.flushed.set(names[writer], now())
    }),
  )
  await Promise.all(instances.map((instance) => instance.kill()))

  const reader = await runtimes.node(readPlace)
  const readAt = now()
  /** @type {Map<string, import('./verdict.mjs').Final>} */
  const finals = new Map()
  for (const session of new Set(recording.lines.map(({ line }) => line.session))) {
    const { variables, commands } = await reader.ask({ do: 'read', session })
    const { a = '', b = '', n = '0', cwd } = variables
    finals.set(session, { variables: { a, b, n, cwd }, commands })
  }
  await reader.kill()
  return { recording, finals, readAt, seconds, counts: recording.counts() }
}

async function within(ms, promise, what) {
  let timer
  const hung = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer within ${ms} ms: ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, hung])
  } finally {
    clearTimeout(timer)
  }
}
