import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsOf } from './verdict.mjs'
import { runWork } from './work.mjs'

test('eight processes of three runtimes on one folder, some killed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'instances-disk-'))
  const writers = ['node', 'node', 'deno', 'bun', 'node', 'deno', 'bun', 'node']
  const done = await runWork({ seed: 1, lines: 400, writers, kills: 6, place: { store: 'disk', root, leaseMs: 10_000 } })
  expect(faultsOf(done, { ordered: true, inOneStep: false })).toEqual([])
  expect(done.counts).toMatchObject({ lines: 400, pending: 0, failed: 0 })
  expect(done.counts.killed).toBeGreaterThan(0)
  rmSync(root, { recursive: true, force: true })
})
