import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'vite'

/** A worker in a workerd of its own, reached over HTTP. Its Durable Objects are kept in `folder`. */
export interface RunningWorker {
  readonly url: string
  readonly pid: number
  /** Ends the process as a crash would, and waits until it is gone. */
  kill(): Promise<void>
}

export interface WorkerOptions {
  /** A module that is written by {@link bundleWorker}. */
  readonly bundle: string
  readonly folder: string
  /** The class of the Durable Object, bound as `AGENTS`, where it has one. */
  readonly className?: string
  readonly sqlite?: boolean
  /** It may reach servers of this machine. */
  readonly network?: boolean
  /** Texts that the worker is given. */
  readonly bindings?: Readonly<Record<string, string>>
}

const root = resolve(import.meta.dirname, '../..')
const folders: string[] = []
const running = new Set<ChildProcess>()

/** A folder that {@link cleanUp} removes. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mirage-edge-'))
  folders.push(folder)
  return folder
}

/** Ends every worker and removes every folder. */
export function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** One module with all that the entry imports; `mirage-runtime` is what workers get. */
export async function bundleWorker(entry: string): Promise<string> {
  const folder = newFolder()
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: {
      alias: { 'mirage-runtime': join(root, 'platforms/worker/index.ts') },
      conditions: ['workerd', 'worker', 'import', 'module'],
    },
    build: {
      outDir: folder,
      target: 'es2023',
      minify: false,
      lib: { entry: join(root, entry), formats: ['es'], fileName: () => 'worker.js' },
      rolldownOptions: { external: ['cloudflare:workers'], output: { codeSplitting: false } },
    },
  })
  return join(folder, 'worker.js')
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const disk = join(options.folder, 'objects')
  mkdirSync(disk, { recursive: true })
  const config = join(newFolder(), 'worker.capnp')
  writeFileSync(config, configOf(options, disk))
  const args = ['serve', config, `--import-path=/`, '--control-fd=3']
  const child = spawn(join(root, 'node_modules/.bin/workerd'), args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] })
  running.add(child)
  const gone = new Promise<void>((done) => child.once('exit', () => done(void running.delete(child))))
  const port = await listening(child)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function listening(child: ChildProcess): Promise<number> {
  child.once('error', (error) => {
    throw error
  })
  const control = child.stdio[3] as Readable
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event: string; port: number }
    if (event === 'listen') return port
  }
  throw new Error('workerd ended before it listened')
}

function configOf({ bundle, className, sqlite = true, network = false, bindings = {} }: WorkerOptions, disk: string): string {
  const texts = Object.entries(bindings).map(([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)}),`)
  if (className !== undefined) texts.push(`(name = "AGENTS", durableObjectNamespace = "${className}"),`)
  const objects =
    className === undefined
      ? ''
      : `durableObjectNamespaces = [ (className = "${className}", uniqueKey = "agents", enableSql = ${sqlite}) ],
  durableObjectStorage = (localDisk = "objects"),`
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),${network ? '\n    (name = "internet", network = (allow = ["local"])),' : ''}
    (name = "objects", disk = (path = ${JSON.stringify(disk)}, writable = true)),
  ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ]
);

const worker :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed ${JSON.stringify(bundle)}) ],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ["enable_request_signal", "request_signal_passthrough"],
  ${objects}
  bindings = [
    ${texts.join('\n    ')}
  ]
);
`
}
