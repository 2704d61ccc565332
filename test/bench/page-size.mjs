// Size of what a page loads for a workspace with a shell over RAM: the entry and all it imports at once, minified and gzipped.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Bytes, minified and gzipped: `core` is one bundle with nothing in it that is loaded when it is needed; `first` and `later` are what a page
 * loads at once, and afterwards at most, when a bundler splits it all into chunks.
 */
export async function pageSize(names = ['RAMFileSystem', 'Workspace']) {
  const folder = join(root, '.cache/page-size')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const entry = join(folder, 'page.js')
  const library = join(root, 'dist/platforms/browser/index.js')
  writeFileSync(entry, `import { ${names.join(', ')} } from ${JSON.stringify(library)}\nglobalThis.mirage = { ${names.join(', ')} }\n`)
  const core = await bundle(folder, entry, [{ name: 'leave-out', resolveDynamicImport: (id) => ({ id, external: true }) }])
  const chunks = await bundle(folder, entry, [])
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const first = new Set()
  const follow = (name) => {
    if (first.has(name)) return
    first.add(name)
    for (const next of byName.get(name)?.imports ?? []) follow(next)
  }
  follow(chunks.find((chunk) => chunk.isEntry).fileName)
  return {
    core: sizes(core),
    first: sizes(chunks.filter((chunk) => first.has(chunk.fileName))),
    later: sizes(chunks.filter((chunk) => !first.has(chunk.fileName))),
    chunks,
  }
}

async function bundle(folder, entry, plugins) {
  const { output } = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    plugins,
    resolve: { conditions: ['browser', 'import', 'module'] },
    build: { write: false, target: 'es2023', minify: true, modulePreload: false, rolldownOptions: { input: entry } },
  })
  return output.filter((chunk) => chunk.type === 'chunk')
}

function sizes(chunks) {
  return chunks.reduce(
    (sum, chunk) => ({ minified: sum.minified + chunk.code.length, gzip: sum.gzip + gzipSync(chunk.code, { level: 9 }).length }),
    { minified: 0, gzip: 0 },
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { core, first, later, chunks } = await pageSize(process.argv.length > 2 ? process.argv.slice(2) : undefined)
  console.log(`core ${core.gzip} bytes gzipped (${core.minified} minified)`)
  console.log(`split into chunks: first load ${first.gzip} bytes gzipped (${first.minified} minified), loaded when needed ${later.gzip}`)
  const modules = chunks.filter((chunk) => chunk.isEntry || process.env.ALL).flatMap((chunk) => Object.entries(chunk.modules))
  for (const [name, module] of modules.sort((a, b) => b[1].renderedLength - a[1].renderedLength).slice(0, 40))
    console.log(String(module.renderedLength).padStart(8), name.replace(root, ''))
}
