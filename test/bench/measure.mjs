// Measures one thing in a process of its own, so that a hang, a crash or a heap costs only itself: SHELL, then a JSON request.
// Prints one JSON line.
import { filesOf } from './data.mjs'
import { shells } from './shells.mjs'

const [shellName, json] = process.argv.slice(2)
const request = JSON.parse(json)
const measurements = { script: measureScript, latency: measureLatency, abort: measureAbort, open: measureOpen }
const shell = await shells[shellName]()
let answer
try {
  answer = await measurements[request.measure]()
} catch (error) {
  answer = { fault: String(error?.message ?? error) }
}
await shell.close()
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0))

/** Median of a few runs, and the most memory that the process ever had beyond what it had with its data. */
async function measureScript() {
  for (const kind of request.data ?? []) for (const [path, bytes] of filesOf(kind)) await shell.write(path, bytes)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const times = []
  let result
  for (let run = 0; run < request.runs; run++) {
    const started = performance.now()
    result = await shell.run(request.script)
    times.push(performance.now() - started)
    if (result.status !== 0 || times[0] > 8000) break
  }
  const peak = process.resourceUsage().maxRSS * 1024
  return {
    ms: median(times),
    stdout: result.stdout.slice(0, 200).trim(),
    stderr: result.stderr.slice(0, 200).trim(),
    status: result.status,
    rss: peak,
    grown: Math.max(0, peak - before),
  }
}

/** Microseconds of a warm line: median and 99th percentile of many. */
async function measureLatency() {
  for (let run = 0; run < 500; run++) await shell.run(request.script)
  const times = []
  for (let run = 0; run < 2000; run++) {
    const started = performance.now()
    await shell.run(request.script)
    times.push((performance.now() - started) * 1000)
  }
  times.sort((a, b) => a - b)
  return { median: times[1000], p99: times[1980] }
}

/** Milliseconds from an abort to the call's return, and the longest a 5 ms timer of the host had to wait meanwhile. */
async function measureAbort() {
  const waits = []
  let longest = 0
  for (let run = 0; run < 10; run++) {
    const controller = new AbortController()
    let last = performance.now()
    const ticker = setInterval(() => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }, 5)
    let aborted = 0
    const timer = setTimeout(() => {
      aborted = performance.now()
      controller.abort()
    }, 100)
    await shell.run(request.script, controller.signal).catch(() => undefined)
    waits.push(aborted === 0 ? Number.POSITIVE_INFINITY : performance.now() - aborted)
    clearTimeout(timer)
    clearInterval(ticker)
  }
  return { worst: Math.max(...waits), tick: longest }
}

/** Milliseconds from the start of the process to the end of its first line. */
async function measureOpen() {
  await shell.run('echo hi')
  return { ms: performance.now() }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}
