import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentClient, TOKEN } from './agent-client.ts'
import type { RunningWorker } from './workerd.ts'
import { bundleWorker, cleanUp, newFolder, startWorker } from './workerd.ts'

let bundle = ''
beforeAll(async () => {
  bundle = await bundleWorker('demo/worker/index.ts')
})
afterAll(cleanUp)

function start(folder: string): Promise<RunningWorker> {
  return startWorker({ bundle, folder, className: 'AgentShell', bindings: { TOKEN } })
}

test('a session is found where it was after its isolate was evicted', async () => {
  const folder = newFolder()
  let worker = await start(folder)
  const before = new AgentClient(worker.url)
  expect(await before.run('mkdir -p ~/work && cd ~/work; x=7; a=(1 "two words"); declare -A m=([k]=v)')).toMatchObject({
    exitCode: 0,
    durability: 'committed',
  })
  await before.run('greet() { echo "hello $1"; }; alias ll="ls -l"; umask 077')
  await before.run('x=other', { session: 'second' })
  await worker.kill()

  worker = await start(folder)
  const after = new AgentClient(worker.url)
  expect(await after.run('pwd; echo $x "${a[1]}" ${m[k]}; greet ada; alias; umask')).toEqual({
    stdout: "/home/user/work\n7 two words v\nhello ada\nalias ll='ls -l'\n0077\n",
    stderr: '',
    exitCode: 0,
    durability: 'committed',
  })
  expect((await after.run('echo $x; pwd', { session: 'second' })).stdout).toBe('other\n/\n')
  const { entries } = (await (await after.fetch('/history?session=main&limit=2')).json()) as { entries: { command: string }[] }
  expect(entries.map(({ command }) => command)).toEqual([
    'greet() { echo "hello $1"; }; alias ll="ls -l"; umask 077',
    'pwd; echo $x "${a[1]}" ${m[k]}; greet ada; alias; umask',
  ])
  await worker.kill()
})
