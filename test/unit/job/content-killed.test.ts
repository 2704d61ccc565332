import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { decode } from '../../../src/bytes.ts'
import { ContentStore } from '../../../src/job/content-store.ts'
import { buildScript, numbers, startChild } from '../state/child-process.ts'

let folder = ''
let script = ''

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'content-killed-'))
  script = await buildScript(path.join(import.meta.dirname, 'content-child.ts'), path.join(folder, 'script'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('processes that are killed while they store trees leave every tree whole whose id they gave', { timeout: 120_000 }, async () => {
  const root = path.join(folder, 'store')
  const random = numbers(7)
  const stored: string[] = []
  for (let kills = 0; kills < 10; kills++) {
    const children = ['a', 'b'].map((name) => startChild(script, root, `${name}${kills}`))
    await Promise.all(
      children.map(async (child) => {
        await child.begun
        await new Promise((resolve) => setTimeout(resolve, random(40)))
        child.process.kill('SIGKILL')
        const { acknowledged, complaints } = await child.ended
        expect(complaints).toBe('')
        stored.push(...acknowledged)
      }),
    )
  }
  const last = new Map(stored.map((line) => [line.split(' ')[1] as string, line]))
  expect(last.size).toBe(20)
  const content = new ContentStore(new DiskStore(root))
  const check = async (line: string): Promise<void> => {
    const [id = '', name = '', round = ''] = line.split(' ')
    const files = await new ContentStore(new DiskStore(root)).open(id)
    expect(decode(files.read(`/round ${Number(round) % 50}`))).toBe(`${name} round ${round} `.repeat(1 + (Number(round) % 400)))
    expect(decode(files.read('/start 299'))).toBe(`${name} 299 `.repeat(40))
    expect(files.readdir('/').length).toBe(300 + Math.min(50, Number(round) + 1))
  }
  for (const line of stored.slice(0, 20)) await check(line)
  for (const line of last.values()) await check(line)
  // What was left behind is removed, and nothing else.
  await content.gc(() => Array.from(last.values(), (line) => line.slice(0, 64)), 0)
  for (const line of last.values()) await check(line)
  await content.gc(() => [], 0)
  expect((await new DiskStore(root).list('')).filter((key) => key !== 'lock')).toEqual([])
})
