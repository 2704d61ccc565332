import type { Workspace } from 'mirage-runtime'
import { codeOf, FolderFileSystem } from 'mirage-runtime'
import type { Changes } from '../changes.ts'
import { notify, notifyFailure } from '../notices.ts'
import { handleShelf } from './handle-shelf.ts'

/** Folders of the person's own machine, mounted below /mnt. */
export interface FolderMounts {
  /** Whether this browser can ask for one. */
  readonly possible: boolean
  /** Asks for one and mounts it; to be called in the handler of a press. */
  open(): Promise<void>
  /** Lets go of the folder that is mounted at a path; false where none is. */
  close(path: string): Promise<boolean>
  isMount(path: string): boolean
  /** Mounts what was open the last time; where the browser wants to be asked again, a person is. */
  reopen(): Promise<void>
}

/** `shown` is called with each path that is mounted. */
export function openFolderMounts(workspace: Workspace, changes: Changes, shown: (path: string) => void): FolderMounts {
  const shelf = handleShelf()
  const mounted = new Map<string, FolderFileSystem>()

  const mount = (path: string, fs: FolderFileSystem): void => {
    workspace.mount(path, fs)
    mounted.set(path, fs)
    shown(path)
    changes.tell({ type: 'files' })
  }
  const failed = (error: unknown): void => {
    // Whoever picks none has not failed.
    if (error instanceof DOMException && error.name === 'AbortError') return
    notifyFailure('Could not open the folder', error)
  }
  const open = async (): Promise<void> => {
    try {
      const fs = await FolderFileSystem.pick({ mode: 'readwrite' })
      const path = freePath(fs.handle.name, mounted)
      mount(path, fs)
      await shelf.put(path, fs.handle)
      notify({ kind: 'success', title: `${fs.handle.name} is mounted at ${path}` })
    } catch (error) {
      failed(error)
    }
  }
  return {
    possible: 'showDirectoryPicker' in globalThis,
    open,
    isMount: (path) => mounted.has(path),
    close: async (path) => {
      if (!mounted.delete(path)) return false
      workspace.unmount(path)
      await shelf.delete(path).catch(failed)
      changes.tell({ type: 'files' })
      return true
    },
    reopen: async () => {
      for (const [path, handle] of await shelf.all()) {
        const fs = new FolderFileSystem({ handle })
        const grant = async (): Promise<void> => {
          try {
            await fs.requestPermission()
            mount(path, fs)
          } catch (error) {
            if (codeOf(error) === 'EACCES') await shelf.delete(path)
            failed(error)
          }
        }
        if ((await fs.permission()) === 'granted') mount(path, fs)
        else
          notify({
            kind: 'info',
            title: `Open ${handle.name} again?`,
            text: 'The browser asks whether this page may use the folder.',
            action: { label: 'Open', run: () => void grant() },
          })
      }
    },
  }
}

function freePath(name: string, mounted: ReadonlyMap<string, unknown>): string {
  const base = `/mnt/${name.replaceAll('/', '-') || 'folder'}`
  let path = base
  for (let number = 2; mounted.has(path); number += 1) path = `${base}-${number}`
  return path
}
