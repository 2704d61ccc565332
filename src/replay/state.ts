import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Lease, Store } from '../store/store.ts'
import { ReplayFault } from './fault.ts'
import { Journal } from './journal.ts'

const LOCK = 'run.lock'
/** Milliseconds to wait for a lock: somebody may just be giving it free. */
const LOCK_WAIT_MS = 1000

/** The state of a run, held by whoever runs it. */
export interface RunState {
  readonly journal: Journal
  end(): void
}

/** Takes the lock of a run and reads what is known of it. ReplayFault (`ambiguous_execution`) where another one holds it, or nobody knows what was run. */
export async function openState(store: Store, host: Host, runId: string): Promise<RunState> {
  const lease = await locked(store, host, runId)
  try {
    await store.put(LOCK, encode(`${JSON.stringify({ run_id: runId, taken_at_unix_ms: Math.round(host.now()) })}\n`), undefined, lease)
    const journal = await Journal.open(store, host, runId)
    if (journal.past.ambiguous !== null)
      throw new ReplayFault(
        'ambiguous_execution',
        `run ${runId} can't be told apart from one that did its work: ${journal.past.ambiguous}; use a new run id on fresh files`,
      )
    return { journal, end: () => lease.end() }
  } catch (error) {
    lease.end()
    throw error
  }
}

async function locked(store: Store, host: Host, runId: string): Promise<Lease> {
  const wait = new AbortController()
  const stop = host.timer(LOCK_WAIT_MS, () => wait.abort())
  try {
    return await store.lease(LOCK, wait.signal)
  } catch (error) {
    if (!wait.signal.aborted && !hasCode(error, 'EBUSY')) throw error
    throw new ReplayFault('ambiguous_execution', `run ${runId} is being run by somebody else`, { cause: error })
  } finally {
    stop()
  }
}
