import type { Item } from './item-trajectory.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { argumentsAt, isArray, isObject, objectAt, textAt } from './json.ts'
import { contentAt, contentText } from './message-content.ts'
import type { ToolOutcome } from './toolset.ts'
import type { LivePhase } from './trajectory.ts'

/** What an item of OpenAI's Responses is. `where` names it in errors. */
export function responseItem(item: JsonObject, where: string): Item {
  switch (item.type ?? 'message') {
    case 'message': {
      const text = contentAt(item.content, `${where}.content`)
      const role = textAt(item.role, `${where}.role`)
      if (role === 'assistant') return { kind: 'agent', text, calls: [] }
      return { kind: role === 'user' ? 'user' : 'system', text }
    }
    case 'reasoning':
      return { kind: 'agent', text: '', reasoning: contentText(item.summary) || contentText(item.content), calls: [] }
    case 'function_call':
      return called(item, where, argumentsAt(item.arguments, `${where}.arguments`))
    case 'custom_tool_call':
      return called(item, where, { input: textAt(item.input, `${where}.input`) })
    case 'local_shell_call': {
      const { command, working_directory: cwd } = objectAt(item.action, `${where}.action`)
      return called({ ...item, name: 'local_shell' }, where, { command: command ?? null, ...(typeof cwd === 'string' ? { cwd } : {}) })
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return { kind: 'result', id: textAt(item.call_id, `${where}.call_id`), observation: observationOf(item.output) }
    default:
      return { kind: 'other' }
  }
}

function called(item: JsonObject, where: string, given: JsonObject): Item {
  return {
    kind: 'agent',
    text: '',
    calls: [{ id: textAt(item.call_id, `${where}.call_id`), name: textAt(item.name, `${where}.name`), arguments: given }],
  }
}

/** Head of what Codex shows of a command that it ran. */
const EXEC_HEAD =
  /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)\n(?:Wall time: .*\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?(?:Output:\n)?/

/** Some agents put the output of a command into a JSON text with its status, some below a head. */
function observationOf(output: JsonValue | undefined): { readonly value: JsonValue; readonly isError: boolean } {
  const text = typeof output === 'string' ? output : isArray(output) ? contentText(output) : null
  if (text === null) return { value: output ?? '', isError: false }
  const head = EXEC_HEAD.exec(text)
  if (head !== null) return { value: text.slice(head[0].length), isError: head[1] !== '0' }
  if (!text.startsWith('{"output"')) return { value: text, isError: false }
  try {
    const parsed = JSON.parse(text) as JsonValue
    if (isObject(parsed) && typeof parsed.output === 'string') {
      const status = isObject(parsed.metadata) ? parsed.metadata.exit_code : 0
      return { value: parsed.output, isError: status !== 0 }
    }
  } catch {
    // It is a text like any other.
  }
  return { value: text, isError: false }
}

/** True for a result whose form says whether the call failed. */
export function tellsError({ output }: JsonObject): boolean {
  return typeof output === 'string' && (EXEC_HEAD.test(output) || output.startsWith('{"output"'))
}

/** An item with a result, with another one, in the form that it has. */
export function withOutput(item: JsonObject, { text, value, status }: ToolOutcome): JsonObject {
  const { output } = item
  const before = typeof output === 'string' ? output : isArray(output) ? contentText(output) : ''
  let shown = text
  if (before.startsWith('{"output"')) shown = JSON.stringify({ output: value, metadata: { exit_code: status ?? 0, duration_seconds: 0 } })
  else if (EXEC_HEAD.test(before))
    shown = `Exit code: ${status ?? 0}\nWall time: 0 seconds\nOutput:\n${typeof value === 'string' ? value : JSON.stringify(value)}`
  return { ...item, output: shown }
}

/** The turns of a live phase as items. */
export function liveItems({ boundaryPrompt, turns }: LivePhase): readonly JsonObject[] {
  const items: JsonObject[] = []
  if (boundaryPrompt !== null) items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: boundaryPrompt }] })
  for (const { text, reasoning, calls, outcomes } of turns) {
    if (reasoning !== null) items.push({ type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] })
    if (text !== '' || calls.length === 0) items.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
    for (const { id, name, arguments: given } of calls)
      items.push({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(given) })
    outcomes.forEach(({ text: output }, i) => {
      items.push({ type: 'function_call_output', call_id: calls[i]?.id ?? '', output })
    })
  }
  return items
}
