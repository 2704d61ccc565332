import type { FileStat } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import { button } from '../button.ts'
import { element } from '../element.ts'
import { nameOf } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { valueStore } from '../value-store.ts'
import type { EditableText } from './editable-text.ts'
import { editableText } from './editable-text.ts'
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
  let bytesOf: EditableText['bytes'] = (text) => new TextEncoder().encode(text)
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
  const read = async (): Promise<{ found: EditableText; mark: string } | null> => {
    const mark = stampOf(await fs.stat(path))
    const found = editableText(await fs.read(path))
    return found === null ? null : { found, mark }
  }
  /** False where the file is no text to edit any more. */
  const reload = async (): Promise<boolean> => {
    const now = await read()
    if (now === null) return false
    stamp = now.mark
    bytesOf = now.found.bytes
    show(now.found.text)
    return true
  }
  const write = async (): Promise<boolean> => {
    const text = area.value
    try {
      await fs.write(path, bytesOf(text))
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
  const tellConflict = (): void => {
    if (!conflict.hidden) return
    conflict.replaceChildren(
      element('p', {}, element('strong', {}, `${nameOf(path)} was changed meanwhile.`), ' Keep your text, or take the new one?'),
      button({ label: 'Take the new one', press: () => void takeTheirs() }),
      button({ label: 'Keep mine', kind: 'primary', press: () => void write().then(() => area.focus()) }),
    )
    conflict.hidden = false
  }
  const takeTheirs = async (): Promise<void> => {
    dirty.set(false)
    if (!(await reload())) written()
    area.focus()
  }
  /** True where what lies there is what the person saw last. */
  const isUnchanged = async (): Promise<boolean> => {
    try {
      const now = await read()
      if (now?.mark === stamp || now?.found.text === base) return true
      if (now?.found.text === area.value) return reload()
      tellConflict()
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
      if (stampOf(await fs.stat(path)) === stamp) return true
      if (!dirty.get()) return reload()
      await isUnchanged()
      return true
    },
    close: () => undefined,
  }
}

/** Tells one state of a file from another. */
function stampOf({ ino, size, mtimeMs, ctimeMs }: FileStat): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ')
}
