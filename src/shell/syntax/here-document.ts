import type { HereDocument, Redirect, Word, WordPart } from './ast.ts'
import { BACKSLASH, TAB } from './characters.ts'
import { scanHereDocumentBody } from './expansions.ts'
import type { Source } from './source.ts'

/** A here-document whose operator was read and whose body follows behind the line. */
export interface PendingHereDocument {
  /** Gets its `hereDocument` when the body is read. */
  readonly redirect: { -readonly [K in keyof Redirect]: Redirect[K] }
  readonly delimiter: string
  readonly quoted: boolean
  readonly stripTabs: boolean
  readonly line: number
}

/** The delimiter that a word names: the word without its quotes, nothing expanded. */
export function delimiterOf(word: Word): { readonly delimiter: string; readonly quoted: boolean } {
  const quoted = /['"\\]/.test(word.raw)
  if (!quoted) return { delimiter: word.raw, quoted }
  const text = textOf(word.parts)
  return { delimiter: text ?? word.raw.replace(/\\(.)|['"]/gs, '$1'), quoted }
}

function textOf(parts: readonly WordPart[]): string | null {
  let text = ''
  for (const part of parts) {
    const piece = part.type === 'text' ? part.text : part.type === 'double' ? textOf(part.parts) : null
    if (piece === null) return null
    text += piece
  }
  return text
}

/**
 * Reads the body that starts at `source.pos`, a line's start, and stops behind the delimiter's line.
 * False, with nothing read, where `mustEnd` and no delimiter comes.
 */
export function readHereDocument(source: Source, pending: PendingHereDocument, mustEnd: boolean): boolean {
  const { delimiter, quoted, stripTabs } = pending
  const text = source.text
  const start = source.pos
  const line = source.lineAt(start)
  let body = ''
  let run = start
  let at = start
  // What the lines before have of the line, where they were continued.
  let joined = ''
  let ended = false
  while (at < text.length) {
    if (stripTabs && joined === '' && text.charCodeAt(at) === TAB) {
      body += text.slice(run, at)
      while (text.charCodeAt(at) === TAB) at++
      run = at
    }
    const newline = endOfLine(text, at)
    if (!quoted && continues(text, at, newline)) {
      body += text.slice(run, newline - 1)
      joined += text.slice(at, newline - 1)
      at = newline + 1
      run = at
      continue
    }
    if (joined.length + newline - at === delimiter.length && joined + text.slice(at, newline) === delimiter) {
      ended = true
      body = (body + text.slice(run, at)).slice(0, joined === '' ? undefined : -joined.length)
      source.pos = Math.min(newline + 1, text.length)
      break
    }
    joined = ''
    at = newline + 1
  }
  if (!ended) {
    if (mustEnd) return false
    body += text.slice(run)
    if (body !== '' && !body.endsWith('\n')) body += '\n'
    source.pos = text.length
    source.warnings.push(`here-document at line ${pending.line} delimited by end-of-file (wanted \`${delimiter}')`)
  }
  pending.redirect.hereDocument = { delimiter, quoted, body: bodyWord(source, body, quoted, line) } satisfies HereDocument
  return true
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline
}

/** Whether the line up to `newline` goes on behind it: an odd number of backslashes ends it. */
function continues(text: string, start: number, newline: number): boolean {
  let at = newline
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at--
  return newline < text.length && (newline - at) % 2 === 1
}

function bodyWord(source: Source, body: string, quoted: boolean, line: number): Word {
  if (quoted || !/[$`\\]/.test(body)) {
    return { type: 'word', parts: body === '' ? [] : [{ type: 'text', text: body, quoted: true }], raw: body }
  }
  const nested = source.nested(body, line)
  nested.hereDocument = true
  return scanHereDocumentBody(nested)
}
