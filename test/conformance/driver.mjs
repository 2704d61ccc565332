// Answers conformance runners: a JSON request a line on standard input, a JSON answer a line on standard output.
//   request  { id, code, cwd?, env?, timeout_ms?, files?: { path: text }, mtime?: seconds, want_tree?: path, legacy_tmp_dir? }
//   answer   { id, stdout, stderr, status, b64?, tree?: { relative path: sha1 | '-> target' } }
// Each request runs in a workspace of its own, in memory. RIG_OILS names a folder whose spec/testdata is put at /repo,
// RIG_TESTS one that is put at /t.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { RAMFileSystem, Workspace } from '../../dist/platforms/node/index.js'
import { helperCommands } from './helper-commands.mjs'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const encoder = new TextEncoder()
const LARGEST = 200_000

const oils = process.env.RIG_OILS ?? firstThatExists(join(project, '../shared/conformance/oils'))
const fixtures = [
  ...(oils === undefined ? [] : filesBelow(oils, join(oils, 'spec/testdata'), '/repo')),
  ...(process.env.RIG_TESTS === undefined ? [] : filesBelow(process.env.RIG_TESTS, process.env.RIG_TESTS, '/t')),
]

// A fault of one request must not take the others with it.
process.on('uncaughtException', (error) => process.stderr.write(`driver: ${error.stack}\n`))
process.on('unhandledRejection', (error) => process.stderr.write(`driver: ${error?.stack ?? error}\n`))

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`)
}

async function answer(line) {
  let id = null
  try {
    const request = JSON.parse(line)
    id = request.id
    return { id, ...(await run(request)) }
  } catch (error) {
    return { id, stdout: '', stderr: `driver: ${error?.stack ?? error}`, status: 255 }
  }
}

async function run(request) {
  const cwd = request.cwd ?? '/tmp'
  const workspace = new Workspace({ '/': new RAMFileSystem() }, { env: { SH: 'bash', ...request.env }, commands: helperCommands })
  try {
    await prepare(workspace.fs, request, cwd)
    const session = await workspace.session('case', { cwd })
    const result = await within(request.timeout_ms ?? 5000, (signal) => session.shell(request.code, { signal, record: false }))
    const tree = request.want_tree === undefined ? {} : { tree: await treeOf(workspace.fs, request.want_tree) }
    return { ...streams(result, request.want_tree !== undefined), status: result.exitCode, ...tree }
  } finally {
    await workspace.close().catch((error) => process.stderr.write(`driver: ${error.stack}\n`))
  }
}

async function prepare(fs, request, cwd) {
  for (const folder of ['/tmp', '/bin', '/home/user', cwd, ...(request.legacy_tmp_dir ? [join(cwd, '_tmp')] : [])])
    await makeFolder(fs, folder)
  const own = Object.entries(request.files ?? {}).map(([path, text]) => ({
    path,
    bytes: encoder.encode(text),
    mode: path.endsWith('.sh') ? 0o755 : 0o644,
  }))
  for (const { path, bytes, mode } of [...fixtures, ...own]) {
    await makeFolder(fs, dirname(path))
    await fs.write(path, bytes, { mode })
  }
  if (request.mtime === undefined) return
  const folders = new Set(own.flatMap(({ path }) => foldersBetween(cwd, path)))
  for (const path of [...own.map((file) => file.path), ...folders])
    await fs.setattr(path, { mtimeMs: request.mtime * 1000, atimeMs: request.mtime * 1000 })
}

/** The call's result; one that outlives its time ends with status 124 and what it threw. */
async function within(milliseconds, call) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), milliseconds)
  try {
    return await call(controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
    return { stdout: new Uint8Array(), stderr: encoder.encode(`driver: not done within ${milliseconds} ms\n`), exitCode: 124 }
  } finally {
    clearTimeout(timer)
  }
}

/** Text where it is UTF-8 or `lossy`, else base64. */
function streams({ stdout, stderr }, lossy) {
  const decoder = new TextDecoder('utf-8', { fatal: !lossy, ignoreBOM: true })
  try {
    return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) }
  } catch {
    return { stdout: Buffer.from(stdout).toString('base64'), stderr: Buffer.from(stderr).toString('base64'), b64: true }
  }
}

async function treeOf(fs, root) {
  const tree = {}
  const walk = async (folder) => {
    for (const { name, type } of await fs.readdir(folder)) {
      const path = join(folder, name)
      const key = relative(root, path)
      if (type === 'directory') await walk(path)
      else if (type === 'symlink') tree[key] = `-> ${await fs.readlink(path)}`
      else if (type === 'file')
        tree[key] = createHash('sha1')
          .update(await fs.read(path))
          .digest('hex')
    }
  }
  await walk(root)
  return tree
}

async function makeFolder(fs, path) {
  if (path === '/') return
  await makeFolder(fs, dirname(path))
  try {
    await fs.mkdir(path, 0o755)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

function foldersBetween(top, path) {
  const folders = []
  for (let folder = dirname(path); folder.startsWith(top) && folder !== '/'; folder = dirname(folder)) folders.push(folder)
  return folders
}

function firstThatExists(...paths) {
  return paths.find((path) => existsSync(path))
}

function filesBelow(root, folder, at) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = statSync(path)
    if (stat.isDirectory()) return filesBelow(root, path, at)
    if (stat.size > LARGEST) return []
    return [{ path: join(at, relative(root, path)), bytes: new Uint8Array(readFileSync(path)), mode: stat.mode & 0o777 }]
  })
}
