import { resultLine, runSuites } from '../harness.ts'
import type { Column } from '../places.ts'
import { suitesFor } from '../suites.ts'
import { workerPlaces } from './places.ts'

/** What `workerd test` runs. */
export const contract = {
  test: async (_: unknown, env: { readonly COLUMN: Column }): Promise<void> => {
    await runSuites(suitesFor(env.COLUMN, workerPlaces), env.COLUMN.grep, (result) => console.log(resultLine(result)))
  },
}
