/** One value that many look at. */
export interface ValueStore<T> {
  get(): T
  /** Tells all watchers, unless the value is the same. */
  set(value: T): void
  update(change: (value: T) => T): void
  /** Calls with every new value; the answer stops it. */
  watch(watcher: (value: T, before: T) => void): () => void
}

export function valueStore<T>(initial: T): ValueStore<T> {
  let current = initial
  const watchers = new Set<(value: T, before: T) => void>()
  const set = (value: T): void => {
    if (Object.is(value, current)) return
    const before = current
    current = value
    for (const watcher of [...watchers]) watcher(value, before)
  }
  return {
    get: () => current,
    set,
    update: (change) => set(change(current)),
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}
