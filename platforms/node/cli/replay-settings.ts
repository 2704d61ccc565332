import { realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AGENTS } from '../../../src/replay/adapters.ts'
import { endpointModel } from '../../../src/replay/endpoint.ts'
import { configurationFault, ReplayFault } from '../../../src/replay/fault.ts'
import type { ReplayRequest } from '../../../src/replay/request.ts'
import type { ReplayField, ReplayFields } from './replay-fields.ts'
import { isMountPoint } from './replay-jobs.ts'
import type { ReplayRoots } from './replay-place.ts'

/** What a replay is to do: everything but the bytes of the trajectory. */
export interface ReplaySettings {
  readonly request: Omit<ReplayRequest, 'trajectory'>
  /** Path of the trajectory. */
  readonly trajectory: string
  /** The folder that it works on, as it was named. */
  readonly workspace: string
  readonly roots: ReplayRoots
  /** Where the calls see the folder; null: where the trajectory says. */
  readonly mountAt: string | null
  readonly report: string | null
}

/** Folders of all replays that name none. */
function defaultRoots(): ReplayRoots {
  const root = join(tmpdir(), 'mirage-replay')
  return { state: join(root, 'state'), output: join(root, 'output') }
}

/** Where a replay that may fail at any moment keeps its documents. */
export function rootsOf(fields: ReplayFields): ReplayRoots {
  const { state, output } = defaultRoots()
  return { state: text(fields, 'state_dir') ?? state, output: text(fields, 'output_dir') ?? output }
}

/** Makes sense of the fields. `isCommandLine`: an agent that isn't known is a fault of the line. Throws a ReplayFault (`configuration_error`). */
export function replaySettings(fields: ReplayFields, isCommandLine: boolean): ReplaySettings {
  const agent = demanded(fields, 'agent', '--agent NAME') as string
  if (isCommandLine && agent !== 'auto' && !AGENTS.includes(agent))
    throw configurationFault(`there is no agent ${JSON.stringify(agent)}; it may be ${AGENTS.join(', ')}, or auto`)
  const trajectory = demanded(fields, 'trajectory', '--trajectory FILE') as string
  const afterStep = demanded(fields, 'after_step', '--after-step N') as number
  const mode = fields.get('prepare_only') === true ? 'prepare' : fields.get('replay_only') === true ? 'replay' : 'continue'
  const executor = executorOf(text(fields, 'executor') ?? 'machine')
  const mountAt = mountOf(fields, executor)
  const report = text(fields, 'report') ?? null
  if (report !== null && mode === 'prepare')
    throw configurationFault('report: nothing is run with prepare-only: there is nothing to report')
  const roots = rootsOf(fields)
  if (roots.state === roots.output)
    throw configurationFault(`state_dir and output_dir are both ${roots.state}: they have to be two folders`)
  const request: ReplaySettings['request'] = {
    agent,
    source: trajectory,
    afterStep,
    mode,
    executor,
    ...given('maxSteps', number(fields, 'max_steps')),
    ...given('boundaryUserPrompt', text(fields, 'boundary_user_prompt')),
    ...given('allowStaleObservations', flag(fields, 'allow_stale_observations')),
    ...given('disallowedTools', fields.get('disallowed_tools') as readonly string[] | undefined),
    ...given('runId', text(fields, 'run_id')),
    ...given('sessionId', text(fields, 'session_id')),
    ...given('disableThinking', flag(fields, 'disable_thinking')),
    ...given('callTimeoutMs', number(fields, 'timeout_ms')),
    ...given('acceptVersion', text(fields, 'accept_version')),
    ...given('sample', text(fields, 'sample')),
    ...given('directory', executor === 'host' ? '/' : (mountAt ?? undefined)),
    ...given('model', modelOf(fields)),
  }
  return { request, trajectory, workspace: text(fields, 'workspace') ?? '.', roots, mountAt, report }
}

/** The real path of the folder that a replay works on. A `workspace_error` where there is none. */
export function workspaceOf(path: string): string {
  let real: string
  try {
    real = realpathSync(path)
  } catch (cause) {
    throw new ReplayFault('workspace_error', `the workspace ${path} is not there`, { cause })
  }
  if (!statSync(real).isDirectory()) throw new ReplayFault('workspace_error', `the workspace ${path} is no directory`)
  return real
}

/** The model that is named; undefined where none is. */
function modelOf(fields: ReplayFields): ReplayRequest['model'] {
  const [endpoint, model] = [text(fields, 'model_endpoint'), text(fields, 'model')]
  if (endpoint === undefined && model === undefined) return undefined
  if (endpoint === undefined || model === undefined)
    throw configurationFault('a model is named by both --model-endpoint URL and --model NAME; its key is in $OPENAI_API_KEY')
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint))
    throw configurationFault(`model-endpoint is ${JSON.stringify(endpoint)}: it has to be a URL that begins with http: or https:`)
  const apiKey = process.env.OPENAI_API_KEY
  return endpointModel({ endpoint, model, ...(apiKey !== undefined && apiKey !== '' && { apiKey }) })
}

function executorOf(name: string): 'machine' | 'host' {
  if (name === 'machine' || name === 'host') return name
  if (name === 'vm' || name === 'container')
    throw configurationFault(
      `CAPABILITY_UNSUPPORTED: executor ${name}: there are no virtual machines or containers here; use machine, the shell of mirage, or host`,
    )
  throw configurationFault(`executor is ${JSON.stringify(name)}: it has to be machine or host`)
}

function mountOf(fields: ReplayFields, executor: 'machine' | 'host'): string | null {
  const path = text(fields, 'mount_at')
  if (path === undefined) return null
  if (executor === 'host')
    throw configurationFault(
      `CAPABILITY_UNSUPPORTED: mount-at: a process of the host sees the folder where it is, or a copy of it; use --executor machine`,
    )
  if (!isMountPoint(path))
    throw configurationFault(
      `mount-at is ${JSON.stringify(path)}: it has to be an absolute path without . and .., not in /dev, /bin or /usr/bin, such as /testbed`,
    )
  return path
}

function demanded(fields: ReplayFields, key: string, option: string): ReplayField {
  const value = fields.get(key)
  if (value === undefined) throw configurationFault(`${key} is missing: give ${option}`)
  return value
}

function text(fields: ReplayFields, key: string): string | undefined {
  return fields.get(key) as string | undefined
}

function number(fields: ReplayFields, key: string): number | undefined {
  return fields.get(key) as number | undefined
}

function flag(fields: ReplayFields, key: string): boolean | undefined {
  return fields.get(key) as boolean | undefined
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: V })
}
