import { isWithin } from '../../fs/path.ts'
import type { ReplaySite } from '../toolset.ts'

/** How the shells of a site call the files: by the paths of the workspace, or in a copy of it by those of the machine. */
export interface ShellPaths {
  toShell(path: string): string
  /** What isn't within the workspace stays as it is. */
  toWorkspace(path: string): string
}

const KEPT = 'root of the shells'

/** Asks a shell where it begins, once. */
export async function shellPaths(site: ReplaySite): Promise<ShellPaths> {
  let root = site.memory.get(KEPT)
  if (typeof root !== 'string') {
    const { stdout } = await site.shell('pwd')
    const begin = stdout.replace(/\n$/, '')
    const inner = site.directory === '/' ? '' : site.directory
    root = begin !== site.directory && begin.endsWith(inner) ? begin.slice(0, begin.length - inner.length) : ''
    site.memory.set(KEPT, root)
  }
  const at = root
  return {
    toShell: (path) => (path === '/' && at !== '' ? at : at + path),
    toWorkspace: (path) => (at !== '' && isWithin(path, at) ? path.slice(at.length) || '/' : path),
  }
}

/** The directory that a shell is in, as a path of the workspace. `status` is what the last command left in `$?`, and is left there. */
export async function shellDirectory(site: ReplaySite, session: string, status: number | null): Promise<string> {
  const { toWorkspace } = await shellPaths(site)
  const { stdout } = await site.shell(`pwd; (exit ${status ?? 0})`, { session })
  return toWorkspace(stdout.replace(/\n$/, ''))
}
