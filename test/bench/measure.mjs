// Measures one thing in a process of its own, so that a hang, a crash or a heap costs only itself: SHELL, then a JSON request.
// Prints one JSON line.
import { readFileSync, writeFileSync } from 'node:fs'
import { filesOf } from './data.mjs'
import { shells } from './shells.mjs'

const [shellName, json] = process.argv.slice(2)
const request = JSON.parse(json)
const measurements = { script: measureScript, latency: measureLatency, abort: measureAbort, control: measureControl, open: measureOpen }
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
  const before = restartPeak()
  const times = []
  let result
  for (let run = 0; run < request.runs; run++) {
    const started = performance.now()
    result = await shell.run(request.script, undefined, `run ${run}`)
    times.push(performance.now() - started)
    if (result.status !== 0 || times[0] > 8000) break
  }
  const { stdout, stderr, status } = result
  return {
    ms: median(times),
    stdout: stdout.slice(0, 200).trim(),
    stderr: stderr.slice(0, 200).trim(),
    status,
    grown: Math.max(0, peak() - before),
  }
}

/** Forgets the most memory that there was so far (Linux keeps that of the parent, too); what there is now. */
function restartPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Elsewhere the peak is that of the whole process.
  }
  return process.memoryUsage().rss
}

function peak() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
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
  // The first run loads and compiles what the others use.
  for (let run = -1; run < 10; run++) {
    if (run === 0) longest = 0
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
    if (run >= 0 && aborted > 0) waits.push(performance.now() - aborted)
    clearTimeout(timer)
    clearInterval(ticker)
    if (aborted === 0) return { fault: `run ${run + 1} ended before its abort` }
  }
  return { worst: Math.max(...waits), tick: longest }
}

/** What an abort measures when nothing but 8 ms of work and a turn of the event loop alternate: the machine's own share. */
async function measureControl() {
  const busy = async (_script, signal) => {
    while (!signal.aborted) {
      const started = performance.now()
      while (performance.now() - started < 8);
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  shell.run = busy
  return measureAbort()
}

/** Milliseconds from the start of the process to the end of its first line. */
async function measureOpen() {
  await shell.run('echo hi')
  return { ms: performance.now() }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}
