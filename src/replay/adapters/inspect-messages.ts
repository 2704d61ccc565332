import { trajectoryFault } from '../fault.ts'
import type { Item } from '../item-trajectory.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt, optionalObject, optionalText, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { LivePhase, Observation } from '../trajectory.ts'

const ATTACHMENT = 'attachment://'

/** What the messages of a sample are. A result that names no call is of the first one before it that has none. */
export function inspectItems(messages: readonly JsonObject[], attachments: JsonObject, where: string): readonly Item[] {
  let open: string[] = []
  return messages.map((message, i): Item => {
    const at = `${where}[${i}]`
    const role = textAt(message.role, `${at}.role`)
    const content = withAttachments(message.content ?? '', attachments)
    const text = contentText(content)
    switch (role) {
      case 'system':
      case 'user':
        return { kind: role, text }
      case 'assistant': {
        const calls = callsOf(message.tool_calls, `${at}.tool_calls`, attachments)
        open = calls.map(({ id }) => id)
        const reasoning = reasoningIn(content)
        return { kind: 'agent', text, ...(reasoning === '' ? {} : { reasoning }), calls }
      }
      case 'tool': {
        const id = optionalText(message.tool_call_id, `${at}.tool_call_id`) ?? open[0]
        if (id === undefined) return { kind: 'other' }
        open = open.filter((other) => other !== id)
        return { kind: 'result', id, observation: observationOf(message, content, at, attachments) }
      }
      default:
        throw trajectoryFault(`${at}.role is ${JSON.stringify(role)}: it has to be "system", "user", "assistant" or "tool"`)
    }
  })
}

/** A result with what was observed now. */
export function withOutcome({ error: _, ...message }: JsonObject, { value, isError }: ToolOutcome): JsonObject {
  if (!isError) return { ...message, content: value }
  return { ...message, content: '', error: { type: 'unknown', message: typeof value === 'string' ? value : JSON.stringify(value) } }
}

/** The messages of what came after the boundary. */
export function liveMessages({ boundaryPrompt, turns }: LivePhase): readonly JsonValue[] {
  const messages: JsonValue[] = boundaryPrompt === null ? [] : [{ role: 'user', content: boundaryPrompt }]
  for (const { text, reasoning, calls, outcomes } of turns) {
    const content: JsonValue = reasoning === null ? text : [reasoningPart(reasoning), { type: 'text', text }]
    const made = calls.map(({ id, name, arguments: given }) => ({ id, function: name, arguments: given, type: 'function' }))
    messages.push({ role: 'assistant', content, ...(made.length === 0 ? {} : { tool_calls: made }) })
    outcomes.forEach((outcome, i) => {
      messages.push(withOutcome({ role: 'tool', tool_call_id: calls[i]?.id ?? '', function: calls[i]?.name ?? '' }, outcome))
    })
  }
  return messages
}

function reasoningPart(reasoning: string): JsonObject {
  return { type: 'reasoning', reasoning }
}

function callsOf(value: JsonValue | undefined, where: string, attachments: JsonObject): Extract<Item, { kind: 'agent' }>['calls'] {
  if (value === undefined || value === null) return []
  return arrayAt(value, where).map((call, i) => {
    const at = `${where}[${i}]`
    const { id, function: name, arguments: given } = objectAt(call, at)
    const resolved = withAttachments(objectAt(given, `${at}.arguments`), attachments)
    return { id: textAt(id, `${at}.id`), name: textAt(name, `${at}.function`), arguments: isObject(resolved) ? resolved : {} }
  })
}

/** What the model was shown: the message of the error, where there is one. */
function observationOf(message: JsonObject, content: JsonValue, where: string, attachments: JsonObject): Observation {
  const error = optionalObject(message.error, `${where}.error`)
  if (error !== undefined) {
    textAt(error.type, `${where}.error.type`)
    return { value: withAttachments(textAt(error.message, `${where}.error.message`), attachments), isError: true }
  }
  const isText = !isArray(content) || content.every((part) => typeof part === 'string' || (isObject(part) && part.type === 'text'))
  return { value: isText ? contentText(content) : content, isError: false }
}

function reasoningIn(content: JsonValue): string {
  if (!isArray(content)) return ''
  return content.flatMap((part) => (isObject(part) && typeof part.reasoning === 'string' ? [part.reasoning] : [])).join('\n')
}

/** Long texts are kept beside the messages; those that aren't there stay names. */
function withAttachments(value: JsonValue, attachments: JsonObject): JsonValue {
  if (typeof value === 'string') {
    if (!value.startsWith(ATTACHMENT)) return value
    const name = value.slice(ATTACHMENT.length)
    const kept = Object.hasOwn(attachments, name) ? attachments[name] : undefined
    return typeof kept === 'string' ? kept : value
  }
  if (isArray(value)) return value.map((item) => withAttachments(item, attachments))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]): [string, JsonValue] => [key, withAttachments(item, attachments)]))
}
