import type { StoreChange, Version } from './store.ts'

/** As much of a value as changes ask about. */
interface Found {
  readonly version: Version
  readonly size: number
}

/** The keys whose values `refusedAt` looks at. */
export function keysOf(changes: readonly StoreChange[]): readonly string[] {
  return changes.flatMap((change) => (change.type === 'append' && change.unless !== undefined ? [change.key, change.unless] : [change.key]))
}

/** Index of the first change whose key has another value than it asks for; -1 where there is none. `find` gives what a key has. */
export function refusedAt(changes: readonly StoreChange[], find: (key: string) => Found | null | undefined): number {
  return changes.findIndex((change) => {
    const found = find(change.key) ?? null
    if (change.type === 'put') return change.expected !== undefined && change.expected !== (found?.version ?? null)
    if (change.unless !== undefined && (find(change.unless) ?? null) !== null) return true
    return change.size === undefined ? found === null : change.size !== (found?.size ?? 0)
  })
}
