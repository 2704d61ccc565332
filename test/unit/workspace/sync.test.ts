import { expect, test } from 'vitest'
import { FileSystemError } from '../../../src/errors.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { Workspace } from '../../../src/workspace.ts'

/** Files whose `sync` does what it is told. */
function files(sync: () => Promise<void>): RAMFileSystem {
  return Object.assign(new RAMFileSystem(), { sync })
}

test('a line is answered when what it wrote is kept', async () => {
  const events: string[] = []
  const fs = files(async () => {
    await Promise.resolve()
    events.push('kept')
  })
  const workspace = new Workspace({ '/data': fs })
  await workspace.shell('echo x > /data/a')
  expect(events).toEqual(['kept'])
  await workspace.close()
})

test('what could not be kept is said and fails the line', async () => {
  const fs = files(() => Promise.reject(new FileSystemError('ENOSPC', '/a')))
  const workspace = new Workspace({ '/data': fs })
  const { exitCode, stdoutText, stderrText } = await workspace.shell('echo x > /data/a; echo done')
  expect([exitCode, stdoutText, stderrText]).toEqual([
    1,
    'done\n',
    "bash: not everything that was written is kept: No space left on device: '/data/a'\n",
  ])
  expect((await workspace.shell('sync; echo $?')).stdoutText).toBe('1\n')
  expect((await workspace.shell('exit 7')).exitCode).toBe(7)
  await expect(workspace.close()).rejects.toMatchObject({ code: 'ENOSPC', path: '/data/a' })
})

test('flush and close wait for what the host wrote', async () => {
  let kept = 0
  const fs = files(async () => {
    await Promise.resolve()
    kept += 1
  })
  const workspace = new Workspace({ '/data': fs })
  await workspace.fs.write('/data/a', new Uint8Array(1))
  await workspace.flush()
  expect(kept).toBe(1)
  await workspace.close()
  expect(kept).toBe(2)
})

test('a line that is aborted does not wait', async () => {
  const fs = files(() => new Promise(() => undefined))
  const workspace = new Workspace({ '/data': fs })
  await expect(workspace.shell('while :; do :; done', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'AbortError' })
})
