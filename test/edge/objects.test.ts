import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningWorker } from './workerd.ts'
import { bundleWorker, cleanUp, newFolder, startWorker } from './workerd.ts'

let bundle = ''

beforeAll(async () => {
  bundle = await bundleWorker('test/edge/objects.ts')
})
afterAll(cleanUp)

function start(sqlite: boolean): Promise<RunningWorker> {
  return startWorker({ bundle, folder: newFolder(), className: 'Probe', sqlite })
}

async function ask(worker: RunningWorker, path: string): Promise<unknown> {
  return (await fetch(worker.url + path)).json()
}

test('instances on the storage of one object share a session', async () => {
  const worker = await start(true)
  for (const [path, stdoutText] of [
    ['/object', '1\n'],
    ['/object', '2\n'],
    ['/same', '3\n'],
    ['/history-elsewhere', '4\n'],
    ['/same', '5\n'],
  ] as const) {
    expect(await ask(worker, path)).toEqual({ stdoutText, durability: 'committed' })
  }
  await worker.kill()
})

test('a class without SQLite is told how to be declared', async () => {
  const worker = await start(false)
  expect(await ask(worker, '/object')).toEqual({
    name: 'WorkspaceError',
    code: 'CAPABILITY_UNSUPPORTED',
    message:
      'the storage of this Durable Object has no SQLite: declare the class of the Durable Object under "new_sqlite_classes" in the migrations of its worker',
  })
  await worker.kill()
})

test('what needs a disk says what to use instead', async () => {
  const worker = await start(true)
  expect(await ask(worker, '/disk')).toEqual({
    name: 'WorkspaceError',
    code: 'CAPABILITY_UNSUPPORTED',
    message:
      'DiskWorkspaceStateStore: this runtime has neither files nor IndexedDB; use DurableObjectWorkspaceStateStore(ctx.storage) in a Durable Object, or RAMWorkspaceStateStore, which keeps nothing',
  })
  expect(await ask(worker, '/host')).toMatchObject({ code: 'CAPABILITY_UNSUPPORTED' })
  await worker.kill()
})
