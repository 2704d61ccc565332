import { unzipSync } from 'fflate'
import { configurationFault, trajectoryFault } from './fault.ts'

/** Bytes that what is taken out of an archive may have. */
const MOST_UNPACKED = 256 * 1024 * 1024
const SAMPLE = /^samples\/(.+)_epoch_(\d+)\.json$/

/** A log of Inspect as an archive. */
export interface InspectArchive {
  /** Names of the files of its samples, by `ID/EPOCH`. */
  readonly samples: ReadonlyMap<string, string>
  /** A file; null where there is none of that name. A `trajectory_error` where it is damaged, a `configuration_error` where it has more than 256 MiB. */
  member(name: string): Uint8Array | null
}

/** Opens an archive; nothing is unpacked yet. A `trajectory_error` where it is none. */
export function inspectArchive(bytes: Uint8Array): InspectArchive {
  const samples = new Map<string, string>()
  unpacked(bytes, (name) => {
    const [, id, epoch] = SAMPLE.exec(name) ?? []
    if (id !== undefined && epoch !== undefined) samples.set(`${id}/${Number(epoch)}`, name)
    return false
  })
  return { samples, member: (name) => unpacked(bytes, (other) => other === name)[name] ?? null }
}

function unpacked(bytes: Uint8Array, isWanted: (name: string) => boolean): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false
        // No more than this is ever made of it: what is there beyond is cut off, and the JSON broken then.
        if (originalSize > MOST_UNPACKED)
          throw configurationFault(`${name} of the archive has ${originalSize} bytes: at most ${MOST_UNPACKED} (256 MiB) can be read`)
        return true
      },
    })
  } catch (error) {
    if (error instanceof Error && 'category' in error) throw error
    throw trajectoryFault(`the archive can't be unpacked: ${error instanceof Error ? error.message : String(error)}`)
  }
}
