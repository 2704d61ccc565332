import { trajectoryFault } from './fault.ts'
import type { JsonValue } from './json.ts'
import { isArray, isObject, shown } from './json.ts'

/** The text of a message's content: a text, or the texts of its parts. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!isArray(content)) return ''
  return content
    .map((part) => (typeof part === 'string' ? part : isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('')
}

/** The same, of a content that may be left out; anything else is refused. `where` names it in errors. */
export function contentAt(content: JsonValue | undefined, where: string): string {
  if (content === undefined || content === null || typeof content === 'string') return content ?? ''
  if (!isArray(content)) throw trajectoryFault(`${where} is ${shown(content)}: it has to be a text or an array of parts`)
  content.forEach((part, i) => {
    if (typeof part !== 'string' && !isObject(part))
      throw trajectoryFault(`${where}[${i}] is ${shown(part)}: it has to be a part of a message, an object`)
  })
  return contentText(content)
}
