// What a page loads, minified and gzipped: the core (a workspace with a shell over RAM, nothing in it that is loaded when it is needed), and
// what each part of the package adds. node test/bench/page-size.mjs [--core] [NAME…]: the whole table, the core alone, or a page that
// imports the public names given with the largest modules in it. Status 1 where the core is over its limit.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Bytes that the core may have, minified and gzipped. */
const CORE_LIMIT = 100_000
/** What the core must do without: packages, the other stores and file systems, what reads configurations, what draws terminals. */
const FORBIDDEN =
  /\/node_modules\/|^\/(?:platforms|config|terminal|redis|s3)\/|^\/store\/(?!watchers)|^\/state\/(?:disk|redis|s3|durable|stored|history-)|^\/fs\/(?:overlay|record|durable)/

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const dist = join(root, 'dist')
const library = join(dist, 'platforms/browser/index.js')
const folder = join(root, '.cache/page-size')
const CORE = ['RAMFileSystem', 'Workspace']

/**
 * Sizes of a page that imports these names: `core` is one bundle with what is loaded when it is needed left out; `first` and `later` are what
 * a page loads at once, and afterwards at most, when a bundler splits it all into chunks.
 */
async function pageSize(names = CORE) {
  const [core] = await bundle(names, 'left out')
  const chunks = await bundle(names, 'chunks')
  const first = reached(
    chunks,
    chunks.find((chunk) => chunk.isEntry),
  )
  return {
    core: sizes([core]),
    modules: modulesOf([core]),
    misplaced: modulesOf([core]).filter(([name]) => FORBIDDEN.test(name)),
    first: sizes(first),
    later: sizes(chunks.filter((chunk) => !first.has(chunk))),
    chunks,
    loaded: first,
  }
}

/** Rows of the table, by heading: `[title, bytes, remark]`. */
async function pageTable() {
  const page = await pageSize()
  const whole = await together(CORE)
  const names = Object.keys(await import(pathToFileURL(library).href))
  const added = async (chosen, from = library) => {
    const [alone] = await bundle([...CORE, ...chosen], 'left out', from)
    const all = await together([...CORE, ...chosen], from)
    return [sizes([alone]).gzip - page.core.gzip, Math.max(0, all - whole)]
  }
  const rows = { stores: [], files: [], parts: [] }
  for (const name of names.filter((one) => /(?:StateStore|FileSystem)$/.test(one))) {
    const [atOnce, inAll] = await added([name])
    rows[name.endsWith('Store') ? 'stores' : 'files'].push([name, atOnce, remark(atOnce, inAll)])
  }
  const [config, configured] = await added(['loadWorkspaceConfig', 'workspaceOptions'])
  rows.parts.push(['loadWorkspaceConfig', config, remark(config, configured)])
  for (const [subpath, conditions] of Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports)) {
    if (subpath === '.' || typeof conditions === 'string') continue
    const entry = join(root, conditions.browser ?? conditions.default)
    const [atOnce, inAll] = await added(Object.keys(await import(pathToFileURL(entry).href)), entry)
    rows.parts.push([`mirage-runtime${subpath.slice(1)}`, atOnce, remark(atOnce, inAll)])
  }
  return {
    page,
    headings: [
      [
        'a page with Workspace and RAMFileSystem',
        [
          ['core, as one bundle', page.core.gzip, `${kilobytes(page.core.minified)} minified; at most ${kilobytes(CORE_LIMIT)}`],
          ['first load, split in chunks', page.first.gzip, `${page.loaded.size} files`],
          ['loaded when needed, at most', page.later.gzip, `${page.chunks.length - page.loaded.size} files`],
        ],
      ],
      ['what a state store adds', bySize(rows.stores)],
      ['what a file system adds', bySize(rows.files)],
      ['what else can be imported', rows.parts],
      ['what is loaded when it is first needed', bySize(groups(page))],
    ],
  }
}

/** Each module that is loaded when it is needed: what it has, and how much comes with it that the page doesn't have yet. */
function groups({ chunks, loaded }) {
  return chunks
    .filter((chunk) => chunk.isDynamicEntry && !loaded.has(chunk))
    .map((chunk) => {
      const all = [...reached(chunks, chunk)].filter((one) => !loaded.has(one))
      const name = relative(chunk.facadeModuleId).replace(/\.js$/, '')
      const commands = name.startsWith('/commands/') || name.includes('/builtins/') ? chunk.exports.join(' ').replaceAll('Builtin', '') : ''
      return [name.slice(1), sizes(all).gzip, commands]
    })
}

