import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasCode } from '../../../src/errors.ts'
import type { ReplayPlace } from '../../../src/replay/place.ts'
import { diskCalls } from '../disk-calls.ts'
import { DiskStore } from '../disk-store.ts'
import { FolderSync } from '../disk-sync.ts'

/** Folders below which each replay has one under its run id: absolute. */
export interface ReplayRoots {
  readonly state: string
  readonly output: string
}

/** The places of a replay on the disk. Nothing is made before something is written there. */
export function diskReplay({ state, output }: ReplayRoots, runId: string): ReplayPlace {
  const [stateLocation, outputLocation] = [join(state, runId), join(output, runId)]
  return {
    stateLocation,
    outputLocation,
    state: new DiskStore(stateLocation),
    output: new DiskStore(outputLocation),
    claim: () => makeNew(outputLocation),
  }
}

/** Makes a folder that is not there, durably; false where it is. */
async function makeNew(folder: string): Promise<boolean> {
  const parent = dirname(folder)
  const first = mkdirSync(parent, { recursive: true, mode: 0o700 })
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  const folders = new FolderSync(diskCalls)
  const top = first === undefined ? parent : dirname(first)
  for (let at = parent; ; at = dirname(at)) {
    await folders.sync(at)
    if (at === top) return true
  }
}
