import type { FileStat } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { valueStore } from '../value-store.ts'
import type { FileView, FileViewOptions } from './file-view.ts'

/** Largest file that is edited as a whole, in bytes. */
export const EDITABLE_SIZE = 1024 * 1024

/** A file's text to edit, with line numbers. Says so when the file is changed by somebody else meanwhile. */
export async function textEditor({ fs, path, written }: FileViewOptions): Promise<FileView> {
  const dirty = valueStore(false)
  const gutter = element('div', { class: 'code-gutter', attributes: { 'aria-hidden': 'true' } })
  const area = element('textarea', {
    class: 'code-text',
    attributes: {
      'aria-label': `Text of ${nameOf(path)}`,
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      wrap: 'off',
    },
  })
  const conflict = element('div', { class: 'conflict', attributes: { role: 'alert', hidden: true } })
  const root = element('div', { class: 'code-view' }, conflict, element('div', { class: 'code' }, gutter, area))
  let base = ''
  let stamp = ''
  let lines = 0

  const number = (): void => {
    let count = 1
    for (let at = area.value.indexOf('\n'); at !== -1; at = area.value.indexOf('\n', at + 1)) count += 1
    if (count === lines) return
    lines = count
    gutter.textContent = Array.from({ length: count }, (_, index) => index + 1).join('\n')
    gutter.style.setProperty('--digits', String(Math.max(3, String(count).length)))
  }
  const show = (text: string): void => {
    if (area.value !== text) {
      const { selectionStart, selectionEnd, scrollTop, scrollLeft } = area
      area.value = text
      area.setSelectionRange(Math.min(selectionStart, text.length), Math.min(selectionEnd, text.length))
      area.scrollTo(scrollLeft, scrollTop)
    }
    base = text
    dirty.set(false)
    settle()
    number()
  }
  const settle = (): void => {
    conflict.hidden = true
    conflict.replaceChildren()
  }
  const read = async (): Promise<{ text: string; stamp: string }> => {
    const found = stampOf(await fs.stat(path))
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await fs.read(path)), stamp: found }
  }
  const reload = async (): Promise<void> => {
    const found = await read()
    stamp = found.stamp
    show(found.text)
  }
  const write = async (): Promise<boolean> => {
    const text = area.value
    try {
      await fs.write(path, new TextEncoder().encode(text))
      await fs.sync()
      stamp = stampOf(await fs.stat(path))
    } catch (error) {
      notifyFailure(`Could not save ${nameOf(path)}`, error)
      return false
    }
    base = text
    dirty.set(area.value !== text)
    settle()
    written()
    return true
  }
  const tellConflict = (text: string): void => {
    if (!conflict.hidden) return
    conflict.replaceChildren(
      element('p', {}, element('strong', {}, `${nameOf(path)} was changed meanwhile.`), ' Keep your text, or take the new one?'),
      button({ label: 'Take the new one', press: () => void reload().then(() => area.focus()) }),
      button({ label: 'Keep mine', kind: 'primary', press: () => void write().then(() => area.focus()) }),
    )
    conflict.hidden = false
    conflict.dataset.theirs = text
  }
  /** True where what lies there is what the person saw last. */
  const isUnchanged = async (): Promise<boolean> => {
    try {
      const found = await read()
      if (found.stamp === stamp || found.text === base) return true
      if (found.text === area.value) {
        stamp = found.stamp
        show(found.text)
        return true
      }
      tellConflict(found.text)
      return false
    } catch (error) {
      // What was deleted meanwhile is written anew.
      if (codeOf(error) === 'ENOENT') return true
      notifyFailure(`Could not read ${nameOf(path)}`, error)
      return false
    }
  }

  area.addEventListener('input', () => {
    number()
    dirty.set(area.value !== base)
  })
  area.addEventListener('scroll', () => {
    gutter.style.transform = `translateY(${-area.scrollTop}px)`
  })
  let leaves = false
  area.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') leaves = true
    else if (event.key === 'Tab' && !leaves && !event.shiftKey && !event.altKey && !event.ctrlKey) {
      event.preventDefault()
      // The one way to insert that can be undone.
      document.execCommand('insertText', false, '  ')
    } else if (event.key !== 'Shift') leaves = false
  })
  await reload()
  area.setSelectionRange(0, 0)
  return {
    element: root,
    dirty,
    focus: () => area.focus(),
    save: async () => (await isUnchanged()) && (await write()),
    refresh: async () => {
      if (stampOf(await fs.stat(path)) === stamp) return
      if (!dirty.get()) return reload()
      await isUnchanged()
    },
    close: () => undefined,
  }
}

/** Tells one state of a file from another. */
function stampOf({ ino, size, mtimeMs, ctimeMs }: FileStat): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ')
}
