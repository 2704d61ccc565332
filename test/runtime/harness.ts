import type { AnySuite } from './suite.ts'

/** How one case ended in one runtime. */
export interface CaseResult {
  readonly suite: string
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly detail: string
}

/** Milliseconds that one case may take. */
const LIMIT = 30_000

/** Runs the suites one case after the other and reports each as it ends. */
export async function runSuites(suites: readonly AnySuite[], report: (result: CaseResult) => void): Promise<void> {
  for (const suite of suites) {
    for (const found of suite.cases) {
      const base = { suite: suite.name, name: found.name }
      if (found.missing !== null) {
        report({ ...base, outcome: 'skipped', detail: found.missing })
        continue
      }
      try {
        await within(found.run())
        report({ ...base, outcome: 'passed', detail: '' })
      } catch (error) {
        report({ ...base, outcome: 'failed', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) })
      }
    }
  }
}

/** One line that the runner finds among whatever else a runtime prints. */
export function resultLine(result: CaseResult): string {
  return `@case ${JSON.stringify(result)}`
}

async function within(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT} ms`)), LIMIT)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
