import type { Agent } from './agent.ts'

/** A request that has found its handler. */
export interface Call {
  readonly request: Request
  readonly agent: Agent
  /** What the path has after the route's own part, still percent-encoded. */
  readonly rest: string
  readonly query: ReadonlyMap<string, string>
}

export interface Handler {
  /** Keys that the query may have. */
  readonly query: readonly string[]
  run(call: Call): Promise<Response>
}
