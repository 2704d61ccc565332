import type { DenoKV, DenoKVAtomic } from './deno-kv.ts'
import type { DenoKVKeys } from './deno-kv-keys.ts'

/** Milliseconds after which a change needs to be told no more: who watches has heard of it long before. */
const TOLD_MS = 10_000

/** Adds to a write that `key` changed. `token` tells it from other changes. */
export function noteChange(write: DenoKVAtomic, keys: DenoKVKeys, key: string, token: string): DenoKVAtomic {
  return write.set(keys.changes, token).set(keys.change(token), key, { expireIn: TOLD_MS })
}

/** Tells of each change that is noted from now on, in the order of the commits, until what is given back is called. */
export function watchChanges(kv: DenoKV, keys: DenoKVKeys, changed: (key: string) => void): () => Promise<void> {
  const reader = kv.watch([keys.changes]).getReader()
  let isOver = false
  const follow = async (): Promise<void> => {
    let last = (await kv.get(keys.changes)).versionstamp ?? ''
    while (!(await reader.read()).done) {
      const fresh: { versionstamp: string; key: string }[] = []
      for await (const { value, versionstamp } of kv.list(keys.allChanges)) {
        if (versionstamp !== null && versionstamp > last) fresh.push({ versionstamp, key: String(value) })
      }
      fresh.sort((a, b) => (a.versionstamp < b.versionstamp ? -1 : 1))
      for (const change of fresh) if (!isOver) changed(change.key)
      last = fresh.at(-1)?.versionstamp ?? last
    }
  }
  // A database that is out of reach, or was closed, tells nothing more: watching is a hint.
  follow().catch(() => undefined)
  return async () => {
    if (isOver) return
    isOver = true
    // Fails where the database was closed before.
    await reader.cancel().catch(() => undefined)
  }
}
