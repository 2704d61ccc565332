import type { StagedChange } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { element, part } from '../element.ts'
import { nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { HOME } from '../open-workspace.ts'
import { changeView } from './change-view.ts'
import { jobForm } from './job-form.ts'
import { jobList } from './job-list.ts'
import { jobOutputs } from './job-outputs.ts'
import type { SeenJob } from './job-reader.ts'
import { jobReader } from './job-reader.ts'
import { jobView } from './job-view.ts'
import { commandOf } from './job-words.ts'

/** The panel of Jobs: lines whose changes wait to be looked at. */
export interface JobsPanel {
  /** Reads which Jobs there are, and how those stand that ran when they were last read. */
  refresh(): Promise<void>
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
  let open: string | null = null
  let reading: Promise<void> | null = null
  let again = false
  let timer = 0

  const form = jobForm((line) => void start(line))
  const list = jobList({
    open: (id) => void show(id),
    more: () => {
      limit += PORTION
      void refresh()
    },
  })
  const view = jobView({ back: () => void leave(), stop: (seen) => void stop(seen), compare: (seen, change) => compare(seen, change) })
  const overview = element('div', {}, form.element, list.element)
  part('jobs-panel').append(overview, view.element)
  view.element.hidden = true

  const draw = async (): Promise<void> => {
    form.setFolder(folder())
    const { jobs, total } = await reader.latest(limit)
    list.draw(jobs, total)
    const current = open === null ? null : await reader.one(open)
    if (open !== null && current === null) open = null
    if (current !== null) view.draw(current, await reader.changes(current), outputs.of(current.job.id) ?? '')
    view.element.hidden = open === null
    overview.hidden = open !== null
    clearTimeout(timer)
    if ([...jobs, ...(current === null ? [] : [current])].some(({ status }) => status.live))
      timer = window.setTimeout(() => void refresh(), LOOK)
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
  const changed = (id: string, files = false): void => {
    reader.forget(id)
    app.changes.tell({ type: 'jobs' })
    if (files) app.changes.tell({ type: 'files' })
  }
  const show = async (id: string): Promise<void> => {
    open = id
    await refresh()
    view.focus()
  }
  const leave = async (): Promise<void> => {
    const left = open
    open = null
    await refresh()
    if (left === null || !list.focus(left)) form.focus()
  }
  const start = async (line: string): Promise<void> => {
    const output = outputs.begin()
    try {
      const job = await app.workspace.jobs.start({ command: line, stage: true, cwd: folder(), onOutput: output.write })
      output.named(job.id)
      void job.ended.catch((error: unknown) => notifyFailure('A Job stopped', error)).finally(() => changed(job.id))
      changed(job.id)
      await show(job.id)
    } catch (error) {
      notifyFailure('Could not run the line as a Job', error)
    }
  }
  const stop = async ({ job }: SeenJob): Promise<void> => {
    try {
      await job.kill()
    } catch (error) {
      notifyFailure('Could not stop the Job', error)
    }
    changed(job.id)
  }
  const compare = (seen: SeenJob, change: StagedChange): void => {
    const { job, status } = seen
    app.showTab({
      id: 'comparison',
      label: `${nameOf(`/${change.path}`)} (changes)`,
      tip: `/${change.path}, as Job ${job.id} would change it: ${commandOf(status)}`,
      make: () =>
        changeView({
          change,
          before: app.fs,
          after: () => job.files(),
          isThere: async () => (await job.changes()).some(({ path }) => path === change.path),
          titles: ['Workspace', 'Job'],
        }),
    })
  }

  outputs.onMore((id) => {
    if (id === open) view.setOutput(outputs.of(id) ?? '')
  })
  app.active.watch(() => form.setFolder(folder()))
  app.changes.on((change, from) => {
    if (change.type === 'line') form.setFolder(folder())
    if (change.type !== 'jobs') return
    // What others did with a Job isn't told in detail.
    if (from === 'elsewhere') reader.forget()
    void refresh()
  })
  return { refresh, focus: () => (open === null ? form.focus() : view.focus()) }
}
