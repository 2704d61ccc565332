import { afterAll, expect, it } from 'vitest'
import { bundleWorker, cleanUp, newFolder, startWorker } from '../edge/workerd.ts'
import { servers } from './servers.mjs'

afterAll(cleanUp)

it('requests of a Cloudflare worker share a session, each with a workspace of its own', async () => {
  const { url, token } = servers().upstash
  const bundle = await bundleWorker('test/servers/redis-worker.ts')
  const worker = await startWorker({ bundle, folder: newFolder(), network: true, bindings: { url, token } })
  const where = `${worker.url}/${crypto.randomUUID()}`
  const run = async (body: string): Promise<unknown> => (await fetch(where, { method: 'POST', body })).json()
  expect(await run('a=1')).toEqual({ stdoutText: '', durability: 'committed' })
  const lines = Array.from({ length: 8 }, (_, at) => `v${at}=${at}`)
  expect(await Promise.all(lines.map(run))).toEqual(lines.map(() => ({ stdoutText: '', durability: 'committed' })))
  expect(await run('echo $a $v0 $v1 $v2 $v3 $v4 $v5 $v6 $v7; history | wc -l')).toEqual({
    stdoutText: '1 0 1 2 3 4 5 6 7\n10\n',
    durability: 'committed',
  })
  await worker.kill()
})
