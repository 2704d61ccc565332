import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { suspendedScripts } from '../../runtime/suspended-scripts.ts'

const hasBash = spawnSync('bash', ['-c', '(( BASH_VERSINFO[0] > 5 || BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 2 ))']).status === 0

test.runIf(hasBash).each(suspendedScripts)('$name: bash says the same', ({ script, output, status }) => {
  const ran = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], { encoding: 'utf8' })
  expect([ran.stdout, ran.status]).toEqual([output, status])
})
