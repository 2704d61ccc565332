let asked = false

/** Asks the browser, once, not to throw away what the origin stores when room runs short. Some browsers ask the user; nobody waits for it. */
export function keepStorage(): void {
  if (asked) return
  asked = true
  // Not in workers, and not everywhere.
  const storage: Partial<StorageManager> | undefined = navigator.storage
  storage?.persist?.().catch(() => undefined)
}
