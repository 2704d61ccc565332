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
/** @type {Map<string, Promise<string>>} */
const made = new Map()

/**
 * The instance for processes, workers or pages, bundled once; gives the folder in which its `cases.js` lies, which goes when this process ends.
 * @param {keyof BUNDLES} name
 */
export function bundled(name) {
  const known = made.get(name) ?? bundle(BUNDLES[name])
  made.set(name, known)
  return known
}

async function bundle({ entry, conditions, split }) {
  // Below the project: what stays outside of the bundle is found in its node_modules.
  const cache = resolve(here, '../../.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'instances-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
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
