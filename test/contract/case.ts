/** One thing that every implementation of a contract does. */
export interface ContractCase<Subject> {
  readonly name: string
  /** A capability of the subject without which the case is skipped, by name. */
  readonly needs?: string
  run(subject: Subject): Promise<void> | void
}
