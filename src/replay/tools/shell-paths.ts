import { isWithin, normalise } from '../../fs/path.ts'
import type { ReplaySite } from '../toolset.ts'

/** Between the paths of the agent and those of the shells, which in a copy of the workspace are those of the machine. `site.path` has those of the workspace. */
export interface ShellPaths {
  toShell(agentPath: string): string
  /** What isn't within the workspace stays as it is. */
  toAgent(shellPath: string): string
}

const KEPT = 'root of the shells'

/** Asks a shell where it begins, once. `recorded` is the directory that the agent worked in, for which the site's own stands; null where nobody knows. */
export async function shellPaths(site: ReplaySite, recorded: string | null): Promise<ShellPaths> {
  let root = site.memory.get(KEPT)
  if (typeof root !== 'string') {
    const { stdout } = await site.shell('pwd')
    const begin = stdout.replace(/\n$/, '')
    const inner = site.directory === '/' ? '' : site.directory
    root = begin !== site.directory && begin.endsWith(inner) ? begin.slice(0, begin.length - inner.length) : ''
    site.memory.set(KEPT, root)
  }
  const at = root
  const toWorkspace = (path: string): string => (at !== '' && isWithin(path, at) ? path.slice(at.length) || '/' : path)
  const isMoved = recorded !== null && recorded !== site.directory && site.path(recorded) === site.directory
  return {
    toShell: (given) => {
      const path = site.path(given)
      return path === '/' && at !== '' ? at : at + path
    },
    toAgent: (given) => {
      const path = toWorkspace(given)
      if (!isMoved || !isWithin(path, site.directory)) return path
      return normalise(`${recorded}/${path.slice(site.directory.length)}`)
    },
  }
}

/** The directory that a shell is in, as a path of the agent. `status` is what the last command left in `$?`, and is left there. */
export async function shellDirectory(
  site: ReplaySite,
  { session, status, recorded }: { readonly session: string; readonly status: number | null; readonly recorded: string | null },
): Promise<string> {
  const { toAgent } = await shellPaths(site, recorded)
  const { stdout } = await site.shell(`pwd; (exit ${status ?? 0})`, { session })
  return toAgent(stdout.replace(/\n$/, ''))
}
