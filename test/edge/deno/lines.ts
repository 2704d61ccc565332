// Runs lines in one session of a workspace in Deno KV, and says which are done. Arguments: the database's file, a name, how many lines.
// The name `reader` says what is kept; `golden` first writes what version 1 writes.
import { webHost } from '../../../src/host.ts'
import { DenoKVWorkspaceStateStore } from '../../../src/state/deno-kv-state-store.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { DenoKVStore } from '../../../src/store/deno-kv-store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { FIRST_PART, golden } from '../golden.ts'

const [file = '', name = '', count = '0'] = Deno.args
const kv = await Deno.openKv(file)
// Takes over what a killed process held sooner than a program would.
const store =
  name === 'reader' ? new DenoKVWorkspaceStateStore({ kv }) : new StoredStateStore(new DenoKVStore(kv, { staleMs: 400, host: webHost }))
const workspace = new Workspace({}, { workspaceId: 'w', sessionId: 's', store, ownsStore: true })

if (name === 'golden') {
  for (const [key, text] of Object.entries(golden)) {
    const bytes = new TextEncoder().encode(text)
    const isWhole = !key.includes('/history/')
    await kv.set(['mirage', 'value', key], { generation: 'g', token: 't', size: bytes.length, bytes: isWhole ? bytes : null })
    if (isWhole) continue
    await kv.set(['mirage', 'part', key, 'g', 0], bytes.slice(0, FIRST_PART))
    await kv.set(['mirage', 'part', key, 'g', FIRST_PART], bytes.slice(FIRST_PART))
  }
  const { stdoutText } = await workspace.shell('echo $((n + 1))')
  console.log(JSON.stringify({ line: stdoutText, commands: (await workspace.history()).map(({ command }) => command) }))
}
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
