import type { Workspace } from 'mirage-runtime'
import type { Changes } from './changes.ts'
import { confirmed } from './dialog.ts'
import { removeAll } from './files/file-actions.ts'
import { pathIn } from './format.ts'
import { notifyFailure } from './notices.ts'
import { forget } from './remembered.ts'

/** Throws everything of the workspace away when a person confirms it, and begins anew, in all tabs. */
export async function resetWorkspace(workspace: Workspace, changes: Changes): Promise<void> {
  const text = 'All files, sessions, variables, functions and the history of this workspace are deleted. There is no undo.'
  if (!(await confirmed('Reset the workspace?', text, 'Delete everything'))) return
  try {
    const { fs } = workspace
    const kept = new Set(['/bin', '/dev', '/mnt', '/usr', '/.bash_history'])
    for (const { name } of await fs.readdir('/')) {
      const path = pathIn('/', name)
      if (kept.has(path)) continue
      if (path === '/tmp') for (const below of await fs.readdir(path)) await removeAll(fs, pathIn(path, below.name))
      else await removeAll(fs, path)
    }
    await fs.sync()
    await workspace.delete()
  } catch (error) {
    notifyFailure('Could not reset the workspace', error)
    return
  }
  for (const name of ['session', 'expanded', 'open-files', 'screen:']) forget(name)
  changes.tell({ type: 'reset' })
}
