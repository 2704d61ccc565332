import { DiskWorkspaceStateStore, type StateChange, Workspace } from '../../../platforms/browser/index.ts'
import { report } from './report.ts'

/** Which state: the root of a store of the browser's, and a session. */
export interface Place {
  readonly root: string
  readonly backend: 'indexeddb' | 'opfs'
  readonly session: string
}

/** A workspace on the place's store. */
export function open({ root, backend }: Place): Workspace {
  return new Workspace({}, { workspaceId: 'w', store: new DiskWorkspaceStateStore({ root, backend }), ownsStore: true })
}

/** Runs lines, each of which counts one on in a variable, and reports each as soon as its promise has resolved. */
export async function write({ tab, count, ...place }: Place & { readonly tab: string; readonly count: number }): Promise<void> {
  const ws = open(place)
  const session = await ws.session(place.session)
  for (let n = 1; n <= count; n++) {
    const { exitCode, durability, cause } = await session.shell(`n_${tab}=${n}`)
    if (exitCode !== 0 || durability !== 'committed') throw cause ?? new Error(`line ${n} of ${tab} ended with ${exitCode}`)
    void report({ line: `n_${tab}=${n}` })
  }
  await ws.close()
}

/** What is stored: the variables that `write` set, and every line of the session, in order. */
export async function read(
  place: Place,
): Promise<{ variables: Record<string, unknown>; lines: readonly string[]; sessions: readonly string[] }> {
  const ws = open(place)
  const session = await ws.session(place.session)
  const { exitCode, stdoutText, durability } = await session.shell('read_it=yes; echo $read_it')
  if (exitCode !== 0 || stdoutText !== 'yes\n' || durability !== 'committed') throw new Error('the session does not go on')
  const set = Array.from(session.fields.variables).filter(([name]) => name.startsWith('n_'))
  const entries = await session.history(100_000)
  const lines = entries.map(({ command }) => command).filter((command) => command.startsWith('n_'))
  const sessions = await ws.listSessions()
  await ws.close()
  return { variables: Object.fromEntries(set.map(([name, { value }]) => [name, value])), lines, sessions }
}

/** Waits until another tab has changed the state of these sessions, and their history; gives what was heard. */
export async function hear({ sessions, ...place }: Place & { readonly sessions: readonly string[] }): Promise<readonly string[]> {
  const ws = open(place)
  const heard = new Set<string>()
  const wanted = sessions.flatMap((session) => [`workspace ${session}`, `observer ${session}`])
  await new Promise<void>((resolve) => {
    ws.watch(({ group, session }: StateChange) => {
      heard.add(`${group} ${session}`)
      if (wanted.every((name) => heard.has(name))) resolve()
    })
    void report({ listening: true })
  })
  await ws.close()
  return wanted
}
