import type { CommandSite } from '../job/executor.ts'
import type { ComparedObservation, ReportStep } from './documents.ts'
import { ReplayFault } from './fault.ts'
import type { Journal } from './journal.ts'
import { compared } from './observations.ts'
import type { ReplayProgress } from './request.ts'
import { CALL_TIMEOUT, replaySite } from './site.ts'
import type { ReplaySite, ToolCall, ToolOutcome } from './toolset.ts'
import type { Batch, Call, LiveTurn, Trajectory } from './trajectory.ts'

/** What the steps of a replay need. */
export interface StepsContext {
  readonly trajectory: Trajectory
  readonly journal: Journal
  readonly signal: AbortSignal | undefined
  readonly allowsStale: boolean
  /** Keeps the files as they are after a step: the checkpoint's id. */
  keep(step: number): Promise<string | null>
  progress(progress: ReplayProgress): void
}

/** Runs calls at a site, step by step, and remembers what came of them. */
export class ReplaySteps {
  readonly fresh: (readonly ToolOutcome[])[] = []
  readonly compared: ComparedObservation[] = []
  readonly report: ReportStep[] = []
  /** Calls that were run to their end. */
  finished = 0
  readonly #context: StepsContext
  readonly #site: ReplaySite

  constructor(context: StepsContext, site: CommandSite, directory: string, callTimeoutMs: number | undefined) {
    this.#context = context
    this.#site = replaySite(site, {
      directory,
      recordedDirectory: context.trajectory.directory,
      callTimeoutMs: callTimeoutMs ?? context.trajectory.callTimeoutMs ?? CALL_TIMEOUT,
      signal: context.signal,
    })
  }

  /** Runs the calls of a batch in order. */
  async replay(batch: Batch, ordinal: number, of: number): Promise<void> {
    const { trajectory, progress } = this.#context
    const outcomes: ToolOutcome[] = []
    const calls: ReportStep['calls'][number][] = []
    for (const call of batch.calls) {
      progress({ step: ordinal, of, call: inWords(call) })
      const isStale = trajectory.toolset.support(call.name, call.arguments) === 'stale'
      const outcome = isStale ? this.#recorded(call) : await this.#run(call)
      const comparison = compared(call, outcome, isStale)
      outcomes.push(outcome)
      this.compared.push(comparison)
      const { id, name, arguments: given, recorded } = call
      calls.push({
        id,
        name,
        arguments: given,
        recorded: { value: recorded.value, is_error: recorded.isError },
        fresh: isStale ? null : freshOf(outcome),
        class: comparison.class,
        missing_commands: outcome.missing,
      })
    }
    this.fresh.push(outcomes)
    const turn = trajectory.atif.steps[batch.step]
    await this.#note({
      ordinal,
      is_live: false,
      locator: batch.locator,
      text: turn?.message ?? '',
      reasoning: turn?.reasoning_content ?? null,
      calls,
    })
  }

  /** Runs the calls of a live turn. */
  async live(turn: Omit<LiveTurn, 'outcomes'>): Promise<LiveTurn> {
    const ordinal = this.report.length + 1
    const outcomes: ToolOutcome[] = []
    for (const call of turn.calls) {
      this.#context.progress({ step: ordinal, of: null, call: inWords(call) })
      const isKnown = this.#context.trajectory.toolset.support(call.name, call.arguments) === 'fresh'
      outcomes.push(isKnown ? await this.#run(call) : unknownTool(call))
    }
    const calls = turn.calls.map(({ id, name, arguments: given }, i) => ({
      id,
      name,
      arguments: given,
      recorded: null,
      fresh: freshOf(outcomes[i] as ToolOutcome),
      class: null,
      missing_commands: outcomes[i]?.missing ?? [],
    }))
    await this.#note({ ordinal, is_live: true, locator: null, text: turn.text, reasoning: turn.reasoning, calls })
    return { ...turn, outcomes }
  }

  async #run(call: ToolCall): Promise<ToolOutcome> {
    const { journal, trajectory, signal } = this.#context
    signal?.throwIfAborted()
    await journal.add('tool_started', { call_id: call.id, tool: call.name })
    const outcome = await trajectory.toolset.run(call, this.#site)
    // A call that was cut off has no outcome: whoever asks later is told so.
    signal?.throwIfAborted()
    await journal.add('tool_finished', { call_id: call.id })
    this.finished += 1
    return outcome
  }

  #recorded({ name, recorded }: Call): ToolOutcome {
    if (!this.#context.allowsStale) throw new ReplayFault('unsupported_version', `what ${name} gave can't be made again`)
    const { value, isError } = recorded
    return { value, isError, text: typeof value === 'string' ? value : JSON.stringify(value), status: null, missing: [] }
  }

  async #note(step: Omit<ReportStep, 'checkpoint_id'>): Promise<void> {
    this.report.push({ ...step, checkpoint_id: await this.#context.keep(step.ordinal) })
  }
}

function freshOf({ value, isError, status, text }: ToolOutcome): NonNullable<ReportStep['calls'][number]['fresh']> {
  return { value, is_error: isError, status, text }
}

function unknownTool({ name }: ToolCall): ToolOutcome {
  const text = `there is no tool ${name}`
  return { value: text, isError: true, text, status: null, missing: [] }
}

/** A call in one short line. */
function inWords({ name, arguments: given }: ToolCall): string {
  const first = Object.values(given).find((value) => typeof value === 'string')
  const text = `${name} ${typeof first === 'string' ? first : ''}`.replace(/\s+/g, ' ').trim()
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
