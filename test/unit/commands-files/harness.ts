import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect } from 'vitest'
import { concat, decode, encode } from '../../../src/bytes.ts'
import type { ByteReader, ByteWriter, Command, CommandContext, RunOptions } from '../../../src/commands/command.ts'
import { fileCommands } from '../../../src/commands/file-table.ts'
import { FileSystemError, hasCode } from '../../../src/errors.ts'
import type { FileStat, FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'

export interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
}

export interface RunSettings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly umask?: number
  readonly terminals?: readonly number[]
  readonly signal?: AbortSignal
  readonly now?: number
  /** Commands beside those of the table. */
  readonly extra?: ReadonlyMap<string, Command>
}

/** Runs commands over a file system as a shell would. */
export async function run(fs: FileSystem, argv: readonly string[], settings: RunSettings = {}): Promise<Result> {
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  const status = await start(fs, argv, {
    cwd: settings.cwd ?? '/',
    env: new Map(Object.entries({ PATH: '/usr/bin:/bin', ...settings.env })),
    stdin: reader([encode(settings.stdin ?? '')]),
    stdout: sink(out),
    stderr: sink(err),
    signal: settings.signal ?? new AbortController().signal,
    settings,
  })
  return { stdout: decode(concat(out)), stderr: decode(concat(err)), status }
}

interface Start {
  readonly cwd: string
  readonly env: ReadonlyMap<string, string>
  readonly stdin: ByteReader
  readonly stdout: ByteWriter
  readonly stderr: ByteWriter
  readonly signal: AbortSignal
  readonly settings: RunSettings
}

const echo: Command = {
  async run(args, context) {
    await context.stdout.write(encode(`${args.join(' ')}\n`))
    return 0
  },
}
const exit: Command = { run: (args) => Number(args[0] ?? '0') }
/** Waits for its signal. */
const hang: Command = {
  run: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
}
const known = new Map<string, Command>([
  ['echo', echo],
  ['exit', exit],
  ['hang', hang],
])

async function start(fs: FileSystem, argv: readonly string[], options: Start): Promise<number> {
  const [name = '', ...args] = argv
  const { cwd, settings } = options
  const source = settings.extra?.get(name) ?? known.get(name) ?? fileCommands.get(name)
  if (source === undefined) {
    await options.stderr.write(encode(`${name}: command not found\n`))
    return 127
  }
  const command = typeof source === 'function' ? await source() : source
  const umask = settings.umask ?? 0o022
  const context: CommandContext = {
    name,
    stdin: options.stdin,
    stdout: options.stdout,
    stderr: options.stderr,
    fs,
    cwd,
    env: options.env,
    umask,
    host: { ...webHost, now: settings.now === undefined ? webHost.now : () => settings.now as number },
    signal: options.signal,
    resolve: (path) => (path.startsWith('/') || path === '' ? path : `${cwd === '/' ? '' : cwd}/${path}`),
    async open(path) {
      return reader([await fs.read(path)])
    },
    async create(path, { append = false, exclusive = false } = {}) {
      if (!append) await fs.write(path, new Uint8Array(0), { mode: 0o666 & ~umask, exclusive })
      return { write: (bytes) => fs.append(path, bytes), close: () => undefined }
    },
    async run(other, { env, stdin, stdout, stderr, cwd: otherCwd, signal }: RunOptions = {}) {
      const both = signal === undefined ? options.signal : AbortSignal.any([signal, options.signal])
      try {
        return await start(fs, other, {
          cwd: otherCwd ?? cwd,
          env: env ?? options.env,
          stdin: stdin ?? options.stdin,
          stdout: stdout ?? options.stdout,
          stderr: stderr ?? options.stderr,
          signal: both,
          settings,
        })
      } catch (error) {
        if (signal?.aborted === true) return 143
        throw error
      }
    },
    pause: () => (options.signal.aborted ? Promise.reject(options.signal.reason) : undefined),
    isTerminal: (descriptor) => settings.terminals?.includes(descriptor) ?? false,
  }
  return command.run(args, context)
}

function reader(chunks: Uint8Array[]): ByteReader {
  return {
    read: () => {
      const chunk = chunks.shift()
      return chunk === undefined ? null : chunk.length === 0 ? null : chunk
    },
    unread: (bytes) => {
      chunks.unshift(bytes)
    },
    close: () => undefined,
  }
}

