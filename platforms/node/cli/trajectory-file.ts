import type { BigIntStats } from 'node:fs'
import { constants, lstatSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { errorText } from '../../../src/errors.ts'
import { configurationFault } from '../../../src/replay/fault.ts'
import { LARGEST_TRAJECTORY } from '../../../src/replay/source.ts'

/** Bytes that are read at once. */
const CHUNK = 4 * 1024 * 1024

/** What tells one state of a file from another. */
interface FileState {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
}

/**
 * Reads a trajectory. A `configuration_error` where there is none, it is no regular file (a link, too, is none), has more than 256 MiB, or was written to or replaced
 * meanwhile.
 */
export async function readTrajectoryFile(path: string): Promise<Uint8Array> {
  const before = stateOf(path)
  let file: FileHandle
  try {
    // A FIFO that takes the place of the file meanwhile must not hold us up, nor a link lead elsewhere.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw unreadable(path, error)
  }
  try {
    if (!isSame(before, await file.stat({ bigint: true }))) throw changed(path)
    const bytes = await allOf(file, path, Number(before.size))
    if (!isSame(before, await file.stat({ bigint: true })) || !isSame(before, stateOf(path))) throw changed(path)
    return bytes
  } finally {
    await file.close()
  }
}

/** The state of a file that may be read. */
function stateOf(path: string): FileState {
  let stat: BigIntStats
  try {
    stat = lstatSync(path, { bigint: true })
  } catch (error) {
    throw unreadable(path, error)
  }
  if (stat.isSymbolicLink()) throw configurationFault(`the trajectory ${path} is a symbolic link: it has to be a regular file`)
  if (stat.isDirectory()) throw configurationFault(`the trajectory ${path} is a directory: it has to be a regular file`)
  if (!stat.isFile()) throw configurationFault(`the trajectory ${path} is no regular file`)
  if (stat.size > LARGEST_TRAJECTORY)
    throw configurationFault(`the trajectory ${path} has ${stat.size} bytes: at most ${LARGEST_TRAJECTORY} (256 MiB) can be read`)
  return stat
}

async function allOf(file: FileHandle, path: string, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK, size - at), at)
    if (bytesRead === 0) throw changed(path)
    at += bytesRead
  }
  return bytes
}

function isSame(a: FileState, b: FileState): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
}

function changed(path: string): Error {
  return configurationFault(`the trajectory ${path} was changed while it was read`)
}

function unreadable(path: string, error: unknown): Error {
  return configurationFault(`the trajectory ${path} can't be read: ${errorText(error)}`)
}
