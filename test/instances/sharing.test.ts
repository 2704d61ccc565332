import { afterEach, describe, expect, test } from 'vitest'
import type { StateChange } from '../../src/state/state-store.ts'
import { servers } from '../servers/servers.mjs'
import type { Running } from './runtimes.mjs'
import { runtimes } from './runtimes.mjs'

// Two runtimes in one session at the same time: what one does, the next line of the other sees.

const { upstash, s3 } = servers()
const running: Running[] = []

afterEach(async () => {
  for (const one of running.splice(0)) await one.kill()
})

function onRedis(): Record<string, unknown> {
  return { store: 'redis', options: { url: upstash.url, token: upstash.token, keyPrefix: `instances ${crypto.randomUUID()}:` } }
}

function inBucket(): Record<string, unknown> {
  const { endpoint: endpointUrl, ...access } = s3
  return { store: 's3', options: { ...access, endpointUrl, keyPrefix: `instances ${crypto.randomUUID()}/` }, history: onRedis() }
}

async function start(place: Record<string, unknown>, ...names: readonly (keyof typeof runtimes)[]): Promise<readonly Running[]> {
  const started = await Promise.all(names.map((name) => runtimes[name](place)))
  running.push(...started)
  return started
}

/** Runs a line in the shared session; what it printed. */
async function say(on: Running, line: string): Promise<string> {
  const answer = await on.ask({ do: 'run', session: 'live', line })
  expect(answer).toMatchObject({ durability: 'committed', outdated: false, conflicts: [] })
  return answer.stdout
}

/** Waits until the instance hears of changes: what happens before it does is not told. */
async function hears(on: Running, by: Running): Promise<void> {
  for (;;) {
    await by.ask({ do: 'run', session: 'other', line: ':' })
    const changes = (await on.ask({ do: 'changes' })) as readonly StateChange[]
    if (changes.some((change) => change.session === 'other')) return
  }
}

/** Waits until the instance is told of a change in a group of the session's state. */
async function told(on: Running, group: StateChange['group']): Promise<void> {
  for (;;) {
    const changes = (await on.ask({ do: 'changes' })) as readonly StateChange[]
    if (changes.some((change) => change.group === group && change.session === 'live')) return
  }
}

describe.each(['chromium', 'firefox', 'workerd'] as const)('Node and %s in one session on Redis', (name) => {
  test('see at once what the other did, are told of it, and have one history', async () => {
    const [node, other] = (await start(onRedis(), 'node', name)) as [Running, Running]
    for (const one of [node, other]) await one.ask({ do: 'watch' })
    await hears(node, other)
    await hears(other, node)
    expect(await say(other, 'pwd')).toBe('/\n')
    await told(node, 'observer')

    expect(await say(node, 'cd /tmp; export WHO=node; greet() { echo "$1 from $WHO"; }')).toBe('')
    await told(other, 'workspace')
    expect(await say(other, 'pwd; greet hello; export -p | grep WHO')).toBe('/tmp\nhello from node\ndeclare -x WHO="node"\n')

    await node.ask({ do: 'changes' })
    expect(await say(other, `cd /dev; export WHO=${name}; alias ll='ls -l'; unset -f greet`)).toBe('')
    await told(node, 'workspace')
    expect(await say(node, 'pwd; echo $WHO; alias; type -t greet')).toBe(`/dev\n${name}\nalias ll='ls -l'\n`)

    const lines = [
      'pwd',
      'cd /tmp; export WHO=node; greet() { echo "$1 from $WHO"; }',
      'pwd; greet hello; export -p | grep WHO',
      `cd /dev; export WHO=${name}; alias ll='ls -l'; unset -f greet`,
      'pwd; echo $WHO; alias; type -t greet',
    ]
    for (const one of [node, other]) {
      const shown = await say(one, 'history | cut -c 8-')
      lines.push('history | cut -c 8-')
      expect(shown).toBe(`${lines.join('\n')}\n`)
    }
  })
})

test('Node and workerd in one session in a bucket, with the history on Redis', async () => {
  const [node, worker] = (await start(inBucket(), 'node', 'workerd')) as [Running, Running]
  await say(node, 'cd /tmp; export WHO=node')
  expect(await say(worker, 'pwd; echo $WHO; cd /dev; WHO=worker')).toBe('/tmp\nnode\n')
  expect(await say(node, 'pwd; echo $WHO')).toBe('/dev\nworker\n')
  expect(await say(worker, 'history | cut -c 8-')).toBe(
    ['cd /tmp; export WHO=node', 'pwd; echo $WHO; cd /dev; WHO=worker', 'pwd; echo $WHO', 'history | cut -c 8-', ''].join('\n'),
  )
})
