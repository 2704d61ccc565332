import { Outlet } from './outlet.ts'

/** What may end a command from outside: signals, and a reader of its output that leaves. */
export interface Endings {
  readonly signal: AbortSignal
  /** Exit status that goes with what fired; 0 until then. */
  readonly status: number
  readonly out: Outlet
  readonly errors: Outlet
  /** Signals do again what they did before. */
  stop(): void
}

const STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const BROKEN_PIPE = 141

/** Listens for signals until it is stopped. */
export function endings(): Endings {
  const controller = new AbortController()
  let fired = 0
  const abort = (status: number): void => {
    fired ||= status
    controller.abort()
  }
  const handlers = Object.entries(STATUS).map(([name, status]) => [name, () => abort(status)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  return {
    signal: controller.signal,
    get status() {
      return fired
    },
    out: new Outlet(process.stdout, () => abort(BROKEN_PIPE)),
    errors: new Outlet(process.stderr, () => undefined),
    stop: () => {
      for (const [name, handler] of handlers) process.off(name, handler)
    },
  }
}
