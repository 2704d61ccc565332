import type { FileSystem } from '../fs/file-system.ts'
import type { Session } from '../workspace.ts'
import { completeLine, quoted } from './completion.ts'
import { completionSource } from './completion-source.ts'
import type { Completion } from './line-editor/line-editor.ts'

/** A line with the cursor in it. */
export interface LineToComplete {
  readonly text: string
  readonly cursor: number
  /** Ends what a completion function does. */
  readonly signal: AbortSignal
}

/** What could stand before the cursor: by what `complete` says of the line's command, else commands, variables and paths. */
export async function completeInSession(session: Session, { text, cursor, signal }: LineToComplete): Promise<Completion> {
  const found = await session.complete(text, cursor, signal)
  const fs = await session.files()
  const isLeft = found === null || (found.words.length === 0 && found.options.some((option) => /^(bash)?default$/.test(option)))
  if (isLeft) return completeLine(text, cursor, completionSource(session, fs))
  const quote = /^['"]/.exec(text[found.start] ?? '')?.[0] ?? ''
  const start = found.start + quote.length
  const isFile = found.options.includes('filenames')
  const candidates = await Promise.all(
    found.words.map(async (word) => {
      const slash = isFile && !word.endsWith('/') && (await isDirectory(fs, word, session.fields.cwd)) ? '/' : ''
      const end = slash !== '' || word.endsWith('/') || found.options.includes('nospace') ? '' : `${quote} `
      const written = isFile ? quoted(word, quote === "'" || quote === '"' ? quote : '') : word
      return { text: written + slash + end, shown: (isFile ? word.slice(word.lastIndexOf('/', word.length - 2) + 1) : word) + slash }
    }),
  )
  return { start, candidates }
}

async function isDirectory(fs: FileSystem, path: string, cwd: string): Promise<boolean> {
  try {
    return (await fs.stat(path.startsWith('/') ? path : `${cwd}/${path}`)).type === 'directory'
  } catch {
    // What isn't there, or can't be looked at, is no directory.
    return false
  }
}
