/** One case of a contract: it fails by throwing. */
interface Case<Subject> {
  readonly name: string
  /** What the subject must be able to do. */
  readonly needs?: string | readonly string[]
  run(subject: Subject): unknown
}

/** A contract and something to run it on, made anew for each case. */
export interface Suite<Subject> {
  readonly name: string
  readonly cases: readonly Case<Subject>[]
  readonly makeSubject: () => Subject | Promise<Subject>
  /** What the subject can do; everything when left out. */
  readonly provides?: readonly string[]
}

/** A suite whose subject nobody needs to name. */
export interface AnySuite {
  readonly name: string
  readonly cases: readonly { readonly name: string; readonly missing: string | null; readonly run: () => Promise<void> }[]
}

/** Binds a suite's cases to its subject. */
export function suite<Subject>(given: Suite<Subject>): AnySuite {
  const cases = given.cases.map((found) => ({
    name: found.name,
    missing: [found.needs ?? []].flat().find((need) => given.provides?.includes(need) === false) ?? null,
    run: async () => void (await found.run(await given.makeSubject())),
  }))
  return { name: given.name, cases }
}
