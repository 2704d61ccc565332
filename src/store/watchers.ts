/** Who wants to hear of changes. Nobody hears of one before whoever made it has gone on, so that a listener may call anything. */
export class Watchers<Change> {
  readonly #listeners = new Set<(change: Change) => void>()

  /** The function that is given back ends it. */
  add(listener: (change: Change) => void): () => void {
    const own = (change: Change): void => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) listener(change)
      })
    }
  }
}
