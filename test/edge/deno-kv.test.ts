import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { cleanUp, newFolder } from './workerd.ts'

const deno = resolve(import.meta.dirname, '../../node_modules/.bin/deno')
const script = join(import.meta.dirname, 'deno/lines.ts')
const running = new Set<ChildProcess>()

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  cleanUp()
})

interface Said {
  readonly line?: string
  readonly durability?: string
  readonly variables?: readonly string[]
  readonly commands?: readonly string[]
}

/** Runs the script on a database; what it says, and a way to end it at any moment. */
function start(file: string, name: string, count: number): { readonly said: AsyncIterable<Said>; readonly child: ChildProcess } {
  const child = spawn(deno, ['run', '--no-prompt', '--unstable-kv', '-R', '-W', script, file, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  async function* said(): AsyncGenerator<Said> {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Said
  }
  return { said: said(), child }
}

async function lines(file: string, name: string, count: number): Promise<readonly Said[]> {
  const all: Said[] = []
  for await (const one of start(file, name, count).said) all.push(one)
  return all
}

test('what Deno gives has the shape that the store wants', async () => {
  const file = join(newFolder(), 'shape.ts')
  const types = resolve(import.meta.dirname, '../../src/store/deno-kv.ts')
  writeFileSync(file, `import type { DenoKV } from ${JSON.stringify(types)}\nexport const kv: DenoKV = await Deno.openKv()\n`)
  const checked = await promisify(execFile)(deno, ['check', '--no-config', '--unstable-kv', file]).catch((error: unknown) => error)
  expect(checked).toMatchObject({ stdout: '', stderr: expect.not.stringMatching(/error/i) })
})

test('records that version 1 wrote are read', async () => {
  expect(await lines(join(newFolder(), 'kv'), 'golden', 0)).toEqual([{ line: '42\n', commands: ['n=41', 'echo $((n + 1))'] }])
})

test('two processes in one session lose nothing and write nothing twice', async () => {
  const file = join(newFolder(), 'kv')
  const [one, two] = await Promise.all([lines(file, 'a', 20), lines(file, 'b', 20)])
  for (const said of [one, two]) expect(said.map(({ durability }) => durability)).toEqual(Array.from({ length: 20 }, () => 'committed'))
  const [found] = await lines(file, 'reader', 0)
  const wanted = [...one, ...two].map(({ line }) => line).sort()
  expect([...(found?.variables ?? [])].sort()).toEqual(wanted)
  expect((found?.commands ?? []).map((command) => command.replace(/=.*/, '')).sort()).toEqual(wanted)
})

test('whenever a process is killed, every line that it acknowledged is there, once', async () => {
  const file = join(newFolder(), 'kv')
  const acknowledged: string[] = []
  let chance = 5
  for (const name of ['a', 'b', 'c', 'd']) {
    chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
    const most = 1 + (chance >>> 28)
    const { said, child } = start(file, name, 1000)
    const gone = new Promise((done) => child.once('exit', done))
    let count = 0
    for await (const { line, durability } of said) {
      if (durability === 'committed' && line !== undefined) acknowledged.push(line)
      count += 1
      if (count === most) setTimeout(() => child.kill('SIGKILL'), (chance >>> 20) % 8)
    }
    await gone
  }
  const [found] = await lines(file, 'reader', 0)
  const commands = (found?.commands ?? []).map((command) => command.replace(/=.*/, ''))
  expect(new Set(commands).size).toBe(commands.length)
  expect(acknowledged.filter((line) => !commands.includes(line))).toEqual([])
  // A line's change of the session and its entry are one commit.
  expect([...(found?.variables ?? [])].sort()).toEqual([...commands].sort())
})
