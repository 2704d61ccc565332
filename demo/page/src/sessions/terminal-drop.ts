import type { App } from '../app.ts'
import { droppedFiles, holdsFiles } from '../files/dropped-files.ts'
import { PATH_TYPE } from '../files/tree-drop.ts'
import { upload } from '../files/upload.ts'
import { shellWord } from '../format.ts'
import { notifyFailure } from '../notices.ts'

/** What of the terminal that is shown a drop concerns. */
export interface TerminalDropOptions {
  readonly place: HTMLElement
  /** Where files go. */
  readonly folder: () => string
  readonly insert: (text: string) => void
}

/** Inserts the path of what is dropped on a terminal; files of the machine are brought into its directory first. */
export function allowTerminalDrops(app: App, { place, folder, insert }: TerminalDropOptions): void {
  const bring = async (transfer: DataTransfer): Promise<void> => {
    try {
      const paths = await upload(app, await droppedFiles(transfer), folder())
      if (paths.length > 0) insert(`${paths.map(shellWord).join(' ')} `)
    } catch (error) {
      notifyFailure('Could not read what was dropped', error)
    }
  }
  place.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes(PATH_TYPE) !== true && !holdsFiles(event.dataTransfer)) return
    event.preventDefault()
    place.classList.add('drop-target')
  })
  place.addEventListener('dragleave', () => place.classList.remove('drop-target'))
  place.addEventListener('drop', (event) => {
    place.classList.remove('drop-target')
    const transfer = event.dataTransfer
    if (transfer === null) return
    event.preventDefault()
    const path = transfer.getData(PATH_TYPE)
    if (path === '') void bring(transfer)
    else insert(`${shellWord(path)} `)
  })
}
