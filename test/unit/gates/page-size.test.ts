import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

test('what dist has as the core of a page is small, and has no package or configuration in it', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/page-size.mjs', '--core'], { cwd: root, encoding: 'utf8' })
  expect(`${stdout}${stderr}`).toMatch(
    /^core \d+ bytes gzipped \(\d+ minified\)\nsplit in chunks: first load \d+ bytes gzipped, loaded when needed \d+\n$/,
  )
  expect(status).toBe(0)
})
