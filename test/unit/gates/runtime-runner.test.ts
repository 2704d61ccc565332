import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the runner of the runtimes names the ones it knows', () => {
  const { status, stderr } = spawnSync(process.execPath, ['test/runtime/run.mjs', 'nodejs', 'node'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^unknown runtime nodejs: there are workerd, .*\bnode, chromium, /)])
})
