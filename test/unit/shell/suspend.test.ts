import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { decode } from '../../../src/bytes.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { devices } from '../../../src/fs/devices.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { SavedMachine } from '../../../src/shell/machine/saved.ts'
import type { LineStreams } from '../../../src/shell/shell.ts'
import { Shell } from '../../../src/shell/shell.ts'
import { SUSPENDED_SCRIPT } from './suspend-script.ts'

function machine(fs: FileSystem): { shell: Shell; output: () => string; streams: LineStreams } {
  const chunks: Uint8Array[] = []
  const shell = new Shell({ fs, host: webHost, commands: standardCommands, allowed: () => true })
  const write = (bytes: Uint8Array): void => {
    chunks.push(bytes)
  }
  return {
    shell,
    output: () => decode(Buffer.concat(chunks)),
    streams: { stdin: new Uint8Array(0), stdout: write, stderr: write },
  }
}

function files(): FileSystem {
  const root = new RAMFileSystem()
  root.mkdir('/tmp')
  return followLinks(
    new MountTable([
      ['/', { fs: root, mode: 'write' }],
      ['/dev', { fs: devices(webHost), mode: 'write' }],
    ]),
  )
}

/** The saved state after going through JSON, as it would through a file. */
function throughJson(saved: SavedMachine): SavedMachine {
  return JSON.parse(JSON.stringify(saved)) as SavedMachine
}

describe('a machine saved and restored', () => {
  test('goes on with the same output from every instruction of a script', async () => {
    const whole = machine(files())
    const end = await whole.shell.run(SUSPENDED_SCRIPT, whole.streams)
    const expected = whole.output()
    expect(expected).toMatchInlineSnapshot(`
      "hello one 2
      hello one 1
      hello two three 2
      hello two three 1
      hello four 2
      hello four 1
      status 3 ages 31 42
      in subshell: inner /tmp
      subshell gave 4 and x is unset
      > first 42
      > second two three
      sum 10 nested deep
      got piped
      ten-something
      file: a
      file: b
      temp 1
      background
      waited 0
      bye 10
      "
    `)
    let finished = false
    let saves = 0
    for (let steps = 1; !finished; steps++) {
      const shared = files()
      const before = machine(shared)
      const running = before.shell.runSteps(SUSPENDED_SCRIPT, before.streams, steps)
      if (running !== null) {
        const settled = await Promise.race([Promise.resolve(running), untilPaused(before.shell)])
        if (settled !== null) {
          finished = true
          continue
        }
      }
      const saved = throughJson(await before.shell.suspend(1000))
      const after = machine(shared)
      await after.shell.restore(saved)
      const restoredEnd = await after.shell.proceed(after.streams)
      saves += 1
      if (before.output() + after.output() !== expected) {
        expect({ steps, output: `${before.output()}|${after.output()}` }).toEqual({ steps, output: expected })
      }
      expect(restoredEnd.status).toBe(end.status)
    }
    expect(saves).toBeGreaterThan(300)
  }, 120_000)
})

describe('a machine saved in one process', () => {
  let child = ''
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'suspend-'))

  beforeAll(async () => {
    await build({
      configFile: false,
      logLevel: 'silent',
      root: import.meta.dirname,
      build: {
        ssr: path.join(import.meta.dirname, 'resume-child.ts'),
        outDir: path.join(folder, 'out'),
        target: 'node20',
        rollupOptions: { output: { entryFileNames: 'resume-child.mjs' } },
      },
    })
    child = path.join(folder, 'out', 'resume-child.mjs')
  })
  afterAll(() => fs.rmSync(folder, { recursive: true }))

  test('goes on in a fresh one', async () => {
    const whole = machine(files())
    const end = await whole.shell.run(SUSPENDED_SCRIPT, whole.streams)
    for (const steps of [1, 40, 97, 180, 233, 290, 344, 400]) {
      const root = path.join(folder, `root-${steps}`)
      fs.mkdirSync(path.join(root, 'tmp'), { recursive: true })
      const mounts = new MountTable([
        ['/', { fs: new HostFileSystem({ root }), mode: 'write' }],
        ['/dev', { fs: devices(webHost), mode: 'write' }],
      ])
      const before = machine(followLinks(mounts))
      const running = before.shell.runSteps(SUSPENDED_SCRIPT, before.streams, steps)
      if (running !== null) await Promise.race([running, untilPaused(before.shell)])
      const state = path.join(folder, `state-${steps}.json`)
      fs.writeFileSync(state, JSON.stringify(await before.shell.suspend(1000)))
      const rest = spawnSync(process.execPath, [child, root, state], { encoding: 'utf8' })
      expect(before.output() + rest.stdout + rest.stderr).toBe(whole.output())
      expect(rest.status).toBe(end.status)
    }
  }, 60_000)
})

async function untilPaused(shell: Shell): Promise<null> {
  while (!shell.machine.paused) await new Promise((resolve) => setTimeout(resolve, 1))
  return null
}
