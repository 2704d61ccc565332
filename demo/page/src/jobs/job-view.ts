import type { StagedChange } from 'mirage-runtime'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { formatAge, formatDuration } from '../format.ts'
import type { ChangeTree } from './change-tree.ts'
import { changeTree } from './change-tree.ts'
import type { MomentActions } from './job-moments.ts'
import { jobMoments } from './job-moments.ts'
import type { SeenJob } from './job-reader.ts'
import { isRunning } from './job-reader.ts'
import type { JobSteps } from './job-steps.ts'
import { commandOf, countOf, stateOf } from './job-words.ts'
import { timeline } from './timeline.ts'

/** What a person can do with the Job that is shown. */
export interface JobViewOptions {
  readonly steps: JobSteps
  readonly moments: MomentActions
  readonly back: () => void
  readonly compare: (change: StagedChange) => void
  /** Shows the replay of a trajectory that the Job is, step by step. */
  readonly replay: (seen: SeenJob) => void
}

/** A Job as it is shown. */
export interface ShownJob {
  readonly seen: SeenJob
  /** Whose changes are shown; null for those that wait now. */
  readonly checkpoint: string | null
  readonly changes: readonly StagedChange[]
  /** How it ended, in words; '' where there is nothing to say. */
  readonly outcome: string
  readonly output: string
}

/** All there is of one Job. */
export interface JobView {
  readonly element: HTMLElement
  draw(shown: ShownJob): void
  setOutput(text: string): void
  focus(): void
}

export function jobView({ steps, moments, back, compare, replay }: JobViewOptions): JobView {
  let current: ShownJob | null = null
  const backer = button({ label: 'All Jobs', icon: 'back', press: back })
  const head = element('div', { class: 'job-head' })
  const actions = element('div', { class: 'job-actions' })
  const tree: ChangeTree = changeTree({
    label: 'Changes of the Job',
    open: compare,
    canApply: () => current !== null && canApply(current),
    apply: (path) => (current === null ? undefined : void steps.apply(current.seen, path)),
  })
  /** Tells those who listen how the Job stands: stays in the page, which is why it is heard. */
  const news = element('p', { class: 'unseen', attributes: { role: 'status' } })
  const title = element('h3', { class: 'job-title' })
  const remark = element('p', { class: 'job-empty muted' })
  const output = element('pre', { class: 'job-output mono', attributes: { tabindex: 0, 'aria-label': 'Output of the Job' } })
  const outputPart = element('section', {}, element('h3', { class: 'job-title' }, 'Output'), output)
  const times = timeline('What happened to the Job, latest first')
  const keeper = button({
    label: 'Make a checkpoint',
    icon: 'flag',
    compact: true,
    press: () => (current === null ? undefined : void steps.keep(current.seen)),
  })
  const root = element(
    'div',
    { class: 'job-view' },
    element('div', { class: 'job-top' }, backer),
    news,
    head,
    actions,
    title,
    tree.element,
    remark,
    outputPart,
    element('section', {}, element('h3', { class: 'job-title' }, 'Timeline', keeper), times.element),
  )
  const setOutput = (text: string): void => {
    outputPart.hidden = text === ''
    if (output.textContent === text) return
    const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4
    output.textContent = text
    if (atEnd) output.scrollTop = output.scrollHeight
  }
  const actionsOf = ({ seen, changes, checkpoint, output: written }: ShownJob): readonly HTMLElement[] => {
    const { live, run, checkpoint_capability: can } = seen.status
    const { state } = run
    return [
      ...(isReplay(seen) && !isRunning(seen) ? [button({ label: 'Show the replay', icon: 'history', press: () => replay(seen) })] : []),
      ...(canApply({ seen, checkpoint }) && changes.length > 0
        ? [
            button({ label: 'Apply all', kind: 'primary', press: () => void steps.apply(seen, null) }),
            button({ label: 'Drop', press: () => void steps.drop(seen) }),
          ]
        : []),
      ...(can.execution && (state === 'suspended' || (state === 'running' && !live && hasExecution(seen)))
        ? [button({ label: 'Resume', icon: 'run', kind: 'primary', press: () => void steps.resume(seen, written) })]
        : []),
      ...(can.execution && live ? [button({ label: 'Suspend', icon: 'pause', press: () => void steps.suspend(seen) })] : []),
      ...(isRunning(seen) || state === 'suspended'
        ? [button({ label: 'Stop the Job', icon: 'stop', press: () => void steps.stop(seen) })]
        : []),
      ...(checkpoint === null ? [] : [button({ label: 'Back to now', icon: 'back', press: () => moments.look(null) })]),
    ]
  }
  return {
    element: root,
    setOutput,
    focus: () => backer.focus(),
    draw: (next) => {
      setOutput(next.output)
      // What is about to be pressed stays where it is.
      if (current !== null && lookOf(current) === lookOf(next)) {
        current = next
        return
      }
      const isOther = current?.seen.job.id !== next.seen.job.id
      current = next
      const { seen, changes, checkpoint } = next
      head.replaceChildren(...headOf(next))
      actions.replaceChildren(...actionsOf(next))
      actions.hidden = actions.children.length === 0
      const count = countOf(changes.length, 'change')
      title.textContent = checkpoint !== null ? `${count} at the checkpoint` : changes.length === 0 ? 'Changes' : `${count} to review`
      news.textContent = `${stateOf(seen.status).text}. ${title.textContent}`
      tree.draw(changes)
      tree.element.hidden = changes.length === 0
      remark.hidden = changes.length > 0
      remark.textContent = checkpoint === null ? whyNothing(seen) : 'It holds no changes.'
      times.draw(jobMoments(seen, checkpoint, moments))
      keeper.hidden = !canKeep(seen)
      if (isOther) root.parentElement?.scrollTo(0, 0)
      root.setAttribute('aria-label', `Job ${commandOf(seen.status)}`)
    },
  }
}

