/** One case of a contract: it fails by throwing. `needs` names what the subject must be able to do. */
export interface ContractCase<Subject> {
  readonly name: string
  readonly needs?: readonly string[] | string
  readonly run: (subject: Subject) => unknown
}

/** A contract and something to run it on, made anew for each case. */
export interface Suite<Subject> {
  readonly name: string
  readonly cases: readonly ContractCase<Subject>[]
  readonly makeSubject: () => Subject | Promise<Subject>
  /** What the subject can do; everything when left out. */
  readonly provides?: readonly string[]
}

/** A suite whose subject nobody needs to name. */
export interface AnySuite {
  readonly name: string
  readonly cases: readonly { readonly name: string; readonly missing: readonly string[]; readonly run: () => Promise<void> }[]
}

/** Binds a suite's cases to its subject. */
export function suite<Subject>(given: Suite<Subject>): AnySuite {
  const cases = given.cases.map((found) => ({
    name: found.name,
    missing: given.provides === undefined ? [] : [found.needs ?? []].flat().filter((need) => given.provides?.includes(need) === false),
    run: async () => void (await found.run(await given.makeSubject())),
  }))
  return { name: given.name, cases }
}
