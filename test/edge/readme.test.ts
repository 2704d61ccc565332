import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { TOKEN } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import { cleanUp, newFolder } from './workerd.ts'

afterAll(cleanUp)

test('the commands of demo/worker/README.md print what it says', async () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../demo/worker/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```sh run\n(.*?)^```\n\n```output\n(.*?)^```$/gms)]
  expect(blocks.length).toBe(3)
  const worker = await startAgentWorker(newFolder())
  for (const [, script = '', output = ''] of blocks) expect(await run(script, worker.url)).toBe(output)
  await worker.kill()
})

/** What a script writes to both of its streams. */
function run(script: string, url: string): Promise<string> {
  return new Promise((done) => {
    execFile('bash', ['-c', script], { env: { ...process.env, URL: url, TOKEN }, timeout: 30_000 }, (_, stdout, stderr) =>
      done(stdout + stderr),
    )
  })
}
