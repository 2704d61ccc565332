import { resultLine, runSuites } from './harness.ts'
import { suites } from './suites.ts'

await runSuites(suites, (result) => console.log(resultLine(result)))
