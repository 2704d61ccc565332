import { quotedName } from './quoting.ts'

/** A file named in a message that always quotes it: `'x'`, `"it's"`. */
export function quotedFile(name: string): string {
  const text = quotedName(name)
  return text === name ? `'${name}'` : text
}
