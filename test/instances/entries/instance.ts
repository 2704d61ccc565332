import { codeOf } from '../../../src/errors.ts'
import type { RedisStateStoreOptions, RedisWorkspaceStateStore } from '../../../src/state/redis-state-store.ts'
import type { S3StateStoreOptions } from '../../../src/state/s3-state-store.ts'
import { S3WorkspaceStateStore } from '../../../src/state/s3-state-store.ts'
import type { WorkspaceStateStore } from '../../../src/state/state-store.ts'
import { Workspace } from '../../../src/workspace.ts'

/** Where an instance finds the state that it shares with others. */
export type Place =
  | { readonly store: 'disk'; readonly root: string; readonly leaseMs: number }
  | { readonly store: 'redis'; readonly options: RedisStateStoreOptions }
  /** Sessions in a bucket, history elsewhere. */
  | { readonly store: 's3'; readonly options: S3StateStoreOptions; readonly history: Place }

/** What differs from runtime to runtime. */
export interface StateStores {
  readonly Redis: new (options: RedisStateStoreOptions) => RedisWorkspaceStateStore
  readonly disk: ((root: string, leaseMs: number) => WorkspaceStateStore) | null
}

/** What an instance is asked. */
export type Request =
  | { readonly do: 'run'; readonly session: string; readonly line: string }
  /** Answered when a line prints something. */
  | { readonly do: 'printed' }
  | { readonly do: 'read'; readonly session: string }
  | { readonly do: 'watch' }
  | { readonly do: 'changes' }
  | { readonly do: 'flush' }

export interface Instance {
  /** What it gives is JSON; a failure is `{ failed }`. */
  answer(request: Request): Promise<unknown>
}

export function openInstance(place: Place, stores: StateStores): Instance {
  const store = open(place, stores)
  const ws = new Workspace({}, { workspaceId: 'shared', store, ownsStore: true })
  const changes: unknown[] = []
  let printed = (): void => undefined
  const run = async (request: Request): Promise<unknown> => {
    switch (request.do) {
      case 'run': {
        const { session, line } = request
        const {
          stdoutText,
          exitCode,
          durability,
          conflicts,
          outdated = false,
          cause,
        } = await ws.shell(line, {
          sessionId: session,
          onOutput: () => printed(),
        })
        return { stdout: stdoutText, exitCode, durability, conflicts, outdated, cause: cause === undefined ? null : cause.message }
      }
      case 'printed':
        await new Promise<void>((done) => (printed = done))
        return null
      case 'read': {
        const session = await ws.session(request.session)
        const { variables, cwd } = await session.refresh()
        const held = Array.from(variables, ([name, { value }]) => [name, value])
        return { variables: Object.fromEntries([...held, ['cwd', cwd]]), commands: (await session.history()).map(({ command }) => command) }
      }
      case 'watch':
        ws.watch((change) => changes.push(change))
        return null
      case 'changes':
        return changes.splice(0)
      case 'flush':
        await ws.flush()
        return null
    }
  }
  return {
    async answer(request) {
      try {
        return await run(request)
      } catch (error) {
        return { failed: `${codeOf(error) ?? 'none'}: ${error instanceof Error ? error.message : String(error)}` }
      }
    },
  }
}

function open(place: Place, stores: StateStores): WorkspaceStateStore {
  if (place.store === 'redis') return new stores.Redis(place.options)
  if (place.store === 's3') return new S3WorkspaceStateStore({ ...place.options, observer: open(place.history, stores) })
  if (stores.disk === null) throw new Error('there is no disk here')
  return stores.disk(place.root, place.leaseMs)
}
