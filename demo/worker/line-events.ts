import { HttpError } from './http-error.ts'
import type { OutputPiece } from './output-pieces.ts'

/** What a client hears of a line: its output as it comes, then how it ended. */
export type LineEvent =
  | { readonly kind: 'output'; readonly fields: { readonly stream: 'stdout' | 'stderr' } & OutputPiece }
  | { readonly kind: 'exit'; readonly fields: LineEnd }
  | { readonly kind: 'error'; readonly fields: { readonly error: { readonly code: string; readonly message: string } } }

interface LineEnd {
  readonly exitCode: number
  readonly durability: 'committed' | 'pending'
  /** Why it is pending. */
  readonly cause?: { readonly code: string; readonly message: string }
  readonly conflicts: readonly string[]
}

/** A way to write the events of one line. */
export interface EventFormat {
  readonly type: string
  /** Means nothing, and shows whether the client is still there. */
  readonly alive: string
  encode(event: LineEvent): string
}

/** The format that an `Accept` header asks for: lines of JSON unless it wants server-sent events. 406 for anything else. */
export function formatFor(accept: string): EventFormat {
  const types = accept.split(',').map((type) => type.replace(/;.*/, '').trim().toLowerCase())
  if (types.includes('text/event-stream')) return SERVER_SENT_EVENTS
  if (types.some((type) => [JSON_LINES.type, 'application/*', '*/*'].includes(type))) return JSON_LINES
  throw new HttpError(406, 'NOT_ACCEPTABLE', `there is no ${accept}: a line answers with ${JSON_LINES.type} or text/event-stream`)
}

const JSON_LINES: EventFormat = {
  type: 'application/x-ndjson',
  alive: '\n',
  encode: ({ fields }) => `${JSON.stringify(fields)}\n`,
}

const SERVER_SENT_EVENTS: EventFormat = {
  type: 'text/event-stream',
  alive: ':\n\n',
  encode: ({ kind, fields }) => `event: ${kind}\ndata: ${JSON.stringify(fields)}\n\n`,
}
