import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))

const BUNDLES = {
  process: { entry: 'entries/process.ts', conditions: ['node'], split: true },
  worker: { entry: 'entries/worker.ts', conditions: ['workerd', 'worker'], split: false },
  page: { entry: 'entries/page.ts', conditions: ['browser'], split: true },
}
/** The variable that tells test files where the bundles are which {@link bundleAll} has made. */
const VARIABLE = 'MIRAGE_TEST_INSTANCES'
/** @type {Map<string, Promise<string>>} */
const made = new Map()

/** Makes every bundle, for the processes that this one starts; gives what removes them. */
export async function bundleAll() {
  const folder = newFolder()
  for (const [name, options] of Object.entries(BUNDLES)) await bundle(join(folder, name), options)
  process.env[VARIABLE] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * The instance for processes, workers or pages, bundled once; gives the folder in which its `cases.js` lies.
 * @param {keyof BUNDLES} name
 */
export async function bundled(name) {
  const all = process.env[VARIABLE]
  if (all !== undefined) return join(all, name)
  const known = made.get(name) ?? bundle(newFolder(), BUNDLES[name])
  made.set(name, known)
  return known
}

/** Below the project: what stays outside of a bundle is found in its node_modules. */
function newFolder() {
  const cache = resolve(here, '../../.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'instances-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function bundle(folder, { entry, conditions, split }) {
  await build({
    configFile: false,
    root: here,
    logLevel: 'error',
    resolve: { conditions: [...conditions, 'import', 'module'] },
    build: {
      outDir: folder,
      target: 'es2023',
      minify: false,
      modulePreload: false,
      lib: { entry: join(here, entry), formats: ['es'], fileName: () => 'cases.js' },
      rolldownOptions: { external: [/^node:/, '@redis/client'], output: { codeSplitting: split } },
    },
  })
  return folder
}
