import { afterAll, expect, test } from 'vitest'
import { AgentClient, eventsOf } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import { cleanUp, newFolder } from './workerd.ts'

afterAll(cleanUp)

interface History {
  readonly entries: readonly { readonly command: string; readonly session: string; readonly agent: string }[]
}

async function commandsOf(client: AgentClient, query = ''): Promise<readonly string[]> {
  const { entries } = (await (await client.fetch(`/history${query}`)).json()) as History
  return entries.map(({ command }) => command)
}

/** What `n` became, line by line. */
async function numbersOf(client: AgentClient): Promise<readonly number[]> {
  return (await commandsOf(client, '?session=main&limit=10000')).map((command) => Number(/n=(\d+)/.exec(command)?.[1]))
}

test('an agent is found where it was after its isolate was evicted', async () => {
  const folder = newFolder()
  let worker = await startAgentWorker(folder)
  const before = new AgentClient(worker.url)
  const lines = [
    'mkdir -p ~/work && cd ~/work; x=7; a=(1 "two words"); declare -A m=([k]=v)',
    'greet() { echo "hello $1"; }; alias ll="ls -l"; umask 077',
    'printf "%s\\n" b a > names; ln -s names link; chmod 640 names',
  ]
  for (const line of lines) expect(await before.run(line)).toMatchObject({ stderr: '', exitCode: 0, durability: 'committed' })
  await before.run('x=other', { session: 'second' })
  await worker.kill()

  worker = await startAgentWorker(folder)
  const after = new AgentClient(worker.url)
  const look = 'pwd; echo $x "${a[1]}" ${m[k]}; greet ada; alias; umask; sort link; stat -c %a names'
  expect(await after.run(look)).toEqual({
    stdout: "/home/user/work\n7 two words v\nhello ada\nalias ll='ls -l'\n0077\na\nb\n640\n",
    stderr: '',
    exitCode: 0,
    durability: 'committed',
  })
  expect((await after.run('echo $x; pwd', { session: 'second' })).stdout).toBe('other\n/\n')
  expect(await commandsOf(after, '?session=main')).toEqual([...lines, look])
  expect((await after.run('history 2')).stdout).toBe(`    4  ${look}\n    5  history 2\n`)
  expect(await (await after.fetch('/sessions')).json()).toEqual({ sessions: ['main', 'second'] })
  await worker.kill()
})

test('agents know nothing of each other', async () => {
  const worker = await startAgentWorker(newFolder())
  const [ada, grace] = [new AgentClient(worker.url, 'ada'), new AgentClient(worker.url, 'grace/ü')]
  await ada.run('x=1; echo secret > /f')
  expect((await grace.run('echo ${x-unset}; ls /f')).stdout).toBe('unset\n')
  expect(await commandsOf(grace)).toEqual(['echo ${x-unset}; ls /f'])
  const { entries } = (await (await grace.fetch('/history')).json()) as History
  expect(entries[0]).toMatchObject({ agent: 'grace/ü', session: 'main' })
  await worker.kill()
})

test('an agent that is dropped begins anew, also after an eviction', async () => {
  const folder = newFolder()
  let worker = await startAgentWorker(folder)
  const client = new AgentClient(worker.url)
  await client.run('x=1; echo data > ~/f; cd /tmp')
  expect((await client.fetch('', { method: 'DELETE' })).status).toBe(204)
  expect(await client.run('pwd; echo ${x-unset}; ls -A ~')).toMatchObject({ stdout: '/\nunset\n', exitCode: 0 })
  await worker.kill()
  worker = await startAgentWorker(folder)
  expect(await commandsOf(new AgentClient(worker.url))).toEqual(['pwd; echo ${x-unset}; ls -A ~'])
  await worker.kill()
})

test('whenever the process is killed, every acknowledged line is there, and nothing twice', async () => {
  const folder = newFolder()
  const acknowledged: number[] = []
  let sent = 0
  let chance = 11
  for (let round = 0; round < 12; round++) {
    const worker = await startAgentWorker(folder)
    const client = new AgentClient(worker.url)
    if (round > 0) {
      const { stdout } = await client.run('echo $n; tail -n 1 ~/log', { record: false })
      const [n, last] = stdout.trimEnd().split('\n').map(Number)
      // What was being run when the process died may have come through, or not.
      expect(n).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0)
      expect(last).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0)
      expect(n).toBeLessThanOrEqual(sent)
      // A line's change of the session and its entry are one transaction.
      expect((await numbersOf(client)).at(-1)).toBe(n)
    }
    chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
    const most = 1 + Math.floor((chance / 2 ** 32) * 25)
    // The next line goes off as the process is killed.
    for (let line = 0; line < most; line++) {
      sent += 1
      const { durability } = await client.run(`n=${sent}; echo ${sent} >> ~/log`)
      expect(durability).toBe('committed')
      acknowledged.push(sent)
    }
    sent += 1
    const late = client.run(`n=${sent}; echo ${sent} >> ~/log`).then(
      () => acknowledged.push(sent),
      () => undefined,
    )
    await new Promise((resolve) => setTimeout(resolve, (chance >>> 8) % 6))
    await worker.kill()
    await late
  }
  const worker = await startAgentWorker(folder)
  const client = new AgentClient(worker.url)
  const kept = (await client.run('cat ~/log', { record: false })).stdout.trimEnd().split('\n').map(Number)
  const recorded = await numbersOf(client)
  for (const found of [kept, recorded]) {
    expect(new Set(found).size).toBe(found.length)
    expect([...found].sort((a, b) => a - b)).toEqual(found)
    expect(acknowledged.filter((line) => !found.includes(line))).toEqual([])
  }
  await worker.kill()
})

test('a line that was cut off by the death of the process leaves the session usable', async () => {
  const folder = newFolder()
  let worker = await startAgentWorker(folder)
  const client = new AgentClient(worker.url)
  await client.run('x=before')
  const events = eventsOf(await client.post({ line: 'echo begun; x=during; sleep 1000' }))
  expect((await events.next()).value).toEqual({ stream: 'stdout', text: 'begun\n' })
  await worker.kill()
  await expect(events.next()).rejects.toThrow()
  worker = await startAgentWorker(folder)
  expect((await new AgentClient(worker.url).run('echo $x')).stdout).toBe('before\n')
  await worker.kill()
})
