import type { JsonObject } from '../json.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { LiveCall, LivePhase, LiveTurn } from '../trajectory.ts'
import { extrasOf, kindOf } from './openhands-observations.ts'

/** The events of what came after the boundary; `first` is the id of the first of them. */
export function liveEvents({ boundaryPrompt, turns }: LivePhase, first: number): readonly JsonObject[] {
  const events: JsonObject[] = []
  const add = (event: JsonObject): number => {
    const id = first + events.length
    events.push({ id, ...event })
    return id
  }
  if (boundaryPrompt !== null) add(message('user', boundaryPrompt))
  for (const turn of turns) {
    if (turn.calls.length === 0) add(message('agent', turn.text))
    turn.calls.forEach((call, i) => {
      const thought = i === 0 ? turn.text : ''
      const metadata = {
        function_name: call.name,
        tool_call_id: call.id,
        model_response: responseOf(turn),
        total_calls_in_response: turn.calls.length,
      }
      const { action, args } = actionOf(call, thought)
      const cause = add({ source: 'agent', message: thought, action, tool_call_metadata: metadata, args })
      const outcome = turn.outcomes[i]
      if (outcome === undefined || action === 'finish') return
      add({ source: 'agent', message: '', cause, tool_call_metadata: metadata, ...observationOf(action, args, outcome) })
    })
  }
  return events
}

function message(source: 'user' | 'agent', content: string): JsonObject {
  return { source, message: content, action: 'message', args: { content, image_urls: null, wait_for_response: source === 'agent' } }
}

function observationOf(action: string, args: JsonObject, outcome: ToolOutcome): JsonObject {
  const kind = action === 'null' ? 'error' : kindOf(action, outcome)
  return {
    observation: kind,
    content: outcome.value,
    extras: extrasOf(kind, {}, args, outcome),
    ...(kind === 'run' ? { success: !outcome.isError } : {}),
  }
}

/** The action that a call is; `null` for one of a tool that there is not. */
function actionOf({ name, arguments: given }: LiveCall, thought: string): { readonly action: string; readonly args: JsonObject } {
  switch (name) {
    case 'execute_bash':
      return {
        action: 'run',
        args: { command: given.command ?? '', is_input: given.is_input === 'true' || given.is_input === true, thought },
      }
    case 'str_replace_editor':
      if (given.command === 'view')
        return { action: 'read', args: { path: given.path ?? '', thought, impl_source: 'oh_aci', view_range: given.view_range ?? null } }
      return { action: 'edit', args: { ...given, path: given.path ?? '', thought, impl_source: 'oh_aci' } }
    case 'execute_ipython_cell':
      return { action: 'run_ipython', args: { code: given.code ?? '', thought } }
    case 'think':
      return { action: 'think', args: { thought: given.thought ?? '' } }
    case 'finish':
      return { action: 'finish', args: { final_thought: given.message ?? '', outputs: {}, thought } }
    default:
      return { action: 'null', args: {} }
  }
}

/** What the model answered. */
function responseOf({ text, reasoning, calls }: LiveTurn): JsonObject {
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  return {
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: text, ...(reasoning === null ? {} : { reasoning_content: reasoning }), tool_calls },
      },
    ],
  }
}
