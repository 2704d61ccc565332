import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { afterAll, expect } from 'vitest'
import { concat, decode, encode } from '../../../src/bytes.ts'
import type { ByteReader, ByteWriter, Command, CommandContext, RunOptions } from '../../../src/commands/command.ts'
import type { CommandTable } from '../../../src/commands/registry.ts'
import { searchCommands } from '../../../src/commands/search-table.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'

export interface Settings {
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  /** Directory below the root of the files. */
  readonly cwd?: string
  readonly now?: number
  readonly chunkSize?: number
  /** Each read and write answers with a promise. */
  readonly slow?: boolean
  /** Lines of output in any order are the same. */
  readonly unordered?: boolean
  readonly umask?: number
  readonly signal?: AbortSignal
}

export interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
}

/** A file: its content; a link: `{ link }`; a directory: null. */
export type Entry =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly hard: string }
  | { readonly content: string; readonly mode?: number; readonly mtime?: number }
  | null

const made: string[] = []
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** The same files on the disk and in memory, for the real tool and ours. */
export class Files {
  readonly directory: string = realpathSync(mkdtempSync(`${tmpdir()}/search-`))
  readonly ram: RAMFileSystem
  readonly fs: FileSystem
  #time: number | null = null

  constructor(entries: Readonly<Record<string, Entry>> = {}) {
    made.push(this.directory)
    this.ram = new RAMFileSystem({ uid: 0, gid: 0, host: { now: () => this.#time ?? Date.now() } })
    this.fs = followLinks(this.ram)
    for (const [name, entry] of Object.entries(entries)) this.#make(`${this.directory}/${name}`, entry)
    this.#load()
  }

  #make(path: string, entry: Entry): void {
    mkdirSync(dirname(path), { recursive: true })
    if (entry === null) mkdirSync(path, { recursive: true })
    else if (typeof entry === 'string' || entry instanceof Uint8Array)
      writeFileSync(path, typeof entry === 'string' ? encode(entry) : entry)
    else if ('link' in entry) symlinkSync(entry.link, path)
    else if ('hard' in entry) linkSync(`${this.directory}/${entry.hard}`, path)
    else {
      writeFileSync(path, encode(entry.content))
      if (entry.mode !== undefined) chmodSync(path, entry.mode)
      if (entry.mtime !== undefined) utimesSync(path, entry.mtime, entry.mtime)
    }
  }

  #load(): void {
    const seen = new Map<number, string>()
    let above = ''
    for (const name of this.directory.split('/').slice(1)) {
      above += `/${name}`
      this.ram.mkdir(above, 0o755)
    }
    const visit = (path: string): void => {
      for (const name of readdirSync(path)) {
        const below = `${path}/${name}`
        const stat = lstatSync(below)
        const first = seen.get(stat.ino)
        this.#time = stat.ctimeMs
        if (first !== undefined) {
          this.ram.link(first, below)
          continue
        }
        seen.set(stat.ino, below)
        if (stat.isSymbolicLink()) this.ram.symlink(readlinkSync(below), below)
        else if (stat.isDirectory()) {
          this.ram.mkdir(below)
          visit(below)
        } else this.ram.write(below, readFileSync(below))
        if (!stat.isSymbolicLink()) this.ram.setattr(below, { mode: stat.mode & 0o7777, mtimeMs: stat.mtimeMs, atimeMs: stat.atimeMs })
      }
    }
    visit(this.directory)
    this.#time = null
  }

  /** Ours and the real one say the same, and leave the same files. */
  async same(argv: readonly string[], settings: Settings = {}): Promise<void> {
    const real = this.real(argv, settings)
    const ours = await this.ours(argv, settings)
    const shown = (result: Result): Result =>
      settings.unordered === true ? { ...result, stdout: sorted(result.stdout), stderr: sorted(result.stderr) } : result
    const mine = { argv, ...shown(ours), files: this.files() }
    const theirs = { argv, ...shown(real), files: this.realFiles() }
    if (process.env.DIFFERENCES === undefined) expect(mine).toEqual(theirs)
    else if (JSON.stringify(mine) !== JSON.stringify(theirs)) showDifferences(argv, settings, mine, theirs)
  }

  real(argv: readonly string[], settings: Settings = {}): Result {
    const [name = '', ...args] = argv
    const done = spawnSync(name, args, {
      cwd: `${this.directory}/${settings.cwd ?? ''}`,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...settings.env },
      input: bytesOf(settings.stdin ?? ''),
      maxBuffer: 1 << 28,
      timeout: 20_000,
    })
    return { stdout: decode(done.stdout), stderr: decode(done.stderr), status: done.status ?? -1 }
  }

  async ours(argv: readonly string[], settings: Settings = {}): Promise<Result> {
    const out = collector(settings)
    const err = collector(settings)
    const env = new Map(Object.entries({ PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...settings.env }))
    const cwd = settings.cwd === undefined ? this.directory : `${this.directory}/${settings.cwd}`
    const status = await runCommand(this.fs, argv, {
      stdin: readerOf([bytesOf(settings.stdin ?? '')], settings),
      stdout: out,
      stderr: err,
      env,
      cwd,
      settings,
    })
    return { stdout: decode(concat(out.chunks)), stderr: decode(concat(err.chunks)), status }
  }

  /** Contents of the files in memory, by name. */
  files(): Record<string, string> {
    const found: Record<string, string> = {}
    const visit = (path: string): void => {
      for (const { name, type } of this.ram.readdir(path)) {
        const below = `${path}/${name}`
        const shown = below.slice(this.directory.length + 1)
        if (type === 'directory') visit(below)
        found[shown] = type === 'file' ? decode(this.ram.read(below)) : type === 'symlink' ? `-> ${this.ram.readlink(below)}` : '/'
      }
    }
    visit(this.directory)
    return sortedKeys(found)
  }

