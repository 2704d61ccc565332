import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { newFolder, removeFolders } from '../state/subjects.ts'

let script = ''

beforeAll(async () => {
  const outDir = newFolder()
  await build({
    configFile: false,
    logLevel: 'silent',
    root: import.meta.dirname,
    build: {
      ssr: path.join(import.meta.dirname, 'child.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  })
  script = path.join(outDir, 'child.mjs')
}, 60_000)

afterAll(removeFolders)

interface Child {
  readonly process: ChildProcessByStdio<null, Readable, Readable>
  /** Resolves with the first line that was acknowledged, or when the process has ended. */
  readonly begun: Promise<void>
  /** What was acknowledged, and complaints, when all of the process's output is in. */
  readonly ended: Promise<{ readonly acknowledged: readonly string[]; readonly complaints: string }>
}

function start(root: string, name: string, count: number): Child {
  const child = spawn(process.execPath, [script, root, name, String(count)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaints = ''
  child.stderr.on('data', (data: Buffer) => {
    complaints += data.toString()
  })
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      resolve()
    })
    child.on('close', () => resolve())
  })
  const ended = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.on('close', () => resolve({ acknowledged: output.split('\n').slice(0, -1), complaints }))
  })
  return { process: child, begun, ended }
}

function open(root: string): Workspace {
  return new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new DiskWorkspaceStateStore({ root }), ownsStore: true })
}

it('two processes that set 200 variables each in one session lose none', { timeout: 180_000 }, async () => {
  const root = newFolder()
  const outcomes = await Promise.all([start(root, 'a', 200).ended, start(root, 'b', 200).ended])
  for (const { complaints } of outcomes) expect(complaints).toBe('')
  const ws = open(root)
  const { stdoutText } = await ws.shell('for n in a b; do for ((i = 0; i < 200; i++)); do v=$n$i; [[ ${!v} == $i ]] || echo $v; done; done')
  expect(stdoutText).toBe('')
  const commands = (await ws.history()).map(({ command }) => command)
  expect([commands.length, new Set(commands).size]).toEqual([401, 401])
  await ws.close()
})

it('a process killed at any of 40 moments loses no acknowledged line', { timeout: 180_000 }, async () => {
  const root = newFolder()
  let seed = 7
  const random = (bound: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * bound)
  }
  const last = new Map([
    ['n0', 0],
    ['n1', 0],
  ])
  let lines = 0
  for (let kills = 0; kills < 40; kills += 2) {
    await Promise.all(
      Array.from(last.keys(), async (name) => {
        const child = start(root, name, 0)
        if (random(8) > 0) await child.begun
        const delay = random(40)
        await new Promise((resolve) => setTimeout(resolve, delay))
        child.process.kill('SIGKILL')
        const { acknowledged, complaints } = await child.ended
        expect(complaints).toBe('')
        lines += acknowledged.length
        const counts = acknowledged.map(Number)
        // Each child goes on from the last one: a count that was acknowledged is never given again.
        for (const count of counts) {
          expect(count).toBeGreaterThan(last.get(name) ?? 0)
          last.set(name, count)
        }
      }),
    )
  }
  const ws = open(root)
  const { stdoutText, durability } = await ws.shell('echo $n0 $n1')
  expect(durability).toBe('committed')
  const held = stdoutText.trim().split(' ').map(Number)
  expect(held[0]).toBeGreaterThanOrEqual(last.get('n0') ?? 0)
  expect(held[1]).toBeGreaterThanOrEqual(last.get('n1') ?? 0)
  expect((await ws.history()).length).toBeGreaterThanOrEqual(lines + 1)
  expect(lines).toBeGreaterThan(40)
  await ws.close()
})
