/** A regular expression that can't be compiled, or that would take too long; the message is the one GNU tools print. */
export class RegexError extends Error {
  override readonly name: string = 'RegexError'
  readonly code = 'SYNTAX'
}
