/** A process that keeps checkpoints of a workspace on disk until it is killed: `child ROOT NAME`. Each one is told on standard output once it is kept. */
import fs from 'node:fs'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { Workspace } from '../../../src/workspace.ts'

const [root = '', name = ''] = process.argv.slice(2)
const ws = new Workspace({ '/data': new RAMFileSystem() }, { workspaceId: 'w', store: new DiskWorkspaceStateStore({ root }) })
const sessionId = `s-${name}`
for (let round = 0; ; round++) {
  await ws.shell(`cd /data; echo ${round} > f${round % 3}; n=${round}`, { sessionId })
  const { id } = await ws.checkpoints.create({ name: `${name} ${round}`, requestId: `${name} ${round}` })
  fs.writeSync(1, `${id} ${name} ${round}\n`)
}
