import type { AtifStep } from '../atif.ts'
import type { JsonObject } from '../json.ts'
import { argumentsAt, isArray, objectAt, optionalText, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import { isSweTool } from '../tools/swe-agent.ts'
import type { Batch, Call } from '../trajectory.ts'

/** A turn with a call, and where its parts are. */
export interface SweTurn {
  readonly entry: number
  /** Index in the history of what the agent answered. */
  readonly answer: number
  /** Index in the history of what it was shown then; null where that isn't there. */
  readonly shown: number | null
  readonly batch: Batch
}

/** Pairs the entries of the trajectory with the answers in the history, by order. An entry without an observation ends the list of turns. */
export function sweTurns(
  entries: readonly JsonObject[],
  history: readonly JsonObject[],
): { readonly turns: readonly SweTurn[]; readonly steps: readonly AtifStep[] } {
  const roles = history.map(({ role }, i) => textAt(role, `history[${i}].role`))
  // What demonstrates the work to the agent is none of its own.
  const answers = roles.flatMap((role, i) => (role === 'assistant' && history[i]?.is_demo !== true ? [i] : []))
  const turns: SweTurn[] = []
  const steps: AtifStep[] = []
  let isWhole = true
  let at = 0
  const passBy = (end: number): void => {
    for (; at < end; at++) {
      const role = roles[at]
      const source = role === 'system' ? 'system' : role === 'assistant' ? 'agent' : 'user'
      steps.push({ step_id: steps.length + 1, source, message: contentText(history[at]?.content) })
    }
  }
  entries.forEach((entry, i) => {
    const where = `trajectory[${i}]`
    const action = textAt(entry.action, `${where}.action`)
    const observation = optionalText(entry.observation, `${where}.observation`)
    const response = optionalText(entry.response, `${where}.response`) ?? ''
    const thought = optionalText(entry.thought, `${where}.thought`) ?? ''
    const answer = answers[i]
    if (answer === undefined) return
    passBy(answer)
    at = answer + 1
    const step: AtifStep = { step_id: steps.length + 1, source: 'agent', message: thought === '' ? response : thought }
    if (action.trim() === '') {
      steps.push(step)
      return
    }
    const call = callOf(entry, action, i, history[answer] as JsonObject, `history[${answer}]`)
    const tool_calls = [{ tool_call_id: call.id, function_name: call.name, arguments: call.arguments }]
    isWhole = isWhole && observation !== undefined
    if (!isWhole || observation === undefined) {
      steps.push({ ...step, tool_calls })
      return
    }
    const shown = shownAfter(roles, answer)
    if (shown === at) at += 1
    const recorded = { value: observation, isError: false }
    turns.push({
      entry: i,
      answer,
      shown,
      batch: { step: steps.length, locator: `trajectory:${i}`, modelTurns: i + 1, calls: [{ ...call, recorded }] },
    })
    steps.push({ ...step, tool_calls, observation: { results: [{ source_call_id: call.id, content: observation }] } })
  })
  passBy(history.length)
  return { turns, steps }
}

/** The call as the model made it, where it called a function that is known and the action came of it; else the action, as a line. */
function callOf(entry: JsonObject, action: string, index: number, answer: JsonObject, where: string): Omit<Call, 'recorded'> {
  const line = { id: `swe-agent-${index + 1}`, name: 'bash', arguments: { command: action } }
  const { tool_calls: calls } = answer
  if (!isArray(calls) || calls.length === 0 || (answer.action !== undefined && answer.action !== entry.action)) return line
  const at = `${where}.tool_calls[0]`
  const { id, function: called } = objectAt(calls[0], at)
  const { name, arguments: given } = objectAt(called, `${at}.function`)
  const tool = textAt(name, `${at}.function.name`)
  const callId = optionalText(id, `${at}.id`) ?? line.id
  if (!isSweTool(tool)) return { ...line, id: callId }
  return { id: callId, name: tool, arguments: argumentsAt(given, `${at}.function.arguments`) }
}

function shownAfter(roles: readonly string[], answer: number): number | null {
  for (let at = answer + 1; at < roles.length && roles[at] !== 'assistant'; at++)
    if (roles[at] === 'tool' || roles[at] === 'user') return at
  return null
}
