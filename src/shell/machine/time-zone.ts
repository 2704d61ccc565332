import type { Zone } from '../../time/zone.ts'
import { zone } from '../../time/zone.ts'
import { readText } from './parameters.ts'
import type { Process } from './process.ts'
import { Attribute } from './variables.ts'

/** The time zone that TZ names. */
export function timeZone(process: Process): Zone {
  const variable = process.environment.variables.get('TZ')
  if (variable === undefined || (variable.attributes & Attribute.exported) === 0) return zone(undefined)
  return zone(readText(process, 'TZ'))
}
