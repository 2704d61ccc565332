import type { Host } from './host.ts'

/**
 * How long to wait for a server: its limit, or, for a while after it has let that go by without an answer, a short time, so that a server that is
 * away doesn't hold up each request as long. Then the limit is tried again, since the server may be slow.
 */
export class Patience {
  readonly #host: Pick<Host, 'elapsed'>
  readonly #limitMs: number
  #shortUntil = Number.NEGATIVE_INFINITY

  constructor(host: Pick<Host, 'elapsed'>, limitMs: number) {
    this.#host = host
    this.#limitMs = limitMs
  }

  /** Milliseconds that a request may take. */
  limit(): number {
    return this.#host.elapsed() < this.#shortUntil ? Math.min(SHORT_MS, this.#limitMs) : this.#limitMs
  }

  answered(): void {
    this.#shortUntil = Number.NEGATIVE_INFINITY
  }

  /** A request was given up without an answer; `limitMs` is what it had. */
  unanswered(limitMs: number): void {
    if (limitMs === this.#limitMs) this.#shortUntil = this.#host.elapsed() + WHILE_MS
  }
}

const SHORT_MS = 1000
const WHILE_MS = 20_000
