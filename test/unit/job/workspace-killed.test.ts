import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { RAMFileSystem, Workspace } from '../../../src/index.ts'
import { buildScript, numbers, startChild } from '../state/child-process.ts'

let folder = ''
let script = ''

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'workspace-killed-'))
  script = await buildScript(path.join(import.meta.dirname, 'workspace-child.ts'), path.join(folder, 'script'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('processes that are killed while they keep checkpoints leave every one whole that is listed, and none is lost', {
  timeout: 120_000,
}, async () => {
  const root = path.join(folder, 'state')
  const random = numbers(11)
  const kept: string[] = []
  for (let kills = 0; kills < 5; kills++) {
    const name = `k${kills}`
    const child = startChild(script, root, name)
    await child.begun
    await new Promise((resolve) => setTimeout(resolve, random(60)))
    child.process.kill('SIGKILL')
    const { acknowledged, complaints } = await child.ended
    expect(complaints).toBe('')
    kept.push(...acknowledged)
  }
  const ws = new Workspace({ '/data': new RAMFileSystem() }, { workspaceId: 'w', store: new DiskWorkspaceStateStore({ root }) })
  await ws.checkpoints.gc()
  const listed = await ws.checkpoints.list()
  const ids = new Set(listed.map(({ id }) => id))
  expect(kept.filter((line) => !ids.has(line.split(' ')[0] as string))).toEqual([])
  for (const { id, name } of [...listed.slice(0, 5), ...listed.slice(-5)]) {
    const [child = '', round = ''] = name?.split(' ') ?? []
    await ws.checkpoints.restore(id)
    const { stdoutText } = await ws.shell(`cat /data/f${Number(round) % 3}; echo $n; pwd`, { sessionId: `s-${child}` })
    expect(stdoutText).toBe(`${round}\n${round}\n/data\n`)
    expect((await ws.checkpoints.create({ requestId: name ?? '' })).id).toBe(id)
  }
  await ws.close()
})
