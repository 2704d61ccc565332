import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { concat, decode, encode } from '../../../src/bytes.ts'
import type { ByteReader, ByteWriter, Command, CommandContext, RunOptions } from '../../../src/commands/command.ts'
import { textCommands } from '../../../src/commands/text-table.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'

export interface ToolOptions {
  readonly stdin?: string | Uint8Array
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly env?: Readonly<Record<string, string>>
  /** Bytes in each chunk that is read; small ones find faults at chunk ends. */
  readonly chunkSize?: number
  /** Answer each read and write with a promise. */
  readonly slow?: boolean
}

export interface ToolResult {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
  /** Files that are there afterwards. */
  readonly files: Readonly<Record<string, string>>
}

/** A place to run commands in, and what they wrote there. */
export interface Place {
  readonly fs: RAMFileSystem
  readonly context: CommandContext
  /** Standard output and standard error so far. */
  stdout(): string
  stderr(): string
  readonly chunks: readonly Uint8Array[]
}

/** Makes a place whose directory is /w. */
export function makePlace(name: string, options: ToolOptions = {}, changes: Partial<CommandContext> = {}): Place {
  const fs = new RAMFileSystem()
  fs.mkdir('/w')
  for (const [path, content] of Object.entries(options.files ?? {})) {
    if (path.endsWith('/')) fs.mkdir(`/w/${path.slice(0, -1)}`)
    else fs.write(`/w/${path}`, bytesOf(content))
  }
  const out = collector(options.slow)
  const err = collector(options.slow)
  const stdin = readerOf(bytesOf(options.stdin ?? ''), options)
  return {
    fs,
    context: { ...contextOf(fs, name, options, stdin, out, err), ...changes },
    stdout: () => decode(concat(out.chunks)),
    stderr: () => decode(concat(err.chunks)),
    chunks: out.chunks,
  }
}

/** One of our commands, loaded. */
export async function load(name: string): Promise<Command> {
  const source = textCommands.get(name)
  if (source === undefined) throw new Error(`no command ${name}`)
  return typeof source === 'function' ? await source() : source
}

/** Runs one of our commands in a directory of its own. */
export async function runTool(argv: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  const [name = '', ...args] = argv
  const place = makePlace(name, options)
  const status = await (await load(name)).run(args, place.context)
  const files: Record<string, string> = {}
  for (const { name: file, type } of place.fs.readdir('/w')) if (type === 'file') files[file] = decode(place.fs.read(`/w/${file}`))
  return { stdout: place.stdout(), stderr: place.stderr(), status, files }
}

