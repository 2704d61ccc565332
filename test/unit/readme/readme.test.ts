import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadWorkspaceConfig } from '../../../src/config.ts'
import { blocksOf, tidy } from '../../readme/blocks.mjs'
import { hasAddress } from '../../servers/with-addresses.mjs'

// Blocks of the README that start with ```ts run or ```sh run are run; the ```output block that follows one is what it prints. Every ```ts block
// must have no type error (those for one runtime, as ```ts run page, are run by test/runtime, which has the servers that examples name), every ```yaml block must load as a configuration. What runs is the built package: `npm run build` first.

const readme = readFileSync('README.md', 'utf8')
const blocks = blocksOf(readme)
/** Below the project, so that the package's own name leads to it. */
const scripts = resolve('.cache/readme')
const folder = mkdtempSync(join(tmpdir(), 'readme-'))

beforeAll(() => {
  if (!existsSync('dist/platforms/node/cli.js')) throw new Error('nothing is built: npm run build')
  rmSync(scripts, { recursive: true, force: true })
  mkdirSync(scripts, { recursive: true })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/mirage'), `#!/bin/sh\nexec ${process.execPath} ${resolve('dist/platforms/node/cli.js')} "$@"\n`)
  chmodSync(join(folder, 'bin/mirage'), 0o755)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('there is something to run', () => {
  expect(blocks.filter((block) => block.kind === 'ts run').length).toBeGreaterThan(3)
  expect(blocks.filter((block) => block.kind === 'sh run').length).toBeGreaterThan(0)
})

test('what needs a server is run where there is one', () => {
  const lines = blocks.filter(({ kind, text }) => kind === 'ts run' && hasAddress(text)).map(({ line }) => line)
  expect(lines, 'these lines must begin with ```ts run node').toEqual([])
})

test('the programs have no type error', async () => {
  const programs = blocks.filter((block) => block.kind.startsWith('ts'))
  for (const { line, text } of programs) writeFileSync(join(scripts, `line-${line}.ts`), `${text}\nexport {}\n`)
  const options = {
    strict: true,
    noEmit: true,
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
    skipLibCheck: true,
  }
  writeFileSync(join(scripts, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  expect(await run(resolve('node_modules/.bin/tsc'), ['-p', scripts])).toBe('')
})

test.each(blocks.filter((block) => block.kind === 'ts run'))(
  'the program in line $line prints what is said',
  async ({ line, text, output }) => {
    const script = join(scripts, `line-${line}.mjs`)
    writeFileSync(script, (await transformWithOxc(text, `line-${line}.ts`)).code)
    expect(tidy(await run(process.execPath, [script]))).toBe(tidy(output ?? ''))
  },
)

test.each(blocks.filter((block) => block.kind === 'sh run'))('the commands in line $line print what is said', async ({ text, output }) => {
  expect(tidy(await run('bash', ['-c', text]))).toBe(tidy(output ?? ''))
})

test.each(blocks.filter((block) => block.kind === 'yaml'))('the configuration in line $line loads', async ({ text }) => {
  const env = Object.fromEntries(Array.from(text.matchAll(/\$\{([A-Z_]+)\}/g), ([, name]) => [name, 'value']))
  await loadWorkspaceConfig(text, { env })
})

/** What a program writes to both of its streams, in a home of its own. */
function run(program: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, NO_COLOR: '1', PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) }
  return new Promise((done) => {
    execFile(program, args, { cwd: folder, env, timeout: 30_000 }, (error, stdout, stderr) => {
      done(stdout + stderr + (error?.killed === true ? 'it took too long\n' : ''))
    })
  })
}
