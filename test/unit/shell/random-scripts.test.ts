import { expect, test } from 'vitest'
import { randomScript } from './random-script.ts'
import type { Outcome } from './run-script.ts'
import { hasBash, inParallel, runBash, runHere } from './run-script.ts'

// SEEDS=FROM-TO looks at other seeds.
const [first = 0, last = 150] = (process.env.SEEDS ?? '').split('-').filter(Boolean).map(Number)

/**
 * What must be the same. Lines inside substitutions are numbered otherwise by bash, which prints and parses those again; subscripts are
 * shown as they were written; and bash evaluates arithmetic while it reads it, so that what comes before an error has happened.
 */
function comparable({ stdout, stderr, status }: Outcome): Outcome | null {
  if (/error token is|recursion level|unbound variable/.test(stdout + stderr)) return null
  const plain = (text: string): string =>
    text
      .replaceAll(/line \d+: /gi, '')
      .replaceAll(/(?:main|bash): /gi, 'bash: ')
      .replaceAll(/\[[^\]]*\]+(?=: bad array subscript)/g, '[]')
  return { stdout: plain(stdout), stderr: plain(stderr), status }
}

test.runIf(hasBash)(
  `scripts made from seeds ${first} to ${last} do as in bash`,
  async () => {
    const seeds = Array.from({ length: last - first }, (_, i) => first + i)
    const different: unknown[] = []
    await inParallel(seeds, 3, async (seed) => {
      const script = randomScript(seed)
      const theirs = comparable(await runBash(script))
      const ours = theirs && comparable(await runHere(script))
      if (ours !== null && JSON.stringify(ours) !== JSON.stringify(theirs)) different.push({ seed, script, theirs, ours })
    })
    expect(different).toEqual([])
  },
  600_000,
)
