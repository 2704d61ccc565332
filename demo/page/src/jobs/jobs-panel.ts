import type { Job, StagedChange } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { element, part } from '../element.ts'
import { nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { HOME } from '../open-workspace.ts'
import { replayStarter } from '../replay/replay-starter.ts'
import { changeView } from './change-view.ts'
import { jobForm } from './job-form.ts'
import { jobList } from './job-list.ts'
import { jobOutputs } from './job-outputs.ts'
import type { SeenJob } from './job-reader.ts'
import { jobReader } from './job-reader.ts'
import { jobSteps } from './job-steps.ts'
import { jobView } from './job-view.ts'
import { commandOf } from './job-words.ts'
import { workspaceTimeline } from './workspace-timeline.ts'

/** The panel of Jobs: lines whose changes wait to be looked at. */
export interface JobsPanel {
  /** Reads which Jobs there are, and how those stand that ran when they were last read. */
  refresh(): Promise<void>
  /** Shows a Job, and puts the focus there. */
  show(id: string): Promise<void>
  focus(): void
}

/** Jobs that are shown at first, and more at a time. */
const PORTION = 25
/** Milliseconds between looks at a Job that runs. */
const LOOK = 700

export function openJobsPanel(app: App): JobsPanel {
  const reader = jobReader(app)
  const outputs = jobOutputs()
  let limit = PORTION
  /** The Job that is shown, and the checkpoint whose changes are; null for those that wait now. */
  let open: { readonly job: string; readonly checkpoint: string | null } | null = null
  let seen: SeenJob | null = null
  let reading: Promise<void> | null = null
  let again = false
  let timer = 0

  const changed = (id: string, files: boolean): void => {
    reader.forget(id)
    app.changes.tell({ type: 'jobs' })
    if (files) app.changes.tell({ type: 'files' })
  }
  /** Tells when a Job that runs here has ended. */
  const follow = (job: Job): void => {
    job.ended.catch((error: unknown) => notifyFailure('A Job stopped', error)).finally(() => changed(job.id, false))
    changed(job.id, false)
  }
  const steps = jobSteps({ changed, follow, outputs })
  const form = jobForm((line) => void start(line))
  const list = jobList({
    open: (id) => void show(id),
    more: () => {
      limit += PORTION
      void refresh()
    },
  })
  const showFork = (made: Promise<Job | null>): void => void made.then((job) => (job === null ? undefined : show(job.id)))
  /** Does something with the Job that is shown. */
  const withOpen = (use: (current: SeenJob) => void): void => (seen === null ? undefined : use(seen))
  const view = jobView({
    steps,
    back: () => void leave(),
    compare: (change) => withOpen((current) => compare(current, change)),
    replay: (current) =>
      void import('../replay/open-trajectory.ts')
        .then(({ openReplay }) => openReplay(app, current.job.id, current.status.run.command[1] ?? ''))
        .catch((error: unknown) => notifyFailure('Could not show the replay', error)),
    moments: {
      look: (checkpoint) => {
        if (open !== null) open = { job: open.job, checkpoint }
        void refresh()
      },
      fork: (checkpoint) => withOpen((current) => showFork(steps.fork(current, checkpoint))),
      split: (checkpoint) => withOpen((current) => showFork(steps.split(current, checkpoint))),
      restore: (checkpoint) => withOpen((current) => showFork(steps.restore(current, checkpoint))),
      remove: (checkpoint) => withOpen((current) => void steps.remove(current, checkpoint)),
      open: (id) => void show(id),
    },
  })
  const kept = workspaceTimeline(app)
  const overview = element('div', {}, form.element, list.element, replayStarter(app).element, kept.element)
  part('jobs-panel').append(overview, view.element)
  view.element.hidden = true

  const draw = async (): Promise<void> => {
    form.setFolder(folder())
    const { jobs, total } = await reader.latest(limit)
    list.draw(jobs, total)
    await kept.refresh()
    seen = open === null ? null : await reader.one(open.job)
    if (seen === null) open = null
    if (seen !== null && open !== null) {
      const { checkpoint } = open
      const isThere = checkpoint === null || seen.status.checkpoints.some((one) => one.checkpoint_id === checkpoint)
      if (!isThere) open = { job: open.job, checkpoint: null }
      const review = await reader.review(seen, open.checkpoint)
      view.draw({ ...review, seen, checkpoint: open.checkpoint, output: outputs.of(open.job) ?? review.output })
    }
    view.element.hidden = open === null
    overview.hidden = open !== null
    clearTimeout(timer)
    if ([...jobs, ...(seen === null ? [] : [seen])].some(({ status }) => status.live)) timer = window.setTimeout(() => void refresh(), LOOK)
  }
  /** One reading after the other; calls that come while it reads lead to one more. */
  const refresh = (): Promise<void> => {
    if (reading !== null) {
      again = true
      return reading
    }
    reading = (async () => {
      do {
        again = false
        await draw()
      } while (again)
    })()
      .catch((error: unknown) => (codeOf(error) === 'CLOSED' ? undefined : notifyFailure('Could not read the Jobs', error)))
      .finally(() => {
        reading = null
      })
    return reading
  }
  const folder = (): string => app.openSession(app.active.get())?.fields.cwd ?? HOME
  const show = async (id: string): Promise<void> => {
    open = { job: id, checkpoint: null }
    await refresh()
    view.focus()
  }
  const leave = async (): Promise<void> => {
    const left = open
    open = null
    await refresh()
    if (left === null || !list.focus(left.job)) form.focus()
  }
  const start = async (line: string): Promise<void> => {
    const output = outputs.begin('')
    try {
      const job = await app.workspace.jobs.start({ command: line, stage: true, cwd: folder(), onOutput: output.write })
      output.named(job.id)
      follow(job)
      await show(job.id)
    } catch (error) {
      notifyFailure('Could not run the line as a Job', error)
    }
  }
  const compare = (current: SeenJob, change: StagedChange): void => {
    const { job, status } = current
    const from = open?.checkpoint === undefined || open.checkpoint === null ? {} : { checkpoint: open.checkpoint }
    const when = 'checkpoint' in from ? `, at ${from.checkpoint}` : ''
    app.showTab({
      id: 'comparison',
      label: `${nameOf(`/${change.path}`)} (changes)`,
      tip: `/${change.path}, as Job ${job.id} would change it${when}: ${commandOf(status)}`,
      make: () =>
        changeView({
          change,
          before: app.fs,
          after: () => job.files(from),
          isThere: async () => (await job.changes(from)).some(({ path }) => path === change.path),
          titles: ['Workspace', 'checkpoint' in from ? 'Checkpoint' : 'Job'],
          ...(when === '' ? { apply: () => void steps.apply(current, change.path) } : {}),
        }),
    })
  }

  outputs.onMore((id) => {
    if (id === open?.job) view.setOutput(outputs.of(id) ?? '')
  })
  app.active.watch(() => form.setFolder(folder()))
  app.changes.on((change, from) => {
    if (change.type === 'line') form.setFolder(folder())
    if (change.type !== 'jobs') return
    // What others did with a Job isn't told in detail.
    if (from === 'elsewhere') reader.forget()
    void refresh()
  })
  return { refresh, show, focus: () => (open === null ? form.focus() : view.focus()) }
}
