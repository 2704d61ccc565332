import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { jobFolders } from '../../../platforms/node/cli/job-folders.ts'
import { jobsOfFolder } from '../../../platforms/node/cli/job-workspace.ts'
import { inspectScratch } from '../../../platforms/node/cli/scratch.ts'
import { decode } from '../../../src/bytes.ts'
import type { Job } from '../../../src/job/job.ts'
import type { Jobs } from '../../../src/job/jobs.ts'

/** Everything that a tree is, as `find` shows it. */
const SHOW =
  'find . -mindepth 1 \\( -type l -printf "%P l %l\\n" -o -printf "%P %y %m %n %T@\\n" \\) | LC_ALL=C sort; find . -type f -exec cksum {} + | LC_ALL=C sort'

const CHANGE = `
  printf changed > kept.txt
  rm gone.txt
  rm -r folder
  ln -s kept.txt folder
  mkdir -p new/deep/empty
  printf '#!/bin/sh\\n' > new/run; chmod 4751 new/run; touch -d @1000000000.5 new/run
  printf "$(printf 'odd \\\\351 \\\\377')" > /dev/null
  printf x > "$(printf 'odd\\351\\377')"
  ln -s /etc/hostname new/absolute
  ln -s "$PWD/kept.txt" new/within
  ln -s nowhere new/dangling
  printf linked > new/one; ln new/one new/two; ln new/one three
  head -c 3000000 /dev/zero > new/zeros
  chmod 700 new/deep
`

it('a Job of the host whose stage is a folder is kept and forked exactly', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'forks-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const ws = path.join(root, 'ws')
  mkdirSync(path.join(ws, 'folder/below'), { recursive: true })
  for (const [name, text] of [
    ['kept.txt', 'kept'],
    ['gone.txt', 'gone'],
    ['folder/below/file', 'file'],
  ] as const)
    writeFileSync(path.join(ws, name), text)
  symlinkSync('kept.txt', path.join(ws, 'link'))
  const open = async (): Promise<Jobs> => {
    const scratch = inspectScratch(path.join(root, 'scratch'), 'host')
    onTestFinished(() => scratch.remove(false))
    return jobsOfFolder(
      { schema_version: 1, root: ws, directory: '/', mounts: [], pass_env: [], private_tmp: false },
      jobFolders(path.join(root, 'runs')),
      'host',
      scratch,
    )
  }
  const show = async (job: Job, checkpoint?: string): Promise<string> =>
    within(decode((await job.inspect(['bash', '-c', SHOW], checkpoint === undefined ? {} : { checkpoint })).stdout))

  const job = await (await open()).run({ command: ['bash', '-c', CHANGE], stage: true, executor: 'host' })
  expect((await job.ended).state).toBe('completed')
  const { checkpoint_id: checkpoint } = await job.checkpoints.create()
  const wanted = await show(job)
  expect(wanted.split('\n').length).toBeGreaterThan(20)
  expect(await show(job, checkpoint)).toBe(wanted)
  expect(await job.changes({ checkpoint })).toEqual(await job.changes())

  // Another process forks it.
  const child = await (await (await open()).open(job.id)).fork({ checkpoint, command: ['true'] })
  expect((await child.ended).state).toBe('completed')
  expect(await show(child)).toBe(wanted)
  expect(await child.changes()).toEqual(await job.changes())

  // What it does from there on, and the real thing.
  const next = await child.fork({ command: ['bash', '-c', 'printf more >> new/two; rm kept.txt; mv new moved; rm folder; mkdir folder'] })
  expect((await next.ended).state).toBe('completed')
  const real = path.join(root, 'real')
  mkdirSync(path.join(real, 'folder/below'), { recursive: true })
  for (const name of ['kept.txt', 'gone.txt', 'folder/below/file']) writeFileSync(path.join(real, name), readFileSync(path.join(ws, name)))
  symlinkSync('kept.txt', path.join(real, 'link'))
  const timeless = (text: string): string => text.replace(/ \d{9,}\.\d+$/gm, '')
  const ran = spawnSync('bash', ['-c', `${CHANGE}printf more >> new/two; rm kept.txt; mv new moved; rm folder; mkdir folder; ${SHOW}`], {
    cwd: real,
  })
  expect(timeless(await show(next))).toBe(timeless(within(decode(ran.stdout))))
})

/** Without the place of the copy that a command worked in. */
function within(text: string): string {
  return text.replace(/within l .*\/kept\.txt$/gm, 'within l ./kept.txt')
}