  realFiles(): Record<string, string> {
    const found: Record<string, string> = {}
    const visit = (path: string): void => {
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const below = `${path}/${entry.name}`
        const shown = below.slice(this.directory.length + 1)
        if (entry.isDirectory()) visit(below)
        found[shown] = entry.isFile() ? decode(readFileSync(below)) : entry.isSymbolicLink() ? `-> ${readlinkSync(below)}` : '/'
      }
    }
    visit(this.directory)
    return sortedKeys(found)
  }
}

/** A generator of numbers that is the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export const hasGnu = (tool: string): boolean => /GNU/.test(spawnSync(tool, ['--version'], { encoding: 'utf8' }).stdout ?? '')

const echo: Command = {
  run: async (args, context) => {
    await context.stdout.write(encode(`${args.join(' ')}\n`))
    return 0
  },
}
const cat: Command = {
  run: async (args, context) => {
    for (const arg of args) await context.stdout.write(await context.fs.read(context.resolve(arg)))
    for (let chunk = args.length > 0 ? null : await context.stdin.read(); chunk !== null; chunk = await context.stdin.read())
      await context.stdout.write(chunk)
    return 0
  },
}
const printf: Command = {
  run: async (args, context) => {
    const text = args.slice(1).map((arg) => `<${arg}>`)
    await context.stdout.write(encode(text.join('')))
    return 0
  },
}
/** Commands for others to run. */
const helpers: CommandTable = new Map<string, Command>([
  ['echo', echo],
  ['cat', cat],
  ['true', { run: () => 0 }],
  ['false', { run: () => 1 }],
  ['printf', printf],
])

interface Start {
  readonly stdin: ByteReader
  readonly stdout: ByteWriter
  readonly stderr: ByteWriter
  readonly env: ReadonlyMap<string, string>
  readonly cwd: string
  readonly settings: Settings
}

async function runCommand(fs: FileSystem, argv: readonly string[], start: Start): Promise<number> {
  const [name = '', ...args] = argv
  const source = searchCommands.get(name) ?? helpers.get(name)
  if (source === undefined) return 127
  const command = typeof source === 'function' ? await source() : source
  const { stdin, stdout, stderr, cwd, env, settings } = start
  const signal = settings.signal ?? new AbortController().signal
  const mask = settings.umask ?? 0o022
  const context: CommandContext = {
    name,
    stdin,
    stdout,
    stderr,
    fs,
    cwd,
    env,
    umask: mask,
    host: { ...webHost, now: settings.now === undefined ? webHost.now : () => settings.now as number },
    signal,
    resolve: (path) => (path.startsWith('/') ? path : `${cwd}/${path}`),
    open: (path) => {
      if (path === '/dev/stdin') return stdin
      const bytes = fs.read(path)
      return bytes instanceof Promise ? bytes.then((read) => readerOf([read], settings)) : readerOf([bytes as Uint8Array], settings)
    },
    create: async (path, { append = false, exclusive = false } = {}) => {
      if (path === '/dev/stdout') return stdout
      if (path === '/dev/stderr') return stderr
      if (append) await fs.append(path, new Uint8Array(0), { mode: 0o666 & ~mask })
      else await fs.write(path, new Uint8Array(0), { exclusive, mode: 0o666 & ~mask })
      return { write: (bytes) => fs.append(path, bytes), close: () => undefined }
    },
    run: async (inner, options: RunOptions = {}) => {
      if (searchCommands.get(inner[0] ?? '') === undefined && helpers.get(inner[0] ?? '') === undefined) {
        await stderr.write(encode(`${inner[0]}: command not found\n`))
        return 127
      }
      return runCommand(fs, inner, {
        stdin: options.stdin ?? stdin,
        stdout: options.stdout ?? stdout,
        stderr: options.stderr ?? stderr,
        env: options.env ?? env,
        cwd: options.cwd ?? cwd,
        settings,
      })
    },
    pause: () => {
      signal.throwIfAborted()
      return undefined
    },
    isTerminal: () => false,
  }
  return await command.run(args, context)
}

function readerOf(given: readonly Uint8Array[], settings: Settings): ByteReader {
  const size = settings.chunkSize ?? 65_536
  const chunks: Uint8Array[] = []
  for (const bytes of given) for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  const read = () => chunks.shift() ?? null
  return {
    read: () => (settings.slow === true ? Promise.resolve().then(read) : read()),
    unread: (bytes) => {
      chunks.unshift(bytes)
    },
    close: () => undefined,
  }
}

function collector(settings: Settings): ByteWriter & { readonly chunks: Uint8Array[] } {
  const chunks: Uint8Array[] = []
  return {
    chunks,
    write(bytes) {
      chunks.push(bytes)
      return settings.slow === true ? Promise.resolve() : undefined
    },
    close: () => undefined,
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encode(content) : content
}

/** With DIFFERENCES set, all of them are shown instead of the first failing. */
function showDifferences(
  argv: readonly string[],
  settings: Settings,
  mine: Record<string, unknown>,
  theirs: Record<string, unknown>,
): void {
  const parts = Object.keys(mine).filter((key) => JSON.stringify(mine[key]) !== JSON.stringify(theirs[key]))
  const shown = parts.map((key) => `   ${key}\n     want ${JSON.stringify(theirs[key])}\n     got  ${JSON.stringify(mine[key])}`)
  console.log(`### ${JSON.stringify(argv)} ${JSON.stringify(settings).slice(0, 300)}\n${shown.join('\n')}`)
}

function sorted(text: string): string {
  return text.split('\n').sort().join('\n')
}

function sortedKeys(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
