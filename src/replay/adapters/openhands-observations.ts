import type { JsonObject, JsonValue } from '../json.ts'
import { isObject, textAt } from '../json.ts'
import { EDITOR_ERROR } from '../tools/openhands.ts'
import type { ToolOutcome } from '../toolset.ts'
import type { Observation } from '../trajectory.ts'
import type { OpenHandsEvent } from './openhands-events.ts'

/** What an observation shows, and whether it is of a failure. */
export function recordedIn({ observation, extras, where, native }: OpenHandsEvent): Observation {
  // Older editors have what they said beside the difference that they made.
  const said = extras.formatted_output_and_error
  const value = typeof said === 'string' ? said : textAt(native.content, `${where}.content`)
  if (observation === 'error') return { value, isError: true }
  if (observation === 'edit' || observation === 'read') return { value, isError: value.startsWith(EDITOR_ERROR) }
  if (observation !== 'run') return { value, isError: false }
  const status = isObject(extras.metadata) ? extras.metadata.exit_code : extras.exit_code
  return { value, isError: typeof status === 'number' ? status !== 0 : native.success === false }
}

/** The recorded observation of an action with what was observed now. */
export function withOutcome(
  { native, observation, extras }: OpenHandsEvent,
  { action, args }: OpenHandsEvent,
  outcome: ToolOutcome,
): JsonObject {
  const { timestamp: _, success, ...rest } = native
  const kind = kindOf(action ?? '', outcome)
  const before = kind === observation ? extras : {}
  return {
    ...rest,
    ...(kind === 'run' ? { message: `Command \`${String(args.command)}\` executed with exit code ${outcome.status ?? -1}.` } : {}),
    observation: kind,
    content: outcome.value,
    extras: extrasOf(kind, before, args, outcome),
    ...(success === undefined ? {} : { success: !outcome.isError }),
  }
}

/** The kind of an observation: that of the action, or `error` for what the runtime refused. */
export function kindOf(action: string, { native }: ToolOutcome): string {
  return native?.observation === 'error' ? 'error' : action
}

/** What an observation has beside its content. */
export function extrasOf(kind: string, before: JsonObject, args: JsonObject, { native, value, status }: ToolOutcome): JsonObject {
  if (kind === 'run') {
    const metadata = isObject(before.metadata) ? before.metadata : {}
    return {
      ...before,
      command: String(args.command),
      metadata: { ...metadata, ...native },
      ...(before.exit_code === undefined ? {} : { exit_code: status ?? -1 }),
    }
  }
  if (kind === 'error') return { error_id: '', ...before }
  if (kind !== 'edit' && kind !== 'read') return before
  // Both texts and their difference were recorded, too: what they are now isn't known.
  const unknown = ['old_content', 'new_content', 'diff'].flatMap((name): [string, JsonValue][] =>
    before[name] === undefined ? [] : [[name, null]],
  )
  return {
    ...before,
    path: args.path ?? null,
    impl_source: before.impl_source ?? args.impl_source ?? 'oh_aci',
    ...Object.fromEntries(unknown),
    ...(before.formatted_output_and_error === undefined ? {} : { formatted_output_and_error: value }),
  }
}
