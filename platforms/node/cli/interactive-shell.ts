import type { Dirent } from '../../../src/fs/file-system.ts'
import { INTERNAL_COMMANDS } from '../../../src/shell/builtins/internal-commands.ts'
import { BUILTINS } from '../../../src/shell/builtins/table.ts'
import type { SessionFields } from '../../../src/state/session-fields.ts'
import type { Session, Workspace } from '../../../src/workspace.ts'
import type { Settings } from './arguments.ts'
import type { CompletionSource } from './completion.ts'
import type { InteractiveShell } from './interactive.ts'
import type { OpenedWorkspace } from './workspace-plan.ts'

/** A session as the interactive shell needs it. */
export function interactiveShell({ workspace, session, history }: OpenedWorkspace, settings: Settings): InteractiveShell {
  return {
    session: session.id,
    completion: completionSource(workspace, session),
    history: async (count) => {
      const { entries, first } = await history.tail(session.id, count)
      return { lines: entries.map((entry) => entry.command), first: first + 1 }
    },
    run: async (line, { signal, stdin, write }) => {
      const { exitCode, exited, cause, conflicts } = await session.shell(line, {
        signal,
        stdin,
        record: settings.record,
        onOutput: write,
        ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
      })
      const notices = [
        ...(cause === undefined ? [] : [`mirage: the session's state could not be written yet: ${cause.message}`]),
        ...(conflicts.length === 0 ? [] : [`mirage: changed by somebody else at the same time: ${conflicts.join(', ')}`]),
      ]
      return { exitCode, exited, notice: notices.join('\n') }
    },
  }
}

const RESERVED_WORDS = 'case coproc do done elif else esac fi for function if in select then time until while'.split(' ')

function completionSource(workspace: Workspace, session: Session): CompletionSource {
  const { fs } = workspace
  return {
    get cwd() {
      return session.fields.cwd
    },
    get home() {
      return textOf(session.fields, 'HOME')
    },
    commands: async () => {
      const names = new Set([
        ...RESERVED_WORDS,
        ...BUILTINS.keys(),
        ...INTERNAL_COMMANDS.keys(),
        ...session.fields.functions.keys(),
        ...session.fields.aliases.keys(),
      ])
      for (const folder of (textOf(session.fields, 'PATH') ?? '').split(':')) {
        for (const { name } of await entriesOf(fs, folder === '' ? session.fields.cwd : folder)) names.add(name)
      }
      return names
    },
    variables: () => session.fields.variables.keys(),
    entries: async (directory) => {
      const entries = await entriesOf(fs, directory)
      return Promise.all(
        entries.map(async ({ name, type }) => ({
          name,
          isDirectory: type === 'directory' || (type === 'symlink' && (await isDirectory(fs, `${directory}/${name}`))),
        })),
      )
    },
  }
}

async function entriesOf(fs: Workspace['fs'], directory: string): Promise<readonly Dirent[]> {
  try {
    return await fs.readdir(directory)
  } catch {
    // A directory that can't be read completes nothing.
    return []
  }
}

async function isDirectory(fs: Workspace['fs'], path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === 'directory'
  } catch {
    // A link that leads nowhere is no directory.
    return false
  }
}

function textOf(fields: SessionFields, name: string): string | null {
  const value = fields.variables.get(name)?.value
  return typeof value === 'string' ? value : null
}
