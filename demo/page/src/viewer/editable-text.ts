/** A text as a field of the page can hold it, and the way back to bytes. */
export interface EditableText {
  readonly text: string
  /** The bytes of a changed text, with the line ends that the file had. */
  bytes(text: string): Uint8Array
}

/** Null for bytes that would not come back as they are: what is no UTF-8, and line ends that are not all alike. */
export function editableText(bytes: Uint8Array): EditableText | null {
  let whole: string
  try {
    whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
  if (whole.includes('\0')) return null
  const encoder = new TextEncoder()
  if (!whole.includes('\r')) return { text: whole, bytes: (text) => encoder.encode(text) }
  // A text field turns every line end into \n.
  const text = whole.replaceAll('\r\n', '\n')
  if (text.includes('\r') || text.replaceAll('\n', '\r\n') !== whole) return null
  return { text, bytes: (changed) => encoder.encode(changed.replaceAll('\n', '\r\n')) }
}
