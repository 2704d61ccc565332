import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readTrajectoryFile } from '../../../platforms/node/cli/trajectory-file.ts'
import { PREPARE, replayCases, writeTrajectory } from './replay-case.ts'

const at = replayCases()
const NAME = 'trajectory.json'

test.each<readonly [string, () => void, RegExp]>([
  ['nothing', () => undefined, /can't be read: No such file or directory$/],
  ['a directory', () => mkdirSync(NAME), /is a directory: it has to be a regular file$/],
  [
    'a link to a good one',
    () => {
      writeTrajectory([['true', '']])
      renameSync(NAME, 'other.json')
      symlinkSync('other.json', NAME)
    },
    /is a symbolic link: it has to be a regular file$/,
  ],
  ['a link to nothing', () => symlinkSync('nowhere', NAME), /is a symbolic link/],
  ['a FIFO that nobody writes to', () => execFileSync('mkfifo', [NAME]), /is no regular file$/],
  [
    'more than 256 MiB',
    () => {
      writeFileSync(NAME, '')
      truncateSync(NAME, 256 * 1024 * 1024 + 1)
    },
    /has 268435457 bytes: at most 268435456 \(256 MiB\) can be read$/,
  ],
])('%s as the trajectory: configuration_error', async (_, make, message) => {
  make()
  const { status, result } = await at.replay(...PREPARE, '--run-id', 'r')
  expect({ status, result }).toMatchObject({
    status: 2,
    result: { phase: null, failure: { category: 'configuration_error', message: expect.stringMatching(message) } },
  })
  expect(['state', 'output'].filter((name) => existsSync(join(at.root, name)))).toEqual([])
})

test('a device as the trajectory: configuration_error', async () => {
  const { status, result } = await at.replay('--agent', 'auto', '--trajectory', '/dev/null', '--after-step', '1', '--prepare-only')
  expect({ status, result }).toMatchObject({ status: 2, result: { failure: { message: 'the trajectory /dev/null is no regular file' } } })
})

test.each<readonly [string, () => void]>([
  ['is added to', () => appendFileSync(NAME, ' ')],
  ['is cut off', () => truncateSync(NAME, 10)],
  ['is written over with as many bytes', () => overwrite()],
  [
    'is replaced by another one',
    () => {
      writeFileSync('other', ' '.repeat(statSync(NAME).size))
      renameSync('other', NAME)
    },
  ],
])('a trajectory that %s while it is read: configuration_error', async (_, change) => {
  writeTrajectory([['true', '']])
  appendFileSync(NAME, ' '.repeat(9 * 1024 * 1024))
  const message = `the trajectory ${NAME} was changed while it was read`
  await between(change)
  await expect(readTrajectoryFile(NAME)).rejects.toMatchObject({ category: 'configuration_error', message })
  vi.restoreAllMocks()
  const bytes = await readTrajectoryFile(NAME)
  expect(bytes.length).toBe(statSync(NAME).size)
})

/** Makes a change after the first part of the next file was read. */
async function between(change: () => void): Promise<void> {
  const handle = await open(NAME)
  const prototype = Object.getPrototypeOf(handle) as Pick<typeof handle, 'read'>
  await handle.close()
  const read = prototype.read as (...given: readonly unknown[]) => Promise<unknown>
  let isChanged = false
  vi.spyOn(prototype, 'read').mockImplementation(async function (this: unknown, ...given: readonly unknown[]) {
    const answer = await read.apply(this, given as never)
    if (!isChanged) change()
    isChanged = true
    return answer as never
  })
}

/** With a time that is surely another one, however coarse the clock of the file system is. */
function overwrite(): void {
  const { size, mtimeMs } = statSync(NAME)
  writeFileSync(NAME, '1'.repeat(size))
  utimesSync(NAME, mtimeMs / 1000, mtimeMs / 1000 + 1)
}
