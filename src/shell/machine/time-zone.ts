import type { Zone } from '../../time/zone.ts'
import { zone } from '../../time/zone.ts'
import { readText } from './parameters.ts'
import type { Process } from './process.ts'

/** The time zone that TZ names. */
export function timeZone(process: Process): Zone {
  return zone(readText(process, 'TZ'))
}
