import { packageCases } from './package-cases.ts'
import type { AnySuite } from './suite.ts'
import { suite } from './suite.ts'

/** All that runs in every runtime. Imports nothing but `mirage-runtime` and contracts. */
export const suites: readonly AnySuite[] = [suite({ name: 'package', cases: packageCases, makeSubject: () => null })]
