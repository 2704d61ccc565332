import { afterAll, expect, test } from 'vitest'
import { AgentClient } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import { cleanUp, newFolder } from './workerd.ts'

afterAll(cleanUp)

interface Script {
  readonly id: string
  readonly state: string
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

async function start(client: AgentClient, body: object): Promise<Script> {
  const response = await client.fetch('/scripts', { method: 'POST', body: JSON.stringify(body) })
  expect([response.status, response.status === 202 ? '' : await response.clone().text()]).toEqual([202, ''])
  return (await response.json()) as Script
}

async function look(client: AgentClient, id: string): Promise<Script> {
  return (await (await client.fetch(`/scripts/${id}`)).json()) as Script
}

/** Waits for the end of a script, or until what it wrote has a text in it. */
async function until(client: AgentClient, id: string, text: string | null): Promise<Script> {
  for (let tries = 0; tries < 400; tries++) {
    const script = await look(client, id)
    if (script.state !== 'running' || (text !== null && script.stdout.includes(text))) return script
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`script ${id} did not come to that`)
}

/** Counts, with state of every kind between one number and the next. */
const COUNTING = `exec 3>>~/numbers; trap 'echo bye' EXIT; sum=0; declare -A seen
for i in $(seq 1 $1); do echo $i >&3; sum=$((sum + i)); seen[$i]=yes; echo "$i $sum"; sleep 0.1; done
echo "\${#seen[@]} $(wc -l < ~/numbers)"; exit 3`

test('a script that is longer than its slices goes on by itself to its end', async () => {
  const worker = await startAgentWorker(newFolder(), { SCRIPT_SLICE_MS: '250' })
  const client = new AgentClient(worker.url)
  const { id, state } = await start(client, { script: COUNTING, args: ['12'], cwd: '/home/user' })
  expect(state).toBe('running')
  const lines = Array.from({ length: 12 }, (_, at) => `${at + 1} ${((at + 1) * (at + 2)) / 2}\n`).join('')
  expect(await until(client, id, null)).toMatchObject({ state: 'failed', exitCode: 3, stdout: `${lines}12 12\nbye\n`, stderr: '' })
  expect(await (await client.fetch('/scripts')).json()).toEqual({ scripts: [id] })
  await worker.kill()
})

test('a script goes on after its isolate was killed, from where it was written down last', async () => {
  const folder = newFolder()
  let worker = await startAgentWorker(folder, { SCRIPT_SLICE_MS: '200' })
  let client = new AgentClient(worker.url)
  const { id } = await start(client, { script: COUNTING, args: ['15'] })
  for (const number of [4, 9]) {
    await until(client, id, `\n${number} `)
    await worker.kill()
    worker = await startAgentWorker(folder, { SCRIPT_SLICE_MS: '200' })
    client = new AgentClient(worker.url)
  }
  const { state, stdout } = await until(client, id, null)
  const lines = Array.from({ length: 15 }, (_, at) => `${at + 1} ${((at + 1) * (at + 2)) / 2}`)
  expect([state, stdout.split('\n').slice(0, 15), stdout.endsWith('bye\n')]).toEqual(['failed', lines, true])
  // What it did between being written down and being killed is done again, and nothing is left out.
  const numbers = (await client.run('cat ~/numbers')).stdout.trim().split('\n').map(Number)
  expect([...new Set(numbers)]).toEqual(lines.map((_, at) => at + 1))
  await worker.kill()
})

test('scripts are ended, limited and refused', async () => {
  const worker = await startAgentWorker(newFolder(), { SCRIPT_SLICE_MS: '200', MAX_SCRIPTS: '1' })
  const client = new AgentClient(worker.url)
  const { id } = await start(client, { script: 'while :; do echo on; sleep 0.05; done' })
  const second = await client.fetch('/scripts', { method: 'POST', body: '{"script": "true"}' })
  expect([second.status, await second.json()]).toMatchObject([429, { error: { code: 'TOO_MANY_SCRIPTS' } }])
  await until(client, id, 'on')
  expect((await client.fetch(`/scripts/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect(['cancelled', 'terminated']).toContain((await look(client, id)).state)
  expect((await client.fetch('/scripts/none')).status).toBe(404)
  for (const body of ['{}', '{"script": 1}', '{"script": "true", "line": "x"}', '{"script": "true", "timeoutMs": "1"}'])
    expect((await client.fetch('/scripts', { method: 'POST', body })).status).toBe(400)
  const late = await start(client, { script: 'sleep 100', timeoutMs: 300 })
  expect(await until(client, late.id, null)).toMatchObject({ state: 'failed' })
  await worker.kill()
})
