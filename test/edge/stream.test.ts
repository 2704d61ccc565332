import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentClient, eventsOf } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import type { RunningWorker } from './workerd.ts'
import { cleanUp, newFolder } from './workerd.ts'

let worker: RunningWorker
let agents = 0

beforeAll(async () => {
  worker = await startAgentWorker(newFolder(), { MAX_OUTPUT_BYTES: '100000000', MAX_LINES: '4' })
})
afterAll(cleanUp)

function newAgent(): AgentClient {
  agents += 1
  return new AgentClient(worker.url, `agent ${agents}`)
}

test('output arrives while the line runs, stream by stream, and then its end', async () => {
  const client = newAgent()
  const events = eventsOf(await client.post({ line: 'echo out; echo err >&2; until [ -e /go ]; do sleep 0.01; done; echo gone; (exit 3)' }))
  expect((await events.next()).value).toEqual({ stream: 'stdout', text: 'out\n' })
  expect((await events.next()).value).toEqual({ stream: 'stderr', text: 'err\n' })
  expect((await client.fetch('/files/go', { method: 'PUT', body: '' })).status).toBe(201)
  expect((await events.next()).value).toEqual({ stream: 'stdout', text: 'gone\n' })
  expect((await events.next()).value).toEqual({ exitCode: 3, durability: 'committed', conflicts: [] })
  expect((await events.next()).done).toBe(true)
})

test('bytes that are no text come in base64, and no character is cut', async () => {
  const client = newAgent()
  const events = []
  const line = "printf '\\303'; printf '\\251\\n'; printf '\\377\\000'; printf 'end \\342\\202'"
  for await (const event of eventsOf(await client.post({ line }))) events.push(event)
  expect(events).toEqual([
    { stream: 'stdout', text: 'é\n' },
    { stream: 'stdout', base64: '/wA=' },
    { stream: 'stdout', text: 'end ' },
    { stream: 'stdout', base64: '4oI=' },
    { exitCode: 0, durability: 'committed', conflicts: [] },
  ])
})

test('who accepts server-sent events gets them', async () => {
  const response = await newAgent().post({ line: 'echo "a b"; false' }, { headers: { accept: 'text/event-stream' } })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await response.text()).toBe(
    'event: output\ndata: {"stream":"stdout","text":"a b\\n"}\n\n' +
      'event: exit\ndata: {"exitCode":1,"durability":"committed","conflicts":[]}\n\n',
  )
})

test.each([
  ['a silent line', 'echo begun; x=during; sleep 1000'],
  ['a line that writes', 'echo begun; x=during; while :; do echo more; sleep 0.01; done'],
  ['a line that writes more than is read', 'echo begun; x=during; yes'],
  ['a busy line', 'echo begun; x=during; while :; do :; done'],
])('a client that goes away ends %s', async (_, line) => {
  const client = newAgent()
  const controller = new AbortController()
  const response = await client.post({ line, timeoutMs: 60_000 }, { signal: controller.signal })
  const events = eventsOf(response)
  expect((await events.next()).value).toMatchObject({ stream: 'stdout' })
  const aborted = performance.now()
  controller.abort()
  await events.next().catch(() => undefined)
  // It waits until the first line has ended.
  expect(await client.run('echo $x')).toMatchObject({ stdout: 'during\n' })
  expect(performance.now() - aborted).toBeLessThan(10_000)
  const { entries } = (await (await client.fetch('/history')).json()) as { entries: { command: string; exitCode: number }[] }
  expect(entries.map(({ command, exitCode }) => [command, exitCode])).toEqual([
    [line, 130],
    ['echo $x', 0],
  ])
})

test('a client that reads slowly holds the line back', async () => {
  const client = newAgent()
  const response = await client.post({ line: 'for ((i = 0; i < 2000; i++)); do printf "%080d\\n" $i; done; echo > /done' })
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size < 20_000) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(size).toBeGreaterThan(2000 * 81)
  expect((await client.fetch('/files/done')).status).toBe(200)
})

test('a client that reads slowly holds both streams back, and gets all of both', async () => {
  const line = 'many() { for ((i = 0; i < 3000; i++)); do printf "%080d\\n" $i; done; }; many & many >&2; wait'
  const size = { stdout: 0, stderr: 0 }
  for await (const { stream, text = '', exitCode } of eventsOf(await newAgent().post({ line, timeoutMs: 20_000 }))) {
    if (stream !== undefined) size[stream] += text.length
    if (size.stdout + size.stderr < 50_000) await new Promise((resolve) => setTimeout(resolve, 1))
    if (exitCode !== undefined) expect(exitCode).toBe(0)
  }
  expect(size).toEqual({ stdout: 3000 * 81, stderr: 3000 * 81 })
})

test('a client that reads nothing keeps a line no longer than its time', async () => {
  const client = newAgent()
  const unread = await client.post({ line: 'yes', timeoutMs: 500 })
  expect(await client.run('echo next')).toMatchObject({ stdout: 'next\n', exitCode: 0 })
  expect((await unread.text()).trimEnd().split('\n').at(-1)).toBe('{"exitCode":124,"durability":"committed","conflicts":[]}')
})

test('limits of time and output end a line', async () => {
  const small = await startAgentWorker(newFolder(), { MAX_OUTPUT_BYTES: '200000' })
  const client = new AgentClient(small.url)
  expect(await client.run('echo a; sleep 1000', { timeoutMs: 50 })).toMatchObject({
    stdout: 'a\n',
    stderr: 'bash: timed out after 50 ms\n',
    exitCode: 124,
  })
  const { stdout, stderr, exitCode } = await client.run('yes')
  expect([exitCode, stderr]).toEqual([137, 'bash: output limit of 200000 bytes exceeded\n'])
  expect(stdout.length).toBeLessThanOrEqual(200_000)
  expect(await client.run('echo still here')).toMatchObject({ stdout: 'still here\n' })
  await small.kill()
})

test('lines of one session take turns, those of several run side by side', async () => {
  const client = newAgent()
  await client.run('n=0')
  await Promise.all(Array.from({ length: 4 }, () => client.run('m=$n; sleep 0.01; n=$((m + 1))')))
  expect((await client.run('echo $n')).stdout).toBe('4\n')
  // Each waits for the other.
  const [one, two] = await Promise.all([
    client.run('echo > /tmp/1; until [ -e /tmp/2 ]; do sleep 0.01; done; echo one', { session: 'one', timeoutMs: 10_000 }),
    client.run('echo > /tmp/2; until [ -e /tmp/1 ]; do sleep 0.01; done; echo two', { session: 'two', timeoutMs: 10_000 }),
  ])
  expect([one.stdout, two.stdout]).toEqual(['one\n', 'two\n'])
})

test('an agent has only so many lines at a time', async () => {
  const client = newAgent()
  const running = await Promise.all(
    Array.from({ length: 4 }, (_, i) => client.post({ line: 'echo begun; until [ -e /go ]; do sleep 0.01; done', session: `s${i}` })),
  )
  const refused = await client.post({ line: ':' })
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '1',
    { error: { code: 'TOO_MANY_LINES', message: '4 lines of this agent run or wait already' } },
  ])
  await client.fetch('/files/go', { method: 'PUT', body: '' })
  for (const response of running) await response.text()
  expect((await client.run('echo free')).stdout).toBe('free\n')
})
