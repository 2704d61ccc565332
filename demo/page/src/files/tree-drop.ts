import type { App } from '../app.ts'
import { folderOf, nameOf, pathIn } from '../format.ts'
import { notifyFailure } from '../notices.ts'
import { droppedFiles, holdsFiles } from './dropped-files.ts'
import { move } from './file-actions.ts'
import { upload } from './upload.ts'

/** What a row of the tree carries when it is dragged. */
export const PATH_TYPE = 'application/x-mirage-path'

/** What of the tree a drop concerns. */
export interface TreeDropOptions {
  readonly tree: HTMLElement
  /** Where things may be dropped, the tree in it. */
  readonly place: HTMLElement
  /** The path of the row that is dragged; null where it stays. */
  readonly source: (target: EventTarget | null) => string | null
  /** The folder that a drop goes into, and its row. */
  readonly target: (target: EventTarget | null) => { readonly path: string; readonly row: HTMLElement | null }
  /** Called with what came in, or is elsewhere now. */
  readonly arrived: (path: string) => void
}

/** Lets rows be dragged to another folder, and files and folders of the machine be dropped on one. */
export function allowDrops(app: App, { tree, place, source, target, arrived }: TreeDropOptions): void {
  let marked: HTMLElement | null = null
  const mark = (row: HTMLElement | null): void => {
    if (marked === row) return
    marked?.classList.remove('drop-target')
    marked = row
    marked?.classList.add('drop-target')
  }
  const moveInto = async (from: string, folder: string): Promise<void> => {
    if (folderOf(from) === folder || folder === from) return
    const path = await move(app, from, pathIn(folder, nameOf(from)))
    if (path !== null) arrived(path)
  }
  const bring = async (transfer: DataTransfer, folder: string): Promise<void> => {
    try {
      const [first] = await upload(app, await droppedFiles(transfer), folder)
      if (first !== undefined) arrived(first)
    } catch (error) {
      notifyFailure('Could not read what was dropped', error)
    }
  }
  tree.addEventListener('dragstart', (event) => {
    const path = source(event.target)
    if (path === null || event.dataTransfer === null) return
    event.dataTransfer.setData(PATH_TYPE, path)
    event.dataTransfer.setData('text/plain', path)
    event.dataTransfer.effectAllowed = 'copyMove'
  })
  place.addEventListener('dragover', (event) => {
    const isPath = event.dataTransfer?.types.includes(PATH_TYPE) === true
    if (!isPath && !holdsFiles(event.dataTransfer)) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = isPath ? 'move' : 'copy'
    mark(target(event.target).row)
  })
  place.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && place.contains(event.relatedTarget))) mark(null)
  })
  place.addEventListener('drop', (event) => {
    mark(null)
    const transfer = event.dataTransfer
    if (transfer === null) return
    event.preventDefault()
    const { path } = target(event.target)
    const from = transfer.getData(PATH_TYPE)
    void (from === '' ? bring(transfer, path) : moveInto(from, path))
  })
}
