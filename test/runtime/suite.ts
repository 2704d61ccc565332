import { lacking } from '../contract/case.ts'

/** One case of a contract: it fails by throwing. */
interface Case<Subject> {
  readonly name: string
  /** What the subject must be able to do. */
  readonly needs?: string | readonly string[]
  run(subject: Subject): unknown
}

/** A contract and something to run it on, made anew for each case. */
interface Suite<Subject> {
  readonly name: string
  readonly cases: readonly Case<Subject>[]
  /** A string names what the runtime lacks, so that there is no subject. */
  readonly makeSubject: string | (() => Subject | Promise<Subject>)
  /** What a subject can do; everything when left out. */
  readonly provides?: (subject: Subject) => readonly string[]
  /** Lets go of a subject. */
  readonly done?: (subject: Subject) => unknown
}

/** A suite whose subject nobody needs to name. */
export interface AnySuite {
  readonly name: string
  readonly cases: readonly AnyCase[]
}

interface AnyCase {
  readonly name: string
  run(): Promise<Ended>
}

/** What is missing, so that the case couldn't run; null where it ran, and what it made. */
interface Ended {
  readonly missing: string | null
  readonly made?: unknown
}

/** Binds a suite's cases to its subject. */
export function suite<Subject>(given: Suite<Subject>): AnySuite {
  const cases = given.cases.map(({ name, needs, run }) => ({
    name,
    run: async (): Promise<Ended> => {
      if (typeof given.makeSubject === 'string') return { missing: given.makeSubject }
      const subject = await given.makeSubject()
      try {
        const provided = given.provides?.(subject)
        const missing = provided && lacking(needs, provided)
        if (missing !== undefined) return { missing }
        return { missing: null, made: await run(subject) }
      } finally {
        await given.done?.(subject)
      }
    },
  }))
  return { name: given.name, cases }
}
