import { decode, encode } from '../../src/bytes.ts'
import { standardCommands } from '../../src/commands/standard.ts'
import { devices } from '../../src/fs/devices.ts'
import { followLinks } from '../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../src/fs/memory.ts'
import { MountTable } from '../../src/fs/mount-table.ts'
import { webHost } from '../../src/host.ts'
import type { SavedMachine } from '../../src/shell/machine/saved.ts'
import type { LineStreams } from '../../src/shell/shell.ts'
import { Shell } from '../../src/shell/shell.ts'
import { assert, deepEqual, equal } from '../contract/assert.ts'
import type { AnySuite } from './suite.ts'
import { suite } from './suite.ts'
import type { SuspendedScript } from './suspended-scripts.ts'
import { suspendedScripts } from './suspended-scripts.ts'

/** A suspended script as it goes through a file to other runtimes. */
export interface Suspension {
  readonly name: string
  /** What it has written so far. */
  readonly output: string
  readonly machine: SavedMachine
  /** What is in `/tmp`, as text by name. */
  readonly files: readonly (readonly [name: string, text: string])[]
}

/** Suspends each script in its middle; each case gives a {@link Suspension}. */
export function suspendSuite(): AnySuite {
  const cases = suspendedScripts.map((script) => ({ name: `suspends ${script.name}`, run: () => suspend(script) }))
  return suite({ name: 'suspend and resume', cases, makeSubject: () => null })
}

/** Goes on with what every runtime suspended, by its name. */
export function resumeSuite(suspended: Readonly<Record<string, readonly Suspension[]>>): AnySuite {
  const cases = Object.entries(suspended).map(([runtime, all]) => ({
    name: `suspended in ${runtime}`,
    run: async () => {
      // One that could not be suspended is a failure of the runtime that should have done it, not of each that should go on with it.
      assert(all.length > 0, 'nothing was suspended there')
      for (const suspension of all) await resume(suspension)
    },
  }))
  return suite({ name: 'suspend and resume', cases, makeSubject: () => null })
}

async function suspend({ name, script, output, status }: SuspendedScript): Promise<Suspension> {
  const whole = newMachine()
  deepEqual([(await whole.shell.run(script, whole.streams)).status, whole.output()], [status, output], 'not suspended')

  const { files, shell, streams, output: written } = newMachine()
  const half = new Promise<{ readonly written: Promise<void> }>((resolve) => {
    const write = (bytes: Uint8Array): undefined | Promise<void> => {
      streams.stdout(bytes)
      if (!decode(bytes).includes('half')) return undefined
      shell.machine.pause()
      // The instruction that writes ends later, so it is the last one.
      const ended = webHost.breathe()
      resolve({ written: ended })
      return ended
    }
    // What comes of the line is seen by whoever resumes it.
    void shell.run(script, { ...streams, stdout: write, stderr: write })
  })
  // What is in flight when it is suspended is waited for a short while only; then the script runs on to a moment of rest, and would be beyond its half.
  await (await half).written
  await webHost.breathe()
  const machine = await shell.suspend()
  equal(written(), output.slice(0, output.indexOf('half\n') + 5))
  const names = files.readdir('/tmp').map((entry) => entry.name)
  return { name, output: written(), machine, files: names.map((file) => [file, decode(files.read(`/tmp/${file}`))]) }
}

async function resume({ name, output, machine, files: left }: Suspension): Promise<void> {
  const script = suspendedScripts.find((one) => one.name === name)
  const { files, shell, streams, output: written } = newMachine()
  for (const [file, text] of left) files.write(`/tmp/${file}`, encode(text))
  await shell.restore(machine)
  const { status } = await shell.proceed(streams)
  deepEqual([status, output + written()], [script?.status, script?.output], name)
}

function newMachine(): { files: RAMFileSystem; shell: Shell; streams: LineStreams; output: () => string } {
  const files = new RAMFileSystem()
  files.mkdir('/tmp')
  const fs = followLinks(
    new MountTable([
      ['/', { fs: files, mode: 'write' }],
      ['/dev', { fs: devices(webHost), mode: 'write' }],
    ]),
  )
  let output = ''
  const write = (bytes: Uint8Array): void => {
    output += decode(bytes)
  }
  const shell = new Shell({ fs, host: webHost, commands: standardCommands, allowed: () => true })
  return { files, shell, streams: { stdin: new Uint8Array(0), stdout: write, stderr: write }, output: () => output }
}
