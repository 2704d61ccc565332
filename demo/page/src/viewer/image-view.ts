import { element } from '../element.ts'
import { formatBytes, nameOf } from '../format.ts'
import { valueStore } from '../value-store.ts'
import type { FileView, FileViewOptions } from './file-view.ts'

/** An image as it looks. */
export async function imageView({ fs, path }: FileViewOptions, type: string): Promise<FileView> {
  const image = element('img', { attributes: { alt: nameOf(path) } })
  const facts = element('span', { class: 'muted', attributes: { role: 'status' } })
  const root = element(
    'div',
    { class: 'image-view', attributes: { tabindex: 0, 'aria-label': `Image ${nameOf(path)}` } },
    element('div', { class: 'view-bar-line' }, facts),
    element('div', { class: 'image-frame' }, image),
  )
  let url = ''
  let shownTime = -1
  const show = async (): Promise<void> => {
    const { mtimeMs, size } = await fs.stat(path)
    if (mtimeMs === shownTime) return
    shownTime = mtimeMs
    const bytes = new Uint8Array(await fs.read(path))
    URL.revokeObjectURL(url)
    url = URL.createObjectURL(new Blob([bytes], { type }))
    image.onload = () => (facts.textContent = `${image.naturalWidth} × ${image.naturalHeight} · ${formatBytes(size)}`)
    image.onerror = () => (facts.textContent = `This file is named as an image and can't be shown as one · ${formatBytes(size)}`)
    image.src = url
  }
  await show()
  return {
    element: root,
    dirty: valueStore(false),
    focus: () => root.focus(),
    save: async () => true,
    refresh: async () => {
      await show()
      return true
    },
    close: () => URL.revokeObjectURL(url),
  }
}
