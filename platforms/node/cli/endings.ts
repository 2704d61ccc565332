import { Outlet } from './outlet.ts'
import { onSignals } from './signals.ts'

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

const BROKEN_PIPE = 141

/** Listens for signals until it is stopped. */
export function endings(): Endings {
  const controller = new AbortController()
  let fired = 0
  const abort = (status: number): void => {
    fired ||= status
    controller.abort()
  }
  const stop = onSignals(abort)
  return {
    signal: controller.signal,
    get status() {
      return fired
    },
    out: new Outlet(process.stdout, () => abort(BROKEN_PIPE)),
    errors: new Outlet(process.stderr, () => undefined),
    stop,
  }
}
