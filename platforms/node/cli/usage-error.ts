/** A command line that can't be understood: exit status 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
