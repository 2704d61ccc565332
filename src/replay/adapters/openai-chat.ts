import type { Adapter } from '../adapter.ts'
import { trajectoryFault } from '../fault.ts'
import type { Item } from '../item-trajectory.ts'
import { ItemTrajectory } from '../item-trajectory.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { argumentsAt, arrayAt, isArray, isObject, objectAt, optionalText, textAt } from '../json.ts'
import { contentAt } from '../message-content.ts'
import { genericTools } from '../tools/generic.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { LivePhase } from '../trajectory.ts'

const ROLES: ReadonlySet<JsonValue | undefined> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

/** Messages of OpenAI's chat completions: an array, or a document that has them under `messages`, such as the body of a request. */
export const openAIChat: Adapter = {
  agent: 'openai-chat',
  pinned: null,
  profile: 'openai-chat/native-messages-v1',
  nativeFormat: 'openai-chat/native-json',
  files: { prepared: 'prepared-prefix.json', reconstructed: 'reconstructed-trajectory.json', continued: 'continued-trajectory.json' },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    if (isObject(document) && document.trajectory_format !== undefined) return false
    const messages = isObject(document) ? document.messages : document
    return isArray(messages) && messages.length > 0 && messages.every((message) => isObject(message) && ROLES.has(message.role))
  },
  read(source) {
    const document = source.json()
    const path = isArray(document) ? [] : ['messages']
    const whole = isArray(document) ? {} : objectAt(document, 'the trajectory')
    const messages = arrayAt(isArray(document) ? document : whole.messages, 'messages').map((message, i) =>
      objectAt(message, `messages[${i}]`),
    )
    return new ItemTrajectory({
      agent: 'openai-chat',
      version: '1',
      session: 'openai-chat',
      model: typeof whole.model === 'string' ? whole.model : null,
      toolset: genericTools({ tellsErrors: false }),
      directory: null,
      items: itemsOf(messages),
      mergesItems: false,
      places: 'messages',
      firstPlace: 0,
      write: (keep, replaced, added) => source.withElements(path, keep, replaced, added),
      withOutcome: (index, outcome) => withOutcome(messages[index] as JsonObject, outcome),
      live: chatMessages,
    })
  },
}

function itemsOf(messages: readonly JsonObject[]): readonly Item[] {
  // The older form names no call: the next result is that of the last one.
  let last = ''
  return messages.map((message, i): Item => {
    const where = `messages[${i}]`
    const role = textAt(message.role, `${where}.role`)
    switch (role) {
      case 'system':
      case 'developer':
        return { kind: 'system', text: contentAt(message.content, `${where}.content`) }
      case 'user':
        return { kind: 'user', text: contentAt(message.content, `${where}.content`) }
      case 'tool':
        return {
          kind: 'result',
          id: textAt(message.tool_call_id, `${where}.tool_call_id`),
          observation: { value: contentAt(message.content, `${where}.content`), isError: false },
        }
      case 'function':
        return { kind: 'result', id: last, observation: { value: contentAt(message.content, `${where}.content`), isError: false } }
      case 'assistant': {
        const calls = callsOf(message, where, i)
        last = calls.at(-1)?.id ?? last
        const reasoning = optionalText(message.reasoning_content, `${where}.reasoning_content`)
        return {
          kind: 'agent',
          text: contentAt(message.content, `${where}.content`),
          calls,
          ...(reasoning === undefined ? {} : { reasoning }),
        }
      }
      default:
        throw trajectoryFault(`${where}.role is ${JSON.stringify(role)}: it has to be one of ${[...ROLES].join(', ')}`)
    }
  })
}

function callsOf(message: JsonObject, where: string, index: number): Extract<Item, { kind: 'agent' }>['calls'] {
  const { function_call: older, tool_calls: calls } = message
  if (isObject(older)) {
    const at = `${where}.function_call`
    return [
      { id: `function-call-${index}`, name: textAt(older.name, `${at}.name`), arguments: argumentsAt(older.arguments, `${at}.arguments`) },
    ]
  }
  if (calls === undefined || calls === null) return []
  return arrayAt(calls, `${where}.tool_calls`).map((call, i) => {
    const at = `${where}.tool_calls[${i}]`
    const { id, function: called, custom } = objectAt(call, at)
    if (isObject(custom))
      return {
        id: textAt(id, `${at}.id`),
        name: textAt(custom.name, `${at}.custom.name`),
        arguments: { input: textAt(custom.input, `${at}.custom.input`) },
      }
    const { name, arguments: given } = objectAt(called, `${at}.function`)
    return {
      id: textAt(id, `${at}.id`),
      name: textAt(name, `${at}.function.name`),
      arguments: argumentsAt(given, `${at}.function.arguments`),
    }
  })
}

function withOutcome(message: JsonObject, { text }: ToolOutcome): JsonObject {
  return { ...message, content: text }
}

/** The turns of a live phase as messages. */
function chatMessages({ boundaryPrompt, turns }: LivePhase): readonly JsonValue[] {
  const messages: JsonValue[] = boundaryPrompt === null ? [] : [{ role: 'user', content: boundaryPrompt }]
  for (const { text, reasoning, calls, outcomes } of turns) {
    messages.push({
      role: 'assistant',
      content: text,
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, arguments: given }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(given) },
            })),
          }),
    })
    outcomes.forEach(({ text: content }, i) => {
      messages.push({ role: 'tool', tool_call_id: calls[i]?.id ?? '', content })
    })
  }
  return messages
}
