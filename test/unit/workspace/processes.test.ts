import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { buildScript, type Child, numbers, startChild } from '../state/child-process.ts'
import { newFolder, removeFolders } from '../state/subjects.ts'

let script = ''

beforeAll(async () => {
  script = await buildScript(path.join(import.meta.dirname, 'child.ts'), newFolder())
}, 60_000)

afterAll(removeFolders)

function start(root: string, name: string, count: number): Child {
  return startChild(script, root, name, String(count))
}

function open(root: string): Workspace {
  return new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new DiskWorkspaceStateStore({ root }), ownsStore: true })
}

it('two processes that set 100 variables each in one session lose none', { timeout: 180_000 }, async () => {
  const root = newFolder()
  const outcomes = await Promise.all([start(root, 'a', 100).ended, start(root, 'b', 100).ended])
  for (const { complaints } of outcomes) expect(complaints).toBe('')
  const ws = open(root)
  const { stdoutText } = await ws.shell('for n in a b; do for ((i = 0; i < 100; i++)); do v=$n$i; [[ ${!v} == $i ]] || echo $v; done; done')
  expect(stdoutText).toBe('')
  const commands = (await ws.history()).map(({ command }) => command)
  expect([commands.length, new Set(commands).size]).toEqual([201, 201])
  await ws.close()
})

it('a process killed at any of 20 moments loses no acknowledged line', { timeout: 180_000 }, async () => {
  const root = newFolder()
  const random = numbers(7)
  const last = new Map([
    ['n0', 0],
    ['n1', 0],
  ])
  let lines = 0
  for (let kills = 0; kills < 20; kills += 2) {
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
  expect(lines).toBeGreaterThan(20)
  await ws.close()
})
