// Checks the packed package as those who install it meet it: manifest, resolution, types without skipLibCheck.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPacked, pack } from './pack.mjs'

const bin = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.bin')
const packed = pack()

run('publint', ['--strict', packed])
run('attw', [packed, '--profile', 'esm-only', '--no-emoji'])

const project = installPacked(packed, 'package-types')
writeFileSync(
  join(project, 'page.ts'),
  `import * as mirage from 'mirage-runtime'
import { startInteractiveShell, ttyPort } from 'mirage-runtime/terminal'

export const names: string[] = Object.keys(mirage)
const workspace = new mirage.Workspace()
const terminal = ttyPort(process.stdin, process.stdout)
export const status: Promise<number> = workspace.session().then((session) => startInteractiveShell({ session, terminal }).ended)
`,
)
const strict = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'NodeNext', '--moduleResolution', 'NodeNext', '--target', 'ES2023']
run('tsc', [...strict, '--lib', 'ES2023', '--types', 'node', '--typeRoots', join(bin, '../@types'), 'page.ts'], project)

function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(join(bin, program), args, { encoding: 'utf8', cwd, env: { ...process.env, NO_COLOR: '1' } })
  if (status === 0) return
  process.stdout.write(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  process.exitCode = 1
}
