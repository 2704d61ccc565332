import { hasCode } from '../../src/errors.ts'
import { AssertionError, deepEqual, equal, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'
import type { WorkspaceSubject } from './workspace.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What an attempt gives with a script whose pauses, in seconds, are long enough: on a machine that stands still meanwhile, a short one is over too soon. */
async function slower<T>(attempt: (pause: number) => Promise<T | null>): Promise<T> {
  for (const pause of [0.05, 0.5, 3]) {
    const made = await attempt(pause)
    if (made !== null) return made
  }
  throw new AssertionError('the script was over before it could be suspended, however long it took')
}

/** Null where the Job ended before it could be suspended. */
async function unlessEnded<T>(suspended: Promise<T>): Promise<T | null> {
  try {
    return await suspended
  } catch (error) {
    if (hasCode(error, 'CONFLICT')) return null
    throw error
  }
}

/** What Jobs do, whichever runtime and store the workspace has. */
export const jobContract: readonly ContractCase<WorkspaceSubject>[] = [
  {
    name: 'a Job that is not staged writes its files, and its record says how it ended',
    run: async (subject) => {
      const ws = subject.open()
      const job = await ws.jobs.run({ command: 'echo hi > /tmp/f; (exit 3)', name: 'greets' })
      const { run, live, filesystem } = await job.status()
      deepEqual([run.state, run.name, run.overlay, live, filesystem], ['failed', 'greets', null, false, null])
      equal(decoder.decode(await ws.fs.read('/tmp/f')), 'hi\n')
      await ws.close()
    },
  },
  {
    name: 'what a staged Job changed is seen by another instance, and the workspace has nothing of it',
    run: async (subject) => {
      const files = subject.files()
      files.write('/kept', encoder.encode('kept'))
      files.write('/gone', encoder.encode('gone'))
      const ws = subject.open({ '/data': files })
      const { id } = await ws.jobs.run({
        command: ['sh', '-c', 'printf %s "$0" > new; rm gone; mkdir -p d/e; echo x >> kept', 'put'],
        stage: true,
        cwd: '/data',
      })
      equal((await ws.shell('cd /data; ls; cat kept')).stdoutText, 'gone\nkept\nkept')

      const other = subject.open({ '/data': files })
      deepEqual(await other.jobs.list(), [id])
      const job = await other.jobs.open(id)
      const changes = (await job.changes()).map(({ path, kind }) => `${kind} ${path}`)
      deepEqual(changes, ['added data/d', 'added data/d/e', 'deleted data/gone', 'modified data/kept', 'added data/new'])
      equal(decoder.decode((await job.inspect('cd /data; ls; cat new kept')).stdout), 'd\nkept\nnew\nputkeptx\n')
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a Job that runs elsewhere is seen to, and is ended on request',
    run: async (subject) => {
      const ws = subject.open()
      const other = subject.open()
      const started = await ws.jobs.start({ command: 'while :; do sleep 0.02; done', stage: true })
      const seen = await other.jobs.open(started.id)
      equal((await seen.status()).live, true)
      await rejects(() => seen.inspect('true'), 'EBUSY')
      equal((await seen.kill()).state, 'stopping')
      equal((await started.ended).state, 'cancelled')
      const { run, live } = await seen.status()
      deepEqual([run.state, live], ['cancelled', false])
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a Job is ended by its time limit, and by the end of its workspace',
    run: async (subject) => {
      const ws = subject.open()
      const late = await ws.jobs.run({ command: 'sleep 100', timeoutMs: 30 })
      equal((await late.ended).state, 'failed')
      const left = await ws.jobs.start({ command: 'sleep 100' })
      await ws.close()
      equal((await left.ended).state, 'cancelled')
      await rejects(() => ws.jobs.list(), 'CLOSED')
    },
  },
  {
    name: 'what a Job can not be is refused, and leaves no Job',
    run: async (subject) => {
      const ws = subject.open()
      await rejects(() => ws.jobs.run({ command: '' }), 'CONFIG_INVALID')
      await rejects(() => ws.jobs.run({ command: 'true', stages: true } as never), 'CONFIG_INVALID')
      await rejects(() => ws.jobs.run({ command: 'true', executor: 'vm' as never }), 'CAPABILITY_UNSUPPORTED')
      await rejects(() => ws.jobs.run({ command: 'true', executor: 'host' }), 'CAPABILITY_UNSUPPORTED')
      await rejects(() => ws.jobs.run({ command: 'true', cwd: '/nowhere' }), 'ENOENT')
      await rejects(() => ws.jobs.run({ command: 'true', id: '../x' }), 'CONFIG_INVALID')
      deepEqual(await ws.jobs.list(), [])
      await ws.close()
    },
  },
  {
    name: 'a checkpoint is made once for a request, whoever asks; forks of it go their own ways, and keep it',
    run: async (subject) => {
      const files = subject.files()
      const ws = subject.open({ '/data': files })
      const other = subject.open({ '/data': files })
      const { id } = await ws.jobs.run({ command: 'printf seed > f; mkdir -m 700 d; ln -s ../f d/l', stage: true, cwd: '/data' })
      const made = await (await ws.jobs.open(id)).checkpoints.create({ requestId: 'save 1' })
      const job = await other.jobs.open(id)
      const again = await job.checkpoints.create({ requestId: 'save 1' })
      deepEqual([made.reused, again.reused, again.checkpoint], [false, true, made.checkpoint])
      const { checkpoint_id: checkpoint } = made
      const left = await job.fork({ checkpoint, command: 'printf %s-left "$(cat d/l)" > f' })
      const right = await job.fork({ command: 'printf %s-right "$(cat d/l)" > f; chmod 755 d' })
      deepEqual([(await left.ended).state, (await right.ended).state], ['completed', 'completed'])
      const seen = async (from: string): Promise<string> =>
        decoder.decode((await (await ws.jobs.open(from)).inspect('cd /data; stat -c %a d; cat f')).stdout)
      deepEqual([await seen(id), await seen(left.id), await seen(right.id)], ['700\nseed', '700\nseed-left', '755\nseed-right'])
      await job.checkpoints.gc()
      deepEqual(
        (await job.changes({ checkpoint })).map(({ kind, path }) => `${kind} ${path}`),
        ['added data/d', 'added data/d/l', 'added data/f'],
      )
      equal((await job.checkpoints.show(checkpoint)).branch_references, 1)
      await rejects(() => job.checkpoints.delete(checkpoint), 'EBUSY')
      equal((await job.checkpoints.list()).checkpoints.length, 2)
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a workspace that is deleted takes its Jobs with it',
    run: async (subject) => {
      const ws = subject.open()
      await ws.jobs.run({ command: 'echo x > /tmp/x', stage: true })
      await ws.delete()
      const after = subject.open()
      deepEqual(await after.jobs.list(), [])
      await after.close()
    },
  },
  {
    name: 'a running Job is suspended on request from elsewhere, and goes on in another instance as if nothing had been',
    run: async (subject) => {
      const files = subject.files()
      const ws = subject.open({ '/data': files })
      const script = (pause: number): string =>
        `trap 'echo bye' EXIT; exec 3>>log; x=$RANDOM; for i in 1 2 3 4 5 6 7 8; do echo $i >&3; echo "half $i"; sleep ${pause}; done; (exit 4) & wait $!; echo $? \`wc -l < log\`; [ -n "$x" ] && exit 7`
      const other = subject.open({ '/data': files })
      const { job, seen, suspended } = await slower(async (pause) => {
        const job = await ws.jobs.start({ command: ['bash', '-c', script(pause)], stage: true, cwd: '/data' })
        const seen = await other.jobs.open(job.id)
        const suspended = await unlessEnded(seen.suspend())
        return suspended === null ? null : { job, seen, suspended }
      })
      const { checkpoint_id, state } = suspended
      const so = decoder.decode((await seen.output()).stdout)
      deepEqual([so.startsWith('half 1\n'), so.includes('bye')], [true, false])
      deepEqual([state, (await job.ended).state, (await seen.status()).live], ['suspended', 'suspended', false])
      await rejects(() => seen.apply(), 'EBUSY')
      await rejects(() => seen.drop(), 'EBUSY')
      deepEqual(
        (await seen.checkpoints.list({ kind: 'execution' })).checkpoints.map((one) => one.checkpoint_id),
        [checkpoint_id],
      )
      const branch = await seen.fork({ state: 'execution' })
      const resumed = await seen.resume()
      deepEqual([(await resumed.ended).state, (await branch.ended).state], ['failed', 'failed'])
      for (const one of [resumed, branch]) {
        const { run } = await one.review()
        const expected = '12345678'.replace(/./g, (digit) => `half ${digit}\n`)
        deepEqual([run.output.stdout, run.output.stderr, run.exit_code], [`${expected}4 8\nbye\n`, '', 7])
        deepEqual(
          (await one.changes()).map(({ path, kind }) => `${kind} ${path}`),
          ['added data/log'],
        )
      }
      await resumed.apply()
      equal(decoder.decode(files.read('/log')), '1\n2\n3\n4\n5\n6\n7\n8\n')
      await ws.close()
      await other.close()
    },
  },
  {
    name: 'a Job suspends itself after a time, as often as it is let',
    run: async (subject) => {
      const ws = subject.open()
      const job = await slower(async (pause) => {
        let job = await ws.jobs.run({ command: `for i in 1 2 3 4; do echo $i; sleep ${pause}; done`, suspendAfterMs: 40 })
        let times = 0
        while ((await job.ended).state === 'suspended') {
          times += 1
          job = await job.resume({ suspendAfterMs: 40 })
        }
        return times === 0 ? null : job
      })
      equal((await job.review()).run.output.stdout, '1\n2\n3\n4\n')
      equal((await job.checkpoints.list()).checkpoints.length, 0)
      await rejects(() => job.resume(), 'CONFLICT')
      await ws.close()
    },
  },
]
