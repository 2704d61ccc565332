// Packs the package and lays it out as an installed dependency of an empty project.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Builds, unless PACKAGE_IS_BUILT says that it was done, and packs; the path of the packed file. */
export function pack() {
  if (process.env.PACKAGE_IS_BUILT === undefined)
    execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  const folder = join(root, '.cache/pack')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error(`npm pack left no file in ${folder}`)
  return join(folder, file)
}

/** An empty project in which the packed package is installed with its dependencies, the optional ones, too; its folder. */
export function installPacked(packed, name) {
  const project = join(root, '.cache', name)
  const modules = join(project, 'node_modules')
  rmSync(project, { recursive: true, force: true })
  mkdirSync(modules, { recursive: true })
  writeFileSync(join(project, 'package.json'), `${JSON.stringify({ name, private: true, type: 'module' })}\n`)
  execFileSync('tar', ['-xzf', packed, '-C', modules])
  cpSync(join(modules, 'package'), join(modules, 'mirage-runtime'), { recursive: true })
  rmSync(join(modules, 'package'), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(modules, 'mirage-runtime/package.json'), 'utf8'))
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const link = join(modules, dependency)
    mkdirSync(dirname(link), { recursive: true })
    if (!existsSync(link)) symlinkSync(join(root, 'node_modules', dependency), link)
  }
  return project
}
