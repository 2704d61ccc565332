/**
 * What a bad network and a busy server do to a request.
 * @type {readonly import('../servers/fault-proxy.mjs').Fault[]}
 */
export const FAULTS = [
  { kind: 'cut-before' },
  { kind: 'lose-answer' },
  { kind: 'cut-answer' },
  { kind: 'repeat' },
  { kind: 'slow', ms: 100 },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 503 },
]
