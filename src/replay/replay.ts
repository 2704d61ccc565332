import { randomId } from '../host.ts'
import { digestOf } from '../job/digest.ts'
import { executorOf } from '../job/run-job.ts'
import { adapterFor } from './adapters.ts'
import { checkRequest } from './check-request.ts'
import { earlyFailure } from './early-failure.ts'
import { configurationFault, ReplayFault, trajectoryFault, versionFault } from './fault.ts'
import type { ReplayPlace } from './place.ts'
import type { ReplayContext, ReplayPlan, ReplayRunner } from './plan.ts'
import type { Replayed, ReplayRequest } from './request.ts'
import { runReplay } from './run-replay.ts'
import { TrajectorySource } from './source.ts'
import type { RunState } from './state.ts'
import { openState } from './state.ts'
import type { Batch, Trajectory } from './trajectory.ts'

/** Prepares, replays or continues. Never rejects: what goes wrong is in the answer. */
export async function replay(context: ReplayContext, request: ReplayRequest): Promise<Replayed> {
  const runId = request.runId ?? `replay-${randomId(context.host, 16)}`
  let place: ReplayPlace | null = null
  let state: RunState | null = null
  try {
    checkRequest(request)
    place = await context.place(runId)
    const read = await readPlan(context, request)
    const plan: ReplayPlan = { ...read, context, request, runId, place }
    state = await openState(place.state, context.host, runId)
    // An attempt that died before it ran anything may be made again.
    const { past } = state.journal
    if (!(await place.claim()) && !(past.began && !past.ended))
      throw new ReplayFault('executor_error', `there is an output of run ${runId} already: ${place.outputLocation}`)
    return await runReplay(plan, state.journal)
  } catch (error) {
    return earlyFailure(error, runId, place)
  } finally {
    state?.end()
  }
}

type Read = Pick<ReplayPlan, 'sha256' | 'adapter' | 'trajectory' | 'prefix' | 'boundary' | 'runner'>

/** Reads the trajectory and checks that the replay can be. Nothing is written, nothing is run. */
async function readPlan(context: ReplayContext, request: ReplayRequest): Promise<Read> {
  const { afterStep, mode, maxSteps } = request
  const source = new TrajectorySource(request.trajectory)
  const sha256 = await sourceDigest(source.bytes)
  const adapter = await adapterFor(request.agent, source)
  const trajectory = await adapter.read(source, request)
  const { batches } = trajectory
  if (afterStep > batches.length)
    throw trajectoryFault(
      `after-step is ${afterStep}, but the trajectory has ${batches.length} complete steps: turns with tool calls and all of their observations`,
    )
  const prefix = batches.slice(0, afterStep)
  const boundary = prefix[afterStep - 1] as Batch
  checkIds(prefix)
  checkTools(trajectory, prefix, mode === 'prepare' || request.allowStaleObservations === true)
  trajectory.checkPrefix(afterStep)
  const least = mode === 'continue' ? boundary.modelTurns + 1 : boundary.modelTurns
  if (mode !== 'prepare' && maxSteps !== undefined && maxSteps < least)
    throw configurationFault(
      `max-steps is ${maxSteps}: the prefix has ${boundary.modelTurns} turns of the model, so that ${least} are needed at least`,
    )
  return {
    sha256,
    adapter,
    trajectory,
    prefix,
    boundary,
    runner: mode === 'prepare' ? null : await runnerFor(context, request, trajectory),
  }
}

async function runnerFor(
  context: ReplayContext,
  { executor: name = 'machine', mode, model }: ReplayRequest,
  { directory }: Trajectory,
): Promise<ReplayRunner> {
  if (mode === 'continue' && model === undefined)
    throw configurationFault(
      'to go on after the boundary, a model is needed: give one (--model-endpoint URL and --model NAME), or stop at the boundary (--replay-only), or run nothing (--prepare-only)',
    )
  const jobs = await context.jobs(directory)
  const executor = executorOf(jobs, name)
  if (executor.open === undefined) throw configurationFault(`the executor "${name}" can't run one command after another: use "machine"`)
  return { jobs, executor }
}

/** The journal tells calls apart by their ids. */
function checkIds(prefix: readonly Batch[]): void {
  const seen = new Map<string, string>()
  for (const { calls, locator } of prefix)
    for (const { id } of calls) {
      const before = seen.get(id)
      if (before !== undefined) throw trajectoryFault(`${locator}: the call id ${JSON.stringify(id)} is that of a call of ${before}, too`)
      seen.set(id, locator)
    }
}

function checkTools({ toolset }: Trajectory, prefix: readonly Batch[], allowsStale: boolean): void {
  for (const { calls, locator } of prefix)
    for (const { name, arguments: given } of calls) {
      const support = toolset.support(name, given)
      if (support === 'unsupported') throw versionFault(`${locator}: the tool ${JSON.stringify(name)} can't be replayed`)
      if (support === 'stale' && !allowsStale)
        throw versionFault(
          `${locator}: what the tool ${JSON.stringify(name)} gave can't be made again; --allow-stale-observations lets the recorded observation stand`,
        )
    }
}

/** SHA-256, by the platform where it has that. */
async function sourceDigest(bytes: Uint8Array): Promise<string> {
  // Pages that don't come by HTTPS have none.
  if (typeof crypto.subtle?.digest !== 'function') return digestOf(bytes)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
