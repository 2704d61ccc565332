import { WorkspaceError } from '../errors.ts'
import { checkNames } from '../option-checks.ts'
import { configurationFault } from './fault.ts'
import type { ReplayRequest } from './request.ts'

const KEYS: readonly (keyof ReplayRequest)[] = [
  'agent',
  'trajectory',
  'source',
  'afterStep',
  'mode',
  'maxSteps',
  'boundaryUserPrompt',
  'allowStaleObservations',
  'disallowedTools',
  'runId',
  'sessionId',
  'model',
  'disableThinking',
  'executor',
  'directory',
  'callTimeoutMs',
  'acceptVersion',
  'sample',
  'signal',
  'onProgress',
]

/** Refuses what can't be, in the order in which the program tells it: a ReplayFault (`configuration_error`). */
export function checkRequest(request: ReplayRequest): void {
  try {
    checkNames(request, KEYS, 'the replay')
  } catch (error) {
    throw error instanceof WorkspaceError ? configurationFault(error.message) : error
  }
  demand(request.trajectory instanceof Uint8Array, 'trajectory', request.trajectory, 'the bytes of a file')
  demand(typeof request.agent === 'string', 'agent', request.agent, 'the name of an adapter, or "auto"')
  demand(isCount(request.afterStep), 'after-step', request.afterStep, 'a whole number, 1 or more')
  demand(request.maxSteps === undefined || isCount(request.maxSteps), 'max-steps', request.maxSteps, 'a whole number, 1 or more')
  const { boundaryUserPrompt: prompt, runId, sessionId, directory, callTimeoutMs, executor, mode } = request
  demand(prompt === undefined || prompt === '' || prompt.trim() !== '', 'boundary-user-prompt', prompt, 'more than white space')
  demand(runId === undefined || /^[A-Za-z0-9_-]{1,128}$/.test(runId), 'run-id', runId, 'up to 128 letters and digits of ASCII, "-" and "_"')
  demand(
    sessionId === undefined || (sessionId !== '' && !/[\0\r\n]/.test(sessionId)),
    'session-id',
    sessionId,
    'a text without line ends that is not empty',
  )
  demand(directory === undefined || directory.startsWith('/'), 'directory', directory, 'an absolute path of the workspace')
  demand(callTimeoutMs === undefined || callTimeoutMs > 0, 'timeout-ms', callTimeoutMs, 'a number of milliseconds, more than 0')
  demand(executor === undefined || executor === 'machine' || executor === 'host', 'executor', executor, '"machine" or "host"')
  demand(mode === 'prepare' || mode === 'replay' || mode === 'continue', 'mode', mode, '"prepare", "replay" or "continue"')
  checkDisallowed(request)
}

function checkDisallowed({ disallowedTools = [], agent }: ReplayRequest): void {
  if (disallowedTools.length === 0) return
  if (agent !== 'claude-code') throw configurationFault(`disallowed tools are for claude-code, not for ${agent}`)
  const seen = new Set<string>()
  for (const name of disallowedTools) {
    demand(/^[A-Za-z][A-Za-z0-9_]*$/.test(name), 'agent-disallowed-tool', name, 'the name of a tool')
    if (seen.has(name)) throw configurationFault(`agent-disallowed-tool: ${JSON.stringify(name)} is given twice`)
    seen.add(name)
  }
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function demand(holds: boolean, name: string, value: unknown, wanted: string): void {
  if (!holds) throw configurationFault(`${name} is ${value === undefined ? 'missing' : JSON.stringify(value)}: it has to be ${wanted}`)
}
