import type { JsonValue } from './json.ts'
import { isArray, isObject } from './json.ts'

/** The text of a message's content: a text, or the texts of its parts. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!isArray(content)) return ''
  return content
    .map((part) => (typeof part === 'string' ? part : isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('')
}
