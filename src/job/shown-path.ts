/** A path, or another text, on one line: what would move the cursor or end the line is escaped. */
export function shownPath(path: string): string {
  return path.replace(/[\0-\x1f\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
