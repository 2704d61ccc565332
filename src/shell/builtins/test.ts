import type { MaybePromise } from '../../host.ts'
import { evaluateTest } from '../expand/conditional.ts'
import { testContext } from '../machine/test-context.ts'
import type { Builtin } from './builtin.ts'

/** `test` and `[` */
export const testBuiltin: Builtin = {
  run(process, args, name): MaybePromise<number> {
    return evaluateTest(args, testContext(process, name))
  },
}
