import { concat, decode } from '../../bytes.ts'
import type { Process } from './process.ts'

/** The text of a substitution's output: trailing newlines gone, NUL bytes dropped. */
export function substituted(process: Process, chunks: readonly Uint8Array[]): string {
  let text = decode(concat(chunks))
  if (text.includes('\u0000')) {
    process.complain(`${process.messagePrefix()}warning: command substitution: ignored null byte in input\n`)
    text = text.replaceAll('\u0000', '')
  }
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 10) end -= 1
  return end === text.length ? text : text.slice(0, end)
}
