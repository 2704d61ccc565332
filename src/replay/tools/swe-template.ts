import type { JsonValue } from '../json.ts'
import { pythonQuoted } from './python-quote.ts'

const PLACE = /\{\{\s*(\w+)\s*\}\}|\{(\w+)(!r)?\}/g

/** A template of SWE-agent with values in its places, `{{name}}`, `{name}` or `{name!r}`; null where it is none, or does more than that. */
export function filledTemplate(template: JsonValue | undefined, values: Readonly<Record<string, string>>): string | null {
  if (typeof template !== 'string' || template.includes('{%')) return null
  let isWhole = true
  const filled = template.replace(PLACE, (place, name: string | undefined, other: string | undefined, isQuoted: string | undefined) => {
    const value = values[name ?? other ?? '']
    if (value === undefined) {
      isWhole = false
      return place
    }
    return isQuoted === undefined ? value : pythonQuoted(value)
  })
  return isWhole ? filled : null
}
