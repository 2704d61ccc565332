/** A process that goes on with a machine another one saved: `resume-child ROOT STATE`. Prints the rest of the output; its status is the line's. */
import fs from 'node:fs'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { devices } from '../../../src/fs/devices.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import { Shell } from '../../../src/shell/shell.ts'

const [root = '', state = ''] = process.argv.slice(2)
const mounts = new MountTable([
  ['/', { fs: new HostFileSystem({ root }), mode: 'write' }],
  ['/dev', { fs: devices(webHost), mode: 'write' }],
])
const shell = new Shell({ fs: followLinks(mounts), host: webHost, commands: standardCommands, allowed: () => true })
await shell.restore(JSON.parse(fs.readFileSync(state, 'utf8')))
const end = await shell.proceed({
  stdin: new Uint8Array(0),
  stdout: (bytes) => void fs.writeSync(1, bytes),
  stderr: (bytes) => void fs.writeSync(2, bytes),
})
process.exitCode = end.status