/** Runs the program of that name of this machine. */
export function runReal(argv: readonly string[], options: ToolOptions = {}): ToolResult {
  const directory = mkdtempSync(join(tmpdir(), 'text-'))
  try {
    for (const [name, content] of Object.entries(options.files ?? {})) {
      if (name.endsWith('/')) mkdirSync(join(directory, name))
      else writeFileSync(join(directory, name), bytesOf(content))
    }
    const [program = '', ...args] = argv
    const { stdout, stderr, status } = spawnSync(program, args, {
      cwd: directory,
      input: bytesOf(options.stdin ?? ''),
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...options.env },
      maxBuffer: 1 << 28,
    })
    const files: Record<string, string> = {}
    for (const name of readdirSync(directory)) {
      if (statSync(join(directory, name)).isFile()) files[name] = decode(readFileSync(join(directory, name)))
    }
    return { stdout: decode(stdout), stderr: decode(stderr), status: status ?? -1, files }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Fails unless ours does what the program of this machine does. */
export async function expectSame(argv: readonly string[], options: ToolOptions = {}): Promise<void> {
  expect(
    await runTool(argv, options),
    JSON.stringify({ argv, ...options }, (_, value) => (value instanceof Uint8Array ? decode(value) : value)),
  ).toEqual(runReal(argv, options))
}

export const hasGnu = spawnSync('sort', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU coreutils') === true

/** A generator of numbers that is the same in every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

export function pick<T>(random: (below: number) => number, choices: readonly T[]): T {
  return choices[random(choices.length)] as T
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encode(content) : content
}

function readerOf(bytes: Uint8Array, options: ToolOptions): ByteReader {
  const size = options.chunkSize ?? 65_536
  let at = 0
  let back: Uint8Array[] = []
  const read = () => {
    const returned = back.pop()
    if (returned !== undefined) return returned
    if (at >= bytes.length) return null
    const chunk = bytes.slice(at, at + size)
    at += size
    return chunk
  }
  return {
    read: () => (options.slow ? Promise.resolve().then(read) : read()),
    unread: (rest) => {
      back = [...back, rest]
    },
    close: () => undefined,
  }
}

function collector(slow = false): ByteWriter & { readonly chunks: Uint8Array[] } {
  const chunks: Uint8Array[] = []
  return {
    chunks,
    write(bytes) {
      chunks.push(bytes)
      return slow ? Promise.resolve() : undefined
    },
    close: () => undefined,
  }
}

function contextOf(
  raw: RAMFileSystem,
  name: string,
  options: ToolOptions,
  stdin: ByteReader,
  stdout: ByteWriter,
  stderr: ByteWriter,
): CommandContext {
  const fs = followLinks(raw)
  const env = new Map(Object.entries({ LC_ALL: 'C.UTF-8', ...options.env }))
  return {
    name,
    stdin,
    stdout,
    stderr,
    fs,
    cwd: '/w',
    env,
    umask: 0o022,
    host: webHost,
    signal: new AbortController().signal,
    resolve: (path) => (path.startsWith('/') ? path : `/w/${path}`),
    open: (path) => (path === '/dev/stdin' ? stdin : readerOf(fs.read(path) as Uint8Array, options)),
    create: (path, { append = false, exclusive = false } = {}) => {
      if (path === '/dev/stdout') return stdout
      if (append) fs.append(path, new Uint8Array(0))
      else fs.write(path, new Uint8Array(0), { exclusive })
      return { write: (bytes) => fs.append(path, bytes), close: () => undefined }
    },
    run: async ([inner = '', ...args]: readonly string[], run: RunOptions = {}) => {
      const context = contextOf(raw, inner, options, run.stdin ?? stdin, run.stdout ?? stdout, run.stderr ?? stderr)
      return await (await load(inner)).run(args, context)
    },
    pause: () => undefined,
    isTerminal: () => false,
  }
}

export interface Fuzz {
  /** Options to choose from; `@` stands for one of `values`. */
  readonly options: readonly string[]
  readonly values?: readonly string[]
  readonly most?: number
  /** Operands to choose from. */
  readonly operands: readonly (readonly string[])[]
  /** Contents of standard input and of the files a and b. */
  readonly contents: readonly (string | Uint8Array)[]
  readonly env?: Readonly<Record<string, string>>
  /** Further files. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
}

/** Compares our command with this machine's over many arguments and inputs, the same in every run. */
export async function fuzz(
  name: string,
  cases: number,
  { options, values = [], most = 2, operands, contents, env, files = {} }: Fuzz,
): Promise<void> {
  const random = seeded(name.split('').reduce((sum, char) => sum * 31 + char.charCodeAt(0), cases))
  for (let i = 0; i < cases; i++) {
    const args = Array.from({ length: options.length === 0 ? 0 : random(most + 1) }, () => pick(random, options)).flatMap((option) =>
      option.split(' ').map((word) => word.replace('@', () => pick(random, values))),
    )
    await expectSame([name, ...args, ...pick(random, operands)], {
      files: { a: pick(random, contents), b: pick(random, contents), 'd/': '', ...files },
      stdin: pick(random, contents),
      chunkSize: pick(random, [1, 2, 7, 65_536]),
      slow: random(2) === 0,
      env,
    })
  }
}

/** Lines of words, blanks and numbers. */
export function someText(seed: number, lines: number, words: readonly string[] = WORDS): string {
  const random = seeded(seed)
  let text = ''
  for (let i = 0; i < lines; i++) {
    const count = random(5)
    for (let word = 0; word < count; word++) text += pick(random, words) + pick(random, [' ', '\t', '  ', ','])
    text += pick(random, words) + (i + 1 === lines && random(3) === 0 ? '' : '\n')
  }
  return text
}

const WORDS = [
  '',
  'a',
  'b',
  'B',
  'Abc',
  'abc',
  'é',
  '漢字',
  '10',
  '9',
  '-3',
  '2.50',
  '1K',
  '2M',
  'Jan',
  'feb',
  'v1.10',
  'v1.9',
  '#',
  '\x01',
  'x:y',
  '0',
]
