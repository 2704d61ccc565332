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
    expect(await ask(worker, path)).toMatchObject({ stdoutText, durability: 'committed' })
  }
  await worker.kill()
})

test('an object that is evicted in the middle of a line is followed by one that goes on', async () => {
  const worker = await start(true)
  expect(await ask(worker, '/same')).toMatchObject({ stdoutText: '1\n', durability: 'committed' })
  // The process, and all that modules hold, stay.
  const endless = ask(worker, '/endless').catch(() => 'failed')
  const waiting = ask(worker, '/same').catch(() => 'failed')
  expect(await ask(worker, '/evict').catch(() => 'failed')).toBe('failed')
  expect([await endless, await waiting]).toEqual(['failed', 'failed'])
  expect(await ask(worker, '/same')).toMatchObject({ stdoutText: '2\n', durability: 'committed' })
  await worker.kill()
})

test('rows that version 1 wrote are read', async () => {
  const worker = await start(true)
  expect(await ask(worker, '/golden')).toEqual({ stdoutText: '42\n', durability: 'committed', lines: 2, first: 'n=41' })
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
