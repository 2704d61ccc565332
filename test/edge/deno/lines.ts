// Runs lines in one session of a workspace in Deno KV, and says which are done. Arguments: the database's file, a name, how many lines.
import { webHost } from '../../../src/host.ts'
import { DenoKVWorkspaceStateStore } from '../../../src/state/deno-kv-state-store.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { DenoKVStore } from '../../../src/store/deno-kv-store.ts'
import { Workspace } from '../../../src/workspace.ts'

const [file = '', name = '', count = '0'] = Deno.args
const kv = await Deno.openKv(file)
// Takes over what a killed process held sooner than a program would.
const store =
  name === 'reader' ? new DenoKVWorkspaceStateStore({ kv }) : new StoredStateStore(new DenoKVStore(kv, { staleMs: 400, host: webHost }))
const workspace = new Workspace({}, { workspaceId: 'w', sessionId: 's', store, ownsStore: true })

for (let line = 1; line <= Number(count); line++) {
  const { durability, exitCode } = await workspace.shell(`${name}${line}=${line}; last=${name}${line}`)
  console.log(JSON.stringify({ line: `${name}${line}`, durability, exitCode }))
}
if (name === 'reader') {
  const session = await workspace.session()
  const { stdoutText } = await session.shell('compgen -v', { record: false })
  const commands = (await session.history()).map(({ command }) => command)
  console.log(JSON.stringify({ variables: stdoutText.split('\n').filter((one) => /^[a-d]\d+$/.test(one)), commands }))
}
await workspace.close()
kv.close()
