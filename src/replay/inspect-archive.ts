import { unzipSync } from 'fflate'
import { decode } from '../bytes.ts'
import { configurationFault, trajectoryFault } from './fault.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { objectAt } from './json.ts'

/** Bytes that what is taken out of an archive may have together. */
const MOST_UNPACKED = 256 * 1024 * 1024

/** The files of a zip archive whose names are wanted, as JSON. A `trajectory_error` for one that is damaged or too large. */
export function unpackJson(bytes: Uint8Array, isWanted: (name: string) => boolean): ReadonlyMap<string, JsonObject> {
  let size = 0
  let files: Readonly<Record<string, Uint8Array>>
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false
        size += originalSize
        if (size > MOST_UNPACKED) throw configurationFault(`the archive unpacks to more than ${MOST_UNPACKED} bytes (256 MiB)`)
        return true
      },
    })
  } catch (error) {
    if (error instanceof Error && 'category' in error) throw error
    throw trajectoryFault(`the archive can't be unpacked: ${error instanceof Error ? error.message : String(error)}`)
  }
  return new Map(Object.entries(files).map(([name, data]) => [name, objectAt(parse(name, data), name)]))
}

function parse(name: string, data: Uint8Array): JsonValue {
  try {
    return JSON.parse(decode(data)) as JsonValue
  } catch (error) {
    throw trajectoryFault(`${name}: no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
