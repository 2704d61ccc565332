// The shells that are measured, each as a thing that takes files and runs scripts: { write, run, close }.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { peerFolder } from './peer.mjs'

const MEMORY_FOLDER = '/dev/shm'

/** How each shell is opened. A run gives { stdout, stderr, status } as text and throws only on a fault. */
export const shells = { mirage: openMirage, bash: openBash, 'just-bash': openJustBash }

async function openMirage() {
  const { RAMFileSystem, RAMWorkspaceStateStore, Workspace } = await import('../../dist/platforms/node/index.js')
  const files = new RAMFileSystem()
  const workspace = new Workspace(
    { '/': files },
    { workspaceId: 'bench', store: new RAMWorkspaceStateStore(), ownsStore: true, env: { D: '/data' } },
  )
  const folders = new Set(['/'])
  const makeFolder = async (path) => {
    if (folders.has(path)) return
    await makeFolder(dirname(path))
    await workspace.fs.mkdir(path)
    folders.add(path)
  }
  await makeFolder('/data')
  return {
    workspace,
    write: async (path, bytes) => {
      await makeFolder(dirname(`/data/${path}`))
      await workspace.fs.write(`/data/${path}`, bytes)
    },
    // A session of its own where one is named: what an earlier run left must not count.
    run: async (script, signal, sessionId) => {
      const { stdoutText, stderrText, exitCode } = await workspace.shell(script, {
        ...(signal && { signal }),
        ...(sessionId && { sessionId }),
      })
      return { stdout: stdoutText, stderr: stderrText, status: exitCode }
    },
    close: () => workspace.close(),
  }
}

/** Real bash and GNU tools over files in memory. */
async function openBash() {
  const folder = mkdtempSync(join(canWrite(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'bench-'))
  return {
    write: async (path, bytes) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    },
    run: (script) =>
      new Promise((done, fail) => {
        const child = spawn('bash', ['-c', script], {
          env: { ...process.env, D: folder, LC_ALL: 'C.UTF-8' },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        const texts = { stdout: '', stderr: '' }
        for (const name of ['stdout', 'stderr'])
          child[name].setEncoding('utf8').on('data', (text) => {
            texts[name] += text
          })
        child.on('error', fail)
        child.on('close', (code) => done({ ...texts, status: code ?? 255 }))
      }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function openJustBash() {
  const found = createRequire(join(peerFolder, 'package.json')).resolve('just-bash')
  const { Bash } = await import(pathToFileURL(found).href.replace('index.cjs', 'index.js'))
  const bash = new Bash({ env: { D: '/data' }, executionLimits: noLimits() })
  await bash.fs.mkdir('/data', { recursive: true })
  return {
    write: (path, bytes) => bash.fs.writeFile(`/data/${path}`, new Uint8Array(bytes)),
    run: async (script, signal) => {
      const { stdout, stderr, exitCode } = await bash.exec(script, signal === undefined ? {} : { signal })
      return { stdout, stderr, status: exitCode }
    },
    close: async () => {},
  }
}

/** just-bash's limits taken off, so that every case can come to its end. */
function noLimits() {
  const names =
    'CommandCount LoopIterations OutputSize StringLength FileSystemBytes ExecutionTimeMs AwkIterations SedIterations JqIterations ArrayElements GlobOperations ArchiveBytes HeredocSize BraceExpansionResults WorkUnits LiveBytes InputBytes TraversalEntries TraversalWork QueryTokens QueryElements AwkParserOperations SourceBytes ArchiveCompressedBytes ArchiveEntryBytes'
  const depths = 'CallDepth SubstitutionDepth TraversalDepth QueryDepth ExecDepth SourceDepth'
  return Object.fromEntries([
    ...names.split(' ').map((name) => [`max${name}`, 2 ** 50]),
    ...depths.split(' ').map((name) => [`max${name}`, 10_000]),
  ])
}

function canWrite(folder) {
  try {
    rmSync(mkdtempSync(join(folder, 'try-')), { recursive: true })
    return true
  } catch {
    return false
  }
}
