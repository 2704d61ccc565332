import type { DurableObjectStorage } from 'mirage-runtime'

/** What the worker is given: `wrangler.jsonc` declares it, `wrangler secret put TOKEN` sets the token. */
export interface Bindings {
  readonly AGENTS: AgentNamespace
  /** Who has it may do everything. Without one every request is refused. */
  readonly TOKEN?: string
  /** Origins of pages that may call the worker, with commas between them, or `*`. None when left out. */
  readonly CORS_ORIGINS?: string
  readonly MAX_BODY_BYTES?: number | string
  readonly MAX_FILE_BYTES?: number | string
  readonly MAX_OUTPUT_BYTES?: number | string
  readonly MAX_TIMEOUT_MS?: number | string
  readonly MAX_LINES?: number | string
  readonly MAX_SCRIPTS?: number | string
  /** Milliseconds that a script runs before it is suspended, to go on with the next alarm. */
  readonly SCRIPT_SLICE_MS?: number | string
}

/** The Durable Objects, one an agent. */
interface AgentNamespace {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

/** What a Durable Object is made with. */
export interface ObjectState {
  readonly storage: AlarmStorage & { deleteAll(): Promise<void>; deleteAlarm(): Promise<void> }
  waitUntil(work: Promise<unknown>): void
}

/** The storage of a Durable Object, and its alarm: the object is woken then, whether it is in memory or not. */
export interface AlarmStorage extends DurableObjectStorage {
  setAlarm(time: number): Promise<void>
}