function sink(chunks: Uint8Array[]): ByteWriter {
  return {
    write: (bytes) => {
      chunks.push(bytes)
    },
    close: () => undefined,
  }
}

const made: string[] = []
const templates = new Map<string, string>()
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

const SHELL_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', USER: 'root' }

/** A directory on the disk and the same in memory, on which the real tool and ours do the same. */
export class Twin {
  readonly directory: string = realpathSync(mkdtempSync(`${tmpdir()}/twin-`))
  readonly fs: FileSystem
  #time: number | null = null
  readonly #ram: RAMFileSystem = new RAMFileSystem({ host: { now: () => this.#time ?? Date.now() } })

  constructor(setup = '') {
    made.push(this.directory)
    this.fs = asRoot(followLinks(this.#ram))
    this.#copy(setup)
    this.#load()
  }

  /** Runs the script once, and copies what it made for each test. */
  #copy(setup: string): void {
    let template = templates.get(setup)
    if (template === undefined) {
      template = realpathSync(mkdtempSync(`${tmpdir()}/twin-`))
      made.push(template)
      templates.set(setup, template)
      const done = spawnSync('bash', ['-c', `set -e\n${setup}`], { cwd: template, env: SHELL_ENV, encoding: 'utf8' })
      if (done.status !== 0) throw new Error(`setup failed: ${done.stderr}`)
    }
    spawnSync('cp', ['-a', `${template}/.`, this.directory])
  }

  real(argv: readonly string[], settings: RunSettings = {}): Result {
    const [name = '', ...args] = argv
    if (isHarmful(name, args)) throw new Error(`not to be run on a real machine: ${argv.join(' ')}`)
    const done = spawnSync(name, args, {
      cwd: settings.cwd ?? this.directory,
      env: { ...SHELL_ENV, ...settings.env },
      input: settings.stdin ?? '',
      argv0: name,
    })
    return { stdout: decode(done.stdout), stderr: decode(done.stderr), status: done.status ?? -1 }
  }

  ours(argv: readonly string[], settings: RunSettings = {}): Promise<Result> {
    return run(this.fs, argv, { ...settings, cwd: settings.cwd ?? this.directory, env: { ...SHELL_ENV, ...settings.env } })
  }

  /** Both do the same: same output, same messages, same status, and afterwards the same files. */
  async same(line: string | readonly string[], settings: RunSettings = {}): Promise<void> {
    const argv = typeof line === 'string' ? line.split(' ') : line
    const theirs = this.real(argv, settings)
    const mine = await this.ours(argv, settings)
    const label = argv.join(' ')
    if (process.env.DIFFERENCES !== undefined) return this.#print(label, theirs, mine, await this.files())
    // Directories are read in another order.
    const isUnordered = /^(?:cp|rm|chmod|chown|chgrp) .*v/.test(label)
    const shown = (result: Result): Result => (isUnordered ? { ...result, stdout: result.stdout.split('\n').sort().join('\n') } : result)
    expect({ line: label, ...shown(mine) }).toEqual({ line: label, ...shown(theirs) })
    expect({ line: label, files: await this.files() }).toEqual({ line: label, files: this.realFiles() })
  }

  /** With DIFFERENCES set, all of them are shown instead of the first failing. */
  #print(label: string, theirs: Result, mine: Result, files: Record<string, string>): void {
    const show = (what: string, a: unknown, b: unknown): void => {
      if (JSON.stringify(a) !== JSON.stringify(b)) console.log(`### ${label}: ${what}\n--- real\n${a}\n--- ours\n${b}`)
    }
    const sorted = (text: string): string => text.split('\n').sort().join('\n')
    const isUnordered = /^(?:cp|rm|chmod|chown|chgrp) .*v/.test(label)
    show('stdout', isUnordered ? sorted(theirs.stdout) : theirs.stdout, isUnordered ? sorted(mine.stdout) : mine.stdout)
    show('stderr', theirs.stderr, mine.stderr)
    show('status', theirs.status, mine.status)
    const lines = (all: Record<string, string>): string[] =>
      Object.entries(all).map(([name, value]) => `${name}: ${value.slice(0, 100).trimEnd()}`)
    const disk = lines(this.realFiles())
    const memory = lines(files)
    show('files', disk.filter((line) => !memory.includes(line)).join('\n'), memory.filter((line) => !disk.includes(line)).join('\n'))
  }

