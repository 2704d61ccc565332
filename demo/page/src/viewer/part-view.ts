import { button } from '../button.ts'
import { element } from '../element.ts'
import { formatBytes, nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { valueStore } from '../value-store.ts'
import type { FileView, FileViewOptions } from './file-view.ts'

/** How the bytes of a part are shown. */
export type PartFormat = 'text' | 'hex'

const PART = { text: 64 * 1024, hex: 4096 } as const
const ROW = 16

/** A file of any size, shown in parts that are read when they are asked for; nothing can be changed. */
export async function partView({ fs, path }: FileViewOptions, format: PartFormat): Promise<FileView> {
  const size = PART[format]
  let offset = 0
  let total = 0
  const content = element('pre', { class: 'part-text mono', attributes: { tabindex: 0, 'aria-label': `Part of ${nameOf(path)}` } })
  const where = element('span', { class: 'part-where', attributes: { role: 'status' } })
  const show = async (wanted: number): Promise<void> => {
    total = (await fs.stat(path)).size
    const last = Math.max(0, Math.floor((total - 1) / size) * size)
    offset = Math.max(0, Math.min(Math.floor(wanted / size) * size, last))
    const bytes = await fs.read(path, offset, size)
    content.textContent = format === 'hex' ? hexDump(bytes, offset) : new TextDecoder().decode(bytes)
    content.scrollTop = 0
    where.textContent = `${formatBytes(offset)} – ${formatBytes(offset + bytes.length)} of ${formatBytes(total)}`
    earlier.disabled = offset === 0
    later.disabled = offset >= last
  }
  const go = (wanted: number): void => {
    show(wanted).catch((error: unknown) => notifyFailure(`Could not read ${nameOf(path)}`, error))
  }
  const earlier = button({ label: 'Earlier', press: () => go(offset - size) })
  const later = button({ label: 'Later', press: () => go(offset + size) })
  const jump = element('input', {
    class: 'text-input part-jump mono',
    attributes: { type: 'text', inputmode: 'numeric', placeholder: 'Go to byte', 'aria-label': 'Go to byte, such as 4096 or 0x1000' },
    on: {
      keydown: (event) => {
        if (event.key !== 'Enter') return
        const wanted = Number(jump.value.trim())
        if (Number.isFinite(wanted) && wanted >= 0) go(wanted)
      },
    },
  })
  content.addEventListener('keydown', (event) => {
    if (event.key === 'PageDown' && content.scrollTop + content.clientHeight >= content.scrollHeight - 1) go(offset + size)
    else if (event.key === 'PageUp' && content.scrollTop === 0) go(offset - size)
    else return
    event.preventDefault()
  })
  const what = format === 'hex' ? 'Binary file, shown as hex' : 'Shown in parts, read-only: large, or not UTF-8 with one kind of line ends'
  const root = element(
    'div',
    { class: 'part-view' },
    element('div', { class: 'view-bar-line' }, element('span', { class: 'muted' }, what), where, earlier, later, jump),
    content,
  )
  await show(0)
  return {
    element: root,
    dirty: valueStore(false),
    focus: () => content.focus(),
    save: async () => true,
    refresh: async () => {
      await show(offset)
      return true
    },
    close: () => undefined,
  }
}

/** Rows of 16 bytes: the offset, each byte, and what is printable. */
export function hexDump(bytes: Uint8Array, offset: number): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = bytes.subarray(at, at + ROW)
    const pairs = Array.from(row, (byte) => byte.toString(16).padStart(2, '0'))
    const left = pairs.slice(0, 8).join(' ').padEnd(23)
    const right = pairs.slice(8).join(' ').padEnd(23)
    const shown = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${(offset + at).toString(16).padStart(8, '0')}  ${left}  ${right}  ${shown}`)
  }
  return rows.join('\n')
}
