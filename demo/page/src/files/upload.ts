import type { FileSystem } from 'mirage-runtime'
import { codeOf } from 'mirage-runtime'
import type { App } from '../app.ts'
import { ask } from '../dialog.ts'
import { element } from '../element.ts'
import { folderOf, formatBytes, nameOf, pathIn } from '../format.ts'
import { notify, notifyFailure, showProgress } from '../notices.ts'
import type { Incoming, IncomingFile } from './dropped-files.ts'

/** Bytes that are written at once. */
const PORTION = 1024 * 1024

/** Brings files in below a folder, with progress, asking about names that are taken. The paths that were written. */
export async function upload(app: App, incoming: Incoming, folder: string): Promise<readonly string[]> {
  const { files } = incoming
  if (files.length + incoming.folders.length === 0) return []
  const taken = await takenPaths(app.fs, files, folder)
  const answer = taken.size === 0 ? 'replace' : await askAboutTaken([...taken])
  if (answer === null) return []
  const wanted = answer === 'skip' ? files.filter(({ path }) => !taken.has(path)) : files
  const controller = new AbortController()
  const title = wanted.length === 1 ? `Uploading ${nameOf(wanted[0]?.path ?? '')}` : `Uploading ${wanted.length} files`
  const progress = showProgress(title, () => controller.abort())
  const total = wanted.reduce((sum, { file }) => sum + file.size, 0)
  const written: string[] = []
  let done = 0
  try {
    for (const path of incoming.folders) await makeFolders(app.fs, pathIn(folder, path))
    for (const { path, file } of wanted) {
      const target = await freePath(app.fs, pathIn(folder, path), answer === 'both' && taken.has(path))
      await makeFolders(app.fs, folderOf(target))
      await writeFile(app.fs, file, target, controller.signal, (bytes) => {
        done += bytes
        progress.report(done, total, `${nameOf(path)} · ${formatBytes(done)} of ${formatBytes(total)}`)
      })
      written.push(target)
    }
    await app.fs.sync()
    if (written.length > 0)
      notify({ kind: 'success', title: written.length === 1 ? `Uploaded ${nameOf(written[0] ?? '')}` : `Uploaded ${written.length} files` })
  } catch (error) {
    if (controller.signal.aborted)
      notify({ kind: 'info', title: 'Upload cancelled', text: `${written.length} of ${wanted.length} files are there.` })
    else notifyFailure(`The upload stopped after ${written.length} of ${wanted.length} files`, error)
  } finally {
    progress.close()
    app.changes.tell({ type: 'files' })
  }
  return written
}

/** A file is under its name only when all of it is there. */
async function writeFile(fs: FileSystem, file: File, target: string, signal: AbortSignal, report: (bytes: number) => void): Promise<void> {
  const partial = pathIn(folderOf(target), `.${nameOf(target)}.uploading`)
  try {
    await fs.write(partial, new Uint8Array(0))
    for (let at = 0; at < file.size; at += PORTION) {
      signal.throwIfAborted()
      const bytes = new Uint8Array(await file.slice(at, at + PORTION).arrayBuffer())
      await fs.append(partial, bytes)
      report(bytes.length)
    }
    await fs.rename(partial, target)
    await fs.sync()
  } catch (error) {
    await Promise.resolve(fs.unlink(partial)).catch(() => undefined)
    throw error
  }
}

async function takenPaths(fs: FileSystem, files: readonly IncomingFile[], folder: string): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  for (const { path } of files) if (await exists(fs, pathIn(folder, path))) taken.add(path)
  return taken
}

function askAboutTaken(paths: readonly string[]): Promise<'skip' | 'both' | 'replace' | null> {
  const shown = paths.slice(0, 5)
  const rest = paths.length - shown.length
  return ask<'skip' | 'both' | 'replace'>({
    title: paths.length === 1 ? 'A file of this name is there' : `${paths.length} of these names are taken`,
    body: [
      element('ul', { class: 'plain-list mono' }, ...shown.map((path) => element('li', {}, path))),
      ...(rest === 0 ? [] : [element('p', { class: 'muted' }, `and ${rest} more`)]),
    ],
    choices: [
      { label: 'Skip', value: 'skip' },
      { label: 'Keep both', value: 'both' },
      { label: 'Replace', value: 'replace', kind: 'danger' },
    ],
  })
}

/** The path, or where it must not be replaced, one beside it: `name 2.txt`. */
async function freePath(fs: FileSystem, path: string, mustBeFree: boolean): Promise<string> {
  if (!mustBeFree) return path
  const [, stem = path, extension = ''] = /^(.*?[^/])(\.[^./]*)?$/s.exec(path) ?? []
  for (let number = 2; ; number += 1) {
    const candidate = `${stem} ${number}${extension}`
    if (!(await exists(fs, candidate))) return candidate
  }
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.lstat(path)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}

async function makeFolders(fs: FileSystem, path: string): Promise<void> {
  if (await exists(fs, path)) return
  await makeFolders(fs, folderOf(path))
  await fs.mkdir(path)
}
