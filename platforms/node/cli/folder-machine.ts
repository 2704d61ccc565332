import { mkdirSync } from 'node:fs'
import { standardCommands } from '../../../src/commands/standard.ts'
import type { Mount } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { Executor } from '../../../src/job/executor.ts'
import { machineExecutor } from '../../../src/machine-executor.ts'
import { DEFAULT_LIMITS } from '../../../src/shell/machine/machine.ts'
import { mountWorkspace } from '../../../src/workspace-mounts.ts'
import { HostFileSystem } from '../host-file-system.ts'

/** The machine over the mounts of a Job. What it puts into /tmp is kept in the folder `temporary`, unless the Job has files there. */
export function folderMachine(given: ReadonlyMap<string, Mount>, temporary: string | null): Executor {
  const builtIn = (): ReadonlyMap<string, Mount> => {
    const table = mountWorkspace(given, webHost, standardCommands.keys())
    const own = table.mounts().filter(({ prefix }) => !given.has(prefix))
    return new Map(
      own.map(({ prefix, fs, mode }) => [prefix, prefix === '/tmp' && temporary !== null ? folderMount(temporary) : { fs, mode }]),
    )
  }
  return machineExecutor({ host: webHost, commands: standardCommands, limits: DEFAULT_LIMITS, builtIn })
}

function folderMount(root: string): Mount {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return { fs: new HostFileSystem({ root }), mode: 'write' }
}
