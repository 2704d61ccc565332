import { decode, encode } from '../bytes.ts'

const ASCII = /^[\x00-\x7f]*$/

/** Shell text in which every byte beyond ASCII is a stray one: what a locale of bytes makes of them. One character a byte. */
export function decodeBytewise(bytes: Uint8Array): string {
  const text = decode(bytes)
  if (text.length === bytes.length && ASCII.test(text)) return text
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 4096) {
    const codes = Array.from(bytes.subarray(at, at + 4096), (byte) => (byte < 128 ? byte : 0xdc00 + byte))
    parts.push(String.fromCharCode(...codes))
  }
  return parts.join('')
}

/** Shell text with every character beyond ASCII taken apart into stray bytes. */
export function bytewise(text: string): string {
  return ASCII.test(text) ? text : decodeBytewise(encode(text))
}
