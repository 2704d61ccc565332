import type { FileSystem } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { confirmed } from '../dialog.ts'
import { folderOf, nameOf, pathIn } from '../format.ts'
import { notify, notifyFailure } from '../notices.ts'

/** Makes an empty file or folder; its path, or null where that failed. */
export async function create(app: App, folder: string, name: string, type: 'file' | 'folder'): Promise<string | null> {
  const path = pathIn(folder, name)
  return attempt(app, `Could not make ${name}`, path, async () => {
    if (type === 'folder') await app.fs.mkdir(path)
    else await app.fs.write(path, new Uint8Array(0), { exclusive: true })
  })
}

/** Gives a file or folder another path; that, or null where it failed. Never replaces anything. */
export function move(app: App, from: string, to: string): Promise<string | null> {
  return attempt(app, `Could not move ${nameOf(from)}`, to, async () => {
    await demandFree(app.fs, to)
    await app.fs.rename(from, to)
    app.changes.tell({ type: 'files', moved: { from, to } })
  })
}

/** Deletes a file, or a folder with all below it, when a person confirms it. */
export async function remove(app: App, path: string, isFolder: boolean): Promise<boolean> {
  const name = nameOf(path)
  const text = isFolder ? 'The folder and everything in it will be gone. There is no undo.' : 'The file will be gone. There is no undo.'
  if (!(await confirmed(`Delete ${name}?`, text, 'Delete'))) return false
  const done = await attempt(app, `Could not delete ${name}`, path, () => removeAll(app.fs, path))
  if (done !== null) notify({ kind: 'success', title: `Deleted ${name}` })
  return done !== null
}

/** What is wrong with a name for a file; null for a good one. */
export function faultOfName(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'Type a name.'
  if (name.includes('/') || name.includes('\0')) return 'A name holds no slash.'
  return new TextEncoder().encode(name).length > 255 ? 'The name is too long.' : null
}

/** Removes everything below a folder, and where asked the folder. Directories of other mounts are emptied. */
export async function removeAll(fs: FileSystem, path: string): Promise<void> {
  const { type } = await fs.lstat(path)
  if (type !== 'directory') return void (await fs.unlink(path))
  try {
    await fs.removeTree(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOTSUP') throw error
    for (const { name } of await fs.readdir(path)) await removeAll(fs, pathIn(path, name))
    await fs.rmdir(path)
  }
}

async function demandFree(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  throw Object.assign(new Error(`There is something named ${nameOf(path)} in ${folderOf(path)} already`), { code: 'EEXIST' })
}

async function attempt(app: App, what: string, path: string, work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    await app.fs.sync()
    return path
  } catch (error) {
    notifyFailure(what, error)
    return null
  } finally {
    app.changes.tell({ type: 'files' })
  }
}
