import { standardCommands } from '../../../src/commands/standard.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import type { Mount } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { Executor } from '../../../src/job/executor.ts'
import { machineExecutor } from '../../../src/machine-executor.ts'
import { DEFAULT_LIMITS } from '../../../src/shell/machine/machine.ts'
import { mountWorkspace } from '../../../src/workspace-mounts.ts'

/** The machine over the mounts of a Job. Where they have no /tmp, it is what `temporary` gives. */
export function folderMachine(given: ReadonlyMap<string, Mount>, temporary: (() => FileSystem) | null): Executor {
  const builtIn = (): ReadonlyMap<string, Mount> => {
    const table = mountWorkspace(given, webHost, standardCommands.keys())
    const own = table.mounts().filter(({ prefix }) => !given.has(prefix))
    return new Map(own.map(({ prefix, fs, mode }) => [prefix, { fs: prefix === '/tmp' && temporary !== null ? temporary() : fs, mode }]))
  }
  return machineExecutor({ host: webHost, commands: standardCommands, limits: DEFAULT_LIMITS, builtIn })
}
