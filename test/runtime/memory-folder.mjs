import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that all browsers take at most, with room to spare. */
const NEEDED = 2 * 2 ** 30

/**
 * A folder for the profiles of browsers, removed when this process ends. It is in memory where there is room: they sync to the disk for every
 * change, and take several times as long on a busy one.
 */
export function memoryFolder() {
  const folder = mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'mirage-runtime-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function hasRoom(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= NEEDED
  } catch {
    // Only Linux has it.
    return false
  }
}
