/**
 * A process that runs lines in a workspace on a disk store: `child ROOT NAME COUNT`. Each line sets a variable of its own and is told on
 * standard output once it is committed. With COUNT 0 it counts on from what it finds, in one variable, until it is killed.
 */
import fs from 'node:fs'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { Workspace } from '../../../src/workspace.ts'

const [root = '', name = '', count = '0'] = process.argv.slice(2)
const lines = Number(count)
const ws = new Workspace({}, { workspaceId: 'w', sessionId: 's', store: new DiskWorkspaceStateStore({ root }), ownsStore: true })
for (let i = 0; lines === 0 || i < lines; i++) {
  const line = lines === 0 ? `${name}=$((${name} + 1)); echo $${name}` : `${name}${i}=${i}; echo ${i}`
  const { stdoutText, durability, cause, conflicts } = await ws.shell(line)
  if (durability === 'committed' && conflicts.length === 0) fs.writeSync(1, `${stdoutText.trim()}\n`)
  else fs.writeSync(2, `${line}: ${cause?.message} ${conflicts}\n`)
}
await ws.close()
