const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Calls `ending` with the exit status that goes with a signal which asks this process to end, until what is given back is called. */
export function onSignals(ending: (status: number) => void): () => void {
  const handlers = Object.entries(STATUS).map(([name, status]) => [name, () => ending(status)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
}
