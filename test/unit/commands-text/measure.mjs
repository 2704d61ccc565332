// Times our commands against this machine's on the same data: node test/unit/commands-text/measure.mjs [pattern]
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'

const directory = join(tmpdir(), 'text-measure')
mkdirSync(directory, { recursive: true })
const entry = join(directory, 'entry.ts')
const root = new URL('../../../src/', import.meta.url).pathname
writeFileSync(entry, `export { textCommands } from '${root}commands/text-table.ts'\nexport { webHost } from '${root}host.ts'\n`)
await build({ input: entry, output: { dir: join(directory, 'out'), format: 'esm', codeSplitting: true }, logLevel: 'silent' })
const { textCommands, webHost } = await import(join(directory, 'out/entry.js'))

/** Lines "key<N> <num> w<mod> the quick brown fox<d> jumps over". */
function text(bytes) {
  const lines = []
  let length = 0
  let seed = 12345
  for (let n = 0; length < bytes; n++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    const line = `key${n} ${seed % 1000} w${(seed >>> 8) % 5000} the quick brown fox${n % 10} jumps over\n`
    lines.push(line)
    length += line.length
  }
  return lines.join('')
}

function file(name, make) {
  const path = join(directory, name)
  if (!existsSync(path)) writeFileSync(path, make())
  return path
}

const t20 = file('t20', () => text(20e6))
const t100 = file('t100', () => readFileSync(t20).toString().repeat(5))
const numbers = file('numbers', () => Array.from({ length: 1e6 }, (_, i) => `${(i * 7919) % 1000003}\n`).join(''))
const counted = file('counted', () => Array.from({ length: 1e6 }, (_, i) => `${i + 1}\n`).join(''))
const words = file('words', () => readFileSync(t20).toString().replaceAll(' ', '\n'))
const sorted = file('sorted', () => `${readFileSync(t20).toString().split('\n').sort().join('\n')}`)

const CASES = [
  ['wc', [t20]],
  ['wc', ['-l', t100]],
  ['wc', ['-m', t20]],
  ['wc', ['-L', t20]],
  ['cut', ['-d', ' ', '-f3', t20]],
  ['cut', ['-d', ' ', '-f2,4-', t20]],
  ['cut', ['-c1-10', t20]],
  ['tr', ['a-z', 'A-Z'], t20],
  ['tr', ['-d', 'aeiou'], t20],
  ['tr', ['-cs', 'a-z', '\n'], t20],
  ['sort', [t20]],
  ['sort', ['-r', t20]],
  ['sort', ['-u', words]],
  ['sort', [words]],
  ['sort', ['-n', numbers]],
  ['sort', ['-n', counted]],
  ['sort', ['-k2,2n', '-k3', t20]],
  ['sort', ['-k3,3', '-s', t20]],
  ['sort', ['-t', ' ', '-k3,3', t20]],
  ['sort', ['-V', t20]],
  ['sort', ['-f', t20]],
  ['sort', ['-m', sorted, sorted]],
  ['sort', ['-c', sorted]],
  ['uniq', [t20]],
  ['uniq', ['-c', t20]],
  ['uniq', ['-c', '-f2', t20]],
  ['cat', [t100]],
  ['cat', ['-n', t20]],
  ['cat', ['-A', t20]],
  ['head', ['-1', t100]],
  ['head', ['-n', '-1', t100]],
  ['tail', ['-1', t100]],
  ['tail', ['-n', '1000000', t100]],
  ['tail', ['-1'], t100],
  ['tac', [t20]],
  ['rev', [t20]],
  ['nl', [t20]],
  ['paste', [t20, t20]],
  ['paste', ['-s', t20]],
  ['fold', ['-w', '30', t20]],
  ['fold', ['-sw', '30', t20]],
  ['expand', [t20]],
  ['unexpand', ['-a', t20]],
  ['comm', [sorted, sorted]],
  ['join', [sorted, sorted]],
  ['cmp', [t20, t20]],
  ['shuf', [t20]],
  ['base64', [t20]],
  ['base64', ['-d', file('b64', () => spawnSync('base64', [t20], { maxBuffer: 1 << 30 }).stdout)]],
  ['base32', [t20]],
  ['md5sum', [t20]],
  ['sha1sum', [t20]],
  ['sha224sum', [t20]],
  ['sha256sum', [t20]],
  ['sha512sum', [t20]],
  ['seq', ['1000000']],
  ['seq', ['1', '0.1', '100000']],
  ['seq', ['-f', 'x%06g', '100000']],
]

let longest = 0
const pattern = process.argv[2] ?? ''
for (const [name, args, stdin] of CASES) {
  const label =
    [name, ...args.map((arg) => arg.replace(`${directory}/`, ''))].join(' ') + (stdin ? ` < ${stdin.replace(`${directory}/`, '')}` : '')
  if (!label.includes(pattern) || !textCommands.has(name)) continue
  const real = best(5, () => realTime(name, args, stdin))
  const ours = await bestAsync(5, () => ourTime(name, args, stdin))
  console.log(
    `${label.replace('\n', '\\n').padEnd(34)} ${real.toFixed(1).padStart(8)} ms ${ours.toFixed(1).padStart(8)} ms  ${(ours / real).toFixed(2).padStart(6)} x`,
  )
}
console.log(`longest time between two pauses ${longest.toFixed(1)} ms`)
console.log(`largest memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`)

function best(times, run) {
  return Math.min(...Array.from({ length: times }, run))
}
async function bestAsync(times, run) {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i++) least = Math.min(least, await run())
  return least
}

function realTime(name, args, stdin) {
  const out = openSync('/dev/null', 'w')
  const input = stdin ? openSync(stdin, 'r') : 'ignore'
  const start = performance.now()
  spawnSync(name, args, { stdio: [input, out, 'inherit'], env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  const time = performance.now() - start
  closeSync(out)
  if (stdin) closeSync(input)
  return time
}

async function ourTime(name, args, stdin) {
  const files = new Map()
  const content = (path) => {
    if (!files.has(path)) files.set(path, new Uint8Array(readFileSync(path)))
    return files.get(path)
  }
  for (const arg of args) if (arg.startsWith('/')) content(arg)
  const open = (bytes) => {
    let at = 0
    const back = []
    return {
      read() {
        if (back.length > 0) return back.pop()
        if (at >= bytes.length) return null
        const chunk = bytes.subarray(at, at + 65536)
        at += 65536
        return chunk
      },
      unread: (bytes) => void back.push(bytes),
      close: () => undefined,
    }
  }
  let checksum = 0
  const stdout = { write: (bytes) => void (checksum += bytes.length), close: () => undefined }
  const input = open(stdin ? content(stdin) : new Uint8Array(0))
  const source = textCommands.get(name)
  const command = typeof source === 'function' ? await source() : source
  let last = performance.now()
  const context = {
    name,
    stdin: input,
    stdout,
    stderr: { write: (bytes) => void process.stderr.write(bytes), close: () => undefined },
    fs: {
      stat: (path) => ({ type: 'file', size: content(path).length }),
      read: (path, offset = 0, length = Infinity) => content(path).subarray(offset, offset + length),
    },
    cwd: '/',
    env: new Map([['LC_ALL', 'C.UTF-8']]),
    umask: 0,
    host: webHost,
    signal: new AbortController().signal,
    resolve: (path) => path,
    open: (path) => open(content(path)),
    pause() {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      return undefined
    },
    isTerminal: () => false,
  }
  const start = performance.now()
  last = start
  await command.run(args, context)
  return performance.now() - start
}
