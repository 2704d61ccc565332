// An instance as a process of Node, Deno or Bun: `process PLACE`, as JSON. It reads what it is asked from standard input and answers on standard
// output, a line of JSON each; requests and answers have the same `id`.
import { createInterface } from 'node:readline'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { RedisWorkspaceStateStore } from '../../../platforms/node/redis-state-store.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import type { Place, Request } from './instance.ts'
import { openInstance } from './instance.ts'

const instance = openInstance(JSON.parse(process.argv[2] ?? '') as Place, {
  Redis: RedisWorkspaceStateStore,
  disk: (root, staleMs) => new StoredStateStore(new DiskStore(root, { staleMs })),
})
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...request } = JSON.parse(line) as Request & { readonly id: number }
  void instance.answer(request).then((answer) => process.stdout.write(`${JSON.stringify({ id, answer })}\n`))
}
