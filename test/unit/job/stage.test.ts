import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { hostExecutor } from '../../../platforms/node/index.ts'
import type { FileSystem } from '../../../src/index.ts'
import { RAMFileSystem, Workspace } from '../../../src/index.ts'
import type { StageSubject } from '../../contract/stage.ts'
import { stageContract, treeState } from '../../contract/stage.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): HostFileSystem {
  const root = mkdtempSync(join(tmpdir(), 'stage-'))
  folders.push(root)
  return new HostFileSystem({ root })
}

/** Jobs over a tree at `/`; what the script leaves in the background ends with it. */
function subject(make: () => FileSystem, executor: 'machine' | 'host'): StageSubject {
  const tree = make()
  const workspace = (fs: FileSystem): Workspace => new Workspace({ '/': fs }, { executors: { host: hostExecutor() } })
  const ws = workspace(tree)
  return {
    tree,
    run: (script, stage) => ws.jobs.run({ command: ['/bin/sh', '-c', script], stage, executor, cwd: '/' }),
    twin: async () => {
      const other = make()
      await copy(tree, other)
      const twin = workspace(other)
      return {
        tree: other,
        run: async (script) => {
          await twin.jobs.run({ command: ['/bin/sh', '-c', script], executor, cwd: '/' })
        },
      }
    },
  }
}

async function copy(from: FileSystem, to: FileSystem): Promise<void> {
  const paths = (await treeState(from)).map((line) => line.split(' ')[0] as string)
  for (const path of paths) {
    const { type, mode } = await from.lstat(path)
    if (type === 'directory') await to.mkdir(path)
    else if (type === 'symlink') await to.symlink(await from.readlink(path), path)
    else await to.write(path, await from.read(path))
    if (type !== 'symlink') await to.setattr(path, { mode })
  }
}

for (const [name, make, executor] of [
  ['the shell, in memory', () => new RAMFileSystem(), 'machine'],
  ['the shell, in a folder', folder, 'machine'],
  ['a process of the host, in a folder', folder, 'host'],
] as const) {
  describe(`a stage: ${name}`, () => {
    for (const { name: what, run } of stageContract) it(what, () => run(subject(make, executor)))
  })
}
