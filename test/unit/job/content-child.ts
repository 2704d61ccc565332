/** A process that stores trees on disk until it is killed: `child ROOT NAME`. Each one is told on standard output once it is stored: its id, and what the tree holds. */
import fs from 'node:fs'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { ContentStore } from '../../../src/job/content-store.ts'

const [root = '', name = ''] = process.argv.slice(2)
const content = new ContentStore(new DiskStore(root))
const files = new RAMFileSystem()
for (let i = 0; i < 300; i++) files.write(`/start ${i}`, Buffer.from(`${name} ${i} `.repeat(40)))
for (let round = 0; ; round++) {
  files.write(`/round ${round % 50}`, Buffer.from(`${name} round ${round} `.repeat(1 + (round % 400))))
  const id = await content.save(files)
  fs.writeSync(1, `${id} ${name} ${round}\n`)
}
