import { createParser, ShellSyntaxError } from '../shell/syntax/parser.ts'

/** True where more lines could complete the text: an open quote, `if`, pipe, here-document, or a backslash at its end. */
export function isIncompleteText(text: string): boolean {
  if (/(^|[^\\])(\\\\)*\\\n$/.test(text)) return true
  const parser = createParser(text)
  try {
    for (;;) {
      const command = parser.next({ extglob: true })
      if (command === null) return false
      // The one thing that the parser warns of is a here-document that the end of the text cut off.
      if (command.warnings !== undefined) return true
    }
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error.incomplete
    throw error
  }
}
