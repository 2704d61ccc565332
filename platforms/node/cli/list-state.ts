import type { HistoryEntry } from '../../../src/index.ts'
import { webHost } from '../../../src/index.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import type { Settings } from './arguments.ts'
import { localTime } from './local-time.ts'
import { table } from './table.ts'
import { planWorkspace } from './workspace-plan.ts'

/** A session as `mirage sessions --json` shows it. */
interface ListedSession {
  readonly id: string
  readonly isDefault: boolean
  readonly cwd: string
  readonly profile: string | null
  readonly createdAt: string
  /** Lines that changed it. */
  readonly generation: number
}

/** Prints the sessions of a workspace. */
export async function listSessions(settings: Settings, write: (text: string) => void): Promise<number> {
  const { options } = await planWorkspace(settings)
  const sessions = openSessions({ store: options.store, workspaceId: options.workspaceId, host: webHost })
  try {
    const ids = await sessions.list()
    const isDefault = ids.length === 0 ? '' : await sessions.defaultSession()
    const listed: ListedSession[] = []
    for (const id of ids) {
      const stored = await sessions.inspect(id)
      if (stored === null) continue
      const { fields, createdAt, generation } = stored
      listed.push({
        id,
        isDefault: id === isDefault,
        cwd: fields.cwd,
        profile: fields.rules.profile,
        createdAt: new Date(createdAt).toISOString(),
        generation,
      })
    }
    write(settings.json ? `${JSON.stringify(listed)}\n` : sessionTable(listed))
    return 0
  } finally {
    await sessions.close()
    await options.store.close()
  }
}

/** Prints the last lines that a session ran, all when `count` is null. */
export async function listHistory(settings: Settings, count: number | null, write: (text: string) => void): Promise<number> {
  const { options } = await planWorkspace(settings)
  const sessions = openSessions({ store: options.store, workspaceId: options.workspaceId, host: webHost })
  try {
    const ids = await sessions.list()
    if (ids.length === 0 && options.sessionId === undefined) {
      write(settings.json ? '[]\n' : '')
      return 0
    }
    const id = options.sessionId ?? (await sessions.defaultSession())
    const page = await options.store.history(options.workspaceId).tail(id, count ?? Number.MAX_SAFE_INTEGER)
    write(
      settings.json
        ? `${JSON.stringify(page.entries)}\n`
        : page.entries.map((entry, index) => historyLine(entry, page.first + index + 1)).join(''),
    )
    return 0
  } finally {
    await sessions.close()
    await options.store.close()
  }
}

function sessionTable(sessions: readonly ListedSession[]): string {
  if (sessions.length === 0) return 'no sessions yet\n'
  const rows = sessions.map((session) => [
    session.isDefault ? `* ${session.id}` : `  ${session.id}`,
    session.cwd,
    session.profile ?? '-',
    session.createdAt.slice(0, 16).replace('T', ' '),
  ])
  return table([['  SESSION', 'DIRECTORY', 'PROFILE', 'CREATED (UTC)'], ...rows])
}

/** Number, local time, exit status and the line, as many lines as it has. */
function historyLine(entry: HistoryEntry, number: number): string {
  return `${String(number).padStart(5)}  ${localTime(entry.timestamp)}  ${String(entry.exitCode).padStart(3)}  ${entry.command.trimEnd()}\n`
}
