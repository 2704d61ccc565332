import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { webHost } from '../../../src/host.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { buildScript, type Child, numbers, startChild } from './child-process.ts'
import { newFolder, removeFolders } from './subjects.ts'

let script = ''

beforeAll(async () => {
  script = await buildScript(path.join(import.meta.dirname, 'child.ts'), newFolder())
})

afterAll(removeFolders)

function start(root: string, session: string, name: string, count: number): Child {
  return startChild(script, root, session, name, String(count))
}

it('two processes that set 200 variables each in one session lose none', { timeout: 180_000 }, async () => {
  const root = newFolder()
  const outcomes = await Promise.all([start(root, 's', 'a', 200).ended, start(root, 's', 'b', 200).ended])
  for (const { complaints } of outcomes) expect(complaints).toBe('')
  const sessions = openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })
  const variables = (await sessions.inspect('s'))?.fields.variables
  const missing = ['a', 'b']
    .flatMap((name) => Array.from({ length: 200 }, (_, i) => [`${name}${i}`, String(i)] as const))
    .filter(([name, value]) => variables?.get(name)?.value !== value)
  expect(missing).toEqual([])
  const history = (await sessions.history()).map(({ command }) => command)
  expect(history.length).toBe(400)
  expect(new Set(history).size).toBe(400)
  expect(fs.readdirSync(`${root}/workspaces/w/sessions`)).toEqual(['s.json'])
})

it('a process killed at any of 80 moments loses no acknowledged line and leaves nothing half done', { timeout: 300_000 }, async () => {
  const root = newFolder()
  const random = numbers(20)
  const acknowledged = new Map<string, string[]>([
    ['own', []],
    ['shared', []],
  ])
  for (let kills = 0; kills < 80; kills += 4) {
    const children = (['own', 'shared', 'shared', 'own'] as const).map((session, i) => {
      const child = start(root, i < 3 ? session : `own ${i}`, `n${i}`, 0)
      // One in eight is killed while it starts.
      return { session, child, startsOnly: random(8) === 0, delay: random(30) }
    })
    await Promise.all(
      children.map(async ({ session, child, startsOnly, delay }, i) => {
        if (!startsOnly) await child.begun
        await new Promise((resolve) => setTimeout(resolve, delay))
        child.process.kill('SIGKILL')
        const { acknowledged: commands, complaints } = await child.ended
        expect(complaints).toBe('')
        acknowledged.get(i < 3 ? session : `own ${i}`)?.push(...commands) ?? acknowledged.set(`own ${i}`, [...commands])
      }),
    )
    if (kills % 40 === 0) await check(root, acknowledged)
  }
  await check(root, acknowledged)
  expect(Array.from(acknowledged.values(), (commands) => commands.length >= 15)).toEqual([true, true, true])
})

/** Everything acknowledged is there, once, the counters are at least where the last acknowledged line left them, and the next line works. */
async function check(root: string, acknowledged: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const sessions = openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })
  for (const [id, commands] of acknowledged) {
    const fields = (await sessions.inspect(id))?.fields
    const entries = (await sessions.history()).filter(({ session }) => session === id).map(({ command }) => command)
    const counts = new Map<string, number>()
    for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1)
    expect(commands.filter((command) => counts.get(command) !== 1)).toEqual([])
    const last = new Map(commands.map((command) => command.split('=') as [string, string]))
    for (const [name, value] of last) {
      const held = Number(fields?.variables.get(name)?.value)
      expect(held).toBeGreaterThanOrEqual(Number(value))
    }
    if (fields === undefined) continue
    const { session } = await sessions.open(id, fields)
    const given = await session.begin()
    expect(await session.commit({ ...given, umask: given.umask ^ 1 }, null)).toEqual({ durability: 'committed', conflicts: [] })
  }
  await sessions.close()
}
