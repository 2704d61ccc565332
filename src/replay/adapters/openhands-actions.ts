import type { JsonObject } from '../json.ts'
import { argumentsAt, isArray, isObject, textAt } from '../json.ts'
import type { Call } from '../trajectory.ts'
import type { OpenHandsEvent } from './openhands-events.ts'

const EDITOR = 'str_replace_editor'
/** What the editor is given, as newer versions have it in the action itself. */
const EDITS = ['file_text', 'old_str', 'new_str', 'insert_line', 'view_range']

/** The call of a tool that an action stands for. */
export function actionCall(event: OpenHandsEvent, action: string): Omit<Call, 'recorded'> {
  return { id: event.callId ?? `openhands-${event.id}`, ...toolOf(event, action) }
}

function toolOf({ args, where, reply, callId }: OpenHandsEvent, action: string): Pick<Call, 'name' | 'arguments'> {
  const text = (name: string): string => textAt(args[name], `${where}.args.${name}`)
  switch (action) {
    case 'run': {
      const command = text('command')
      return { name: 'execute_bash', arguments: args.is_input === true ? { command, is_input: true } : { command } }
    }
    case 'run_ipython':
      return { name: 'execute_ipython_cell', arguments: { code: text('code') } }
    case 'think':
      return { name: 'think', arguments: { thought: text('thought') } }
    case 'read': {
      const path = text('path')
      if (args.impl_source !== 'oh_aci') return { name: EDITOR, arguments: { command: 'read', path, ...lines(args) } }
      if (isArray(args.view_range)) return { name: EDITOR, arguments: { command: 'view', path, view_range: args.view_range } }
      // Older ones have what the editor was given in the answer of the model alone.
      return { name: EDITOR, arguments: modelCall(reply, callId, where) ?? { command: 'view', path } }
    }
    default: {
      const path = text('path')
      if (typeof args.command === 'string' && args.command !== '')
        return { name: EDITOR, arguments: { command: args.command, path, ...edits(args) } }
      const called = modelCall(reply, callId, where)
      if (called !== null) return { name: EDITOR, arguments: called }
      return { name: 'edit_file', arguments: { path, content: text('content'), ...lines(args) } }
    }
  }
}

function edits(args: JsonObject): JsonObject {
  return Object.fromEntries(EDITS.flatMap((name) => (args[name] === undefined || args[name] === null ? [] : [[name, args[name]]])))
}

function lines({ start, end }: JsonObject): JsonObject {
  return { ...(typeof start === 'number' ? { start } : {}), ...(typeof end === 'number' ? { end } : {}) }
}

/** The arguments of the call of the editor with an id in an answer of the model; null where there is none. */
function modelCall({ tool_calls: calls }: JsonObject, id: string | null, where: string): JsonObject | null {
  if (!isArray(calls)) return null
  const at = calls.findIndex((call) => isObject(call) && call.id === id && isObject(call.function) && call.function.name === EDITOR)
  const call = calls[at]
  if (!isObject(call) || !isObject(call.function)) return null
  const given = argumentsAt(
    call.function.arguments,
    `${where}.tool_call_metadata.model_response.choices[0].message.tool_calls[${at}].function.arguments`,
  )
  return typeof given.command === 'string' ? given : null
}
