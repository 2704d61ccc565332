/**
 * A process that runs lines on one session of a disk store: `child ROOT SESSION NAME COUNT`. Each line sets a variable of its own and is
 * told on standard output once it is committed. With COUNT 0 the child counts on from what it finds, in one variable, until it is killed.
 */
import fs from 'node:fs'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { webHost } from '../../../src/host.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { initialFields } from '../../contract/session.ts'

const [root = '', id = '', name = '', count = '0'] = process.argv.slice(2)
const lines = Number(count)
const sessions = openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })
const { session } = await sessions.open(id, initialFields)
for (let i = 0; lines === 0 || i < lines; i++) {
  const fields = await session.begin()
  const variable = lines === 0 ? name : `${name}${i}`
  const value = lines === 0 ? String(Number(fields.variables.get(name)?.value ?? '0') + 1) : String(i)
  const variables = new Map(fields.variables).set(variable, { attributes: '', value })
  const command = `${variable}=${value}`
  const line = { agent: null, timestamp: webHost.now(), cwd: '/', command, exitCode: 0, durationMs: 0 }
  const { durability, cause } = await session.commit({ ...fields, variables }, line)
  if (durability === 'committed') fs.writeSync(1, `${command}\n`)
  else fs.writeSync(2, `${command}: ${cause?.message}\n`)
}
await sessions.close()
