import { resultLine, runSuites } from './harness.ts'
import { suites } from './suites.ts'

/** What `workerd test` runs. */
export const contract = {
  test: (): Promise<void> => runSuites(suites, (result) => console.log(resultLine(result))),
}
