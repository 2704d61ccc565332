import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFixedProgram } from '../../../src/shell/machine/program.ts'
import { runtime } from '../../../src/shell/machine/runtime.ts'

const shell = join(import.meta.dirname, '../../../src/shell')

test("the machine's own code is found by its name in a process that has not run it yet", async () => {
  const sources = readdirSync(shell, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const names = sources.flatMap((file) =>
    [...readFileSync(join(shell, file), 'utf8').matchAll(/ fixedProgram\('(\w+)'/g)].map(([, name]) => name ?? ''),
  )
  expect(names.length).toBeGreaterThan(8)
  for (const name of names) {
    await runtime.loadFixed(name)
    expect(findFixedProgram(name), name).toBeDefined()
  }
})
