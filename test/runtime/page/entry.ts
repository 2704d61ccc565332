import type { CaseResult } from '../harness.ts'
import { runSuites } from '../harness.ts'
import type { Column } from '../places.ts'
import { suitesFor } from '../suites.ts'
import { pagePlaces } from './places.ts'

// Runs in a page and in a worker of one. Results go to the server as they come, one request at a time.

const waiting: CaseResult[] = []
let sending: Promise<void> | null = null

try {
  const column = (await (await fetch('/column.json')).json()) as Column
  await runSuites(suitesFor(column, pagePlaces(column)), column.grep, (result) => {
    waiting.push(result)
    sending ??= send()
  })
  await sending
  await post({ results: waiting, end: '' })
} catch (error) {
  await post({ results: waiting, end: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) })
}

async function send(): Promise<void> {
  while (waiting.length > 0) await post({ results: waiting.splice(0), end: null })
  sending = null
}

async function post(message: { results: readonly CaseResult[]; end: string | null }): Promise<void> {
  await fetch('/results', { method: 'POST', body: JSON.stringify(message) })
}
