import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './run-script.ts'

/** A short script, and the area of the shell it looks at. */
export interface BashCase {
  readonly area: string
  readonly name: string
  readonly script: string
}

const FIXTURES = join(import.meta.dirname, 'fixtures')
const RECORDING = join(FIXTURES, 'bash-5.2.json')

/** The cases of `fixtures/AREA.sh`: each starts with a line `#### NAME`. */
export function bashCases(): BashCase[] {
  return readdirSync(FIXTURES)
    .filter((file) => file.endsWith('.sh'))
    .sort()
    .flatMap((file) => {
      const area = file.slice(0, -'.sh'.length)
      const sections = readFileSync(join(FIXTURES, file), 'utf8').split(/^#### (.*)\n/m)
      const cases: BashCase[] = []
      for (let i = 1; i < sections.length; i += 2) cases.push({ area, name: sections[i] as string, script: sections[i + 1] as string })
      return cases
    })
}

/** What bash 5.2.15 did with each script when it was recorded. */
export function recordedOutcomes(): Map<string, Outcome> {
  return new Map(Object.entries(JSON.parse(readFileSync(RECORDING, 'utf8')) as Record<string, Outcome>))
}

/** Keeps what bash does with each script. */
export function recordOutcomes(outcomes: ReadonlyMap<string, Outcome>): void {
  writeFileSync(RECORDING, `${JSON.stringify(Object.fromEntries(outcomes), null, 1)}\n`)
}
