import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** A line that the linter must refuse in that file, and the rule that does. */
const REFUSED: readonly (readonly [file: string, line: string, rule: string])[] = [
  ['src/fs/a.ts', "export { a } from '../state/a.ts'", 'noRestrictedImports'],
  ['src/fs/b.ts', "export type { A } from '../commands/command.ts'", 'noRestrictedImports'],
  ['src/fs/c.ts', "export { readFileSync } from 'node:fs'", 'noRestrictedImports'],
  ['src/fs/d.ts', "export { readFile } from 'node:fs/promises'", 'noRestrictedImports'],
  ['src/fs/e.ts', "export const fs = await import('node:fs')", 'noRestrictedImports'],
  ['src/s3/a.ts', "export { a } from '../store/a.ts'", 'noRestrictedImports'],
  ['src/redis/a.ts', "export { a } from '../fs/a.ts'", 'noRestrictedImports'],
  ['src/store/a.ts', "export { a } from '../shell/expand/a.ts'", 'noRestrictedImports'],
  ['src/state/a.ts', "export { a } from '../policy/a.ts'", 'noRestrictedImports'],
  ['src/shell/syntax/a.ts', "export { a } from '../../bytes.ts'", 'noRestrictedImports'],
  ['src/shell/expand/a.ts', "export { a } from '../machine/a.ts'", 'noRestrictedImports'],
  ['src/shell/machine/a.ts', "export { a } from '../../workspace.ts'", 'noRestrictedImports'],
  ['src/commands/awk/a.ts', "export { a } from '../../workspace.ts'", 'noRestrictedImports'],
  ['src/policy/a.ts', "export { a } from '../config/a.ts'", 'noRestrictedImports'],
  ['src/job/a.ts', "export { a } from '../config.ts'", 'noRestrictedImports'],
  ['src/workspace.ts', "export { a } from '../platforms/node/index.ts'", 'noRestrictedImports'],
  ['src/workspace-options.ts', "export { a } from './terminal/a.ts'", 'noRestrictedImports'],
  ['src/commands/h.ts', "export { a } from '../terminal/a.ts'", 'noRestrictedImports'],
  ['src/errors.ts', "export { a } from './fs/a.ts'", 'noRestrictedImports'],
  ['platforms/browser/a.ts', "export { readFileSync } from 'node:fs'", 'noRestrictedImports'],
  ['platforms/worker/a.ts', "export { a } from '../node/a.ts'", 'noRestrictedImports'],
  ['src/commands/a.ts', 'export const env: unknown = process.env', 'noRestrictedGlobals'],
  ['src/commands/b.ts', "export const f: unknown = new Function('1')", 'noRestrictedGlobals'],
  ['src/commands/c.ts', "export const f: unknown = eval('1')", 'noGlobalEval'],
  ['src/commands/d.ts', 'export const a: any = 1', 'noExplicitAny'],
  ['src/commands/e.ts', 'export default 1', 'noDefaultExport'],
  ['src/commands/f.ts', "export { b } from './g.ts'\nexport const c = 1", 'noImportCycles'],
  ['src/commands/g.ts', "export { c } from './f.ts'\nexport const b = 1", 'noImportCycles'],
]

/** Lines that it must let pass. */
const ALLOWED: readonly (readonly [file: string, line: string])[] = [
  ['src/host2.ts', "export { a } from './errors.ts'"],
  ['src/shell/syntax/z.ts', "export type { List } from './ast.ts'"],
  ['src/shell/expand/z.ts', "export { a } from '../syntax/a.ts'"],
  ['src/shell/machine/z.ts', "export { a } from '../../commands/a.ts'"],
  ['src/commands/z.ts', "export { a } from '../fs/a.ts'"],
  ['src/store/z.ts', "export { a } from '../s3/a.ts'"],
  ['src/config/z.ts', "export { a } from '../workspace.ts'"],
  ['src/terminal/z.ts', "export { a } from '../workspace.ts'"],
  ['platforms/node/z.ts', "export { readFileSync } from 'node:fs'"],
  ['platforms/browser/z.ts', "export { a } from '../../src/index.ts'"],
]

let folder = ''
let found = new Map<string, string[]>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'boundaries-'))
  await copyFile('biome.json', join(folder, 'biome.json'))
  await copyFile('package.json', join(folder, 'package.json'))
  for (const [file, line] of [...REFUSED, ...ALLOWED]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), `${line}\n`)
  }
  found = await lint(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(REFUSED)('%s: %s', (file, _line, rule) => {
  expect(found.get(file) ?? []).toContain(rule)
})

test.each(ALLOWED)('%s may: %s', (file) => {
  expect(found.get(file) ?? []).toEqual([])
})

/** The rules that each file breaks. */
function lint(cwd: string): Promise<Map<string, string[]>> {
  const biome = resolve('node_modules/.bin/biome')
  return new Promise((done, fail) => {
    execFile(biome, ['lint', '--max-diagnostics=none', '--reporter=github'], { cwd }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') return fail(error)
      const rules = new Map<string, string[]>()
      for (const [, rule, file] of stdout.matchAll(/title=lint\/\w+\/(\w+),file=([^,]+),/g)) {
        if (rule === undefined || file === undefined) continue
        const name = relative(cwd, file)
        rules.set(name, [...(rules.get(name) ?? []), rule])
      }
      return rules.size > 0 ? done(rules) : fail(new Error(`no diagnostics: ${stdout}${stderr}`))
    })
  })
}