  /** Every file in memory: kind, mode, names, content. */
  async files(): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    const visit = async (path: string, name: string): Promise<void> => {
      const stat = await this.fs.lstat(path)
      const mode = stat.type === 'symlink' ? '' : stat.mode.toString(8)
      const links = stat.type === 'directory' ? '' : stat.nlink
      const content = stat.type === 'file' ? decode(await this.fs.read(path)) : stat.type === 'symlink' ? await this.fs.readlink(path) : ''
      found[name] = `${stat.type} ${mode} ${links} ${content}`
      if (stat.type !== 'directory') return
      for (const entry of await this.fs.readdir(path)) await visit(`${path}/${entry.name}`, `${name}/${entry.name}`)
    }
    await visit(this.directory, '.')
    return found
  }

  realFiles(): Record<string, string> {
    const found: Record<string, string> = {}
    const visit = (path: string, name: string): void => {
      const stat = lstatSync(path)
      const type = stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : stat.isFIFO() ? 'fifo' : 'file'
      const mode = type === 'symlink' ? '' : (stat.mode & 0o7777).toString(8)
      const links = type === 'directory' ? '' : stat.nlink
      const content = type === 'file' ? decode(readFileSync(path)) : type === 'symlink' ? readlinkSync(path) : ''
      found[name] = `${type} ${mode} ${links} ${content}`
      if (type === 'directory') for (const entry of readdirSync(path)) visit(`${path}/${entry}`, `${name}/${entry}`)
    }
    visit(this.directory, '.')
    return found
  }

  #load(): void {
    const seen = new Map<number, string>()
    let above = ''
    for (const name of this.directory.split('/').slice(1)) {
      above += `/${name}`
      try {
        this.#ram.mkdir(above, 0o755)
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error
      }
    }
    const visit = (path: string, isRoot: boolean): void => {
      const stat = lstatSync(path)
      const first = seen.get(stat.ino)
      if (first !== undefined) return void this.#ram.link(first, path)
      if (!stat.isDirectory()) seen.set(stat.ino, path)
      this.#time = stat.mtimeMs
      if (stat.isSymbolicLink()) this.#ram.symlink(readlinkSync(path), path)
      else if (stat.isFile()) this.#ram.write(path, readFileSync(path))
      else if (stat.isDirectory()) {
        if (!isRoot) this.#ram.mkdir(path)
        for (const name of readdirSync(path)) visit(`${path}/${name}`, false)
      } else throw new FileSystemError('ENOTSUP', path)
      if (stat.isSymbolicLink()) return
      this.#ram.setattr(path, { mode: stat.mode & 0o7777, mtimeMs: stat.mtimeMs, atimeMs: stat.atimeMs, uid: stat.uid, gid: stat.gid })
    }
    visit(this.directory, true)
    this.#time = null
  }
}

/** What would change more than the test's own directory, were it run as root. */
function isHarmful(name: string, args: readonly string[]): boolean {
  if (name === 'date')
    return args.some((arg, at) => /^-[Ru]*s|^--s|^[0-9]/.test(arg) && !/^(?:-[drf]|--date|--file)$/.test(args[at - 1] ?? ''))
  if (name === 'hostname') return true
  const subjects = name === 'mv' ? args.slice(0, -1) : ['rm', 'chmod', 'chown', 'chgrp'].includes(name) ? args : []
  return subjects.some((arg) => /^\/+(?:\.{0,2}\/*)*$|^\.{1,2}$|\.\.\/?$/.test(arg))
}

/** New files belong to the session's user; on the disk of the test to root. */
function asRoot(fs: FileSystem): FileSystem {
  const root = (stat: FileStat): FileStat => ({ ...stat, uid: stat.uid === 1000 ? 0 : stat.uid, gid: stat.gid === 1000 ? 0 : stat.gid })
  return new Proxy(fs, {
    get(target, key) {
      if (key === 'stat' || key === 'lstat') return async (path: string) => root(await target[key](path))
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
