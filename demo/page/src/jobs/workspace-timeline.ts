import type { Workspace } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { confirmed } from '../dialog.ts'
import { element } from '../element.ts'
import { formatAge } from '../format.ts'
import { notify, notifyFailure } from '../notices.ts'
import { countOf } from './job-words.ts'
import type { Moment } from './timeline.ts'
import { timeline } from './timeline.ts'

type Checkpoint = Awaited<ReturnType<Workspace['checkpoints']['list']>>[number]

/** The moments of the whole workspace that were kept. */
export interface WorkspaceTimeline {
  readonly element: HTMLElement
  refresh(): Promise<void>
}

export function workspaceTimeline({ workspace, changes }: App): WorkspaceTimeline {
  const { checkpoints } = workspace
  const times = timeline('Checkpoints of the workspace, latest first')
  const keeper = button({ label: 'Keep the workspace as it is', icon: 'flag', compact: true, press: () => void keep() })
  const empty = element('p', { class: 'job-empty muted' }, 'None yet. One keeps all files and sessions as they are, to come back to.')
  const attempt = async (what: string, step: () => Promise<unknown>): Promise<boolean> => {
    try {
      await step()
      return true
    } catch (error) {
      notifyFailure(what, error)
      return false
    }
  }
  const keep = async (): Promise<void> => {
    keeper.disabled = true
    if (await attempt('Could not keep the workspace', () => checkpoints.create())) {
      notify({ kind: 'success', title: 'Kept the workspace', text: 'Its files and sessions can be restored as they are now.' })
      changes.tell({ type: 'jobs' })
    }
    keeper.disabled = false
  }
  const restore = async ({ id, createdAt }: Checkpoint): Promise<void> => {
    const text = 'Files, sessions and what their history shows become what they were. What is there now is lost, unless it is kept first.'
    if (!(await confirmed(`Restore the workspace of ${new Date(createdAt).toLocaleString()}?`, text, 'Restore'))) return
    const done = await attempt('Could not restore the workspace', () => checkpoints.restore(id))
    // What failed in the middle has changed something, too.
    changes.tell({ type: 'restored' })
    if (done) notify({ kind: 'success', title: 'Restored the workspace' })
  }
  const remove = async ({ id }: Checkpoint): Promise<void> => {
    if (!(await confirmed('Delete the checkpoint?', 'The workspace can not be restored from it any more. There is no undo.', 'Delete')))
      return
    await attempt('Could not delete the checkpoint', () => checkpoints.delete(id))
    changes.tell({ type: 'jobs' })
  }
  const momentOf = (one: Checkpoint): Moment => ({
    id: one.id,
    title: one.name ?? new Date(one.createdAt).toLocaleString(),
    facts: [formatAge(one.createdAt, Date.now()), countOf(one.sessions.length, 'session')],
    icon: 'flag',
    actions: [
      { label: 'Restore', icon: 'history', run: () => void restore(one) },
      { label: 'Delete', icon: 'trash', run: () => void remove(one) },
    ],
  })
  let shown = ''
  return {
    element: element(
      'section',
      { class: 'workspace-timeline' },
      element('h3', { class: 'job-title' }, 'Checkpoints of the workspace', keeper),
      empty,
      times.element,
    ),
    refresh: async () => {
      const moments = [...(await checkpoints.list())].reverse().map(momentOf)
      const look = JSON.stringify(moments)
      if (look === shown) return
      shown = look
      empty.hidden = moments.length > 0
      times.draw(moments)
    },
  }
}
