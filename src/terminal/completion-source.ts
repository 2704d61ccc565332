import type { Dirent, FileSystem } from '../fs/file-system.ts'
import { INTERNAL_COMMANDS } from '../shell/builtins/internal-commands.ts'
import { BUILTINS } from '../shell/builtins/table.ts'
import type { Session } from '../workspace.ts'
import type { CompletionSource } from './completion.ts'
import { textOf } from './session-variable.ts'

const RESERVED_WORDS = 'case coproc do done elif else esac fi for function if in select then time until while'.split(' ')

/** What the words of a session can be completed from. */
export function completionSource(session: Session, fs: FileSystem): CompletionSource {
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

async function entriesOf(fs: FileSystem, directory: string): Promise<readonly Dirent[]> {
  try {
    return await fs.readdir(directory)
  } catch {
    // A directory that can't be read completes nothing.
    return []
  }
}

async function isDirectory(fs: FileSystem, path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).type === 'directory'
  } catch {
    // A link that leads nowhere is no directory.
    return false
  }
}
