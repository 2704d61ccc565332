import type { Job, SqlValue, Workspace } from 'mirage-runtime'
import { hasCode } from 'mirage-runtime'
import type { AlarmStorage } from './bindings.ts'
import { HttpError } from './http-error.ts'
import type { Limits } from './limits.ts'

/** What a script is started with. */
export interface ScriptStart {
  readonly id?: string
  readonly command: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  readonly timeoutMs?: number
}

/** Milliseconds after the end of a slice at which a script is taken to have lost the isolate that ran it. */
const GRACE_MS = 5000

/**
 * The scripts of an agent that may take longer than a request, or an isolate, lives. Each runs in slices: it is suspended before its slice is over, and the object's alarm
 * goes on with it. It is written down before it begins, so whatever happens to the isolate, it comes to its end.
 */
export class Scripts {
  readonly #workspace: Workspace
  readonly #storage: AlarmStorage
  readonly #limits: Limits
  /** Slices that run in this isolate. */
  readonly #running = new Map<string, Promise<unknown>>()

  constructor(workspace: Workspace, storage: AlarmStorage, limits: Limits) {
    this.#workspace = workspace
    this.#storage = storage
    this.#limits = limits
    storage.sql.exec('CREATE TABLE IF NOT EXISTS scripts (id TEXT PRIMARY KEY)')
  }

  /** Writes a script down; it runs from now on. 429 where too many do. */
  async start(script: ScriptStart): Promise<Job> {
    if (this.#unfinished().length >= this.#limits.scripts)
      throw new HttpError(429, 'TOO_MANY_SCRIPTS', `${this.#limits.scripts} scripts of this agent have not ended yet`, {
        'retry-after': '10',
      })
    // Suspended before its first command, it is durable before anything happens.
    const job = await this.#workspace.jobs.run({ ...script, suspendAfterMs: 0 })
    if ((await job.ended).state === 'suspended') {
      this.#storage.sql.exec('INSERT OR REPLACE INTO scripts (id) VALUES (?)', job.id)
      await this.goOn()
    }
    return job
  }

  /** The script of an id; 404 where there is none. */
  async find(id: string): Promise<Job> {
    try {
      return await this.#workspace.jobs.open(id)
    } catch (error) {
      if (hasCode(error, 'NOT_FOUND')) throw new HttpError(404, 'NOT_FOUND', `there is no script "${id}"`)
      throw error
    }
  }

  list(): Promise<readonly string[]> {
    return this.#workspace.jobs.list()
  }

  /** Ends a script. */
  async kill(id: string): Promise<void> {
    await (await this.find(id)).kill()
    this.#storage.sql.exec('DELETE FROM scripts WHERE id = ?', id)
  }

  /** Goes on with every script that has not ended and runs nowhere; resolves when all of them run. The alarm comes again, should this isolate be lost. */
  async goOn(): Promise<void> {
    const waiting = this.#unfinished().filter((id) => !this.#running.has(id))
    if (this.#unfinished().length > 0) await this.#storage.setAlarm(Date.now() + this.#limits.sliceMs + GRACE_MS)
    for (const id of waiting) await this.#slice(id)
  }

  /** Resolves when no slice runs here any more. */
  async quiet(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values())
  }

  async #slice(id: string): Promise<void> {
    let job: Job
    try {
      job = await (await this.#workspace.jobs.open(id)).resume({ suspendAfterMs: this.#limits.sliceMs })
    } catch (error) {
      // It ended, or is gone.
      if (!hasCode(error, 'CONFLICT') && !hasCode(error, 'NOT_FOUND')) throw error
      this.#storage.sql.exec('DELETE FROM scripts WHERE id = ?', id)
      return
    }
    const slice = job.ended
      .then(async ({ state }) => {
        if (state === 'suspended') await this.#storage.setAlarm(Date.now())
        else this.#storage.sql.exec('DELETE FROM scripts WHERE id = ?', id)
      })
      .finally(() => this.#running.delete(id))
    // What fails here is tried again by the alarm.
    slice.catch((error: unknown) => console.error(error))
    this.#running.set(id, slice)
  }

  #unfinished(): readonly string[] {
    return Array.from(
      this.#storage.sql.exec('SELECT id FROM scripts ORDER BY id') as Iterable<Readonly<Record<'id', SqlValue>>>,
      ({ id }) => String(id),
    )
  }
}
