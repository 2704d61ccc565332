import type { Adapter } from '../adapter.ts'
import { ItemTrajectory } from '../item-trajectory.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt } from '../json.ts'
import { liveItems, responseItem, tellsError, withOutput } from '../response-items.ts'
import { genericTools } from '../tools/generic.ts'

const CALLS: ReadonlySet<JsonValue | undefined> = new Set(['function_call', 'custom_tool_call', 'local_shell_call'])

/** Items of OpenAI's Responses: an array, or a document that has them under `input` (a request) or `output` (an answer). */
export const openAIResponses: Adapter = {
  agent: 'openai-responses',
  pinned: null,
  profile: 'openai-responses/native-items-v1',
  nativeFormat: 'openai-responses/native-json',
  files: { prepared: 'prepared-prefix.json', reconstructed: 'reconstructed-trajectory.json', continued: 'continued-trajectory.json' },
  recognises(source) {
    if (source.form !== 'json') return false
    const document = source.json()
    const key = isObject(document) ? keyOf(document) : undefined
    const items = isObject(document) ? document[key ?? ''] : document
    return isArray(items) && items.every(isObject) && items.some((item) => isObject(item) && CALLS.has(item.type))
  },
  read(source) {
    const document = source.json()
    const whole = isArray(document) ? {} : objectAt(document, 'the trajectory')
    const key = isArray(document) ? null : (keyOf(whole) ?? 'input')
    const name = key ?? 'items'
    const items = arrayAt(key === null ? document : whole[key], name).map((item, i) => objectAt(item, `${name}[${i}]`))
    return new ItemTrajectory({
      agent: 'openai-responses',
      version: '1',
      session: typeof whole.id === 'string' ? whole.id : 'openai-responses',
      model: typeof whole.model === 'string' ? whole.model : null,
      toolset: genericTools({ tellsErrors: items.some(tellsError) }),
      directory: null,
      items: items.map((item, i) => responseItem(item, `${name}[${i}]`)),
      mergesItems: true,
      places: name,
      firstPlace: 0,
      write: (keep, replaced, added) => source.withElements(key === null ? [] : [key], keep, replaced, added),
      withOutcome: (index, outcome) => withOutput(items[index] as JsonObject, outcome),
      live: liveItems,
    })
  },
}

function keyOf(document: JsonObject): 'input' | 'output' | undefined {
  return isArray(document.input) ? 'input' : isArray(document.output) ? 'output' : undefined
}
