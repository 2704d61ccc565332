import type { ReplayReport, ReportCall, ReportStep, StagedChange } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { nameOf } from '../format.ts'
import { changeTree } from '../jobs/change-tree.ts'
import { changeView } from '../jobs/change-view.ts'
import { diffTable } from '../jobs/diff-table.ts'
import { notifyFailure } from '../notices.ts'
import { lineDiff } from '../viewer/line-diff.ts'
import { forkConsole } from './fork-console.ts'
import { givenText, VERDICTS, valueText } from './replay-words.ts'

/** Characters that are shown of a text at first. */
const SHOWN = 20_000
const TITLES = ['Recorded', 'Fresh'] as const

/** All there is of one step: what the agent said, each call with both observations, and the files as they were then. */
export function replayStep(app: App, report: ReplayReport, step: ReportStep): HTMLElement {
  const { ordinal, is_live, locator, text, reasoning, calls, checkpoint_id: checkpoint } = step
  const where = [is_live ? 'live' : '', locator ?? ''].filter((one) => one !== '').join(' · ')
  return element(
    'article',
    { class: 'replay-step' },
    element('h2', { class: 'replay-title' }, `Step ${ordinal}`, element('span', { class: 'muted' }, where)),
    ...(text.trim() === '' ? [] : [element('p', { class: 'replay-text' }, text.trim())]),
    ...(reasoning === null || reasoning.trim() === ''
      ? []
      : [
          element(
            'details',
            { class: 'replay-reasoning' },
            element('summary', {}, 'Reasoning'),
            element('p', { class: 'replay-text' }, reasoning.trim()),
          ),
        ]),
    ...calls.map(callElement),
    ...(checkpoint === null ? [] : [filesElement(app, report, ordinal, checkpoint)]),
  )
}

function callElement(call: ReportCall): HTMLElement {
  const { name, class: kind, missing_commands: missing, fresh } = call
  const status = fresh === null || fresh.status === null ? [] : [element('span', { class: 'muted' }, `status ${fresh.status}`)]
  const root = element(
    'section',
    { class: 'replay-call' },
    element(
      'div',
      { class: 'replay-call-head' },
      element('h3', {}, name),
      ...(kind === null
        ? []
        : [element('span', { class: `replay-count replay-${kind}`, attributes: { title: VERDICTS[kind].explains } }, VERDICTS[kind].word)]),
      ...status,
      ...(missing.length === 0 ? [] : [element('span', { class: 'muted' }, `there is no ${missing.join(', ')} here`)]),
    ),
    ...longText('replay-command', `What ${name} was given`, givenText(call)),
  )
  void compared(call).then((shown) => root.append(...shown))
  return root
}

async function compared({ recorded, fresh, class: kind, name }: ReportCall): Promise<readonly HTMLElement[]> {
  if (recorded === null || fresh === null || kind === 'exact') {
    const value = fresh?.value ?? recorded?.value ?? ''
    const label = recorded === null ? 'Observed' : fresh === null ? 'Recorded' : 'Recorded and fresh'
    return typeof value === 'string' || fresh === null ? [plain(label, valueText(value))] : [plain(label, valueText(value)), written(fresh)]
  }
  const [before, after] = [valueText(recorded.value), valueText(fresh.value)]
  const flag =
    recorded.is_error === fresh.is_error
      ? []
      : [element('p', { class: 'muted' }, fresh.is_error ? 'It is an error now.' : 'It was an error, and is none now.')]
  const rows = await lineDiff(before, after)
  if (rows.length === 0 || rows.every(({ same }) => same)) return [...flag, plain('Recorded and fresh', before)]
  const table = diffTable(rows, TITLES, `What ${name} gave, as recorded and now`).element
  return typeof fresh.value === 'string' ? [...flag, table] : [...flag, table, written(fresh)]
}

/** Where an observation is no text, such as a status: what came with it. */
function written({ text }: NonNullable<ReportCall['fresh']>): HTMLElement {
  return plain('What it wrote now', text)
}

function plain(label: string, text: string): HTMLElement {
  return element('figure', { class: 'replay-output' }, element('figcaption', {}, label), ...longText('', label, text))
}

/** A text that may be long: its begin, and all of it when it is asked for. */
function longText(kind: string, label: string, text: string): readonly HTMLElement[] {
  const isLong = text.length > SHOWN
  const shown = text === '' ? '(nothing)' : isLong ? text.slice(0, SHOWN) : text
  const box = element('pre', { class: `${kind} mono`.trim(), attributes: { tabindex: 0, role: 'group', 'aria-label': label } }, shown)
  if (!isLong) return [box]
  const all = button({
    label: `Show all ${text.length.toLocaleString('en')} characters`,
    press: () => {
      box.textContent = text
      box.focus()
      all.remove()
    },
  })
  all.classList.add('replay-all')
  return [box, all]
}

function filesElement(app: App, { job_id: jobId }: ReplayReport, ordinal: number, checkpoint: string): HTMLElement {
  const title = element('h3', { class: 'job-title' }, 'Files after this step')
  const remark = element('p', { class: 'job-empty muted' }, 'Reading…')
  const tree = changeTree({
    label: `Files changed up to step ${ordinal}`,
    open: (change) => void compare(app, jobId, ordinal, checkpoint, change),
    canApply: () => false,
    apply: () => undefined,
  })
  tree.element.hidden = true
  void (async () => {
    const job = await app.workspace.jobs.open(jobId)
    const changes = await job.changes({ checkpoint })
    tree.draw(changes)
    tree.element.hidden = changes.length === 0
    remark.hidden = changes.length > 0
    remark.textContent = 'As they are in the workspace: nothing was changed so far.'
  })().catch((error: unknown) => {
    remark.textContent = 'They are kept no more.'
    notifyFailure('Could not read the files of the step', error)
  })
  return element(
    'section',
    { class: 'replay-files' },
    title,
    tree.element,
    remark,
    element(
      'div',
      { class: 'job-actions' },
      button({ label: 'Fork a workspace from here', icon: 'fork', press: () => fork(app, jobId, ordinal, checkpoint) }),
      button({ label: 'Review the Job', icon: 'jobs', press: () => app.showJob(jobId) }),
    ),
  )
}

function fork(app: App, job: string, ordinal: number, checkpoint: string): void {
  app.showTab({
    id: `fork ${checkpoint}`,
    label: `Fork of step ${ordinal}`,
    tip: `A workspace of its own with the files as they were after step ${ordinal}`,
    make: async () => forkConsole(await app.workspace.fork({ job, checkpoint }), ordinal),
  })
}

async function compare(app: App, jobId: string, ordinal: number, checkpoint: string, change: StagedChange): Promise<void> {
  const job = await app.workspace.jobs.open(jobId)
  app.showTab({
    id: 'comparison',
    label: `${nameOf(`/${change.path}`)} (step ${ordinal})`,
    tip: `/${change.path}, as it was after step ${ordinal} of ${jobId}`,
    make: () =>
      changeView({ change, before: app.fs, after: () => job.files({ checkpoint }), titles: ['Workspace', `After step ${ordinal}`] }),
  })
}
