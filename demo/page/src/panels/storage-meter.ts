import { ask } from '../dialog.ts'
import { element, part, setAttributes } from '../element.ts'
import { formatBytes } from '../format.ts'
import { notify } from '../notices.ts'

/** Says how much of the browser's disk the workspace takes. */
export interface StorageMeter {
  refresh(): Promise<void>
}

interface Estimate {
  readonly usage: number
  readonly quota: number
  readonly persisted: boolean
}

/** Builds the line below the files; a press shows more, and leads to `reset`. */
export function openStorageMeter(lasting: boolean, reset: () => void): StorageMeter {
  const text = element('span', { class: 'storage-text' })
  const bar = element('meter', { class: 'storage-bar', attributes: { min: 0, max: 1, value: 0, 'aria-hidden': 'true' } })
  const opener = element(
    'button',
    { class: 'storage-button', attributes: { type: 'button', title: 'Storage of the workspace' }, on: { click: () => void showDetails() } },
    text,
    bar,
  )
  part('storage').append(opener)
  const showDetails = async (): Promise<void> => {
    const found = await estimate()
    const answer = await ask<'keep' | 'reset' | 'close'>({
      title: 'Storage',
      body: [
        element(
          'p',
          {},
          lasting
            ? 'Files, sessions and history are kept in this browser, on this machine.'
            : 'Nothing is kept: it all goes when this page is closed.',
        ),
        element(
          'dl',
          { class: 'facts' },
          element('dt', {}, 'Used'),
          element('dd', {}, found === null ? 'not known' : formatBytes(found.usage)),
          element('dt', {}, 'Available'),
          element('dd', {}, found === null ? 'not known' : formatBytes(Math.max(0, found.quota - found.usage))),
          element('dt', {}, 'When space is short'),
          element('dd', {}, found?.persisted === true ? 'the browser keeps it' : 'the browser may delete it'),
        ),
      ],
      choices: [
        { label: 'Reset workspace …', value: 'reset', kind: 'danger' },
        ...(lasting && found?.persisted === false ? [{ label: 'Ask to keep it', value: 'keep' } as const] : []),
        { label: 'Close', value: 'close', kind: 'primary' },
      ],
    })
    if (answer === 'reset') reset()
    if (answer === 'keep') await keep()
  }
  const refresh = async (): Promise<void> => {
    const found = await estimate()
    if (!lasting) text.textContent = 'In memory only'
    else if (found === null) text.textContent = 'Kept in this browser'
    else text.textContent = `${formatBytes(found.usage)} of ${formatBytes(found.quota)}`
    bar.hidden = !lasting || found === null
    if (found !== null) setAttributes(bar, { value: found.quota === 0 ? 0 : Math.max(0.01, found.usage / found.quota) })
  }
  return { refresh }
}

async function keep(): Promise<void> {
  const kept = await navigator.storage.persist()
  notify(
    kept
      ? { kind: 'success', title: 'The browser keeps this workspace' }
      : { kind: 'info', title: 'The browser did not promise it', text: 'Bookmark this page or install it, and ask again.' },
  )
}

/** Null where the browser doesn't say. */
async function estimate(): Promise<Estimate | null> {
  if (navigator.storage?.estimate === undefined) return null
  try {
    const { usage = 0, quota = 0 } = await navigator.storage.estimate()
    return { usage, quota, persisted: await navigator.storage.persisted() }
  } catch {
    // A browser that keeps nothing has no figures.
    return null
  }
}
