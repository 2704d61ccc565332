/** One thing that every implementation of a contract does. */
export interface ContractCase<Subject> {
  readonly name: string
  /** Names of capabilities of the subject without which the case is skipped. */
  readonly needs?: string | readonly string[]
  run(subject: Subject): Promise<void> | void
}

/** The first capability that is needed and not provided. */
export function lacking(needs: string | readonly string[] | undefined, provided: Iterable<string>): string | undefined {
  const has = new Set(provided)
  return [needs ?? []].flat().find((need) => !has.has(need))
}
