import { quoteReusable } from '../../shell/expand/quote.ts'
import type { JsonObject } from '../json.ts'
import { commandWords } from '../tools/swe-definitions.ts'
import type { LiveCall, LivePhase } from '../trajectory.ts'

/** What came after the boundary: entries of the trajectory, and items of the history. */
export function sweLive({ boundaryPrompt, turns }: LivePhase): {
  readonly entries: readonly JsonObject[]
  readonly items: readonly JsonObject[]
} {
  const entries: JsonObject[] = []
  const items: JsonObject[] = []
  if (boundaryPrompt !== null) items.push({ role: 'user', content: boundaryPrompt, agent: 'main', message_type: 'user' })
  for (const { text, calls, outcomes } of turns) {
    if (calls.length === 0) {
      items.push({ role: 'assistant', content: text, thought: text, action: '', agent: 'main', message_type: 'action' })
      entries.push({ action: '', observation: '', response: text, thought: text, state: {} })
    }
    // The format has one call a turn.
    calls.forEach((call, i) => {
      const { id, name, arguments: given } = call
      const thought = i === 0 ? text : ''
      const action = actionOf(call)
      const outcome = outcomes[i]
      entries.push({ action, observation: outcome?.value ?? '', response: thought, thought, state: outcome?.native ?? {} })
      items.push(
        {
          role: 'assistant',
          content: thought,
          thought,
          action,
          agent: 'main',
          tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(given) } }],
          message_type: 'action',
        },
        { role: 'tool', content: outcome?.text ?? '', agent: 'main', tool_call_ids: [id], message_type: 'observation' },
      )
    })
  }
  return { entries, items }
}

/** The line that a call of a function is. */
function actionOf({ name, arguments: given }: LiveCall): string {
  if (name === 'bash') return typeof given.command === 'string' ? given.command : ''
  if (name === 'edit' && given.start_line !== undefined)
    return `edit ${String(given.start_line)}:${String(given.end_line)}\n${String(given.replacement_text)}\nend_of_edit`
  const words = commandWords(name, given)
  if (words !== null) return [name, ...words.map(quoteReusable)].join(' ')
  const { command, path, ...more } = given
  const options = Object.entries(more).flatMap(([option, value]) => [
    `--${option}`,
    ...(Array.isArray(value) ? value.map(String) : [quoteReusable(String(value))]),
  ])
  return [name, ...[command, path].filter((word) => typeof word === 'string').map(quoteReusable), ...options].join(' ')
}
