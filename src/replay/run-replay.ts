import { concat, encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import { stagedOf } from '../job/active-job.ts'
import { sealCheckpoint } from '../job/create-checkpoint.ts'
import { digestOf } from '../job/digest.ts'
import type { Attempt, CommandEnd, CommandSite } from '../job/executor.ts'
import type { JobCore, JobsContext } from '../job/job-core.ts'
import { runRecord } from '../job/job-core.ts'
import { startJob } from '../job/run-job.ts'
import type { Artifact, ObservationCounts, PlanDocument, ReplayReport, ReplayResult, SummaryDocument } from './documents.ts'
import { CATEGORIES, faultOf, ReplayFault } from './fault.ts'
import type { Journal } from './journal.ts'
import { JOURNAL } from './journal.ts'
import type { JsonObject } from './json.ts'
import type { LiveEnd } from './live-phase.ts'
import { livePhase } from './live-phase.ts'
import { nextActionComparison } from './next-action.ts'
import { countsOf } from './observations.ts'
import type { ReplayPlan } from './plan.ts'
import { replayExecutor } from './replay-executor.ts'
import { ReplaySteps } from './replay-steps.ts'
import type { Replayed } from './request.ts'
import type { NativeFile } from './trajectory.ts'

const PHASES = { prepare: 'prepared', replay: 'replayed', continue: 'continued' } as const

/** Does what was planned, in a place that is its own, and writes down how it ended. */
export async function runReplay(plan: ReplayPlan, journal: Journal): Promise<Replayed> {
  const run = new ReplayRun(plan, journal)
  try {
    await run.begin()
    if (plan.request.mode === 'prepare') await run.prepare()
    else await run.replay()
    return await run.succeed()
  } catch (error) {
    return run.fail(faultOf(error))
  }
}

class ReplayRun {
  readonly #plan: ReplayPlan
  readonly #journal: Journal
  readonly #prompt: { readonly text: string | null; readonly sha256: string | null }
  readonly #artifacts: Artifact[] = []
  #steps: ReplaySteps | null = null
  #live: LiveEnd | null = null

  constructor(plan: ReplayPlan, journal: Journal) {
    this.#plan = plan
    this.#journal = journal
    const { boundaryUserPrompt: text = '' } = plan.request
    this.#prompt = text === '' ? { text: null, sha256: null } : { text, sha256: digestOf(encode(text)) }
  }

  /** Writes the plan. */
  async begin(): Promise<void> {
    const { request, adapter, runId, sha256, prefix, trajectory } = this.#plan
    await this.#journal.add('run_started', {
      run_id: runId,
      agent: adapter.agent,
      source_sha256: sha256,
      after_step: request.afterStep,
      boundary_user_prompt_requested: this.#prompt.text !== null,
      boundary_user_prompt_sha256: this.#prompt.sha256,
    })
    const plan: PlanDocument = {
      schema_version: 'sandbox-replay.plan/v1',
      agent: { name: adapter.agent, version: trajectory.version, profile: adapter.profile },
      source: { path: request.source ?? 'trajectory', sha256 },
      boundary: {
        after_step: request.afterStep,
        complete_tool_batch: true,
        prefix_model_turns: this.#plan.boundary.modelTurns,
        tool_calls: callsIn(this.#plan),
      },
      batches: prefix.map(({ locator, calls }, i) => ({
        ordinal: i + 1,
        native_locator: locator,
        tool_calls: calls.map(({ id, name, arguments: given }, at) => ({ ordinal: at + 1, call_id: id, name, arguments: given })),
      })),
    }
    await this.#write('playback_plan', 'sandbox-playback/plan-v1', 'manifest.json', plan)
    this.#artifacts.push(this.#artifact('replay_events', 'sandbox-playback/events-v1', JOURNAL))
    this.#artifacts.push(this.#artifact('replay_summary', 'sandbox-playback/summary-v1', SUMMARY))
    await this.#journal.add('plan_validated', { profile: adapter.profile, tool_calls: callsIn(this.#plan) })
  }

  /** Writes the native prefix; nothing is run. */
  async prepare(): Promise<void> {
    const { adapter, trajectory, request } = this.#plan
    await this.#writeNative('prepared_native_prefix', adapter.files.prepared, trajectory.prepared(request.afterStep))
    await this.#journal.add('session_rebuilt', { prepared_only: true })
  }

  /** Runs the calls of the prefix as a Job, whose stage has what they changed. */
  async replay(): Promise<void> {
    const { runner, request, runId } = this.#plan
    if (runner === null) return
    const { jobs } = runner
    const { name } = runner.executor
    let failed: unknown = null
    const executor = replayExecutor(runner.executor, async (site, attempt) => {
      try {
        await this.#work(jobs, site, attempt)
        return ENDED
      } catch (error) {
        failed = error
        return { ...ENDED, exitCode: null, failure: { kind: 'infrastructure', message: faultOf(error).message } }
      }
    })
    const { signal } = request
    const running = await startJob(
      { ...jobs, executors: new Map([...jobs.executors, [name, executor]]) },
      {
        id: runId,
        command: ['replay', request.source ?? 'trajectory'],
        executor: name,
        stage: true,
        captureOutput: false,
        ...(signal === undefined ? {} : { signal }),
      },
    )
    await running.ended
    if (failed !== null) throw failed
  }

  async #work(jobs: JobsContext, site: CommandSite, { mounts }: Attempt): Promise<void> {
    const { request, trajectory, prefix, runId, adapter, boundary } = this.#plan
    const core: JobCore = { id: runId, context: jobs, place: await jobs.storage.place(runId) }
    const record = await runRecord(core)
    const steps = new ReplaySteps(
      {
        trajectory,
        journal: this.#journal,
        signal: request.signal,
        allowsStale: request.allowStaleObservations === true,
        progress: (progress) => request.onProgress?.(progress),
        keep: async (step) => {
          if (!site.isLive) return null
          const manifest = await sealCheckpoint(core, {
            record,
            kind: 'workspace',
            requestId: `step-${step}`,
            stage: stagedOf(mounts),
            generation: 0,
          })
          return manifest.checkpoint_id
        },
      },
      site,
      await directoryOf(site, request.directory, trajectory.directory),
      request.callTimeoutMs,
    )
    this.#steps = steps
    for (const [i, batch] of prefix.entries()) await steps.replay(batch, i + 1, prefix.length)
    await this.#journal.add('session_rebuilt', { prepared_only: false })
    await this.#writeNative('reconstructed_native_trajectory', adapter.files.reconstructed, trajectory.rebuilt(steps.fresh))
    await this.#write('observation_comparison', 'sandbox-playback/comparison-v1', 'observation-comparison.json', steps.compared)
    const { model, maxSteps, sessionId, disableThinking = false, disallowedTools = [] } = request
    if (request.mode !== 'continue' || model === undefined) return
    await this.#journal.add('continuation_started', {})
    const live = await livePhase(steps, {
      trajectory,
      model,
      boundaryPrompt: this.#prompt.text,
      sessionId: sessionId ?? runId,
      disableThinking,
      disallowedTools,
      turns: maxSteps === undefined ? Number.POSITIVE_INFINITY : maxSteps - boundary.modelTurns,
      signal: request.signal,
    })
    this.#live = live
    await this.#journal.add('continuation_finished', { return_code: 0, continued_steps: live.steps })
    await this.#writeNative('continued_native_trajectory', adapter.files.continued, trajectory.rebuilt(steps.fresh, live.phase))
    const [first] = live.phase.turns
    const comparison = first === undefined ? null : nextActionComparison(trajectory, request.afterStep, first, this.#prompt.text !== null)
    if (comparison !== null)
      await this.#write('next_action_comparison', 'sandbox-playback/next-action-v2', 'next-action-comparison.json', comparison)
  }

  async succeed(): Promise<Replayed> {
    const { request } = this.#plan
    const status = request.mode === 'prepare' ? 'not_started' : (this.#live?.status ?? 'completed')
    const report = this.#report()
    if (report !== null) await this.#write('replay_report', 'mirage/replay-report-v1', 'replay-report.json', report)
    await this.#journal.add('run_finished', { status })
    const counts = countsOf(this.#steps?.compared ?? [])
    await this.#end(counts, status)
    const result = this.#result(status, counts, null)
    await this.#put('result.json', result)
    return { result, exitStatus: 0, fault: null, report }
  }

  async fail(fault: ReplayFault): Promise<Replayed> {
    const { category, message } = fault
    const counts = countsOf(this.#steps?.compared ?? [])
    const result = this.#result('failed', counts, fault)
    try {
      await this.#journal.add('run_failed', { category, message })
      await this.#end(counts, 'failed')
      await this.#put('result.json', result)
    } catch {
      // What failed first is what is told; where it can't be written down, the state says that the run never ended.
    }
    return { result, exitStatus: CATEGORIES[category].exitStatus, fault, report: this.#report() }
  }

  #result(status: ReplayResult['agent_status'], counts: ObservationCounts, fault: ReplayFault | null): ReplayResult {
    const { request, adapter, trajectory, place, runId, boundary } = this.#plan
    const isPrepared = request.mode === 'prepare'
    return {
      schema_version: 'sandbox-playback.result/v3',
      phase: PHASES[request.mode],
      quality: fault !== null || counts.stale + counts.unsupported > 0 ? 'degraded' : 'verified',
      agent_status: status,
      run_id: runId,
      agent: {
        type: adapter.agent,
        version: trajectory.version,
        entrypoint: null,
        launch_source: isPrepared ? 'prepare_only' : (request.executor ?? 'machine'),
        disallowed_tools: request.disallowedTools ?? [],
      },
      after_step: request.afterStep,
      replayed_tool_calls: fault === null ? (this.#steps?.compared.length ?? 0) - counts.stale : (this.#steps?.finished ?? 0),
      prefix_model_turns: boundary.modelTurns,
      continued_steps: this.#live?.steps ?? 0,
      state_dir: place.stateLocation,
      output_dir: place.outputLocation,
      artifacts: this.#artifacts,
      failure: fault === null ? null : { category: fault.category, message: fault.message },
      retryable: fault !== null && CATEGORIES[fault.category].retryable,
      metadata: {
        boundary_user_prompt: this.#promptFacts(),
        ...(isPrepared ? { replay_only_execution: false } : { job_id: runId, observations: { ...counts } }),
        ...(fault === null ? {} : { replayed_tool_calls_complete: false }),
      },
    }
  }

  #promptFacts(): JsonObject {
    const { text, sha256 } = this.#prompt
    if (text === null) return { requested: false, injected: false, injection_count: 0, reason: 'not_requested' }
    const injected = this.#live !== null
    const facts = { requested: true, injected, injection_count: injected ? 1 : 0, sha256, length: text.length }
    return injected ? { ...facts, position: 'after_boundary_observation' } : { ...facts, reason: 'no_live_phase' }
  }

  #report(): ReplayReport | null {
    const { runId, adapter, trajectory } = this.#plan
    const steps = this.#steps
    if (steps === null) return null
    return {
      schema_version: 'mirage.replay-report/v1',
      run_id: runId,
      job_id: runId,
      agent: { name: adapter.agent, version: trajectory.version },
      counts: countsOf(steps.compared),
      steps: steps.report,
    }
  }

  /** The summary, and the journal as it is then. */
  async #end(counts: ObservationCounts, status: ReplayResult['agent_status']): Promise<void> {
    const { adapter, request, place } = this.#plan
    const summary: SummaryDocument = {
      schema_version: 'sandbox-playback.summary/v1',
      agent: adapter.agent,
      after_step: request.afterStep,
      replayed_tool_calls: this.#steps?.finished ?? 0,
      exact_observations: counts.exact,
      different_observations: counts.differs,
      unsupported_observations: counts.unsupported,
      stale_observations: counts.stale,
      missing_commands: counts.missing_commands,
      comparison_is_gating: false,
      continuation_status: status,
      continued_steps: this.#live?.steps ?? 0,
      boundary_user_prompt: this.#promptFacts(),
    }
    await this.#put(SUMMARY, summary)
    await place.output.put(JOURNAL, this.#journal.bytes())
  }

  async #write(role: string, format: string, key: string, document: unknown): Promise<void> {
    await this.#put(key, document)
    this.#artifacts.push(this.#artifact(role, format, key))
  }

  async #writeNative(role: string, name: string, file: NativeFile): Promise<void> {
    const key = `native/${name}`
    await this.#plan.place.output.put(key, concat(file))
    this.#artifacts.push(this.#artifact(role, this.#plan.adapter.nativeFormat, key))
  }

  async #put(key: string, document: unknown): Promise<void> {
    await this.#plan.place.output.put(key, encode(`${JSON.stringify(document, null, 2)}\n`))
  }

  #artifact(role: string, format: string, key: string): Artifact {
    return { role, format, path: `${this.#plan.place.outputLocation}/${key}` }
  }
}

const SUMMARY = 'replay-summary.json'
const ENDED: CommandEnd = { exitCode: 0, signal: null, failure: null, warnings: [] }

function callsIn({ prefix }: ReplayPlan): number {
  return prefix.reduce((sum, { calls }) => sum + calls.length, 0)
}

/** The directory that stands for the agent's. */
async function directoryOf({ fs }: CommandSite, asked: string | undefined, recorded: string | null): Promise<string> {
  if (asked !== undefined) {
    if (await isDirectory(fs, asked)) return asked
    throw new ReplayFault('workspace_error', `there is no directory ${asked} in the workspace`)
  }
  return recorded !== null && (await isDirectory(fs, recorded)) ? recorded : '/'
}

async function isDirectory(fs: CommandSite['fs'], path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === 'directory'
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return false
    throw error
  }
}
