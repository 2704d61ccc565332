import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')

/** How the cases are bundled. Without conditions the package stays outside, for the runtime to find in node_modules. */
const BUNDLES = {
  script: { entry: 'script/entry.ts', conditions: null, split: false },
  worker: { entry: 'worker/entry.ts', conditions: ['workerd', 'worker'], split: false },
  page: { entry: 'page/entry.ts', conditions: ['browser'], split: true },
}

/** Makes each bundle once; a function that gives the folder in which its `cases.js` lies. */
export function bundler(project) {
  const made = new Map()
  return (name) => {
    if (!made.has(name)) made.set(name, bundle(project, join(project, name), { ...BUNDLES[name], entry: join(here, BUNDLES[name].entry) }))
    return made.get(name)
  }
}

/** One module `cases.js`, and others that it loads where `split`; gives the folder. */
export async function bundle(project, folder, { entry, conditions, split }) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    configFile: false,
    root: project,
    logLevel: 'error',
    plugins: [packedOnly(project, folder, conditions)],
    resolve: { conditions: [...(conditions ?? []), 'import', 'module'] },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      minify: false,
      modulePreload: false,
      lib: { entry, formats: ['es'], fileName: () => 'cases.js' },
      rolldownOptions: { external: /^node:/, output: { codeSplitting: split } },
    },
  })
  return folder
}

/** Sends every import of the library, by name or from its sources, to the packed package. */
function packedOnly(project, folder, conditions) {
  const packed = join(project, 'node_modules/mirage-runtime')
  const found = (file) => {
    if (!existsSync(file)) throw new Error(`the packed package has no ${relative(packed, file)}`)
    return conditions === null ? { id: relative(folder, file), external: true } : file
  }
  return {
    name: 'packed-only',
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (specifier === 'mirage-runtime' || specifier.startsWith('mirage-runtime/')) {
        return conditions === null
          ? { id: specifier, external: true }
          : this.resolve(specifier, join(project, 'package.json'), { skipSelf: true })
      }
      if (!specifier.startsWith('.') || importer === undefined) return null
      const source = relative(root, resolve(dirname(importer), specifier))
      return /^(src|platforms)\//.test(source) ? found(join(packed, 'dist', source.replace(/\.ts$/, '.js'))) : null
    },
  }
}