function remark(atOnce, inAll) {
  if (atOnce < 20) return 'in the core'
  return inAll > atOnce + 200 ? `${kilobytes(inAll)} with what it loads` : ''
}

function bySize(rows) {
  return rows.sort((a, b) => b[1] - a[1])
}

/** Gzipped size of a page with all that it may ever load in one file. */
async function together(names, from) {
  return sizes(await bundle(names, 'together', from)).gzip
}

function reached(chunks, start) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set()
  const follow = (chunk) => {
    if (chunk === undefined || found.has(chunk)) return
    found.add(chunk)
    for (const name of chunk.imports) follow(byName.get(name))
  }
  follow(start)
  return found
}

/** Bundles a page as Vite does; what is loaded when it is needed comes as chunks, all `together`, or is `left out`. */
async function bundle(names, dynamic, from = library) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const entry = join(folder, 'page.js')
  const others = [...new Set(names)].filter((name) => from === library || !CORE.includes(name))
  const base = from === library ? '' : `export { ${CORE.join(', ')} } from ${JSON.stringify(library)}\n`
  writeFileSync(entry, `${base}export { ${others.join(', ')} } from ${JSON.stringify(from)}\n`)
  const { output } = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    plugins: dynamic === 'left out' ? [{ name: 'leave-out', resolveDynamicImport: (id) => ({ id, external: true }) }] : [],
    resolve: { conditions: ['browser', 'import', 'module'] },
    build: {
      write: false,
      target: 'es2023',
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'allow-extension',
        output: dynamic === 'together' ? { codeSplitting: false } : {},
      },
    },
  })
  return output.filter((chunk) => chunk.type === 'chunk')
}

function sizes(chunks) {
  const total = { minified: 0, gzip: 0 }
  for (const { code } of chunks) {
    total.minified += Buffer.byteLength(code)
    total.gzip += gzipSync(code, { level: 9 }).length
  }
  return total
}

function modulesOf(chunks) {
  return chunks
    .flatMap((chunk) => Object.entries(chunk.modules))
    .map(([name, module]) => [relative(name), module.renderedLength])
    .sort((a, b) => b[1] - a[1])
}

function relative(name) {
  return name.replace(join(dist, 'src'), '').replace(dist, '').replace(root, '')
}

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1)
}

/** Prints the whole table; the status of the program is 1 where the core isn't as it must be. */
export async function printPage() {
  const { page, headings } = await pageTable()
  printTable(headings)
  finish(page)
}

/** Prints headings and rows; the numbers are kB, minified and gzipped. */
function printTable(headings) {
  for (const [title, rows] of headings) {
    if (rows.length === 0) continue
    process.stdout.write(`\n${title.padEnd(48)}${'gzip kB'.padStart(10)}\n`)
    for (const [name, bytes, remark] of rows) process.stdout.write(`${name.padEnd(48)}${kilobytes(bytes).padStart(10)}  ${remark}\n`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { core: { type: 'boolean' } }, allowPositionals: true })
  if (values.core || positionals.length > 0) {
    const page = await pageSize(positionals.length > 0 ? positionals : CORE)
    process.stdout.write(`core ${page.core.gzip} bytes gzipped (${page.core.minified} minified)\n`)
    process.stdout.write(`split in chunks: first load ${page.first.gzip} bytes gzipped, loaded when needed ${page.later.gzip}\n`)
    for (const [name, length] of page.modules.slice(0, values.core ? 0 : 40))
      process.stdout.write(`${String(length).padStart(8)} ${name}\n`)
    finish(positionals.length > 0 ? null : page)
  } else {
    await printPage()
  }
}

function finish(page) {
  if (page === null) return
  if (page.core.gzip > CORE_LIMIT) process.stdout.write(`\nthe core has ${page.core.gzip} bytes; it may have ${CORE_LIMIT}\n`)
  for (const [name] of page.misplaced) process.stdout.write(`\n${name} is in the core; it must not be\n`)
  process.exitCode = page.core.gzip > CORE_LIMIT || page.misplaced.length > 0 ? 1 : 0
}
