import type { Host } from '../host.ts'
import { jittered, sleep } from '../sleep.ts'
import type { DenoKVAtomic } from './deno-kv.ts'

/** Milliseconds that a commit is tried for: a database in a file is locked while another process writes. */
const LIMIT_MS = 5000
const LONGEST_PAUSE = 40

/**
 * Commits, again and again while it fails without an answer; the new version, or null where a check failed. A commit whose answer was lost may
 * be done: `written` gives the version where it finds what the commit writes.
 */
export async function commitSurely(write: DenoKVAtomic, host: Host, written: () => Promise<string | null>): Promise<string | null> {
  const began = host.elapsed()
  let isDoubtful = false
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const { ok, versionstamp = '' } = await write.commit()
      if (ok) return versionstamp
      return isDoubtful ? await written() : null
    } catch (error) {
      // A database that was closed stays closed.
      const isClosed = error instanceof Error && error.name === 'BadResource'
      if (isClosed || host.elapsed() - began > LIMIT_MS) throw error
      isDoubtful = true
    }
    await sleep(host, jittered(host, pause))
  }
}
