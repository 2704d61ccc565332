import { expect, test } from 'vitest'
import { decode } from '../../../src/bytes.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { hasCode } from '../../../src/errors.ts'
import { devices } from '../../../src/fs/devices.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { SavedMachine } from '../../../src/shell/machine/saved.ts'
import type { LineEnd, LineStreams } from '../../../src/shell/shell.ts'
import { Shell } from '../../../src/shell/shell.ts'
import { Chance, randomScript } from './random-script.ts'
import { treeState } from './tree-state.ts'

/** How many scripts, and the first of their seeds. More: `RANDOM_SCRIPTS=20000 RANDOM_SEED=5000 npx vitest run test/unit/job/random-suspension.test.ts`. */
const COUNT = Number(process.env.RANDOM_SCRIPTS ?? 1000)
const FIRST = Number(process.env.RANDOM_SEED ?? 1)

interface Machine {
  readonly shell: Shell
  readonly files: RAMFileSystem
  readonly streams: LineStreams
  readonly written: Written
}

/** What came on each stream: which of the two comes first is chance where several processes write. */
interface Written {
  readonly stdout: Uint8Array[]
  readonly stderr: Uint8Array[]
}

function machine(files: RAMFileSystem): Machine {
  const fs = followLinks(
    new MountTable([
      ['/', { fs: files, mode: 'write' }],
      ['/dev', { fs: devices(webHost), mode: 'write' }],
    ]),
  )
  const written: Written = { stdout: [], stderr: [] }
  const write = (stream: 'stdout' | 'stderr') => (bytes: Uint8Array) => {
    written[stream].push(bytes.slice())
  }
  const shell = new Shell({ fs, host: webHost, commands: standardCommands, allowed: () => true })
  shell.process.environment.cwd = '/work'
  return { shell, files, written, streams: { stdin: new Uint8Array(0), stdout: write('stdout'), stderr: write('stderr') } }
}

function newFiles(): RAMFileSystem {
  const files = new RAMFileSystem()
  for (const folder of ['/tmp', '/work']) files.mkdir(folder)
  return files
}

interface Outcome {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  readonly files: readonly string[]
}

async function outcomeOf(end: LineEnd, pieces: readonly Written[], files: RAMFileSystem): Promise<Outcome> {
  const text = (stream: 'stdout' | 'stderr'): string => decode(Buffer.concat(pieces.flatMap((written) => written[stream])))
  return { status: end.status, stdout: text('stdout'), stderr: text('stderr'), files: await treeState(files) }
}

async function whole(script: string): Promise<Outcome> {
  const { shell, files, streams, written } = machine(newFiles())
  return outcomeOf(await shell.run(script, streams), [written], files)
}

/** Runs a script in pieces, each in a new machine over a copy of the files: what it gave, and how often it was suspended. */
async function inPieces(script: string, chance: Chance): Promise<{ outcome: Outcome; times: number }> {
  const pieces: Written[] = []
  // A line that has come to its end can't be suspended: it begins again with fewer steps.
  for (let steps = 1 + chance.below(2000); ; steps = Math.ceil(steps / 2)) {
    const first = machine(newFiles())
    first.shell.machine.pause(steps)
    const end = Promise.resolve(first.shell.run(script, first.streams))
    let saved = await savedBefore(first, end)
    if (saved === null && steps === 1) return { outcome: await outcomeOf(await end, [first.written], first.files), times: 0 }
    if (saved === null) continue
    pieces.push(first.written)
    let files = first.files
    for (let times = 1; ; times++) {
      const next = machine(files.fork())
      await next.shell.restore(saved)
      const more = times < 4 && chance.next() < 0.5 ? 1 + chance.below(300) : undefined
      const ended = Promise.resolve(next.shell.proceed(next.streams, more))
      saved = await savedBefore(next, ended)
      pieces.push(next.written)
      files = next.files
      if (saved === null) return { outcome: await outcomeOf(await ended, pieces, files), times }
    }
  }
}

/** The machine once it has come to a stop; null where its line came to its end first. */
async function savedBefore({ shell }: Machine, end: Promise<LineEnd>): Promise<SavedMachine | null> {
  let isOver = false
  const over = end.then(() => {
    isOver = true
    return null
  })
  const stopped = await Promise.race([over, untilPaused(shell, () => isOver)])
  if (stopped === null) return null
  const saved = await Promise.race([over, shell.suspend(30_000)]).catch((error: unknown) => {
    if (hasCode(error, 'CONFLICT')) return null
    throw error
  })
  return saved === null ? null : (JSON.parse(JSON.stringify(saved)) as SavedMachine)
}

async function untilPaused(shell: Shell, isOver: () => boolean): Promise<'paused'> {
  while (!shell.machine.paused && !isOver()) await webHost.breathe()
  return 'paused'
}

test(`${COUNT} scripts made by chance give the same with suspensions as without`, async () => {
  let suspended = 0
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const script = randomScript(seed)
    const expected = await whole(script)
    expect(expected.stderr).not.toMatch(/syntax error (near|: unexpected)/)
    const { outcome, times } = await inPieces(script, new Chance(seed ^ 0x5eed))
    if (JSON.stringify(outcome) !== JSON.stringify(expected)) expect({ seed, script, ...outcome }).toEqual({ seed, script, ...expected })
    if (times > 0) suspended += 1
  }
  expect(suspended).toBeGreaterThan(COUNT * 0.95)
}, 240_000)