function lookOf({ seen, checkpoint, changes, outcome }: ShownJob): string {
  return JSON.stringify([seen.job.id, seen.status, checkpoint, changes, outcome, formatAge(seen.status.run.started_at_unix_ms, Date.now())])
}

function isReplay({ status: { run } }: SeenJob): boolean {
  return !run.command_line && run.command.length === 2 && run.command[0] === 'replay'
}

/** It was suspended, or kept as it ran, before whoever ran it went away. */
function hasExecution({ status }: SeenJob): boolean {
  return status.checkpoints.some(({ kind }) => kind === 'execution')
}

function canKeep({ status }: SeenJob): boolean {
  const { run, live, filesystem, checkpoint_capability: can } = status
  if (run.state === 'suspended') return false
  return run.state === 'running' ? live && can.execution : filesystem?.state === 'staged'
}

function canApply({ seen, checkpoint }: Pick<ShownJob, 'seen' | 'checkpoint'>): boolean {
  const { run, filesystem } = seen.status
  return checkpoint === null && filesystem?.state === 'staged' && run.state !== 'running' && run.state !== 'suspended'
}

function headOf({ seen: { job, status }, outcome }: ShownJob): readonly Node[] {
  const { text, kind } = stateOf(status)
  const { run } = status
  const took =
    run.finished_at_unix_ms === null ? [] : [element('span', {}, formatDuration(run.finished_at_unix_ms - run.started_at_unix_ms))]
  return [
    element('code', { class: 'job-command' }, commandOf(status)),
    element(
      'div',
      { class: 'history-facts' },
      element('span', { class: `job-state job-${kind}` }, text),
      element(
        'span',
        { attributes: { title: new Date(run.started_at_unix_ms).toLocaleString() } },
        formatAge(run.started_at_unix_ms, Date.now()),
      ),
      ...took,
    ),
    ...(outcome === '' ? [] : [element('p', { class: 'job-outcome' }, outcome)]),
    element('div', { class: 'job-id mono' }, job.id),
  ]
}

function whyNothing({ status }: SeenJob): string {
  if (status.run.state === 'running') return 'They are shown when the Job has stopped.'
  switch (status.filesystem?.state) {
    case undefined:
      return 'It ran without a stage: what it changed is changed.'
    case 'applied':
      return 'All of them are applied.'
    case 'discarded':
      return 'They were dropped.'
    default:
      return status.run.state === 'terminated' ? 'Nothing is kept of what it changed.' : 'It changed nothing.'
  }
}
