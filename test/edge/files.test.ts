import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningWorker } from './workerd.ts'
import { bundleWorker, cleanUp, newFolder, startWorker } from './workerd.ts'

// DurableObjectFileSystem in a real workerd, whose storage is on the disk.

let bundle = ''
beforeAll(async () => {
  bundle = await bundleWorker('test/edge/files-worker.ts')
})
afterAll(cleanUp)

function start(folder: string, sqlite = true): Promise<RunningWorker> {
  return startWorker({ bundle, folder, className: 'Files', sqlite })
}

async function ask({ url }: RunningWorker, object: string, given: { call: string; seed?: number; count?: number }): Promise<unknown> {
  const response = await fetch(`${url}/${object}`, { method: 'POST', body: JSON.stringify(given) })
  const { value, ...failure } = (await response.json()) as { value?: unknown }
  return value === undefined ? failure : value
}

test.each([1, 2, 3])(
  'a process that is killed has lost nothing that was answered, and no tables but its own were touched (seed %i)',
  async (seed) => {
    const folder = newFolder()
    const count = 150
    for (let round = 1; round <= 3; round++) {
      const worker = await start(folder)
      expect(await ask(worker, 'files', { call: 'write', seed, count })).toBe(round * count)
      await worker.kill()
    }
    const worker = await start(folder)
    expect(await ask(worker, 'files', { call: 'compare', seed, count: 3 * count })).toEqual({
      done: 3 * count,
      isSame: true,
      faults: [],
      tables: ['mirage_file_chunks', 'mirage_file_names', 'mirage_file_state', 'own'],
    })
    await worker.kill()
  },
)

test('the layout is the one that is documented', async () => {
  const worker = await start(newFolder())
  const common = { uid: 1000, gid: 1000, target: '' }
  expect(await ask(worker, 'layout', { call: 'layout' })).toEqual({
    state: [{ layout: 1, last_ino: 4 }],
    names: [
      [0, '31', { ...common, type: 'directory', ino: 1, mode: 0o755, size: 3, nlink: 3 }],
      [0, '34', { ...common, type: 'symlink', ino: 4, mode: 0o777, size: 1, nlink: 2, target: 'd' }],
      [1, '64', { ...common, type: 'directory', ino: 2, mode: 0o755, size: 1, nlink: 2 }],
      [1, '6c', { type: 'linked', of: 'symlink', ino: 4 }],
      [1, '6d', { type: 'linked', of: 'symlink', ino: 4 }],
      [2, 'ff', { ...common, type: 'file', ino: 3, mode: 0o644, size: 3, nlink: 1 }],
    ],
    chunks: [[3, 0, '1 2 3']],
  })
  expect(await ask(worker, 'newer', { call: 'newer' })).toEqual({
    code: 'VERSION_UNSUPPORTED',
    message: 'the files of this Durable Object have the layout 2, which a newer version made; this one knows 1',
  })
  await worker.kill()
})

test('an object without SQLite is refused', async () => {
  const worker = await start(newFolder(), false)
  expect(await ask(worker, 'files', { call: 'layout' })).toEqual({
    code: 'CAPABILITY_UNSUPPORTED',
    message:
      'the storage of this Durable Object has no SQLite: declare the class of the Durable Object under "new_sqlite_classes" in the migrations of its worker',
  })
  await worker.kill()
})
