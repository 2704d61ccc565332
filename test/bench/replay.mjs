// What it costs to prepare a large trajectory: the program itself, from its start to its end, and the memory that it takes at most.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/platforms/node/cli.js')
const MEGABYTE = 1024 * 1024
/** Says at the end of a process how much memory it had at most, in kB. */
const TELLS_PEAK = "data:text/javascript,process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))"

/** Prints a row for each size; every number is the median of the runs. */
export function printReplay(runs = 5) {
  process.stdout.write(
    `\n${'prepare a trajectory of mini-swe-agent'.padEnd(42)}${['steps', 'ms', 'peak MB', 'text'].map((name) => name.padStart(10)).join('')}\n`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'mirage-bench-replay-'))
  try {
    for (const [size, text] of [
      [1, 'ASCII'],
      [50, 'ASCII'],
      [50, 'others'],
      [200, 'ASCII'],
    ]) {
      const file = join(folder, `${size}-${text}.json`)
      const steps = writeTrajectory(file, size * MEGABYTE, text === 'ASCII' ? 'x' : 'ä€')
      const measured = Array.from({ length: runs }, () => perform(folder, file, ['--after-step', String(steps), '--prepare-only'])).sort(
        (a, b) => a.ms - b.ms,
      )
      const { ms } = measured[Math.floor(runs / 2)]
      const peak = Math.max(...measured.map((one) => one.peak))
      const cells = [steps, Math.round(ms), Math.round(peak / MEGABYTE), text]
      process.stdout.write(
        `${`${(statSync(file).size / MEGABYTE).toFixed(0)} MB`.padEnd(42)}${cells.map((cell) => String(cell).padStart(10)).join('')}\n`,
      )
      rmSync(file)
    }
    replaySteps(folder, runs)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a step costs that is run again: a small command, two entries of the journal and a checkpoint, all of it on the disk. */
function replaySteps(folder, runs) {
  const steps = 300
  const messages = Array.from({ length: steps }, (_, i) => [
    { role: 'assistant', content: '', extra: { response: {}, actions: [{ command: `echo ${i} > f${i % 50}.txt; cat f${i % 50}.txt` }] } },
    { role: 'tool', content: `${i}\n`, extra: { returncode: 0 } },
  ]).flat()
  const file = join(folder, 'steps.json')
  writeFileSync(file, JSON.stringify({ trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' }, messages }))
  const once = (count) => perform(folder, file, ['--after-step', String(count), '--replay-only', '--workspace', folder]).ms
  const costs = Array.from({ length: runs }, () => (once(steps) - once(1)) / (steps - 1)).sort((a, b) => a - b)
  process.stdout.write(`${'a step that is run again, ms'.padEnd(42)}${costs[Math.floor(runs / 2)].toFixed(1).padStart(20)}\n`)
}

/** Writes turns with some kB of output each until the file has that size: how many. */
function writeTrajectory(path, size, letters) {
  const file = openSync(path, 'w')
  const line = `${letters.repeat(40 / letters.length)} some "quoted" words\n`
  const output = line.repeat(50)
  let written = writeSync(
    file,
    '{"trajectory_format":"mini-swe-agent-1.1","info":{"mini_version":"2.4.6"},"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}',
  )
  let steps = 0
  while (written < size) {
    const extra = { response: { id: `r${steps}`, choices: [{ message: { content: line, reasoning_content: line.repeat(3) } }] } }
    const id = `call-${steps}`
    const call = {
      role: 'assistant',
      content: line,
      extra: { ...extra, actions: [{ tool_call_id: id, command: `sed -n ${steps},+40p file.txt` }] },
    }
    const seen = {
      role: 'tool',
      tool_call_id: id,
      content: `<output>${output.slice(0, 1000)}</output>`,
      extra: { raw_output: output, returncode: 0 },
    }
    written += writeSync(file, `,\n${JSON.stringify(call)},\n${JSON.stringify(seen)}`)
    steps += 1
  }
  writeSync(file, ']}\n')
  closeSync(file)
  return steps
}

/** The program on a trajectory: how long it took, and how many bytes of memory it had at most. */
function perform(folder, file, flags) {
  const places = ['--state-dir', join(folder, 'state'), '--output-dir', join(folder, 'output')]
  const args = [program, 'replay', '--agent', 'mini-swe-agent', '--trajectory', file, ...flags, ...places]
  const env = { ...process.env, MIRAGE_RUN_HOME: join(folder, 'runs') }
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--import', TELLS_PEAK, ...args], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`the program ended with ${status}: ${stderr}`)
  return { ms: performance.now() - start, peak: Number(stderr) * 1024 }
}
