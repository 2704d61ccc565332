// npm run bench [-- [--shells mirage,bash] [--runs N] [WORD…]]: the cases side by side in real bash, in this shell and in just-bash, in one
// run. Words choose cases and groups whose names hold one of them, and the parts: latency, page, stores, mounts,
// start, worker, abort, jobs, replay.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cases } from './cases.mjs'
import { printJobs } from './jobs.mjs'
import { printMounts } from './mounts.mjs'
import { printPage } from './page-size.mjs'
import { installPeer } from './peer.mjs'
import { printReplay } from './replay.mjs'
import { printStarts } from './start.mjs'
import { printStores } from './stores.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const HELP = `usage: npm run bench -- [--shells bash,mirage,just-bash] [--runs N] [WORD…]

A word chooses the cases and groups that have it in their names (${[...new Set(cases.map(({ group }) => group))].join(', ')}), or a part:
  latency   a warm line
  abort     from an abort to the return of a busy line
  page      what a page loads: the core, each store, file system and command (also: node test/bench/page-size.mjs)
  worker    lines over HTTP to demo/worker, state in a Durable Object on the disk
  stores    a line on each store: requests and milliseconds, on a real Redis and a real S3 gateway
  jobs      Jobs, checkpoints, forks and archives, beside cp -r and git
  replay    a large trajectory is prepared
  mounts    lines over files on Redis and S3: requests and milliseconds, on the same servers
  start     to the first echo in workerd, a page, Node, Deno and Bun (also: node test/bench/start.mjs [RUNTIME…])
Without words everything is measured.
`
const { values, positionals } = parseArgs({
  options: {
    shells: { type: 'string', default: 'bash,mirage,just-bash' },
    runs: { type: 'string', default: '5' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
let names = values.shells.split(',')
if (names.includes('just-bash') && !installPeer()) names = names.filter((name) => name !== 'just-bash')
const LIMIT = 30_000
const chosen = (...texts) => positionals.length === 0 || positionals.some((word) => texts.some((text) => text.includes(word)))

await latency()
await abort()
if (chosen('page')) await printPage()
if (chosen('start')) await printStarts(Number(values.runs))
if (chosen('stores')) await printStores()
if (chosen('mounts')) await printMounts()
if (chosen('jobs')) await printJobs(Number(values.runs))
if (chosen('replay')) printReplay(Number(values.runs))
if (chosen('worker')) await worker()
await scripts()

async function worker() {
  const vitest = join(here, '../../node_modules/.bin/vitest')
  const child = spawn(vitest, ['bench', '--run', '--config', join(here, '../edge/vitest.config.ts')], { stdio: 'inherit' })
  const status = await new Promise((done) => child.once('exit', done))
  if (status !== 0) process.exitCode = 1
}

async function scripts() {
  const rows = cases.filter((found) => chosen(found.name, found.group))
  let group = ''
  for (const found of rows) {
    if (found.group !== group) {
      group = found.group
      heading(group, [
        ...names.map((name) => `${name} ms`),
        ...(names.includes('bash') && names.includes('mirage') ? ['× bash'] : []),
        'memory MB',
        '',
      ])
    }
    const answers = new Map()
    for (const name of names)
      answers.set(name, await measure(name, { measure: 'script', script: found.script, data: found.data, runs: Number(values.runs) }))
    const [bash, mirage] = [answers.get('bash'), answers.get('mirage')]
    const ratio =
      names.includes('bash') && names.includes('mirage') ? [usable(bash) && usable(mirage) ? (mirage.ms / bash.ms).toFixed(2) : ''] : []
    const memory = usable(mirage) ? `${megabytes(mirage.grown)}` : ''
    row(found.name, [...names.map((name) => shown(answers.get(name))), ...ratio, memory, remark(found, answers)])
  }
}

/** What is to be said of a row: an output that is wrong, or differs from bash's. */
function remark(found, answers) {
  const bash = answers.get('bash')
  const remarks = []
  for (const [name, answer] of answers) {
    if (name === 'bash' || !usable(answer)) continue
    const want = found.want ?? (usable(bash) ? bash.stdout : undefined)
    if (want !== undefined && answer.stdout !== want) remarks.push(`${name}: ${JSON.stringify(answer.stdout.slice(0, 40))} is wrong`)
  }
  return remarks.join('; ')
}

async function latency() {
  const lines = ['echo hi', 'x=1', 'echo hi | cat | wc -c', 'cd /tmp && pwd']
  const rows = lines.filter((line) => chosen('latency', line))
  if (rows.length === 0) return
  const some = names.filter((name) => name !== 'bash')
  heading(
    'latency of a warm line',
    some.flatMap((name) => [`${name} µs`, 'p99']),
  )
  for (const line of rows) {
    const cells = []
    for (const name of some) {
      const answer = await measure(name, { measure: 'latency', script: line })
      cells.push(...(answer.fault === undefined ? [answer.median.toFixed(1), answer.p99.toFixed(1)] : [answer.fault.slice(0, 20), '']))
    }
    row(line, cells)
  }
  const cells = []
  for (const name of some) {
    const answer = await measure(name, { measure: 'open' })
    cells.push(answer.fault === undefined ? `${answer.ms.toFixed(0)} ms` : answer.fault.slice(0, 20), '')
  }
  row('process to first line', cells)
}

async function abort() {
  const loops = [
    'while :; do :; done',
    'while true; do x=$((x+1)); done',
    'yes > /dev/null',
    'f() { f; }; while :; do s+=xxxxxxxxxx; done',
    'seq 1 1000000000 | sort',
  ]
  const rows = loops.filter((loop) => chosen('abort', loop))
  if (rows.length === 0 || !names.includes('mirage')) return
  heading('abort in a busy loop (mirage)', ['worst ms', 'longest tick'])
  for (const loop of ['(control)', ...rows]) {
    const answer = await measure('mirage', { measure: loop === '(control)' ? 'control' : 'abort', script: loop })
    row(loop, answer.fault === undefined ? [answer.worst.toFixed(1), answer.tick.toFixed(1)] : [answer.fault.slice(0, 40), ''])
  }
}

function measure(shell, request) {
  return new Promise((done) => {
    const args = ['--expose-gc', '--max-old-space-size=4500', join(here, 'measure.mjs'), shell, JSON.stringify(request)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT)
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text
    })
    child.on('close', (_code, signal) => {
      clearTimeout(timer)
      const line = output.trim().split('\n').at(-1) ?? ''
      if (line.startsWith('{')) return done(JSON.parse(line))
      done({ fault: signal === 'SIGKILL' ? 'hangs' : (/\w*Error: .*/.exec(errors)?.[0] ?? `ended by ${signal}`) })
    })
  })
}

function usable(answer) {
  return answer !== undefined && answer.fault === undefined && answer.status === 0
}

function shown(answer) {
  if (answer.fault !== undefined) return answer.fault.slice(0, 14)
  if (answer.status === 127) return 'no command'
  return answer.status === 0 ? answer.ms.toFixed(answer.ms < 10 ? 2 : 0) : `status ${answer.status}`
}

function heading(title, columns) {
  process.stdout.write(`\n${title.padEnd(34)}${columns.map((column) => column.padStart(14)).join('')}\n`)
}

function row(title, cells) {
  process.stdout.write(
    `${title.slice(0, 33).padEnd(34)}${cells.map((cell, index) => (index === cells.length - 1 && cell.length > 14 ? `  ${cell}` : cell.padStart(14))).join('')}\n`,
  )
}

function megabytes(bytes) {
  return (bytes / 1048576).toFixed(0)
}
