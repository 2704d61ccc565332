// Runs the page in real browsers, from the folder that a static host would serve, below a path.
// Arguments: [--counts FILE] [--grep TEXT] [--screenshot FILE] [BROWSER…]; a browser that is named runs every case. With --screenshot, the picture of the README is written there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { serveFolder } from '../browsers/serve-folder.mjs'
import { browsers } from './browsers.mjs'
import { cases, inFirefox } from './cases.mjs'
import { Person } from './person.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
/** Milliseconds that one case may take. */
const LIMIT = 120_000
/** What browsers say that is no fault of the page. */
const HARMLESS = /^(Layout was forced before the page was fully loaded|This page is in Quirks Mode)/

const { values, positionals } = parseArgs({
  options: { counts: { type: 'string' }, grep: { type: 'string', default: '' }, screenshot: { type: 'string' } },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : Object.keys(browsers)
const unknown = inFirefox.filter((wanted) => !cases.some(({ name }) => name === wanted))
if (unknown.length > 0) throw new Error(`there is no case ${unknown.join(', ')}`)
const scratch = mkdtempSync(join(tmpdir(), 'page-'))
await build({ configFile: join(root, 'demo/page/vite.config.ts'), logLevel: 'error' })
const server = await serveFolder(join(root, 'demo/page/dist'), '/some/where/')
let passed = 0
const failures = []
try {
  for (const name of names) await runIn(name)
} finally {
  server.close()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}
if (failures.length > 0) process.stdout.write(`\n${failures.join('\n\n')}\n`)
process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify({ numPassedTests: passed, numFailedTests: failures.length }))
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1

/** In Firefox, not all: most cases show nothing there that Chromium has not shown. */
function isAsked(browser, { name }) {
  return positionals.length > 0 || browser !== 'firefox' || inFirefox.includes(name)
}

/** The cases of one browser, each with storage of its own. */
async function runIn(name) {
  const wanted = cases.filter((one) => one.name.includes(values.grep) && (one.only ?? name) === name && isAsked(name, one))
  const shared = await start(name)
  try {
    for (const one of wanted) {
      const started = performance.now()
      const fault = await runCase(name, one, shared)
      process.stdout.write(`${fault === null ? 'ok  ' : 'FAIL'} ${name}: ${one.name} (${Math.round(performance.now() - started)} ms)\n`)
      if (fault === null) passed += 1
      else failures.push(`${name}: ${one.name}\n${fault}`)
    }
  } finally {
    await shared.close()
  }
}

async function runCase(name, { run }, shared) {
  const contexts = []
  const said = []
  const open = async (browser, options) => {
    const page = await browser.newPage()
    watch(page, said)
    await page.setViewport({ width: 1280, height: 800, ...options })
    return new Person(page)
  }
  const context = {
    name,
    url: server.url,
    origin: server.origin,
    downloads: shared.downloads,
    screenshot: values.screenshot ?? join(scratch, 'screenshot.png'),
    /** A browser with nothing in it: `open(viewport)` gives a person in front of a new tab, who has opened nothing yet. */
    fresh: async () => {
      const made = await shared.browser.createBrowserContext()
      await shared.prepare(made)
      contexts.push(made)
      return { open: (options) => open(made, options) }
    },
    /** A browser of its own, whose profile `id` is there again for the next one. */
    own: async (id, options) => {
      const started = await start(name, `${name}-${id}`, options)
      return { open: (viewport) => open(started.browser, viewport), close: started.close }
    },
    /** What the pages said on their consoles, which is then forgiven. */
    takeSaid: () => said.splice(0),
  }
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT} ms`)), LIMIT)
  })
  try {
    await Promise.race([run(context), late])
    return said.length === 0 ? null : `the page said:\n${said.join('\n')}`
  } catch (error) {
    return `${error.stack ?? error}${said.length === 0 ? '' : `\nthe page said:\n${said.join('\n')}`}`
  } finally {
    clearTimeout(timer)
    for (const made of contexts) await made.close().catch(() => undefined)
  }
}

/** Gathers what a page must not do: complain, fail, ask for anything that lies elsewhere. */
function watch(page, said) {
  page.on('console', (message) => {
    const text = message.text()
    if (['error', 'warn', 'assert'].includes(message.type()) && !HARMLESS.test(text)) said.push(`${message.type()}: ${text}`)
  })
  page.on('pageerror', (error) => said.push(`uncaught: ${error.stack ?? error}`))
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(server.url)) said.push(`request: ${request.url()}`)
  })
}

async function start(name, id = `${name}-shared`, options = {}) {
  const known = browsers[name]
  if (known === undefined) throw new Error(`unknown browser ${name}: there are ${Object.keys(browsers).join(', ')}`)
  const downloads = join(scratch, `${id}-downloads`)
  mkdirSync(downloads, { recursive: true })
  return { ...(await known({ profile: join(scratch, id), downloads, ...options })), downloads }
}
