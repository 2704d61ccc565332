import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import { stagedOf } from '../job/active-job.ts'
import { sealCheckpoint } from '../job/create-checkpoint.ts'
import { digestOf } from '../job/digest.ts'
import type { Attempt, CommandEnd, CommandSite } from '../job/executor.ts'
import type { JobCore, JobsContext } from '../job/job-core.ts'
import { runRecord } from '../job/job-core.ts'
import { startJob } from '../job/run-job.ts'
import type { AgentStatus, ReplayResult } from './documents.ts'
import { CATEGORIES, faultOf, ReplayFault } from './fault.ts'
import type { Journal } from './journal.ts'
import { JOURNAL } from './journal.ts'
import type { LiveEnd } from './live-phase.ts'
import { livePhase } from './live-phase.ts'
import { nextActionComparison } from './next-action.ts'
import type { ReplayPlan } from './plan.ts'
import { replayExecutor } from './replay-executor.ts'
import { ReplayOutput } from './replay-output.ts'
import { ReplaySteps } from './replay-steps.ts'
import type { Replayed } from './request.ts'
import type { RunFacts } from './run-documents.ts'
import { callsIn, planDocument, reportDocument, resultDocument, summaryDocument } from './run-documents.ts'

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
  readonly #output: ReplayOutput
  readonly #prompt: RunFacts['prompt']
  #steps: ReplaySteps | null = null
  #isLive = false
  #live: LiveEnd | null = null

  constructor(plan: ReplayPlan, journal: Journal) {
    this.#plan = plan
    this.#journal = journal
    this.#output = new ReplayOutput(plan.place, plan.adapter.nativeFormat)
    const { boundaryUserPrompt: text = '' } = plan.request
    this.#prompt = text === '' ? null : { text, sha256: digestOf(encode(text)) }
  }

  /** Writes the plan. */
  async begin(): Promise<void> {
    const { request, adapter, runId, sha256, prefix } = this.#plan
    await this.#journal.add('run_started', {
      run_id: runId,
      agent: adapter.agent,
      source_sha256: sha256,
      after_step: request.afterStep,
      boundary_user_prompt_requested: this.#prompt !== null,
      boundary_user_prompt_sha256: this.#prompt?.sha256 ?? null,
    })
    await this.#output.add('playback_plan', 'sandbox-playback/plan-v1', 'manifest.json', planDocument(this.#plan))
    this.#output.announce('replay_events', 'sandbox-playback/events-v1', JOURNAL)
    this.#output.announce('replay_summary', 'sandbox-playback/summary-v1', SUMMARY)
    await this.#journal.add('plan_validated', { profile: adapter.profile, tool_calls: callsIn(prefix) })
  }

  /** Writes the native prefix; nothing is run. */
  async prepare(): Promise<void> {
    const { adapter, trajectory, request } = this.#plan
    await this.#output.addNative('prepared_native_prefix', adapter.files.prepared, trajectory.prepared(request.afterStep))
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
    await this.#output.addNative('reconstructed_native_trajectory', adapter.files.reconstructed, trajectory.rebuilt(steps.fresh))
    await this.#output.add('observation_comparison', 'sandbox-playback/comparison-v1', 'observation-comparison.json', steps.compared)
    const { model, maxSteps, sessionId, disableThinking = false, disallowedTools = [] } = request
    if (request.mode !== 'continue' || model === undefined) return
    this.#isLive = true
    await this.#journal.add('continuation_started', {})
    const live = await livePhase(steps, {
      trajectory,
      model,
      boundaryPrompt: this.#prompt?.text ?? null,
      sessionId: sessionId ?? runId,
      disableThinking,
      disallowedTools,
      turns: maxSteps === undefined ? Number.POSITIVE_INFINITY : maxSteps - boundary.modelTurns,
      signal: request.signal,
    })
    this.#live = live
    await this.#journal.add('continuation_finished', { return_code: 0, continued_steps: live.steps })
    await this.#output.addNative('continued_native_trajectory', adapter.files.continued, trajectory.rebuilt(steps.fresh, live.phase))
    const [first] = live.phase.turns
    const comparison = first === undefined ? null : nextActionComparison(trajectory, request.afterStep, first, this.#prompt !== null)
    if (comparison !== null)
      await this.#output.add('next_action_comparison', 'sandbox-playback/next-action-v2', 'next-action-comparison.json', comparison)
  }

  async succeed(): Promise<Replayed> {
    const status = this.#plan.request.mode === 'prepare' ? 'not_started' : (this.#live?.status ?? 'completed')
    const report = reportDocument(this.#facts)
    if (report !== null) await this.#output.add('replay_report', 'mirage/replay-report-v1', 'replay-report.json', report)
    await this.#journal.add('run_finished', { status })
    const result = await this.#end(status, null)
    return { result, exitStatus: 0, fault: null, report }
  }

  async fail(fault: ReplayFault): Promise<Replayed> {
    const { category, message } = fault
    try {
      await this.#journal.add('run_failed', { category, message })
      await this.#end('failed', fault)
    } catch {
      // What failed first is what is told; where it can't be written down, the state says that the run never ended.
    }
    const result = resultDocument(this.#facts, 'failed', this.#output.artifacts, fault)
    return { result, exitStatus: CATEGORIES[category].exitStatus, fault, report: reportDocument(this.#facts) }
  }

  /** Writes the summary, the journal as it is now, and the result. */
  async #end(status: AgentStatus, fault: ReplayFault | null): Promise<ReplayResult> {
    await this.#output.put(SUMMARY, summaryDocument(this.#facts, status))
    await this.#output.putBytes(JOURNAL, this.#journal.bytes())
    const result = resultDocument(this.#facts, status, this.#output.artifacts, fault)
    await this.#output.put('result.json', result)
    return result
  }

  get #facts(): RunFacts {
    return { plan: this.#plan, prompt: this.#prompt, steps: this.#steps, isLive: this.#isLive, continuedSteps: this.#live?.steps ?? 0 }
  }
}

const SUMMARY = 'replay-summary.json'
const ENDED: CommandEnd = { exitCode: 0, signal: null, failure: null, warnings: [] }

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
