import { codeOf, errorText, FileSystemError, WorkspaceError } from 'mirage-runtime'
import { button } from './button.ts'
import { element, part, setAttributes } from './element.ts'
import { icon } from './icon.ts'

/** Something that a person can do about a notice. */
export interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

/** What a notice says. */
export interface Notice {
  readonly kind: 'info' | 'success' | 'error'
  readonly title: string
  readonly text?: string
  readonly action?: NoticeAction
}

/** Milliseconds that a notice stays; an error, and one that offers something, stays until it is put away. */
const SHOWN_FOR = 5000

/** Shows a notice in the corner; the answer takes it away. */
export function notify({ kind, title, text = '', action }: Notice): () => void {
  const toast = element(
    'div',
    { class: `toast toast-${kind}`, attributes: { role: kind === 'error' ? 'alert' : 'status' } },
    icon(kind === 'error' ? 'warning' : kind === 'success' ? 'check' : 'info'),
    element('div', { class: 'toast-text' }, element('strong', {}, title), ...(text === '' ? [] : [element('p', {}, text)])),
  )
  const away = (): void => toast.remove()
  const take = ({ run }: NoticeAction): void => {
    away()
    run()
  }
  if (action !== undefined) toast.append(button({ label: action.label, press: () => take(action) }))
  toast.append(button({ label: 'Dismiss', icon: 'close', compact: true, press: away }))
  part('toasts').append(toast)
  if (kind !== 'error' && action === undefined) {
    const timer = setTimeout(away, SHOWN_FOR)
    toast.addEventListener('pointerenter', () => clearTimeout(timer))
    toast.addEventListener('focusin', () => clearTimeout(timer))
  }
  return away
}

/** Says that something failed, why, and what may help. */
export function notifyFailure(what: string, error: unknown, action?: NoticeAction): void {
  const help = adviceFor(error)
  // Only of a file is the code all there is to say.
  const text = error instanceof WorkspaceError && !(error instanceof FileSystemError) ? error.message : errorText(error)
  const reason = `${text}.`.replace(/\.\.$/, '.')
  notify({ kind: 'error', title: what, text: help === '' ? reason : `${reason} ${help}`, ...(action === undefined ? {} : { action }) })
}

/** What a person can do about an error. */
function adviceFor(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
      return 'Delete files that are not needed, or allow this site more storage in the settings of the browser.'
    case 'STORE_UNAVAILABLE':
      return 'Allow this site to keep data, leave private browsing, and reload the page.'
    case 'VERSION_UNSUPPORTED':
      return 'Another tab runs a newer version of this page: close the other tabs and reload.'
    case 'EROFS':
    case 'EACCES':
      return 'This place is read-only: choose another folder, such as /home/user.'
    case 'ENOENT':
      return 'It may have been moved or deleted: refresh the files.'
    case 'EEXIST':
      return 'Choose another name.'
    case 'LIMIT_EXCEEDED':
      return 'Try with less data.'
    default:
      return ''
  }
}

/** A notice across the page that stays: for what concerns all of it. */
export function showBanner({ title, text = '', action }: Omit<Notice, 'kind'>): void {
  const banner = element(
    'div',
    { class: 'banner', attributes: { role: 'alert' } },
    icon('warning'),
    element('p', {}, element('strong', {}, title), ` ${text}`),
  )
  if (action !== undefined) banner.append(button({ label: action.label, press: action.run }))
  banner.append(button({ label: 'Dismiss', icon: 'close', compact: true, press: () => banner.remove() }))
  part('banners').append(banner)
}

/** A notice with a bar that fills. */
export interface Progress {
  /** `done` of `total` is done; `text` says what is worked on. */
  report(done: number, total: number, text: string): void
  close(): void
}

/** Shows the progress of something that may be cancelled. */
export function showProgress(title: string, cancel: () => void): Progress {
  const bar = element('progress', { class: 'toast-progress', attributes: { max: 1, value: 0, 'aria-label': title } })
  const detail = element('p', {})
  const toast = element(
    'div',
    { class: 'toast toast-info', attributes: { role: 'status' } },
    icon('upload'),
    element('div', { class: 'toast-text' }, element('strong', {}, title), detail, bar),
    button({ label: 'Cancel', press: cancel }),
  )
  part('toasts').append(toast)
  return {
    report: (done, total, text) => {
      setAttributes(bar, { value: total === 0 ? 1 : done / total })
      detail.textContent = text
    },
    close: () => toast.remove(),
  }
}
