import type { AnySuite } from './suite.ts'

/** How one case ended in one runtime. */
export interface CaseResult {
  readonly suite: string
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What went wrong, or what is missing. */
  readonly detail: string
  readonly ms: number
  /** What the case gave. */
  readonly made?: unknown
}

/** Milliseconds that one case may take. */
const LIMIT = 60_000

/** Runs the cases whose `suite: name` holds `grep`, one after the other, and reports each as it ends. */
export async function runSuites(suites: readonly AnySuite[], grep: string, report: (result: CaseResult) => void): Promise<void> {
  for (const { name: suite, cases } of suites) {
    for (const { name, run } of cases) {
      if (!`${suite}: ${name}`.includes(grep)) continue
      const started = performance.now()
      const ended = (outcome: CaseResult['outcome'], detail: string, made?: unknown): void =>
        report({ suite, name, outcome, detail, ms: Math.round(performance.now() - started), made })
      try {
        const { missing, made } = await within(run())
        ended(missing === null ? 'passed' : 'skipped', missing ?? '', made)
      } catch (error) {
        ended('failed', said(error))
      }
    }
  }
}

/** One line that the runner finds among whatever else a runtime prints. */
export function resultLine(result: CaseResult): string {
  return `@case ${JSON.stringify(result)}`
}

/** Some engines leave the message out of the stack. */
function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stack = '' } = error
  return stack.includes(error.message) ? stack : `${error.name}: ${error.message}\n${stack}`
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT} ms`)), LIMIT)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
