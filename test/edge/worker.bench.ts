import { afterAll, bench, describe } from 'vitest'
import { AgentClient } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import { cleanUp, newFolder } from './workerd.ts'

// npx vitest bench --run --config test/edge/vitest.config.ts: lines over HTTP, state in a Durable Object on the disk.
const worker = await startAgentWorker(newFolder())
const client = new AgentClient(worker.url)
let n = 0

afterAll(cleanUp)

describe('one after the other', () => {
  bench('GET /health', async () => {
    await (await fetch(`${worker.url}/health`)).text()
  })
  bench('echo hi', async () => {
    await client.run('echo hi')
  })
  bench('echo hi, not recorded', async () => {
    await client.run('echo hi', { record: false })
  })
  bench('a line that changes a variable', async () => {
    await client.run(`x=${n++}`)
  })
  bench('a line that appends to a file', async () => {
    await client.run('echo more >> /log', { record: false })
  })
})

describe('16 at a time, sessions of one agent', () => {
  bench('16 × echo hi', async () => {
    await Promise.all(Array.from({ length: 16 }, (_, i) => client.run('echo hi', { session: `s${i}` })))
  })
})
