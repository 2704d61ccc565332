import { decode, encode } from '../bytes.ts'
import type { HistoryEntry } from './session-fields.ts'

/** An entry as a history file has it. */
export interface BashHistoryEntry {
  /** Seconds since the epoch; null for a line without one. */
  readonly seconds: number | null
  readonly command: string
}

/** A line that a reader would take for the time of an entry, or for one that was indented here. */
const LOOKS_LIKE_TIME = /^( *#[0-9])/gm
const INDENTED = /^ ( *#[0-9])/gm
const TIME = /^#([0-9]+)$/

/**
 * Entries as bash's history file: a line `#SECONDS`, then the command with its line breaks. A line of a command that begins like a time,
 * `#` and a digit after any spaces, is indented by one more space, so that no command reads as two; {@link parseBashHistory} takes it away again.
 */
export function formatBashHistory(entries: readonly Pick<HistoryEntry, 'timestamp' | 'command'>[]): Uint8Array {
  let text = ''
  for (const { timestamp, command } of entries) {
    text += `#${Math.floor(timestamp / 1000)}\n${command.includes('#') ? command.replace(LOOKS_LIKE_TIME, ' $1') : command}\n`
  }
  return encode(text)
}

/** The entries of a history file: exactly those {@link formatBashHistory} was given, or one a line where the file has no times. */
export function parseBashHistory(bytes: Uint8Array): readonly BashHistoryEntry[] {
  const lines = decode(bytes).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const entries: BashHistoryEntry[] = []
  let at = 0
  // Lines before the first time are entries of their own, as bash reads them.
  for (; at < lines.length && !TIME.test(lines[at] as string); at++) entries.push({ seconds: null, command: lines[at] as string })
  while (at < lines.length) {
    const seconds = Number(TIME.exec(lines[at] as string)?.[1])
    const start = ++at
    while (at < lines.length && !TIME.test(lines[at] as string)) at += 1
    entries.push({ seconds, command: lines.slice(start, at).join('\n').replace(INDENTED, '$1') })
  }
  return entries
}
